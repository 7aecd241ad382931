import { spendBytes } from "./budget.ts";
import { PyError, typeError, valueError } from "./errors.ts";
import { PySlice, pickRange, sliceRange } from "./slice-values.ts";
import { type HashKey, PyObject, type PyValue, typeName } from "./values.ts";

const PRINTABLE = /^[\x20-\x7e]$/;

/** A `bytes`. Each byte is a character of `text`, U+0000 to U+00FF. */
export class PyBytes extends PyObject {
  readonly typeName = "bytes";
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  static fromArray(bytes: Uint8Array): PyBytes {
    spendBytes(bytes.length);
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    return new PyBytes(text);
  }

  toArray(): Uint8Array {
    spendBytes(this.text.length);
    return Uint8Array.from(this.text, (character) => character.charCodeAt(0));
  }

  override items(): readonly PyValue[] {
    return Array.from(this.toArray(), BigInt);
  }

  override length(): number {
    return this.text.length;
  }

  override truth(): boolean {
    return this.text !== "";
  }

  override equals(other: PyValue): boolean {
    return other instanceof PyBytes && other.text === this.text;
  }

  override compare(other: PyValue): number | undefined {
    if (!(other instanceof PyBytes)) return undefined;
    return this.text < other.text ? -1 : this.text > other.text ? 1 : 0;
  }

  override hashKey(): HashKey {
    return `\0b${this.text}`;
  }

  override contains(value: PyValue): boolean {
    if (value instanceof PyBytes) return this.text.includes(value.text);
    if (typeof value === "bigint") return this.text.includes(String.fromCharCode(Number(value)));
    throw typeError(`a bytes-like object is required, not '${typeName(value)}'`);
  }

  override binary(sign: string, other: PyValue, reflected: boolean): PyValue | undefined {
    if (sign === "+" && other instanceof PyBytes) {
      spendBytes(this.text.length + other.text.length);
      return new PyBytes(reflected ? other.text + this.text : this.text + other.text);
    }
    if (sign === "*" && typeof other === "bigint") {
      const count = Math.max(0, Number(other));
      spendBytes(this.text.length * count);
      return new PyBytes(this.text.repeat(count));
    }
    return undefined;
  }

  override getItem(index: PyValue): PyValue {
    const { length } = this.text;
    if (index instanceof PySlice) {
      const range = sliceRange(length, index.start, index.stop, index.step);
      return new PyBytes(pickRange(this.text.split(""), range).join(""));
    }
    if (typeof index !== "bigint") throw typeError("byte indices must be integers or slices");
    const at = Number(index) < 0 ? Number(index) + length : Number(index);
    if (at < 0 || at >= length) throw new PyError("IndexError", "index out of range");
    return BigInt(this.text.charCodeAt(at));
  }

  /** As UTF-8; undefined if it is none. */
  decodeUtf8(): string | undefined {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.toArray());
    } catch {
      return undefined;
    }
  }

  repr(): string {
    spendBytes(this.text.length * 4);
    const quote = this.text.includes("'") && !this.text.includes('"') ? '"' : "'";
    let quoted = `b${quote}`;
    for (const character of this.text) quoted += quoteByte(character, quote);
    return quoted + quote;
  }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

function quoteByte(character: string, quote: string): string {
  if (character === quote) return `\\${quote}`;
  const escape = ESCAPES.get(character);
  if (escape !== undefined) return escape;
  return PRINTABLE.test(character) ? character : `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
}

const NAMES: ReadonlyMap<string, "utf-8" | "ascii" | "latin-1"> = new Map([
  ["utf-8", "utf-8"],
  ["utf8", "utf-8"],
  ["ascii", "ascii"],
  ["us-ascii", "ascii"],
  ["latin-1", "latin-1"],
  ["latin1", "latin-1"],
  ["iso-8859-1", "latin-1"],
]);

function encodingOf(name: string): "utf-8" | "ascii" | "latin-1" {
  const encoding = NAMES.get(name.toLowerCase().replaceAll("_", "-"));
  if (!encoding) throw new PyError("LookupError", `unknown encoding: ${name}`);
  return encoding;
}

/** `text.encode(encoding, errors)` */
export function encodeText(text: string, name: string, errors: string): PyBytes {
  const encoding = encodingOf(name);
  spendBytes(text.length * 3);
  if (encoding === "utf-8" && !/\p{Surrogate}/u.test(text)) return PyBytes.fromArray(new TextEncoder().encode(text));
  const limit = encoding === "ascii" ? 0x80 : encoding === "latin-1" ? 0x100 : 0xd800;
  let bytes = "";
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (encoding === "utf-8" && (code < 0xd800 || code > 0xdfff)) {
      bytes += PyBytes.fromArray(new TextEncoder().encode(character)).text;
    } else if (code < limit) bytes += character;
    else if (errors === "replace") bytes += "?";
    else if (errors === "xmlcharrefreplace") bytes += `&#${code};`;
    else if (errors === "backslashreplace") bytes += escapeCode(code);
    else if (errors !== "ignore") {
      const message = `'${encoding}' codec can't encode character '${escapeCode(code)}'`;
      throw new PyError("UnicodeEncodeError", message);
    }
  }
  return new PyBytes(bytes);
}

function escapeCode(code: number): string {
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

/** `bytes.decode(encoding, errors)` */
export function decodeBytes(bytes: PyBytes, name: string, errors: string): string {
  const encoding = encodingOf(name);
  if (encoding === "utf-8") {
    const text = bytes.decodeUtf8();
    if (text !== undefined) return text;
    if (errors === "replace") return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.toArray());
    if (errors === "ignore") {
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.toArray()).replaceAll("\ufffd", "");
    }
  } else if (encoding === "latin-1" || !/[\x80-\xff]/.test(bytes.text)) return bytes.text;
  else if (errors === "replace") return bytes.text.replaceAll(/[\x80-\xff]/g, "\ufffd");
  else if (errors === "ignore") return bytes.text.replaceAll(/[\x80-\xff]/g, "");
  throw new PyError("UnicodeDecodeError", `'${encoding}' codec can't decode the bytes`);
}

/** `bytes(source, encoding)` */
export function makeBytes(source: PyValue, encoding: PyValue, items: (value: PyValue) => readonly PyValue[]): PyBytes {
  if (source instanceof PyBytes) return source;
  if (typeof source === "string") {
    if (typeof encoding !== "string") throw typeError("string argument without an encoding");
    return encodeText(source, encoding, "strict");
  }
  if (typeof source === "bigint") {
    if (source < 0n) throw valueError("negative count");
    spendBytes(Number(source));
    return new PyBytes("\0".repeat(Number(source)));
  }
  const codes = items(source).map((item) => {
    if (typeof item !== "bigint") throw typeError(`'${typeName(item)}' object cannot be interpreted as an integer`);
    if (item < 0n || item > 255n) throw valueError("bytes must be in range(0, 256)");
    return Number(item);
  });
  return PyBytes.fromArray(Uint8Array.from(codes));
}
