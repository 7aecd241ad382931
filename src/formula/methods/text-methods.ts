import { spendBytes } from "../runtime/budget.ts";
import { typeError, valueError } from "../runtime/errors.ts";
import { pad } from "../runtime/text/format.ts";
import { type Signature, requireIndex, requireText } from "../runtime/signature.ts";
import { sliceRange } from "../runtime/collections/slices.ts";
import {
  codePointIndex,
  sliceText,
  chargeForSearch,
  textLength,
  trimEnd,
  trimStart,
  trimText,
} from "../runtime/text/text.ts";
import { itemsOf, PyList, PyObject, PyTuple, type PyValue, isTruthy, typeName } from "../runtime/values.ts";
import * as letters from "./text-case.ts";
import * as split from "./text-split.ts";

/** A built-in method. `self` is the receiver. */
export interface Method<Self> {
  readonly signature: Signature;
  readonly body: (self: Self, args: readonly PyValue[]) => PyValue;
}

type TextMethod = Method<string>;

const NONE: Signature = {};
const RANGE: Signature = {
  required: ["sub"],
  optional: [
    ["start", null],
    ["end", null],
  ],
  positionalOnly: true,
};
const CHARACTERS: Signature = { optional: [["chars", null]], positionalOnly: true };
const SPLIT: Signature = {
  optional: [
    ["sep", null],
    ["maxsplit", -1n],
  ],
};
const ONE: Signature = { required: ["text"], positionalOnly: true };
const WIDTH: Signature = { required: ["width"], optional: [["fillchar", " "]], positionalOnly: true };

/** String methods. Missing ones are listed in `unsupported-names.ts`. */
export const TEXT_METHODS: ReadonlyMap<string, TextMethod> = new Map([
  ["upper", textTransform(letters.upper)],
  ["lower", textTransform(letters.lower)],
  ["title", textTransform(letters.title)],
  ["capitalize", textTransform(letters.capitalize)],
  ["swapcase", textTransform(letters.swapCase)],
  ["isupper", textPredicate(letters.isUpper)],
  ["islower", textPredicate(letters.isLower)],
  ["istitle", textPredicate(letters.isTitle)],
  ["isdecimal", textPredicate(pattern(/^\p{Nd}+$/u))],
  ["isdigit", textPredicate(pattern(/^[\p{Nd}²³¹⁰⁴-⁹₀-₉]+$/u))],
  ["isnumeric", textPredicate(pattern(/^\p{N}+$/u))],
  ["isalpha", textPredicate(pattern(/^\p{L}+$/u))],
  ["isalnum", textPredicate(pattern(/^[\p{L}\p{N}]+$/u))],
  ["isspace", textPredicate((text) => text !== "" && trimText(text) === "")],
  ["isascii", textPredicate(pattern(/^\p{ASCII}*$/u))],
  ["isidentifier", textPredicate(pattern(/^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}]*$/u))],
  ["strip", stripMethod(trimText, { start: true, end: true })],
  ["lstrip", stripMethod(trimStart, { start: true, end: false })],
  ["rstrip", stripMethod(trimEnd, { start: false, end: true })],
  ["startswith", affixMethod((text, prefix) => text.startsWith(prefix))],
  ["endswith", affixMethod((text, suffix) => text.endsWith(suffix))],
  ["removeprefix", { signature: ONE, body: (self, [prefix]) => removePrefix(self, requireText(prefix)) }],
  ["removesuffix", { signature: ONE, body: (self, [suffix]) => removeSuffix(self, requireText(suffix)) }],
  ["find", searchMethod((text, needle) => text.indexOf(needle))],
  ["rfind", searchMethod((text, needle) => text.lastIndexOf(needle))],
  ["index", indexOrError(searchMethod((text, needle) => text.indexOf(needle)))],
  ["rindex", indexOrError(searchMethod((text, needle) => text.lastIndexOf(needle)))],
  ["count", { signature: RANGE, body: countIn }],
  ["replace", { signature: REPLACE(), body: replace }],
  ["split", { signature: SPLIT, body: splitMethod(split.splitWords, split.splitAt) }],
  ["rsplit", { signature: SPLIT, body: splitMethod(split.splitWordsFromEnd, split.splitAtFromEnd) }],
  ["splitlines", { signature: { optional: [["keepends", false]] }, body: splitLines }],
  ["partition", { signature: ONE, body: (self, [by]) => new PyTuple(split.partition(self, requireText(by), false)) }],
  ["rpartition", { signature: ONE, body: (self, [by]) => new PyTuple(split.partition(self, requireText(by), true)) }],
  ["join", { signature: ONE, body: join }],
  ["zfill", { signature: ONE, body: zeroFill }],
  ["ljust", { signature: WIDTH, body: (self, args) => padTo(self, args, "<") }],
  ["rjust", { signature: WIDTH, body: (self, args) => padTo(self, args, ">") }],
  ["center", { signature: WIDTH, body: center }],
]);

function REPLACE(): Signature {
  return { required: ["old", "new"], optional: [["count", -1n]], positionalOnly: true };
}

