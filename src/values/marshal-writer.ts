import { invalid } from "../errors.ts";

/** Deeper nesting is rejected on both sides: recursive readers of the format overflow their stack. */
export const MAX_DEPTH = 500;

/** From this size on, a buffer grows by doubling and is not reused for the next value. */
const LARGE_BUFFER_BYTES = 1_048_576;

const encoder = new TextEncoder();

/** Bytes that are marshalled already and are copied unchanged. */
export class Marshalled {
  readonly bytes: Uint8Array;

  constructor(value: unknown) {
    this.bytes = new MarshalWriter().write(value);
  }
}

const LONG_BITS = 15n;
/** Shorter strings are written here, character by character. */
const SHORT_TEXT_LENGTH = 100;

/** Type codes that values begin with, in ASCII. */
const TYPE_CODES = {
  none: 0x4e,
  true: 0x54,
  false: 0x46,
  int32: 0x69,
  int64: 0x49,
  long: 0x6c,
  float: 0x67,
  text: 0x75,
  bytes: 0x73,
  list: 0x5b,
  mapping: 0x7b,
  end: 0x30,
} as const;

/** The buffer of the previous value, reused: most values are small, and an allocation costs more than writing one. */
let spareBuffer: Uint8Array<ArrayBuffer> | undefined;

function takeBuffer(): Uint8Array<ArrayBuffer> {
  const buffer = spareBuffer ?? new Uint8Array(64);
  spareBuffer = undefined;
  return buffer;
}

/** Encodes one value. */
export class MarshalWriter {
  #bytes = takeBuffer();
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  /**
   * Returns the bytes of `value`.
   * @throws AppError `invalid` if it is nested too deeply; an Error for values that the format cannot represent
   */
  write(value: unknown): Uint8Array {
    this.#writeValue(value, 0);
    const bytes = this.#bytes.slice(0, this.#length);
    if (this.#bytes.length <= LARGE_BUFFER_BYTES) spareBuffer = this.#bytes;
    return bytes;
  }

  #writeValue(value: unknown, depth: number): void {
    if (depth > MAX_DEPTH) throw invalid("A value is nested too deeply");
    if (typeof value === "string") this.#writeText(value);
    else if (typeof value === "number") this.#writeNumber(value);
    else if (typeof value === "boolean") this.#writeCode(value ? TYPE_CODES.true : TYPE_CODES.false);
    else if (typeof value === "object") this.#writeObject(value, depth);
    else if (value === undefined) this.#writeCode(TYPE_CODES.none);
    else if (typeof value === "bigint") this.#writeBigint(value);
    else throw new Error(`cannot marshal a ${typeof value}`);
  }

  #writeObject(value: object | null, depth: number): void {
    if (value === null) this.#writeCode(TYPE_CODES.none);
    else if (Array.isArray(value)) this.#writeList(value, depth);
    else if (value instanceof Uint8Array) this.#writeSized(TYPE_CODES.bytes, value);
    else if (value instanceof Marshalled) this.#append(value.bytes);
    else this.#writeMapping(value, depth);
  }

  #writeNumber(value: number): void {
    if (Object.is(value | 0, value)) this.#writeInt32(TYPE_CODES.int32, value);
    else {
      this.#reserve(9);
      this.#bytes[this.#length] = TYPE_CODES.float;
      this.#view.setFloat64(this.#length + 1, value, true);
      this.#length += 9;
    }
  }

  #writeBigint(value: bigint): void {
    if (BigInt.asIntN(32, value) === value) this.#writeInt32(TYPE_CODES.int32, Number(value));
    else if (BigInt.asIntN(64, value) === value) {
      this.#reserve(9);
      this.#writeCode(TYPE_CODES.int64);
      this.#view.setBigInt64(this.#length, value, true);
      this.#length += 8;
    } else this.#writeLong(value);
  }

  #writeLong(value: bigint): void {
    const digits: number[] = [];
    for (let rest = value < 0n ? -value : value; rest > 0n; rest >>= LONG_BITS) digits.push(Number(rest & 0x7fffn));
    this.#writeInt32(TYPE_CODES.long, value < 0n ? -digits.length : digits.length);
    this.#reserve(digits.length * 2);
    for (const digit of digits) {
      this.#view.setUint16(this.#length, digit, true);
      this.#length += 2;
    }
  }

  #writeText(value: string): void {
    if (value.length > SHORT_TEXT_LENGTH) return this.#writeSized(TYPE_CODES.text, encoder.encode(value));
    this.#reserve(5 + 3 * value.length);
    const start = this.#length + 5;
    const plain = this.#writeAscii(value, start);
    const size = plain < 0 ? encoder.encodeInto(value, this.#bytes.subarray(start)).written : plain;
    this.#writeInt32(TYPE_CODES.text, size);
    this.#length += size;
  }

  /**
   * Writes a string at `start` if it is ASCII, which most are; returns its length, or -1. Calling TextEncoder costs
   * more.
   */
  #writeAscii(value: string, start: number): number {
    const bytes = this.#bytes;
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code > 127) return -1;
      bytes[start + i] = code;
    }
    return value.length;
  }

  #writeSized(code: number, bytes: Uint8Array): void {
    this.#writeInt32(code, bytes.length);
    this.#append(bytes);
  }

  #append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #writeList(items: readonly unknown[], depth: number): void {
    this.#writeInt32(TYPE_CODES.list, items.length);
    for (const item of items) this.#writeValue(item, depth + 1);
  }

  #writeMapping(mapping: object, depth: number): void {
    this.#writeCode(TYPE_CODES.mapping);
    for (const key of Object.keys(mapping)) {
      this.#writeText(key);
      this.#writeValue((mapping as Readonly<Record<string, unknown>>)[key], depth + 1);
    }
    this.#writeCode(TYPE_CODES.end);
  }

  /** Writes a code and the 32-bit integer that follows it: a value, a length or a count. */
  #writeInt32(code: number, value: number): void {
    this.#reserve(5);
    this.#bytes[this.#length] = code;
    this.#view.setInt32(this.#length + 1, value, true);
    this.#length += 5;
  }

  #writeCode(code: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = code;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    // Most values are small; the others are far larger.
    const growth = this.#bytes.length < LARGE_BUFFER_BYTES ? 4 : 2;
    const larger = new Uint8Array(Math.max(this.#bytes.length * growth, this.#length + count));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}
