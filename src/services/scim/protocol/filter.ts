/**
 * Filters of RFC 7644, section 3.4.2.2, without `not`. Parsed by hand in linear time: patterns with nested repetition
 * would let a filter occupy the server.
 */
import {
  isObject,
  resolvePath,
  valuesAt,
  withoutUrn,
  type Json,
  type Resource,
  type ScimSchema,
} from "./attributes.ts";
import { scimError } from "./errors.ts";

const COMPARISONS = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** Compares the value of an attribute. */
export interface Compared {
  readonly kind: "compare";
  readonly path: readonly string[];
  readonly by: Comparison;
  readonly value: Json;
}

export type Filter =
  | { readonly kind: "and" | "or"; readonly filters: readonly Filter[] }
  | Compared
  | { readonly kind: "present"; readonly path: readonly string[] }
  /** An element of the list at `path` matches. */
  | { readonly kind: "some"; readonly path: readonly string[]; readonly filter: Filter };

const MAX_LENGTH = 10_000;
const MAX_DEPTH = 20;
const MAX_TERMS = 200;

interface Token {
  readonly kind: "word" | "text" | "(" | ")" | "[" | "]";
  readonly text: string;
}

/** @throws AppError `invalid` with the keyword invalidFilter */
export function parseFilter(text: string): Filter {
  if (text.length > MAX_LENGTH) throw invalidFilter(`The filter is longer than ${MAX_LENGTH} characters`);
  const tokens = tokensOf(text);
  const parser = new Parser(tokens);
  const filter = parser.any(0);
  parser.end();
  return filter;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #terms = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  any(depth: number): Filter {
    return this.#joined("or", () => this.#joined("and", () => this.#term(depth)));
  }

  end(): void {
    const token = this.#tokens[this.#at];
    if (token) throw invalidFilter(`Unexpected ${JSON.stringify(token.text)} in the filter`);
  }

  #joined(kind: "and" | "or", next: () => Filter): Filter {
    const filters = [next()];
    while (this.#isWord(kind)) {
      this.#at++;
      filters.push(next());
    }
    return filters.length === 1 && filters[0] ? filters[0] : { kind, filters };
  }

  #term(depth: number): Filter {
    if (depth > MAX_DEPTH || ++this.#terms > MAX_TERMS) throw invalidFilter("The filter has too many conditions");
    const token = this.#next();
    if (token.kind === "(") {
      const filter = this.any(depth + 1);
      this.#expect(")");
      return filter;
    }
    if (token.kind !== "word" || /^(and|or|not)$/i.test(token.text))
      throw invalidFilter(`The filter has ${JSON.stringify(token.text)} where an attribute is expected`);
    const path = pathOf(token.text);
    if (this.#tokens[this.#at]?.kind === "[") {
      this.#at++;
      const filter = this.any(depth + 1);
      this.#expect("]");
      return { kind: "some", path, filter };
    }
    const operator = this.#next();
    const by = operator.kind === "word" ? operator.text.toLowerCase() : "";
    if (by === "pr") return { kind: "present", path };
    const comparison = COMPARISONS.find((one) => one === by);
    if (!comparison) throw invalidFilter(`${JSON.stringify(operator.text)} is not an operator`);
    return { kind: "compare", path, by: comparison, value: this.#value() };
  }

  #value(): Json {
    const token = this.#next();
    if (token.kind === "text") return token.text;
    if (token.kind === "word") {
      const lower = token.text.toLowerCase();
      if (lower === "true" || lower === "false") return lower === "true";
      if (lower === "null") return null;
      if (/^-?\d{1,18}(\.\d{1,18})?$/.test(token.text)) return Number(token.text);
    }
    throw invalidFilter(`${JSON.stringify(token.text)} is not a value; texts have double quotes`);
  }

  #next(): Token {
    const token = this.#tokens[this.#at++];
    if (!token) throw invalidFilter("The filter is incomplete");
    return token;
  }

  #isWord(word: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === "word" && token.text.toLowerCase() === word;
  }

  #expect(kind: Token["kind"]): void {
    if (this.#next().kind !== kind) throw invalidFilter(`The filter lacks a ${JSON.stringify(kind)}`);
  }
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (/\s/.test(char)) at++;
    else if (char === "(" || char === ")" || char === "[" || char === "]") {
      tokens.push({ kind: char, text: char });
      at++;
    } else if (char === '"') {
      const end = endOfText(text, at);
      tokens.push({ kind: "text", text: parseText(text.slice(at, end)) });
      at = end;
    } else {
      let end = at;
      while (end < text.length && !/[\s()[\]"]/.test(text.charAt(end))) end++;
      tokens.push({ kind: "word", text: text.slice(at, end) });
      at = end;
    }
  }
  return tokens;
}

