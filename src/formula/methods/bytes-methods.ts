import { decodeBytes, PyBytes } from "../runtime/text/bytes.ts";
import type { Method } from "../runtime/classes/descriptors.ts";
import { typeError, valueError } from "../runtime/errors.ts";
import { spendBytes } from "../runtime/budget.ts";
import { requireIndex, requireText } from "../runtime/signature.ts";
import { numberOf, PyList, PyTuple, type PyValue, isTruthy, typeName } from "../runtime/values.ts";
import { FORMAT_METHODS } from "./text-format.ts";
import { TEXT_METHODS } from "./text-methods.ts";

type BytesMethod = Method<PyBytes>;

/** Methods that bytes share with strings: each byte is treated as a character, and only ASCII bytes as letters. */
const SHARED_WITH_TEXT =
  "lstrip rstrip strip startswith endswith find rfind index rindex count replace split rsplit join ljust rjust center " +
  "zfill removeprefix removesuffix splitlines partition rpartition expandtabs";

/** Methods that test or change letters: bytes beyond ASCII are not letters. */
const LETTER_METHODS =
  "upper lower title capitalize swapcase isalnum isalpha isascii isdigit islower isspace istitle isupper";

function textMethod(name: string): Method<string> {
  const method = TEXT_METHODS.get(name) ?? FORMAT_METHODS.get(name);
  if (!method) throw new Error(`no method ${name}`);
  return method;
}

function sharedMethod(name: string): [string, BytesMethod] {
  const { signature, body } = textMethod(name);
  const isSearch = /^r?(?:find|index)$|^count$/.test(name);
  return [
    name,
    {
      signature,
      body(self, args) {
        const [first, ...others] = args;
        const needle = isSearch ? byteOf(first) : undefined;
        if (name.endsWith("strip") && first === null) return new PyBytes(trimBytes(self.text, name));
        if (name === "splitlines") return splitLines(self.text, isTruthy(first ?? null));
        // Padding methods default to a space; other methods take bytes like any other argument.
        const texts = name.endsWith("just") || name === "center" ? args.map(requireFillByte) : args.map(toText);
        return toBytes(body(self.text, needle === undefined ? texts : [needle, ...others]));
      },
    },
  ];
}

const NON_ASCII_BYTES = new RegExp(String.raw`[\x1c-\x1f\x80-\xff]`, "g");

function letterMethod(name: string): [string, BytesMethod] {
  const { signature, body } = textMethod(name);
  return [
    name,
    {
      signature,
      body(self, args) {
        // These code points are neither letters, digits nor spaces, and every byte keeps its index.
        const hidden = self.text.replaceAll(NON_ASCII_BYTES, (byte) =>
          String.fromCharCode(0xe000 + byte.charCodeAt(0)),
        );
        const result = body(hidden, args);
        if (name === "isascii" || typeof result !== "string") return result;
        return new PyBytes(
          result.replaceAll(/[\ue000-\ue0ff]/g, (unit) => String.fromCharCode(unit.charCodeAt(0) - 0xe000)),
        );
      },
    },
  ];
}

/** Converts an int argument of a search to a byte. */
function byteOf(value: PyValue | undefined): string | undefined {
  const number = numberOf(value ?? null);
  if (typeof number !== "bigint") return undefined;
  if (number < 0n || number > 255n) throw valueError("byte must be in range(0, 256)");
  return String.fromCharCode(Number(number));
}

const BLANKS = /^[\t-\r ]+/;

function trimBytes(text: string, name: string): string {
  const front = name === "rstrip" ? text : text.replace(BLANKS, "");
  if (name === "lstrip") return front;
  let end = front.length;
  while (end > 0 && /[\t-\r ]/.test(front.charAt(end - 1))) end--;
  return front.slice(0, end);
}

/** Splits at the line ends that bytes recognize, a subset of those of strings. */
function splitLines(text: string, keepEnds: boolean): PyList {
  spendBytes(text.length * 4);
  const lines = text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
  return new PyList(lines.map((line) => new PyBytes(keepEnds ? line : line.replace(/[\r\n]+$/, ""))));
}

