import { spendSteps } from "../runtime/budget.ts";
import { PyError } from "../runtime/errors.ts";
import { ignoringCase, casesOf, categoryOf, isWord, negate, singleCharacter } from "./character-classes.ts";
import { type CharacterTest, fixedWidth, type RegexNode } from "./regex-node.ts";

/** The flags of a regular expression, by letter. */
export interface RegexFlags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
  readonly x: boolean;
  readonly a: boolean;
}

export interface ParsedRegex {
  readonly root: RegexNode;
  readonly flags: RegexFlags;
  /** The number of groups. */
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
}

export const regexError = (message: string): PyError => new PyError("error", message);

/** Deeper nesting would overflow the stack. */
const MAX_DEPTH = 200;
const MAX_REPEAT = 2 ** 32 - 1;

/** Parses a pattern. Throws PyError `error`. */
export function parseRegex(pattern: string, flags: RegexFlags): ParsedRegex {
  return new RegexParser(pattern, flags).parse();
}

const ESCAPES: ReadonlyMap<string, number> = new Map([
  ["a", 7],
  ["b", 8],
  ["f", 12],
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ["v", 11],
]);

class RegexParser {
  readonly #characters: readonly string[];
  #at = 0;
  #flags: RegexFlags;
  #groups = 0;
  #depth = 0;
  readonly #names = new Map<string, number>();
  readonly #closed = new Map<number, RegexNode>();

  constructor(pattern: string, flags: RegexFlags) {
    this.#characters = Array.from(pattern);
    this.#flags = flags;
  }

  parse(): ParsedRegex {
    this.#parseGlobalFlags();
    const flags = this.#flags;
    const root = this.#parseAlternatives();
    if (this.#at < this.#characters.length) throw regexError("unbalanced parenthesis");
    return { root, flags, groups: this.#groups, names: this.#names };
  }

  get #next(): string | undefined {
    return this.#characters[this.#at];
  }

  #take(): string {
    const character = this.#characters[this.#at++];
    if (character === undefined) throw regexError("unexpected end of pattern");
    return character;
  }

  #accept(text: string): boolean {
    if (!this.#isAt(text)) return false;
    this.#at += text.length;
    return true;
  }