function textTransform(change: (text: string) => string): TextMethod {
  return {
    signature: NONE,
    body(self) {
      // A case conversion maps a character to at most three.
      spendBytes(self.length * 6);
      return change(self);
    },
  };
}

function textPredicate(holds: (text: string) => boolean): TextMethod {
  return {
    signature: NONE,
    body(self) {
      spendBytes(self.length);
      return holds(self);
    },
  };
}

function pattern(expression: RegExp): (text: string) => boolean {
  return (text) => expression.test(text);
}

function stripMethod(trim: (text: string) => string, sides: { start: boolean; end: boolean }): TextMethod {
  return {
    signature: CHARACTERS,
    body: (self, [characters]) =>
      characters === null ? trim(self) : split.stripCharacters(self, requireText(characters), sides),
  };
}

/**
 * Returns the part of a text between `start` and `end`; undefined for an invalid range, which does not even contain an
 * empty string.
 */
function rangeOf(text: string, start: PyValue = null, end: PyValue = null): { part: string; from: number } | undefined {
  if (start === null && end === null) return { part: text, from: 0 };
  const length = textLength(text);
  const range = sliceRange(length, start, end);
  const isOutOfRange = (typeof start === "bigint" && start > BigInt(length)) || range.start > range.stop;
  return isOutOfRange ? undefined : { part: sliceText(text, range.start, range.stop), from: range.start };
}

function affixMethod(holds: (text: string, affix: string) => boolean): TextMethod {
  return {
    signature: RANGE,
    body(self, [affixes = null, start, end]) {
      const range = rangeOf(self, start, end);
      const candidates = affixes instanceof PyTuple ? affixes.items() : [affixes];
      return candidates.map(requireText).some((candidate) => range !== undefined && holds(range.part, candidate));
    },
  };
}

function removePrefix(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

function removeSuffix(text: string, suffix: string): string {
  return suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
}

function searchMethod(find: (text: string, needle: string) => number): TextMethod {
  return {
    signature: RANGE,
    body(self, [needle, start, end]) {
      const text = requireText(needle);
      const range = rangeOf(self, start, end);
      if (!range) return -1n;
      chargeForSearch(range.part, text);
      const at = codePointIndex(range.part, find(range.part, text));
      return BigInt(at < 0 ? at : at + range.from);
    },
  };
}

function indexOrError(method: TextMethod): TextMethod {
  return {
    signature: method.signature,
    body(self, args) {
      const at = method.body(self, args);
      if (at === -1n) throw valueError("substring not found");
      return at;
    },
  };
}

function countIn(self: string, [needle, start, end]: readonly PyValue[]): PyValue {
  const text = requireText(needle);
  const range = rangeOf(self, start, end);
  return range ? BigInt(split.countText(range.part, text)) : 0n;
}

function replace(self: string, [old, replacement, maxCount]: readonly PyValue[]): PyValue {
  return split.replaceText(self, requireText(old), requireText(replacement), requireIndex(maxCount));
}

function splitMethod(
  words: (text: string, maxSplits: number) => string[],
  parts: (text: string, separator: string, maxSplits: number) => string[],
): TextMethod["body"] {
  return (self, [separator, maxSplits]) => {
    const count = requireIndex(maxSplits);
    return new PyList(separator === null ? words(self, count) : parts(self, requireText(separator), count));
  };
}

function splitLines(self: string, [keepEnds = false]: readonly PyValue[]): PyValue {
  return new PyList(split.splitLines(self, isTruthy(keepEnds)));
}

function join(self: string, [values = null]: readonly PyValue[]): PyValue {
  const texts = itemsOf(values).map((item, index) => {
    if (typeof item === "string") return item;
    if (item instanceof PyObject && typeof item.payload === "string") return item.payload;
    throw typeError(`sequence item ${index}: expected str instance, ${typeName(item)} found`);
  });
  let length = self.length * texts.length;
  for (const text of texts) length += text.length;
  spendBytes(length * 2);
  return texts.join(self);
}

function zeroFill(self: string, [width]: readonly PyValue[]): PyValue {
  const [, sign = "", rest = ""] = /^([+-]?)([^]*)$/.exec(self) ?? [];
  return sign + pad(rest, { width: requireIndex(width) - sign.length, align: ">", fill: "0" });
}

function padTo(self: string, [width, fill]: readonly PyValue[], align: string): string {
  const filler = requireText(fill);
  if (textLength(filler) !== 1) throw typeError("The fill character must be exactly one character long");
  return pad(self, { width: requireIndex(width), align, fill: filler });
}

/** If the padding is odd, the extra character goes to the left when the width is odd. */
function center(self: string, args: readonly PyValue[]): PyValue {
  const width = requireIndex(args[0]);
  const fillCount = width - textLength(self);
  const before = Math.floor(fillCount / 2) + (fillCount % 2 !== 0 && width % 2 !== 0 ? 1 : 0);
  if (fillCount <= 0) return padTo(self, args, "<");
  const [, fill = null] = args;
  return padTo(padTo(self, [BigInt(textLength(self) + before), fill], ">"), args, "<");
}
