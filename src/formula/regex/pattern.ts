import { BoundedCache } from "../../lib/bounded-cache.ts";
import { spendBytes, spendSteps } from "../runtime/budget.ts";
import { type Method, PyMethod } from "../runtime/classes/descriptors.ts";
import { PyDict } from "../runtime/collections/dicts.ts";
import { PyError, typeError } from "../runtime/errors.ts";
import { PyIterator } from "../runtime/iteration.ts";
import { NOT_GIVEN, type Signature, requireIndex, requireInt, requireText } from "../runtime/signature.ts";
import { textLength } from "../runtime/text/text.ts";
import { PyList, PyObject, pyRepr, PyTuple, type PyValue, typeName } from "../runtime/values.ts";
import { callableOf, callWith } from "../runtime/calls.ts";
import { requireHashable } from "../runtime/hash.ts";
import { checkFlags, FLAG_BITS, UNICODE } from "./flags.ts";
import { type MatchResult, Matcher } from "./matcher.ts";
import { type RegexFlags, parseRegex, regexError } from "./parse.ts";
import { Subject } from "./subject.ts";
import { parseTemplate, expandTemplate } from "./template.ts";

/** A compiled regular expression: `re.Pattern`. */
export class PyPattern extends PyObject {
  readonly typeName = "Pattern";
  readonly pattern: string;
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
  readonly #flags: RegexFlags;
  readonly #matcher: Matcher;

  /** Throws PyError `error` for an invalid pattern. */
  constructor(pattern: string, flags: bigint) {
    super();
    const has = (bit: bigint) => (flags & bit) !== 0n;
    const { i, m, s, x, a } = FLAG_BITS;
    const requestedFlags = { i: has(i), m: has(m), s: has(s), x: has(x), a: has(a) };
    const parsed = parseRegex(pattern, requestedFlags);
    this.pattern = pattern;
    this.groups = parsed.groups;
    this.names = parsed.names;
    this.#flags = parsed.flags;
    this.#matcher = new Matcher(parsed.root, parsed.groups);
  }

  get flags(): bigint {
    const set = (Object.keys(FLAG_BITS) as (keyof typeof FLAG_BITS)[]).filter((letter) => this.#flags[letter]);
    const bits = set.reduce((sum, letter) => sum | FLAG_BITS[letter], 0n);
    return this.#flags.a ? bits : bits | UNICODE;
  }

  /** `search`, `match` or `fullmatch` */
  find(how: "search" | "match" | "fullmatch", subject: Subject, from: number, end: number): PyMatch | null {
    if (from > end) return null;
    const found =
      how === "search"
        ? this.#matcher.search(subject.codes, from, end)
        : this.#matcher.matchAt(subject.codes, from, end, how === "fullmatch");
    return found ? new PyMatch(this, subject, found, from, end) : null;
  }

  /** Yields all non-overlapping matches, from left to right; at most one empty match per position. */
  *findAll(subject: Subject, from = 0, end = subject.length): Generator<PyMatch> {
    let at = from;
    let mayBeEmpty = true;
    while (at <= end) {
      const found = this.#matcher.search(subject.codes, at, end, mayBeEmpty ? -1 : at);
      if (!found) return;
      spendSteps(MATCH_STEPS);
      yield new PyMatch(this, subject, found, from, end);
      at = found.end;
      mayBeEmpty = found.end > found.start;
    }
  }

  override attribute(name: string): PyValue | undefined {
    switch (name) {
      case "pattern":
        return this.pattern;
      case "groups":
        return BigInt(this.groups);
      case "flags":
        return this.flags;
      case "groupindex":
        return PyDict.of(Array.from(this.names, ([key, index]) => [key, BigInt(index)] as const));
      default: {
        const method = PATTERN_METHODS.get(name);
        return method && new PyMethod(name, method, PATTERN_OWNER).bind(this);
      }
    }
  }

  override get typeModule(): string {
    return "re";
  }

  override equals(other: PyValue): boolean {
    return other instanceof PyPattern && other.pattern === this.pattern && other.flags === this.flags;
  }

  repr(): string {
    return `re.compile(${pyRepr(this.pattern)})`;
  }
}

const PATTERN_OWNER = { name: "Pattern", isInstance: (value: PyValue): boolean => value instanceof PyPattern };

/** Steps of creating a match object, besides finding the match. */
const MATCH_STEPS = 20;

/** `re.Match` */
export class PyMatch extends PyObject {
  readonly typeName = "Match";
  readonly pattern: PyPattern;
  readonly #subject: Subject;
  readonly #result: MatchResult;
  readonly #from: number;
  readonly #end: number;

