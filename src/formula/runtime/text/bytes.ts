import { spendBytes, spendSteps } from "../budget.ts";
import { PyError, typeError, valueError } from "../errors.ts";
import { PySlice, selectRange, sliceRange } from "../collections/slice-values.ts";
import { type HashKey, numberOf, PyObject, type PyValue, typeName } from "../values.ts";

const PRINTABLE = /^[\x20-\x7e]$/;

/** A `bytes` object. Each byte is a character of `text`, U+0000 to U+00FF. */
export class PyBytes extends PyObject {
  readonly typeName: string = "bytes";
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  static fromArray(bytes: Uint8Array): PyBytes {
    spendBytes(bytes.length);
    spendSteps(bytes.length);
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    return new PyBytes(text);
  }

  toArray(): Uint8Array {
    spendBytes(this.text.length);
    spendSteps(this.text.length * 2);
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

  override hashKey(): HashKey | undefined {
    return `\0b${this.text}`;
  }

  override contains(value: PyValue): boolean {
    if (value instanceof PyBytes) return this.text.includes(value.text);
    const code = numberOf(value);
    if (typeof code === "bigint") {
      if (code < 0n || code > 255n) throw valueError("byte must be in range(0, 256)");
      return this.text.includes(String.fromCharCode(Number(code)));
    }
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
      return new PyBytes(selectRange(this.text.split(""), range).join(""));
    }
    const position = numberOf(index);
    if (typeof position !== "bigint") throw typeError("byte indices must be integers or slices");
    const at = Number(position) < 0 ? Number(position) + length : Number(position);
    if (at < 0 || at >= length) throw new PyError("IndexError", "index out of range");
    return BigInt(this.text.charCodeAt(at));
  }

