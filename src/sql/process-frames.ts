/**
 * How the server and a process that runs queries speak: frames of a kind, a length and that many bytes, over the
 * process's stdin and stdout.
 */

/** To the process: `job`, as JSON, and `release`. From it: the rest. */
export const FRAME = {
  job: 0,
  /** It has started and takes jobs. */
  ready: 1,
  /** The document is open, and the time of the query begins. */
  began: 2,
  /** Some of the answer. */
  piece: 3,
  /** The end of the answer; as JSON how much memory the process has by now. */
  done: 4,
  /** A refusal as JSON. */
  refused: 5,
  /** The document was not open: nothing was read. */
  closed: 6,
  /** The document need not be kept open any longer. */
  release: 7,
} as const;

export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

export interface Frame {
  readonly kind: number;
  readonly payload: Buffer;
}

export const HEADER_BYTES = 5;

export function frame(kind: FrameKind, payload: string | Uint8Array = ""): Buffer {
  const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
  const result = Buffer.allocUnsafe(HEADER_BYTES + bytes.length);
  result[0] = kind;
  result.writeUInt32LE(bytes.length, 1);
  result.set(bytes, HEADER_BYTES);
  return result;
}

/** Kind and length of a frame, by its first bytes. */
export const readHeader = (bytes: Buffer): { kind: number; length: number } => ({
  kind: bytes.readUInt8(0),
  length: bytes.readUInt32LE(1),
});

/** Puts frames together from bytes as they arrive. */
export class FrameReader {
  #buffered: Buffer = Buffer.alloc(0);

  /** The frames that are whole with these bytes. */
  *push(bytes: Uint8Array): Generator<Frame> {
    this.#buffered = this.#buffered.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#buffered, bytes]);
    while (this.#buffered.length >= HEADER_BYTES) {
      const { kind, length } = readHeader(this.#buffered);
      if (this.#buffered.length < HEADER_BYTES + length) return;
      const payload = this.#buffered.subarray(HEADER_BYTES, HEADER_BYTES + length);
      this.#buffered = this.#buffered.subarray(HEADER_BYTES + length);
      yield { kind, payload };
    }
  }
}