  #isAt(text: string): boolean {
    return this.#characters.slice(this.#at, this.#at + text.length).join("") === text;
  }

  /** Parses `(?i)` at the very beginning. */
  #parseGlobalFlags(): void {
    for (;;) {
      const [whole, letters] =
        /^\(\?([aiLmsux]+)\)/.exec(this.#characters.slice(this.#at, this.#at + 12).join("")) ?? [];
      if (whole === undefined || letters === undefined) return;
      this.#at += whole.length;
      this.#flags = withFlags(this.#flags, letters, "");
    }
  }

  #parseAlternatives(): RegexNode {
    if (++this.#depth > MAX_DEPTH) throw regexError("the pattern is nested too deeply");
    const options = [this.#parseSequence()];
    while (this.#accept("|")) options.push(this.#parseSequence());
    this.#depth--;
    const [only] = options;
    return only && options.length === 1 ? only : { kind: "choice", options };
  }

  #parseSequence(): RegexNode {
    const items: RegexNode[] = [];
    while (this.#next !== undefined && this.#next !== "|" && this.#next !== ")") {
      spendSteps(4);
      if (this.#flags.x && this.#skipVerbose()) continue;
      const item = this.#parseItem();
      if (item) items.push(this.#parseRepeats(item));
    }
    return joinLiterals(items);
  }

  /** Skips white space and comments of verbose patterns. */
  #skipVerbose(): boolean {
    if (/^\s$/.test(this.#next ?? "")) {
      this.#at++;
      return true;
    }
    if (this.#next !== "#") return false;
    const end = this.#characters.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.#characters.length : end;
    return true;
  }

  #parseRepeats(item: RegexNode): RegexNode {
    const range = this.#parseRepeatRange();
    if (!range) return item;
    const isPlace = item.kind === "start" || item.kind === "end" || item.kind === "finish" || item.kind === "boundary";
    if (isPlace) throw regexError("nothing to repeat");
    const [min, max] = range;
    const mode = this.#accept("?") ? "lazy" : this.#accept("+") ? "possessive" : "greedy";
    if (this.#parseRepeatRange()) throw regexError("multiple repeat");
    return { kind: "repeat", item, min, max, mode };
  }

  #parseRepeatRange(): [min: number, max: number] | undefined {
    if (this.#accept("*")) return [0, Infinity];
    if (this.#accept("+")) return [1, Infinity];
    if (this.#accept("?")) return [0, 1];
    const text = this.#next === "{" ? this.#characters.slice(this.#at, this.#at + 40).join("") : "";
    const [whole, min = "", comma, max = ""] = /^\{(\d*)(,)?(\d*)\}/.exec(text) ?? [];
    // Braces without numbers are literal text.
    if (whole === undefined || (min === "" && comma === undefined)) return undefined;
    this.#at += whole.length;
    const low = Number(min);
    const high = comma === undefined ? low : max === "" ? Infinity : Number(max);
    if (low >= MAX_REPEAT || (high !== Infinity && high >= MAX_REPEAT)) {
      throw new PyError("OverflowError", "the repetition number is too large");
    }
    if (high < low) throw regexError("min repeat greater than max repeat");
    return [low, high];
  }

  #parseItem(): RegexNode | undefined {
    const character = this.#take();
    const { m, s } = this.#flags;
    switch (character) {
      case ".":
        return { kind: "character", test: s ? () => true : (code) => code !== 10 };
      case "^":
        return { kind: "start", eachLine: m };
      case "$":
        return { kind: "end", eachLine: m };
      case "(":
        return this.#parseGroup();
      case "[":
        return { kind: "character", test: this.#parseSet() };
      case "\\":
        return this.#parseEscape();
      case "*":
      case "+":
      case "?":
        throw regexError("nothing to repeat");
      default:
        return this.#characterNode(character.codePointAt(0) ?? 0);
    }
  }

  #characterNode(code: number): RegexNode {
    const { i, a } = this.#flags;
    if (!i || casesOf(code, a).length === 1) return { kind: "literal", codes: [code] };
    return { kind: "character", test: singleCharacter(code, true, a) };
  }

  #parseEscape(): RegexNode {
    const letter = this.#take();
    const { a, i } = this.#flags;
    const test = categoryOf(letter, a);
    if (test) return { kind: "character", test };
    if (letter === "A") return { kind: "start", eachLine: false };
    if (letter === "Z") return { kind: "finish" };
    if (letter === "b" || letter === "B") return { kind: "boundary", negated: letter === "B", isWord: isWord(a) };
    if (/[1-9]/.test(letter)) {
      const octal = /^[0-7]{2}/.exec(this.#characters.slice(this.#at, this.#at + 2).join(""));
      if (octal && /[0-3]/.test(letter)) return this.#characterNode(this.#parseOctal(letter, 2));
      const digits = /[0-9]/.test(this.#next ?? "") ? letter + this.#take() : letter;
      return this.#parseReference(Number(digits), i);
    }
    return this.#characterNode(this.#parseEscapedCode(letter));
  }

  #parseOctal(first: string, more: number): number {
    let digits = first;
    while (digits.length <= more && /[0-7]/.test(this.#next ?? "")) digits += this.#take();
    return Number.parseInt(digits, 8);
  }

  #parseReference(index: number, ignoreCase: boolean): RegexNode {
    if (index > this.#groups) throw regexError(`invalid group reference ${index}`);
    if (!this.#closed.has(index)) throw regexError("cannot refer to an open group");
    return { kind: "reference", index, ignoreCase };
  }

  /** Returns the character of escapes such as `\n` and `\x41`. */
  #parseEscapedCode(letter: string): number {
    if (letter === "0") return this.#parseOctal("0", 2);
    const lengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
    const length = lengths[letter];
    if (length !== undefined) {
      const digits = this.#characters.slice(this.#at, this.#at + length).join("");
      if (!new RegExp(`^[\\da-fA-F]{${length}}$`).test(digits))
        throw regexError(`incomplete escape \\${letter}${digits}`);
      this.#at += length;
      const code = Number.parseInt(digits, 16);
      if (code > 0x10ffff) throw regexError(`bad escape \\${letter}${digits}`);
      return code;
    }
    const code = ESCAPES.get(letter);
    if (code !== undefined) return code;
    if (/[A-Za-z0-9]/.test(letter)) throw regexError(`bad escape \\${letter}`);
    return letter.codePointAt(0) ?? 0;
  }

  #parseSet(): CharacterTest {
    const { i, a } = this.#flags;
    const negated = this.#accept("^");
    const codes = new Set<number>();
    const tests: CharacterTest[] = [];
    for (let first = true; first || this.#next !== "]"; first = false) {
      if (this.#next === undefined) throw regexError("unterminated character set");
      spendSteps(2);
      const from = this.#parseSetMember();
      if (!this.#isAt("-") || this.#characters[this.#at + 1] === "]" || this.#characters[this.#at + 1] === undefined) {
        if (typeof from === "number") codes.add(from);
        else tests.push(from);
        continue;
      }
      this.#at++;
      const to = this.#parseSetMember();
      if (typeof from !== "number" || typeof to !== "number" || to < from) throw regexError("bad character range");
      tests.push((code) => code >= from && code <= to);
    }
    this.#at++;
    const plain: CharacterTest = (code) => codes.has(code) || tests.some((test) => test(code));
    const test = i ? ignoringCase(plain, a) : plain;
    return negated ? negate(test) : test;
  }

  #parseSetMember(): number | CharacterTest {
    const character = this.#take();
    if (character !== "\\") return character.codePointAt(0) ?? 0;
    const letter = this.#take();
    const test = categoryOf(letter, this.#flags.a);
    if (test) return test;
    return /[0-7]/.test(letter) ? this.#parseOctal(letter, 2) : this.#parseEscapedCode(letter);
  }

  #parseGroup(): RegexNode | undefined {
    if (!this.#accept("?")) return this.#parseCapture();
    const kind = this.#take();
    if (kind === ":") return this.#parseGroupBody((item) => item);
    if (kind === ">") return this.#parseGroupBody((item) => ({ kind: "atomic", item }));
    if (kind === "=" || kind === "!") return this.#parseLookaround(kind === "!", false);
    if (kind === "#") {
      while (this.#take() !== ")");
      return undefined;
    }
    if (kind === "<") {
      const sign = this.#take();
      if (sign !== "=" && sign !== "!") throw regexError(`unknown extension ?<${sign}`);
      return this.#parseLookaround(sign === "!", true);
    }
    if (kind === "P") return this.#parseNamedGroup();
    if (kind === "(") return this.#parseConditional();
    return this.#parseScopedFlags(kind);
  }

  #parseCapture(name?: string): RegexNode {
    const index = ++this.#groups;
    if (name !== undefined) {
      if (this.#names.has(name)) throw regexError(`redefinition of group name '${name}'`);
      this.#names.set(name, index);
    }
    return this.#parseGroupBody((item) => {
      this.#closed.set(index, item);
      return { kind: "group", index, item };
    });
  }

  /** Parses the contents of parentheses; flags set within them are restored at the end. */
  #parseGroupBody(make: (item: RegexNode) => RegexNode): RegexNode {
    const flags = this.#flags;
    const item = this.#parseAlternatives();
    this.#flags = flags;
    if (!this.#accept(")")) throw regexError("missing ), unterminated subpattern");
    return make(item);
  }

  #parseLookaround(negated: boolean, isBehind: boolean): RegexNode {
    return this.#parseGroupBody((item) => {
      const back = isBehind ? fixedWidth(item, this.#closed) : 0;
      if (back === undefined) throw regexError("look-behind requires fixed-width pattern");
      return { kind: "look", item, negated, back };
    });
  }

  #parseNamedGroup(): RegexNode {
    const sign = this.#take();
    if (sign === "<") return this.#parseCapture(this.#parseGroupName(">"));
    if (sign !== "=") throw regexError(`unknown extension ?P${sign}`);
    const name = this.#parseGroupName(")");
    const index = this.#names.get(name);
    if (index === undefined) throw regexError(`unknown group name '${name}'`);
    return this.#parseReference(index, this.#flags.i);
  }

  #parseGroupName(end: string): string {
    let name = "";
    for (let character = this.#take(); character !== end; character = this.#take()) name += character;
    if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name))
      throw regexError(name === "" ? "missing group name" : `bad character in group name '${name}'`);
    return name;
  }

  /** Parses `(?(1)yes|no)`. */
  #parseConditional(): RegexNode {
    let name = "";
    for (let character = this.#take(); character !== ")"; character = this.#take()) name += character;
    const index = /^\d+$/.test(name) ? Number(name) : this.#names.get(name);
    if (index === undefined) throw regexError(`unknown group name '${name}'`);
    if (index === 0 || index > this.#groups) throw regexError(`invalid group reference ${index}`);
    const yes = this.#parseSequence();
    const no: RegexNode = this.#accept("|") ? this.#parseSequence() : { kind: "sequence", items: [] };
    if (this.#next === "|") throw regexError("conditional backref with more than two branches");
    if (!this.#accept(")")) throw regexError("missing ), unterminated subpattern");
    return { kind: "condition", index, yes, no };
  }

  /** Parses `(?i-s:…)`. */
  #parseScopedFlags(first: string): RegexNode {
    let text = first;
    while (/[a-zA-Z-]/.test(this.#next ?? "")) text += this.#take();
    const [, on, off] = /^([aiLmsux]*)(?:-([imsx]+))?$/.exec(text) ?? [];
    if (on === undefined) throw regexError(`unknown extension ?${text}`);
    if (this.#next === ")") throw regexError("global flags not at the start of the expression");
    if (!this.#accept(":")) throw regexError("missing -, : or )");
    const outer = this.#flags;
    this.#flags = withFlags(outer, on, off ?? "");
    const node = this.#parseGroupBody((item) => item);
    this.#flags = outer;
    return node;
  }
}

function withFlags(flags: RegexFlags, on: string, off: string): RegexFlags {
  const has = (letter: keyof RegexFlags) => (flags[letter] || on.includes(letter)) && !off.includes(letter);
  return { i: has("i"), m: has("m"), s: has("s"), x: has("x"), a: has("a") };
}

/** Joins adjacent literals. */
function joinLiterals(items: readonly RegexNode[]): RegexNode {
  const joined: RegexNode[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    if (item.kind === "literal" && last?.kind === "literal") {
      joined[joined.length - 1] = { kind: "literal", codes: [...last.codes, ...item.codes] };
    } else joined.push(item);
  }
  const [only] = joined;
  return only && joined.length === 1 ? only : { kind: "sequence", items: joined };
}
