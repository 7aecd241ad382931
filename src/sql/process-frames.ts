/**
 * The protocol between the server and a query process: frames of kind, length and payload over the process's stdin and
 * stdout.
 */

/** Sent to the process: `job`, as JSON, and `release`. All others are sent by it. */
export const FRAME = {
  job: 0,
  /** The process has started and accepts jobs. */
  ready: 1,
  /** The document is open, and the query's time limit starts. */
  began: 2,
  /** A chunk of the answer. */
  piece: 3,
  /** The end of the answer, with the process's memory usage as JSON. */
  done: 4,
  /** An error as JSON. */
  refused: 5,
  /** The document was not open: no data was read. */
  closed: 6,
  /** The document may be closed. */
  release: 7,
} as const;

export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

export interface Frame {
  readonly kind: number;
  readonly payload: Buffer;
}

const HEADER_BYTES = 5;

export function frame(kind: FrameKind, payload: string | Uint8Array = ""): Buffer {
  const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
  const result = Buffer.allocUnsafe(HEADER_BYTES + bytes.length);
  result[0] = kind;
  result.writeUInt32LE(bytes.length, 1);
  result.set(bytes, HEADER_BYTES);
  return result;
}

/** Parses the header of a frame. */
const readHeader = (bytes: Buffer): { kind: number; length: number } => ({
  kind: bytes.readUInt8(0),
  length: bytes.readUInt32LE(1),
});

/** Assembles frames from arriving bytes. */
export class FrameReader {
  #buffered: Buffer = Buffer.alloc(0);

  /** Yields the frames that these bytes complete. */
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
