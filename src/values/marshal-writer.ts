/** Deeper nesting is refused on both sides: readers of the format overflow their stack at some point. */
export const MAX_DEPTH = 500;

/** Bytes from which on a buffer only doubles. */
const LARGE = 1_048_576;

const encoder = new TextEncoder();

/** A value in the format already, to be taken over as it is. */
export class Marshalled {
  readonly bytes: Uint8Array;

  constructor(value: unknown) {
    this.bytes = new MarshalWriter().write(value);
  }
}
const LONG_BITS = 15n;

/** Gathers the bytes of one marshalled value. */
export class MarshalWriter {
  #bytes = new Uint8Array(64);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  /** The bytes of `value`; throws an Error for what the format cannot hold. */
  write(value: unknown): Uint8Array {
    this.#value(value, 0);
    return this.#bytes.slice(0, this.#length);
  }

  #value(value: unknown, depth: number): void {
    if (depth > MAX_DEPTH) throw new Error("value is nested too deeply");
    if (value === null || value === undefined) this.#code("N");
    else if (value === true) this.#code("T");
    else if (value === false) this.#code("F");
    else if (typeof value === "number") this.#number(value);
    else if (typeof value === "string") this.#text(value);
    else if (typeof value === "bigint") this.#bigint(value);
    else if (value instanceof Uint8Array) this.#sized("s", value);
    else if (Array.isArray(value)) this.#list(value, depth);
    else if (value instanceof Marshalled) this.#append(value.bytes);
    else if (typeof value === "object") this.#mapping(value, depth);
    else throw new Error(`cannot marshal a ${typeof value}`);
  }

  #number(value: number): void {
    if (Object.is(value | 0, value)) this.#int32("i", value);
    else {
      this.#reserve(9);
      this.#code("g");
      this.#view.setFloat64(this.#length, value, true);
      this.#length += 8;
    }
  }

  #bigint(value: bigint): void {
    if (BigInt.asIntN(32, value) === value) this.#int32("i", Number(value));
    else if (BigInt.asIntN(64, value) === value) {
      this.#reserve(9);
      this.#code("I");
      this.#view.setBigInt64(this.#length, value, true);
      this.#length += 8;
    } else this.#long(value);
  }

  #long(value: bigint): void {
    const digits: number[] = [];
    for (let rest = value < 0n ? -value : value; rest > 0n; rest >>= LONG_BITS) digits.push(Number(rest & 0x7fffn));
    this.#int32("l", value < 0n ? -digits.length : digits.length);
    this.#reserve(digits.length * 2);
    for (const digit of digits) {
      this.#view.setUint16(this.#length, digit, true);
      this.#length += 2;
    }
  }

  #text(value: string): void {
    this.#sized("u", encoder.encode(value));
  }

  #sized(code: string, bytes: Uint8Array): void {
    this.#int32(code, bytes.length);
    this.#append(bytes);
  }

  #append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #list(items: readonly unknown[], depth: number): void {
    this.#int32("[", items.length);
    for (const item of items) this.#value(item, depth + 1);
  }

  #mapping(mapping: object, depth: number): void {
    this.#code("{");
    for (const [key, value] of Object.entries(mapping)) {
      this.#text(key);
      this.#value(value, depth + 1);
    }
    this.#code("0");
  }

  /** A code and the 32-bit integer that follows it: a value, a length or a count. */
  #int32(code: string, value: number): void {
    this.#reserve(5);
    this.#code(code);
    this.#view.setInt32(this.#length, value, true);
    this.#length += 4;
  }

  #code(code: string): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = code.charCodeAt(0);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    // Most values are small; those that are not are a good deal larger.
    const growth = this.#bytes.length < LARGE ? 4 : 2;
    const larger = new Uint8Array(Math.max(this.#bytes.length * growth, this.#length + count));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}