  /** Decodes UTF-8; returns undefined for invalid input. */
  decodeUtf8(): string | undefined {
    const bytes = this.toArray();
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
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

type Encoding = "utf-8" | "ascii" | "latin-1" | "charmap" | "utf-16" | "utf-32";

interface Codec {
  readonly encoding: Encoding;
  /** For encodings with code units of several bytes. */
  readonly isBigEndian?: boolean;
  /** True for encodings with a byte order mark. */
  readonly hasByteOrderMark?: boolean;
}

const CODECS: ReadonlyMap<string, Codec> = new Map<string, Codec>([
  ...["utf-8", "utf8", "u8", "cp65001"].map((name) => [name, { encoding: "utf-8" }] as const),
  ...["ascii", "us-ascii", "646"].map((name) => [name, { encoding: "ascii" }] as const),
  ...["latin-1", "latin1", "iso-8859-1", "iso8859-1", "8859", "cp819", "l1"].map(
    (name) => [name, { encoding: "latin-1" }] as const,
  ),
  ...["cp1252", "windows-1252", "1252"].map((name) => [name, { encoding: "charmap" }] as const),
  ...(["utf-16", "utf-32"] as const).flatMap((encoding) => [
    [encoding, { encoding, hasByteOrderMark: true }] as const,
    [encoding.replace("-", ""), { encoding, hasByteOrderMark: true }] as const,
    [`${encoding}-le`, { encoding }] as const,
    [`${encoding}-be`, { encoding, isBigEndian: true }] as const,
  ]),
]);

function codecOf(name: string): Codec {
  const codec = CODECS.get(name.toLowerCase().replaceAll(/[_ ]/g, "-"));
  if (!codec) throw new PyError("LookupError", `unknown encoding: ${name}`);
  return codec;
}

/** Windows-1252 from 0x80 to 0x9f, where Latin-1 has control characters. A space marks an undefined byte. */
const WINDOWS_1252 =
  "\u20ac \u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152 \u017d  \u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153 \u017e\u0178";

function windows1252Byte(character: string, code: number): number | undefined {
  const at = character === " " ? -1 : WINDOWS_1252.indexOf(character);
  if (at >= 0) return 0x80 + at;
  return code < 0x80 || (code >= 0xa0 && code < 0x100) ? code : undefined;
}

/** Encodes code units as bytes, little-endian unless `isBigEndian`. */
function encodeUnits(text: string, { encoding, isBigEndian = false, hasByteOrderMark = false }: Codec): PyBytes {
  const size = encoding === "utf-16" ? 2 : 4;
  const codes = size === 2 ? Array.from(text.split(""), (unit) => unit.charCodeAt(0)) : Array.from(text, codeOf);
  let bytes = "";
  for (const code of hasByteOrderMark ? [0xfeff, ...codes] : codes) {
    for (let index = 0; index < size; index++) {
      bytes += String.fromCharCode((code >>> (8 * (isBigEndian ? size - 1 - index : index))) & 0xff);
    }
  }
  return new PyBytes(bytes);
}

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;

function decodeUnits(bytes: PyBytes, { encoding, isBigEndian = false, hasByteOrderMark = false }: Codec): string {
  const size = encoding === "utf-16" ? 2 : 4;
  const data = bytes.text;
  const decodingError = () => new PyError("UnicodeDecodeError", `'${encoding}' codec can't decode the bytes`);
  if (data.length % size !== 0) throw decodingError();
  spendBytes(data.length * 4);
  const byteOrderMark = data.slice(0, size);
  const isBigEndianMark = byteOrderMark === (size === 2 ? "\xfe\xff" : "\0\0\xfe\xff");
  const isLittleEndianMark = byteOrderMark === (size === 2 ? "\xff\xfe" : "\xff\xfe\0\0");
  const isBigEndianData = hasByteOrderMark && (isBigEndianMark || isLittleEndianMark) ? isBigEndianMark : isBigEndian;
  let text = "";
  for (let at = hasByteOrderMark && (isBigEndianMark || isLittleEndianMark) ? size : 0; at < data.length; at += size) {
    let code = 0;
    for (let index = 0; index < size; index++) {
      code = code * 256 + data.charCodeAt(at + (isBigEndianData ? index : size - 1 - index));
    }
    if (code > 0x10ffff) throw decodingError();
    text += String.fromCodePoint(code);
  }
  if (size === 2 && /\p{Surrogate}/u.test(text)) throw decodingError();
  return text;
}

/** Returns `text.encode(encoding, errors)`. */
export function encodeText(text: string, name: string, errors: string): PyBytes {
  const codec = codecOf(name);
  const { encoding } = codec;
  spendBytes(text.length * 4);
  if (encoding === "utf-16" || encoding === "utf-32") return encodeUnits(text, codec);
  let position = -1;
  if (encoding === "utf-8" && !/\p{Surrogate}/u.test(text)) return PyBytes.fromArray(new TextEncoder().encode(text));
  const limit = encoding === "ascii" ? 0x80 : encoding === "latin-1" ? 0x100 : 0xd800;
  let bytes = "";
  for (const character of text) {
    position++;
    const code = codeOf(character);
    const windows = encoding === "charmap" ? windows1252Byte(character, code) : undefined;
    if (windows !== undefined) bytes += String.fromCharCode(windows);
    else if (encoding === "charmap" && !LENIENT_ERROR_HANDLERS.has(errors)) throw encodeError(encoding, code, position);
    else if (encoding === "utf-8" && (code < 0xd800 || code > 0xdfff)) {
      bytes += PyBytes.fromArray(new TextEncoder().encode(character)).text;
    } else if (code < limit && encoding !== "charmap") bytes += character;
    else if (errors === "replace") bytes += "?";
    else if (errors === "xmlcharrefreplace") bytes += `&#${code};`;
    else if (errors === "backslashreplace") bytes += escapeCode(code);
    else if (errors !== "ignore") throw encodeError(encoding, code, position);
  }
  return new PyBytes(bytes);
}

const LENIENT_ERROR_HANDLERS = new Set(["replace", "ignore", "xmlcharrefreplace", "backslashreplace"]);

const ENCODE_REASONS: ReadonlyMap<Encoding, string> = new Map<Encoding, string>([
  ["ascii", "ordinal not in range(128)"],
  ["latin-1", "ordinal not in range(256)"],
  ["charmap", "character maps to <undefined>"],
]);

function encodeError(encoding: Encoding, code: number, position: number): PyError {
  const reason = ENCODE_REASONS.get(encoding) ?? "surrogates not allowed";
  const what = `character '${escapeCode(code)}' in position ${position}: ${reason}`;
  return new PyError("UnicodeEncodeError", `'${encoding}' codec can't encode ${what}`);
}

function escapeCode(code: number): string {
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

/** Returns `bytes.decode(encoding, errors)`. */
export function decodeBytes(bytes: PyBytes, name: string, errors: string): string {
  const codec = codecOf(name);
  const { encoding } = codec;
  if (encoding === "utf-16" || encoding === "utf-32") return decodeUnits(bytes, codec);
  if (encoding === "charmap") return decodeWindows1252(bytes, errors);
  if (encoding === "utf-8") {
    const text = bytes.decodeUtf8();
    if (text !== undefined) return text;
    if (errors === "replace") return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.toArray());
    if (errors === "ignore") {
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.toArray()).replaceAll("\ufffd", "");
    }
    if (errors === "backslashreplace") return decodeWithBackslashReplace(bytes.text);
  } else if (encoding === "latin-1" || !/[\x80-\xff]/.test(bytes.text)) return bytes.text;
  else if (errors === "replace") return bytes.text.replaceAll(/[\x80-\xff]/g, "\ufffd");
  else if (errors === "ignore") return bytes.text.replaceAll(/[\x80-\xff]/g, "");
  throw decodeError(bytes.text, encoding);
}

function decodeError(text: string, encoding: Encoding): PyError {
  const valid =
    encoding === "utf-8"
      ? /^(?:[\0-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})*/
      : /^[\0-\x7f]*/;
  const position = valid.exec(text)?.[0].length ?? 0;
  const byte = text.charCodeAt(position);
  const rest = text.slice(position + 1);
  let reason = "ordinal not in range(128)";
  if (encoding === "utf-8") {
    const isStart = byte >= 0xc2 && byte <= 0xf4;
    reason = isStart
      ? /^[\x80-\xbf]*$/.test(rest)
        ? "unexpected end of data"
        : "invalid continuation byte"
      : "invalid start byte";
  }
  const what = `byte 0x${byte.toString(16).padStart(2, "0")} in position ${position}: ${reason}`;
  return new PyError("UnicodeDecodeError", `'${encoding}' codec can't decode ${what}`);
}

function decodeWindows1252(bytes: PyBytes, errors: string): string {
  return bytes.text.replaceAll(/[\x80-\x9f]/g, (byte) => {
    const character = WINDOWS_1252.charAt(byte.charCodeAt(0) - 0x80);
    if (character !== " ") return character;
    if (errors === "ignore") return "";
    if (errors === "replace") return "\ufffd";
    throw new PyError("UnicodeDecodeError", "'charmap' codec can't decode the bytes");
  });
}

const SEQUENCES = /[\0-\x7f]+|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[^]/g;

/** Decodes UTF-8; invalid bytes become `\xff` escapes. */
function decodeWithBackslashReplace(text: string): string {
  return text.replaceAll(SEQUENCES, (part) => {
    const decoded = new PyBytes(part).decodeUtf8();
    return decoded ?? part.replaceAll(/[^]/g, (byte) => escapeCode(byte.charCodeAt(0)));
  });
}

/** `bytes(source, encoding)` */
export function makeBytes(source: PyValue, encoding: PyValue, items: (value: PyValue) => readonly PyValue[]): PyBytes {
  if (encoding !== null && typeof source !== "string") throw typeError("encoding without a string argument");
  if (source instanceof PyBytes) return source.hashKey() === undefined ? new PyBytes(source.text) : source;
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
