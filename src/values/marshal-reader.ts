import { MAX_DEPTH } from "./marshal-writer.ts";

/** How to decode integers that a number cannot represent exactly. */
export type LargeIntegerMode = "bigint" | "number";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Longer integers are rejected, because building one takes quadratic time. */
const MAX_LONG_DIGITS = 4096;
/** Represents the byte that ends a mapping. */
const END_MARK = Symbol("end");

/** Decodes one marshalled value. Validates every length against the remaining bytes before allocating. */
export class MarshalReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #large: LargeIntegerMode;
  #at = 0;
  /** Interned strings (code `t`), which later references address by index. */
  #interned: unknown[] = [];

  constructor(bytes: Uint8Array, large: LargeIntegerMode) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#large = large;
  }

  readAll(): unknown {
    const value = this.#readValue(0);
    if (this.#at !== this.#bytes.length) throw new Error("marshalled value is followed by other bytes");
    return value;
  }

  /** Returns a member of a mapping, without reading what follows; undefined if it is missing. */
  readMember(name: string): unknown {
    if (this.#readByte() !== "{".charCodeAt(0)) throw new Error("marshalled value is not a mapping");
    for (;;) {
      const key = this.#readTyped(1);
      if (key === END_MARK) return undefined;
      const value = this.#readValue(1);
      if (key === name) return value;
    }
  }

  #readValue(depth: number): unknown {
    const value = this.#readTyped(depth);
    if (value === END_MARK) throw new Error("unexpected end of a marshalled mapping");
    return value;
  }

  #readTyped(depth: number): unknown {
    if (depth > MAX_DEPTH) throw new Error("marshalled value is nested too deeply");
    const code = String.fromCharCode(this.#readByte());
    switch (code) {
      case "N":
        return null;
      case "T":
        return true;
      case "F":
        return false;
      case "i":
        return this.#readInt32();
      case "I":
        return this.#toSafeInteger(this.#view.getBigInt64(this.#advance(8), true));
      case "l":
        return this.#readLong();
      case "g":
        return this.#view.getFloat64(this.#advance(8), true);
      case "f":
        return this.#readDecimalText();
      case "u":
        return utf8.decode(this.#readSized());
      case "s":
        return textOrBytes(this.#readSized());
      case "t":
        return this.#intern(textOrBytes(this.#readSized()));
      case "R":
        return this.#readReference();
      case "[":
      case "(":
        return this.#readList(depth);
      case "{":
        return this.#readMapping(depth);
      case "0":
        return END_MARK;
      default:
        throw new Error(`unknown code ${JSON.stringify(code)} in a marshalled value`);
    }
  }

  #readLong(): unknown {
    const count = this.#readInt32();
    const digits = Math.abs(count);
    if (digits > MAX_LONG_DIGITS) throw new Error("marshalled integer is too long");
    const start = this.#advance(digits * 2);
    let value = 0n;
    for (let index = digits - 1; index >= 0; index--) {
      value = (value << 15n) | BigInt(this.#view.getUint16(start + index * 2, true) & 0x7fff);
    }
    return this.#toSafeInteger(count < 0 ? -value : value);
  }

  #toSafeInteger(value: bigint): number | bigint {
    const number = Number(value);
    return this.#large === "number" || Number.isSafeInteger(number) ? number : value;
  }

  #readDecimalText(): number {
    const length = this.#readByte();
    const start = this.#advance(length);
    const text = String.fromCharCode(...this.#bytes.subarray(start, start + length)).toLowerCase();
    if (/^[+-]?nan$/.test(text)) return NaN;
    if (/^[+-]?inf(inity)?$/.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
    if (!/^[+-]?[\d.]+(e[+-]?\d+)?$/.test(text)) throw new Error("malformed number in a marshalled value");
    return Number(text);
  }

  #intern(value: unknown): unknown {
    this.#interned.push(value);
    return value;
  }

  #readReference(): unknown {
    const index = this.#readInt32();
    if (index < 0 || index >= this.#interned.length) throw new Error("dangling reference in a marshalled value");
    return this.#interned[index];
  }

  #readList(depth: number): unknown[] {
    const count = this.#readCount();
    const items: unknown[] = [];
    for (let index = 0; index < count; index++) items.push(this.#readValue(depth + 1));
    return items;
  }

  #readMapping(depth: number): object {
    const mapping = {};
    for (;;) {
      const key = this.#readTyped(depth + 1);
      if (key === END_MARK) return mapping;
      if (typeof key === "object" && key !== null) throw new Error("a key of a marshalled mapping is not a string");
      // Not by assignment: a key "__proto__" must become an own property.
      Object.defineProperty(mapping, String(key), {
        value: this.#readValue(depth + 1),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
  }

  #readSized(): Uint8Array {
    const count = this.#readCount();
    const start = this.#advance(count);
    return this.#bytes.subarray(start, start + count);
  }

  /** Reads a number of bytes or items. An item takes at least one byte, so no count may exceed the remaining bytes. */
  #readCount(): number {
    const count = this.#view.getUint32(this.#advance(4), true);
    if (count > this.#bytes.length - this.#at) throw new Error("marshalled value is cut short");
    return count;
  }

  #readInt32(): number {
    return this.#view.getInt32(this.#advance(4), true);
  }

  #readByte(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  /** Advances by `count` bytes and returns their start offset. */
  #advance(count: number): number {
    const start = this.#at;
    if (start + count > this.#bytes.length) throw new Error("marshalled value is cut short");
    this.#at += count;
    return start;
  }
}

function textOrBytes(bytes: Uint8Array): string | Uint8Array {
  try {
    return utf8.decode(bytes);
  } catch {
    return bytes.slice();
  }
}
