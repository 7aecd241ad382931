import type { Expression, FormatPart, ReplacementField } from "./ast.ts";
import { syntaxError } from "../runtime/errors.ts";
import { splitStringLiteral, type StringLiteral, unescapeBytes, unescapeText } from "./literals.ts";
import type { Source } from "./source.ts";
import { childrenOf, spanOf, type SyntaxNode } from "./syntax-node.ts";

/** Parses the expression formed by some nodes. */
type ParseInner = (nodes: readonly SyntaxNode[]) => Expression;

/**
 * Parses a string literal, an f-string, or several adjacent ones. `parseInner` parses the expressions of replacement
 * fields. Throws PyError SyntaxError.
 */
export function parseStrings(node: SyntaxNode, source: Source, parseInner: ParseInner): Expression {
  const span = { from: node.from, to: node.to };
  const literals = node.name === "ContinuedString" ? childrenOf(node) : [node];
  const isBytes = literals.map((literal) => prefixOf(literal, source).includes("b"));
  if (isBytes.includes(true)) {
    if (isBytes.includes(false)) throw syntaxError("cannot mix bytes and nonbytes literals");
    return { kind: "bytes", bytes: literals.map((literal) => parseBytes(literal, source)).join(""), ...span };
  }
  const parts = joinTexts(literals.flatMap((literal) => parseStringParts(literal, source, parseInner)));
  const [first = "", ...others] = parts;
  if (typeof first === "string" && others.length === 0) return { kind: "constant", value: first, ...span };
  return { kind: "format", parts, ...span };
}

const prefixOf = (node: SyntaxNode, source: Source): string =>
  splitStringLiteral(source.text.slice(node.from, node.to)).prefix;

/** Returns the bytes of `b'…'`, one per character. */
function parseBytes(node: SyntaxNode, source: Source): string {
  const text = source.text.slice(node.from, node.to);
  const literal = splitStringLiteral(text);
  const contents = text.slice(literal.from, literal.to);
  if (/[^\0-\x7f]/.test(contents)) throw syntaxError("bytes can only contain ASCII literal characters");
  return literal.prefix.includes("r") ? contents : unescapeBytes(contents);
}

function parseStringParts(node: SyntaxNode, source: Source, parseInner: ParseInner): FormatPart[] {
  const literal = splitStringLiteral(source.text.slice(node.from, node.to));
  const contents = { from: node.from + literal.from, to: node.from + literal.to };
  const raw = literal.prefix.includes("r");
  if (!literal.prefix.includes("f")) {
    const text = source.text.slice(contents.from, contents.to);
    return [raw ? text : unescapeText(text)];
  }
  return new FormatStringParser(source, literal, parseInner).parseParts(
    node,
    contents.from,
    contents.to,
    unescapeBraces,
  );
}

/** Parses one f-string. */
class FormatStringParser {
  readonly #source: Source;
  readonly #raw: boolean;
  readonly #quote: string;
  readonly #parseInner: ParseInner;

  constructor(source: Source, literal: StringLiteral, parseInner: ParseInner) {
    this.#source = source;
    this.#raw = literal.prefix.includes("r");
    this.#quote = literal.quote;
    this.#parseInner = parseInner;
  }

  /** Parses literal text and replacement fields; `unescape` resolves escapes and doubled braces in the text. */
  parseParts(node: SyntaxNode, from: number, to: number, unescape: (text: string) => string): FormatPart[] {
    const parts: FormatPart[] = [];
    let at = from;
    const addText = (end: number) => {
      const text = unescape(this.#source.text.slice(at, end));
      parts.push(this.#raw ? text : unescapeText(text));
    };
    for (const child of childrenOf(node)) {
      if (child.name !== "FormatReplacement") continue;
      addText(child.from);
      parts.push(...this.#parseReplacementField(child));
      at = child.to;
    }
    addText(to);
    return parts;
  }

  #parseReplacementField(node: SyntaxNode): FormatPart[] {
    const inner: SyntaxNode[] = [];
    let conversion: ReplacementField["conversion"];
    let spec: FormatPart[] = [];
    let selfDocumenting: SyntaxNode | undefined;
    for (const child of childrenOf(node).slice(1, -1)) {
      if (child.name === "FormatConversion") {
        conversion = this.#source.text.slice(child.from + 1, child.to) as ReplacementField["conversion"];
      } else if (child.name === "FormatSpec") {
        spec = this.parseParts(child, child.from + 1, child.to, (text) => text);
      } else if (child.name === "FormatSelfDoc") selfDocumenting = child;
      else inner.push(child);
    }
    const { from, to } = spanOf(inner);
    const written = this.#source.text.slice(from, to);
    // Python 3.12 and later allow it.
    if (written.includes(this.#quote)) throw syntaxError("f-string: the quotes of the text within an expression");
    if (written.includes("\\")) throw syntaxError("f-string expression part cannot include a backslash");
    if (hasOuterColon(written)) throw syntaxError("f-string: invalid syntax");
    const value = this.#parseInner(inner);
    if (!selfDocumenting) return [{ value, conversion, spec }];
    const label = this.#source.text.slice(node.from + 1, selfDocumenting.nextSibling?.from ?? selfDocumenting.to);
    return [label, { value, conversion: conversion ?? (spec.length > 0 ? undefined : "r"), spec }];
  }
}

/**
 * Returns true for a colon outside of brackets and strings, which starts the format spec: a lambda needs parentheses.
 */
function hasOuterColon(expression: string): boolean {
  let depth = 0;
  for (const [token] of expression.matchAll(/'[^']*'|"[^"]*"|[([{]|[)\]}]|:/g)) {
    if (token === ":" && depth === 0) return true;
    if (/[([{]/.test(token) && token.length === 1) depth++;
    else if (/[)\]}]/.test(token) && token.length === 1) depth--;
  }
  return false;
}

function unescapeBraces(text: string): string {
  if (/[{}]/.test(text.replaceAll("{{", "").replaceAll("}}", "")))
    throw syntaxError("f-string: single '}' is not allowed");
  return text.replaceAll("{{", "{").replaceAll("}}", "}");
}

function joinTexts(parts: readonly FormatPart[]): FormatPart[] {
  const joined: FormatPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === "string" && typeof last === "string") joined[joined.length - 1] = last + part;
    else if (part !== "") joined.push(part);
  }
  return joined;
}
