import { spendBytes } from "../budget.ts";
import { typeError, valueError } from "../errors.ts";
import { pad } from "../format.ts";
import { type Signature, wantIndex, wantText } from "../signature.ts";
import { sliceRange } from "../slices.ts";
import { characterIndex, sliceText, spendSearch, textLength, trimEnd, trimStart, trimText } from "../text.ts";
import { itemsOf, PyList, PyObject, PyTuple, type PyValue, truth, typeName } from "../values.ts";
import * as letters from "./text-case.ts";
import * as split from "./text-split.ts";

/** A method of a kind of values. `self` is the value it is called on. */
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

/** Python's methods of texts. Those that are missing are listed in `known-names.ts`. */
export const TEXT_METHODS: ReadonlyMap<string, TextMethod> = new Map([
  ["upper", whole(letters.upper)],
  ["lower", whole(letters.lower)],
  ["title", whole(letters.title)],
  ["capitalize", whole(letters.capitalize)],
  ["swapcase", whole(letters.swapCase)],
  ["isupper", test(letters.isUpper)],
  ["islower", test(letters.isLower)],
  ["istitle", test(letters.isTitle)],
  ["isdecimal", test(pattern(/^\p{Nd}+$/u))],
  ["isdigit", test(pattern(/^[\p{Nd}²³¹⁰⁴-⁹₀-₉]+$/u))],
  ["isnumeric", test(pattern(/^\p{N}+$/u))],
  ["isalpha", test(pattern(/^\p{L}+$/u))],
  ["isalnum", test(pattern(/^[\p{L}\p{N}]+$/u))],
  ["isspace", test((text) => text !== "" && trimText(text) === "")],
  ["isascii", test(pattern(/^\p{ASCII}*$/u))],
  ["isidentifier", test(pattern(/^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}]*$/u))],
  ["strip", strip(trimText, { start: true, end: true })],
  ["lstrip", strip(trimStart, { start: true, end: false })],
  ["rstrip", strip(trimEnd, { start: false, end: true })],
  ["startswith", affix((text, prefix) => text.startsWith(prefix))],
  ["endswith", affix((text, suffix) => text.endsWith(suffix))],
  ["removeprefix", { signature: ONE, body: (self, [prefix]) => removePrefix(self, wantText(prefix)) }],
  ["removesuffix", { signature: ONE, body: (self, [suffix]) => removeSuffix(self, wantText(suffix)) }],
  ["find", search((text, needle) => text.indexOf(needle))],
  ["rfind", search((text, needle) => text.lastIndexOf(needle))],
  ["index", found(search((text, needle) => text.indexOf(needle)))],
  ["rindex", found(search((text, needle) => text.lastIndexOf(needle)))],
  ["count", { signature: RANGE, body: countIn }],
  ["replace", { signature: REPLACE(), body: replace }],
  ["split", { signature: SPLIT, body: splitBy(split.splitWords, split.splitAt) }],
  ["rsplit", { signature: SPLIT, body: splitBy(split.splitWordsFromEnd, split.splitAtFromEnd) }],
  ["splitlines", { signature: { optional: [["keepends", false]] }, body: splitLines }],
  ["partition", { signature: ONE, body: (self, [by]) => new PyTuple(split.partition(self, wantText(by), false)) }],
  ["rpartition", { signature: ONE, body: (self, [by]) => new PyTuple(split.partition(self, wantText(by), true)) }],
  ["join", { signature: ONE, body: join }],
  ["zfill", { signature: ONE, body: zeroFill }],
  ["ljust", { signature: WIDTH, body: (self, args) => padBy(self, args, "<") }],
  ["rjust", { signature: WIDTH, body: (self, args) => padBy(self, args, ">") }],
  ["center", { signature: WIDTH, body: center }],
]);

function REPLACE(): Signature {
  return { required: ["old", "new"], optional: [["count", -1n]], positionalOnly: true };
}

function whole(change: (text: string) => string): TextMethod {
  return {
    signature: NONE,
    body(self) {
      // The longest change of letters makes three of one.
      spendBytes(self.length * 6);
      return change(self);
    },
  };
}

function test(holds: (text: string) => boolean): TextMethod {
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

function strip(trim: (text: string) => string, sides: { start: boolean; end: boolean }): TextMethod {
  return {
    signature: CHARACTERS,
    body: (self, [characters]) =>
      characters === null ? trim(self) : split.stripCharacters(self, wantText(characters), sides),
  };
}

/** The part of a text that `start` and `end` leave; undefined when they leave none, not even an empty one. */
function rangeOf(text: string, start: PyValue = null, end: PyValue = null): { part: string; from: number } | undefined {
  if (start === null && end === null) return { part: text, from: 0 };
  const length = textLength(text);
  const range = sliceRange(length, start, end);
  const beyond = (typeof start === "bigint" && start > BigInt(length)) || range.start > range.stop;
  return beyond ? undefined : { part: sliceText(text, range.start, range.stop), from: range.start };
}

function affix(holds: (text: string, affix: string) => boolean): TextMethod {
  return {
    signature: RANGE,
    body(self, [affixes = null, start, end]) {
      const range = rangeOf(self, start, end);
      const candidates = affixes instanceof PyTuple ? affixes.items() : [affixes];
      return candidates.map(wantText).some((candidate) => range !== undefined && holds(range.part, candidate));
    },
  };
}

function removePrefix(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

function removeSuffix(text: string, suffix: string): string {
  return suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
}

function search(find: (text: string, needle: string) => number): TextMethod {
  return {
    signature: RANGE,
    body(self, [needle, start, end]) {
      const text = wantText(needle);
      const range = rangeOf(self, start, end);
      if (!range) return -1n;
      spendSearch(range.part, text);
      const at = characterIndex(range.part, find(range.part, text));
      return BigInt(at < 0 ? at : at + range.from);
    },
  };
}

function found(method: TextMethod): TextMethod {
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
  const text = wantText(needle);
  const range = rangeOf(self, start, end);
  return range ? BigInt(split.countText(range.part, text)) : 0n;
}

function replace(self: string, [old, by, most]: readonly PyValue[]): PyValue {
  return split.replaceText(self, wantText(old), wantText(by), wantIndex(most));
}

function splitBy(
  words: (text: string, most: number) => string[],
  parts: (text: string, separator: string, most: number) => string[],
): TextMethod["body"] {
  return (self, [separator, most]) => {
    const count = wantIndex(most);
    return new PyList(separator === null ? words(self, count) : parts(self, wantText(separator), count));
  };
}

function splitLines(self: string, [keepEnds = false]: readonly PyValue[]): PyValue {
  return new PyList(split.splitLines(self, truth(keepEnds)));
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
  return sign + pad(rest, { width: wantIndex(width) - sign.length, align: ">", fill: "0" });
}

function padBy(self: string, [width, fill]: readonly PyValue[], align: string): string {
  const filler = wantText(fill);
  if (textLength(filler) !== 1) throw typeError("The fill character must be exactly one character long");
  return pad(self, { width: wantIndex(width), align, fill: filler });
}

/** Of an odd number of fillers, the one more comes first if the width is odd. */
function center(self: string, args: readonly PyValue[]): PyValue {
  const width = wantIndex(args[0]);
  const missing = width - textLength(self);
  const before = Math.floor(missing / 2) + (missing % 2 !== 0 && width % 2 !== 0 ? 1 : 0);
  if (missing <= 0) return padBy(self, args, "<");
  const [, fill = null] = args;
  return padBy(padBy(self, [BigInt(textLength(self) + before), fill], ">"), args, "<");
}