/** Returns the position behind the quote that ends a text. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text.charAt(at) === "\\") at++;
    else if (text.charAt(at) === '"') return at + 1;
  }
  throw invalidFilter("The filter has a text without an end");
}

function parseText(literal: string): string {
  try {
    return JSON.parse(literal) as string;
  } catch {
    throw invalidFilter(`${literal} is not a text in JSON`);
  }
}

/** @throws AppError `invalid` for a path that is none */
function pathOf(text: string): string[] {
  const names = withoutUrn(text).split(".");
  if (!names.every((name) => /^[$\w:-]+$/.test(name)))
    throw invalidFilter(`${JSON.stringify(text)} is not an attribute`);
  return names;
}

const invalidFilter = (message: string) => scimError("invalidFilter", message);

/**
 * Refuses comparisons of complex attributes, which have no value of their own.
 * @throws AppError `invalid` with the keyword invalidFilter
 */
export function checkFilter(filter: Filter, schema: ScimSchema, within: readonly string[] = []): void {
  if ("filters" in filter) {
    for (const one of filter.filters) checkFilter(one, schema, within);
    return;
  }
  const path = [...within, ...filter.path];
  if (filter.kind === "some") return checkFilter(filter.filter, schema, path);
  if (filter.kind === "compare" && resolvePath(schema, path)?.at(-1)?.type === "complex")
    throw invalidFilter(`${path.join(".")} has several attributes: compare one of them`);
}

export interface MatchOptions {
  /** True to compare parts of texts (sw, ew, co) without regard to case. */
  readonly ignoresCase?: boolean;
}

/** Returns true if a resource, or an element of a list, matches. */
export function matches(value: Resource, filter: Filter, options: MatchOptions = {}): boolean {
  switch (filter.kind) {
    case "and":
      return filter.filters.every((one) => matches(value, one, options));
    case "or":
      return filter.filters.some((one) => matches(value, one, options));
    case "some":
      return valuesAt(value, filter.path).some((one) => isObject(one) && matches(one, filter.filter, options));
    case "present":
      return valuesAt(value, filter.path).some(
        (one) => one !== "" && !(isObject(one) && Object.keys(one).length === 0),
      );
    case "compare": {
      const found = valuesAt(value, filter.path);
      if (found.length === 0) return filter.value === null && filter.by === "eq";
      return found.some((one) => compares(one, filter, options));
    }
    default:
      return filter satisfies never;
  }
}

function compares(actual: Json, { by, value: expected }: Compared, { ignoresCase = false }: MatchOptions): boolean {
  if (by === "eq") return actual === expected;
  if (by === "ne") return actual !== expected;
  if (typeof actual === "string" && typeof expected === "string") {
    const [text, part] = ignoresCase ? [actual.toLowerCase(), expected.toLowerCase()] : [actual, expected];
    if (by === "co") return text.includes(part);
    if (by === "sw") return text.startsWith(part);
    if (by === "ew") return text.endsWith(part);
    return isInOrder(actual < expected ? -1 : actual > expected ? 1 : 0, by);
  }
  if (typeof actual === "number" && typeof expected === "number") return isInOrder(actual - expected, by);
  return false;
}

const isInOrder = (difference: number, by: Comparison): boolean =>
  (by === "gt" && difference > 0) ||
  (by === "ge" && difference >= 0) ||
  (by === "lt" && difference < 0) ||
  (by === "le" && difference <= 0);