function toText(value: PyValue): PyValue {
  if (value instanceof PyBytes) return value.text;
  if (value instanceof PyList) return new PyList(value.items().map(toText));
  if (value instanceof PyTuple) return new PyTuple(value.items().map(toText));
  if (typeof value === "string") throw typeError("a bytes-like object is required, not 'str'");
  return value;
}

const requireFillByte = (value: PyValue): PyValue => (value === " " ? value : toText(value));

function toBytes(value: PyValue): PyValue {
  if (typeof value === "string") return new PyBytes(value);
  if (value instanceof PyTuple) return new PyTuple(value.items().map(toBytes));
  return value instanceof PyList ? new PyList(value.items().map(toBytes)) : value;
}

export const BYTES_METHODS: ReadonlyMap<string, BytesMethod> = new Map<string, BytesMethod>([
  ...SHARED_WITH_TEXT.split(" ").map(sharedMethod),
  ...LETTER_METHODS.split(" ").map(letterMethod),
  [
    "decode",
    {
      signature: {
        optional: [
          ["encoding", "utf-8"],
          ["errors", "strict"],
        ],
      },
      body: (self, [encoding, errors]) => decodeBytes(self, requireText(encoding), requireText(errors)),
    },
  ],
  [
    "hex",
    {
      signature: {
        optional: [
          ["sep", null],
          ["bytes_per_sep", 1n],
        ],
      },
      body: (self, [separator, size]) => toHex(self, separator ?? null, requireIndex(size)),
    },
  ],
  [
    "translate",
    {
      signature: { required: ["table"], optional: [["delete", new PyBytes("")]] },
      body: (self, [table, drop]) => translate(self, table, drop),
    },
  ],
]);

/** Formats bytes as hexadecimal, grouped from the end, or from the start if `size` is negative. */
function toHex(bytes: PyBytes, separator: PyValue, size: number): string {
  const pairs = Array.from(bytes.toArray(), (byte) => byte.toString(16).padStart(2, "0"));
  if (separator === null || size === 0) return pairs.join("");
  const between = separator instanceof PyBytes ? separator.text : requireText(separator);
  if (between.length !== 1) throw valueError("sep must be length 1.");
  const length = Math.abs(size);
  const groups: string[] = [];
  const start = size > 0 ? pairs.length % length : 0;
  if (start > 0) groups.push(pairs.slice(0, start).join(""));
  for (let at = start; at < pairs.length; at += length) groups.push(pairs.slice(at, at + length).join(""));
  return groups.join(between);
}

function translate(self: PyBytes, table: PyValue = null, drop: PyValue = null): PyBytes {
  const dropped = drop instanceof PyBytes ? drop.text : "";
  const map = table instanceof PyBytes ? table.text : undefined;
  if (table !== null && !map) throw typeError(`a bytes-like object is required, not '${typeName(table)}'`);
  if (map !== undefined && map.length !== 256) throw valueError("translation table must be 256 characters long");
  spendBytes(self.text.length * 2);
  const remaining = self.text.split("").filter((byte) => !dropped.includes(byte));
  return new PyBytes(remaining.map((byte) => map?.charAt(byte.charCodeAt(0)) ?? byte).join(""));
}

/** `bytes.maketrans(from, to)` */
export function makeByteTable([from, to]: readonly PyValue[]): PyBytes {
  if (!(from instanceof PyBytes) || !(to instanceof PyBytes)) throw typeError("a bytes-like object is required");
  if (from.text.length !== to.text.length) throw valueError("maketrans arguments must have same length");
  const codes = Array.from({ length: 256 }, (_, code) => code);
  for (let at = 0; at < from.text.length; at++) codes[from.text.charCodeAt(at)] = to.text.charCodeAt(at);
  return new PyBytes(String.fromCharCode(...codes));
}

/** `bytes.fromhex(text)` */
export function bytesFromHex([text = null]: readonly PyValue[]): PyBytes {
  if (typeof text !== "string") throw typeError(`fromhex() argument must be str, not ${typeName(text)}`);
  const digits = text.replaceAll(/\s/g, "");
  if (digits.length % 2 !== 0 || !/^[\da-f]*$/i.test(digits)) {
    throw valueError("non-hexadecimal number found in fromhex() arg");
  }
  const pairs = digits.match(/../g) ?? [];
  return PyBytes.fromArray(Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)));
}