  constructor(pattern: PyPattern, subject: Subject, found: MatchResult, from: number, end: number) {
    super();
    this.pattern = pattern;
    this.#subject = subject;
    this.#result = { ...found, groups: found.groups.slice() };
    this.#from = from;
    this.#end = end;
  }

  get start(): number {
    return this.#result.start;
  }

  get end(): number {
    return this.#result.end;
  }

  /** Returns the span of a group, by its number or name; [-1, -1] if it did not match. Throws PyError IndexError. */
  span(group: PyValue): [number, number] {
    const index = typeof group === "string" ? this.pattern.names.get(group) : requireIndex(group);
    if (index === 0) return [this.#result.start, this.#result.end];
    if (index === undefined || index < 0 || index > this.pattern.groups)
      throw new PyError("IndexError", "no such group");
    const { groups } = this.#result;
    return [groups[index * 2 - 2] ?? -1, groups[index * 2 - 1] ?? -1];
  }

  /** Returns the text of a group; None if it did not match. */
  group(group: PyValue): string | null {
    const [from, to] = this.span(group);
    return from < 0 ? null : this.#subject.slice(from, to);
  }

  /** Returns the texts of all groups. */
  allGroups(defaultValue: PyValue): PyValue[] {
    return Array.from({ length: this.pattern.groups }, (_, index) => this.group(BigInt(index + 1)) ?? defaultValue);
  }

  override attribute(name: string): PyValue | undefined {
    switch (name) {
      case "string":
        return this.#subject.text;
      case "re":
        return this.pattern;
      case "pos":
        return BigInt(this.#from);
      case "endpos":
        return BigInt(this.#end);
      case "lastindex":
        return this.#result.last === 0 ? null : BigInt(this.#result.last);
      case "lastgroup":
        return [...this.pattern.names].find(([, index]) => index === this.#result.last)?.[0] ?? null;
      default: {
        const method = MATCH_METHODS.get(name);
        return method && new PyMethod(name, method, MATCH_OWNER).bind(this);
      }
    }
  }

  override get typeModule(): string {
    return "re";
  }

  override getItem(index: PyValue): PyValue {
    return this.group(index);
  }

  repr(): string {
    return `<re.Match object; span=(${this.start}, ${this.end}), match=${pyRepr(this.group(0n))}>`;
  }
}

const MATCH_OWNER = { name: "Match", isInstance: (value: PyValue): boolean => value instanceof PyMatch };

const GROUP: Signature = { optional: [["group", 0n]], positionalOnly: true };

const MATCH_METHODS: ReadonlyMap<string, Method<PyMatch>> = new Map<string, Method<PyMatch>>([
  [
    "group",
    {
      signature: { rest: true },
      body(match, groups) {
        const [first = 0n] = groups;
        return groups.length < 2 ? match.group(first) : new PyTuple(groups.map((group) => match.group(group)));
      },
    },
  ],
  [
    "groups",
    {
      signature: { optional: [["default", null]] },
      body: (match, [defaultValue = null]) => new PyTuple(match.allGroups(defaultValue)),
    },
  ],
  [
    "groupdict",
    {
      signature: { optional: [["default", null]] },
      body: (match, [defaultValue = null]) =>
        PyDict.of(Array.from(match.pattern.names.keys(), (name) => [name, match.group(name) ?? defaultValue] as const)),
    },
  ],
  ["start", { signature: GROUP, body: (match, [group = 0n]) => BigInt(match.span(group)[0]) }],
  ["end", { signature: GROUP, body: (match, [group = 0n]) => BigInt(match.span(group)[1]) }],
  ["span", { signature: GROUP, body: (match, [group = 0n]) => new PyTuple(match.span(group).map(BigInt)) }],
  [
    "expand",
    {
      signature: { required: ["template"] },
      body: (match, [template]) =>
        expandTemplate(
          parseTemplate(requireText(template), match.pattern),
          (group) => match.group(BigInt(group)) ?? "",
        ),
    },
  ],
]);

const SEARCH: Signature = {
  required: ["string"],
  optional: [
    ["pos", 0n],
    ["endpos", NOT_GIVEN],
  ],
};
const SUBSTITUTE: Signature = { required: ["repl", "string"], optional: [["count", 0n]] };

/** Returns the bounds of a search. */
function searchRange(subject: Subject, pos: PyValue, endpos: PyValue): [number, number] {
  const cut = (value: bigint) => Math.max(0, Math.min(subject.length, Number(value)));
  return [cut(requireInt(pos)), endpos === NOT_GIVEN ? subject.length : cut(requireInt(endpos))];
}

function searchMethod(how: "search" | "match" | "fullmatch"): Method<PyPattern> {
  return {
    signature: SEARCH,
    body(pattern, [text = null, pos = 0n, endpos = NOT_GIVEN]) {
      const subject = new Subject(text);
      return pattern.find(how, subject, ...searchRange(subject, pos, endpos));
    },
  };
}

export const PATTERN_METHODS: ReadonlyMap<string, Method<PyPattern>> = new Map<string, Method<PyPattern>>([
  ["search", searchMethod("search")],
  ["match", searchMethod("match")],
  ["fullmatch", searchMethod("fullmatch")],
  [
    "findall",
    {
      signature: SEARCH,
      body(pattern, [text = null, pos = 0n, endpos = NOT_GIVEN]) {
        const subject = new Subject(text);
        return new PyList(Array.from(pattern.findAll(subject, ...searchRange(subject, pos, endpos)), findAllItem));
      },
    },
  ],
  [
    "finditer",
    {
      signature: SEARCH,
      body(pattern, [text = null, pos = 0n, endpos = NOT_GIVEN]) {
        const subject = new Subject(text);
        return new PyIterator("callable_iterator", pattern.findAll(subject, ...searchRange(subject, pos, endpos)));
      },
    },
  ],
  [
    "split",
    {
      signature: { required: ["string"], optional: [["maxsplit", 0n]] },
      body: (pattern, [text = null, maxCount]) => split(pattern, text, requireIndex(maxCount)),
    },
  ],
  [
    "sub",
    {
      signature: SUBSTITUTE,
      body: (pattern, [replacement = null, text = null, count]) =>
        substitute(pattern, replacement, text, requireIndex(count)).text,
    },
  ],
  [
    "subn",
    {
      signature: SUBSTITUTE,
      body(pattern, [replacement = null, text = null, maxCount]) {
        const { text: result, count } = substitute(pattern, replacement, text, requireIndex(maxCount));
        return new PyTuple([result, BigInt(count)]);
      },
    },
  ],
]);

/** Returns the findall() element of a match: its groups if the pattern has any. */
function findAllItem(match: PyMatch): PyValue {
  const { groups } = match.pattern;
  if (groups === 0) return match.group(0n);
  return groups === 1 ? (match.group(1n) ?? "") : new PyTuple(match.allGroups(""));
}

function split(pattern: PyPattern, text: PyValue, maxSplits: number): PyList {
  const subject = new Subject(text);
  const parts: PyValue[] = [];
  let at = 0;
  let count = 0;
  for (const match of pattern.findAll(subject)) {
    if (maxSplits > 0 && count >= maxSplits) break;
    parts.push(subject.slice(at, match.start), ...match.allGroups(null));
    at = match.end;
    count++;
  }
  parts.push(subject.slice(at, subject.length));
  return new PyList(parts);
}

/**
 * Returns the text with replaced matches, at most `maxCount` of them unless that is 0, and the number of replacements.
 */
export function substitute(
  pattern: PyPattern,
  substitution: PyValue,
  text: PyValue,
  maxCount: number,
): { text: string; count: number } {
  const template = callableOf(substitution) ? undefined : parseTemplate(requireTemplate(substitution), pattern);
  const subject = new Subject(text);
  const parts: string[] = [];
  let at = 0;
  let count = 0;
  for (const match of pattern.findAll(subject)) {
    if (maxCount > 0 && count >= maxCount) break;
    const replacement = template
      ? expandTemplate(template, (group) => match.group(BigInt(group)) ?? "")
      : callWith(substitution, match);
    if (match.start > at) parts.push(subject.slice(at, match.start));
    at = match.end;
    count++;
    if (replacement === null) continue;
    if (typeof replacement !== "string") {
      throw typeError(`sequence item ${parts.length}: expected str instance, ${typeName(replacement)} found`);
    }
    spendBytes(replacement.length * 2);
    parts.push(replacement);
  }
  parts.push(subject.slice(at, subject.length));
  return { text: parts.join(""), count };
}

function requireTemplate(value: PyValue): string {
  if (typeof value === "string") return value;
  requireHashable(value);
  throw typeError(`decoding to str: need a bytes-like object, ${typeName(value)} found`);
}

const patternCache = new BoundedCache<string, PyPattern>({ maxEntries: 100 });

/** Compiles a text; returns a compiled pattern unchanged. Throws PyError `error` or TypeError. */
export function compilePattern(pattern: PyValue, flags = 0n): PyPattern {
  if (pattern instanceof PyPattern) {
    if (flags !== 0n) throw new PyError("ValueError", "cannot process flags argument with a compiled pattern");
    return pattern;
  }
  if (typeof pattern === "string") checkFlags(flags);
  if (typeof pattern !== "string") throw typeError("first argument must be string or compiled pattern");
  if (textLength(pattern) > 100_000) throw regexError("the pattern is too long");
  return patternCache.get(`${flags}:${pattern}`, () => new PyPattern(pattern, flags));
}
