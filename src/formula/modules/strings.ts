import { spendBytes, spendSteps } from "../runtime/budget.ts";
import { callMethod } from "../runtime/classes/attributes.ts";
import { callWith } from "../runtime/calls.ts";
import { typeError, valueError } from "../runtime/errors.ts";
import { NO_KEYWORDS } from "../runtime/classes/instances.ts";
import { expandTabs } from "../methods/text-format.ts";
import { splitWords } from "../methods/text-split.ts";
import { NOT_GIVEN, requireIndex, requireText } from "../runtime/signature.ts";
import { codePoints, textLength } from "../runtime/text/text.ts";
import { PyList, pyStr, type PyValue, isTruthy } from "../runtime/values.ts";
import { moduleFunction } from "./module-function.ts";
import { PyModule } from "./module.ts";

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
const SPACE = " \t\n\r\v\f";

export const STRING_MODULE = new PyModule(
  "string",
  new Map<string, PyValue>([
    ["ascii_lowercase", LOWER],
    ["ascii_uppercase", LOWER.toUpperCase()],
    ["ascii_letters", LOWER + LOWER.toUpperCase()],
    ["digits", DIGITS],
    ["hexdigits", `${DIGITS}abcdefABCDEF`],
    ["octdigits", "01234567"],
    ["punctuation", PUNCTUATION],
    ["whitespace", SPACE],
    ["printable", DIGITS + LOWER + LOWER.toUpperCase() + PUNCTUATION + SPACE],
    moduleFunction(
      "capwords",
      "s",
      ([text, separator]) => {
        const by = separator ?? null;
        const parts = by === null ? splitWords(requireText(text), -1) : requireText(text).split(requireText(by));
        const words = parts.map((part) => pyStr(callMethod(part, "capitalize", [], NO_KEYWORDS)));
        return words.join(by === null ? " " : requireText(by));
      },
      { sep: null },
    ),
  ]),
  "Formatter Template",
);

interface WrapOptions {
  readonly width: number;
  readonly initial: string;
  readonly subsequent: string;
  readonly breakLong: boolean;
  readonly breakHyphens: boolean;
  readonly maxLines: number;
  readonly placeholder: string;
}

const OPTIONS = {
  width: 70n,
  initial_indent: "",
  subsequent_indent: "",
  break_long_words: true,
  break_on_hyphens: true,
  max_lines: null,
  placeholder: " [...]",
} as const;

function readOptions(args: readonly PyValue[]): WrapOptions {
  const [width, initial, subsequent, breakLong = true, breakHyphens = true, maxLines = null, placeholder] = args;
  const count = requireIndex(width);
  if (count <= 0) throw valueError(`invalid width ${count} (must be > 0)`);
  return {
    width: count,
    initial: requireText(initial),
    subsequent: requireText(subsequent),
    breakLong: isTruthy(breakLong),
    breakHyphens: isTruthy(breakHyphens),
    maxLines: maxLines === null ? Infinity : requireIndex(maxLines),
    placeholder: requireText(placeholder),
  };
}

/** Splits a text into words and the spaces between them; words may be split after hyphens between letters. */
function wrapChunks(text: string, hyphens: boolean): string[] {
  spendBytes(text.length * 4);
  const plain = expandTabs(text, 8).replaceAll(/[\n\v\f\r]/g, " ");
  const tokens = plain.match(/ +|[^ ]+/g) ?? [];
  return tokens.flatMap((token) => (hyphens ? token.split(/(?<=[\w][^\W\d]-)(?=\w*[^\W\d])/) : [token]));
}

function wrap(text: string, options: WrapOptions): string[] {
  const chunks = wrapChunks(text, options.breakHyphens).reverse();
  const lines: string[] = [];
  while (chunks.length > 0) {
    spendSteps(8);
    const indent = lines.length > 0 ? options.subsequent : options.initial;
    const width = options.width - indent.length;
    if (lines.length > 0 && chunks.at(-1)?.trim() === "") chunks.pop();
    const line: string[] = [];
    let length = 0;
    for (let next = chunks.at(-1); next !== undefined && length + textLength(next) <= width; next = chunks.at(-1)) {
      line.push(next);
      length += textLength(next);
      chunks.pop();
    }
    const long = chunks.at(-1);
    if (long !== undefined && textLength(long) > width)
      length += breakLongWord(chunks, line, width - length, options.breakLong);
    if (line.at(-1)?.trim() === "") length -= line.pop()?.length ?? 0;
    if (line.length === 0) continue;
    const isLast = lines.length + 1 >= options.maxLines;
    const isEnd = chunks.length === 0 || (chunks.length === 1 && chunks[0]?.trim() === "");
    if (!isLast || (isEnd && length <= width)) lines.push(indent + line.join(""));
    else return [...lines, ...endWithPlaceholder(lines, line, { indent, width, length }, options)];
  }
  return lines;
}

/** Takes as much of a word that is longer than a line as fits. */
function breakLongWord(chunks: string[], line: string[], available: number, breakLong: boolean): number {
  const word = codePoints(chunks.pop() ?? "");
  const space = Math.max(1, available);
  if (breakLong) {
    const rest = word.slice(space).join("");
    if (rest !== "") chunks.push(rest);
    line.push(word.slice(0, space).join(""));
    return Math.min(space, word.length);
  }
  if (line.length === 0) line.push(word.join(""));
  else chunks.push(word.join(""));
  return 0;
}

/** Shortens the last permitted line so that the placeholder fits. */
function endWithPlaceholder(
  lines: string[],
  line: string[],
  available: { indent: string; width: number; length: number },
  { placeholder, width }: WrapOptions,
): string[] {
  let { length } = available;
  while (line.length > 0) {
    const last = line.at(-1) ?? "";
    if (last.trim() !== "" && length + placeholder.length <= available.width)
      return [available.indent + line.join("") + placeholder];
    length -= textLength(last);
    line.pop();
  }
  const previous = lines.at(-1)?.trimEnd();
  if (previous !== undefined && previous.length + placeholder.length <= width) {
    lines.pop();
    return [previous + placeholder];
  }
  return [available.indent + placeholder.trimStart()];
}

function dedent(text: string): string {
  spendBytes(text.length * 2);
  const lines = text.replaceAll(/^[ \t]+$/gm, "").split("\n");
  let common: string | undefined;
  for (const line of lines) {
    if (line === "") continue;
    const margin = /^[ \t]*/.exec(line)?.[0] ?? "";
    if (common === undefined) common = margin;
    let shared = 0;
    while (shared < common.length && common[shared] === margin[shared]) shared++;
    common = common.slice(0, shared);
  }
  const drop = common?.length ?? 0;
  return lines.map((line) => (line === "" ? line : line.slice(drop))).join("\n");
}

function indent([text, prefix, predicate = null]: readonly PyValue[]): string {
  const lines = requireText(text).match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const before = requireText(prefix);
  spendBytes((requireText(text).length + lines.length * before.length) * 2);
  const holds = (line: string) => (predicate === null ? line.trim() !== "" : isTruthy(callWith(predicate, line)));
  return lines.map((line) => (holds(line) ? before + line : line)).join("");
}

export const TEXTWRAP_MODULE = new PyModule(
  "textwrap",
  new Map<string, PyValue>([
    moduleFunction(
      "wrap",
      "text",
      ([text, ...options]) => new PyList(wrap(requireText(text), readOptions(options))),
      OPTIONS,
    ),
    moduleFunction(
      "fill",
      "text",
      ([text, ...options]) => wrap(requireText(text), readOptions(options)).join("\n"),
      OPTIONS,
    ),
    moduleFunction(
      "shorten",
      "text width",
      ([text, width, placeholder]) => {
        if (width === NOT_GIVEN) throw typeError("width is missing");
        const options = { ...readOptions([width ?? null, "", "", true, true, 1n, placeholder ?? null]) };
        if (options.placeholder.trimStart().length > options.width)
          throw valueError("placeholder too large for max width");
        return wrap(splitWords(requireText(text), -1).join(" "), options).join("\n");
      },
      { placeholder: " [...]" },
    ),
    moduleFunction("dedent", "text", ([text]) => dedent(requireText(text))),
    moduleFunction("indent", "text prefix", indent, { predicate: null }),
  ]),
  "TextWrapper",
);
