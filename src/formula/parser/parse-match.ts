import type { Expression, MatchCase, Pattern, Span, Statement } from "./ast.ts";
import { syntaxError } from "../runtime/errors.ts";
import type { NodeParser } from "./node-parser.ts";
import { childrenOf, splitAtCommas, type SyntaxNode } from "./syntax-node.ts";

type ParseBlock = (body: SyntaxNode | undefined) => Statement[];

/** Parses `match subject:` and its cases. */
export function parseMatch(
  parser: NodeParser,
  parts: readonly SyntaxNode[],
  span: Span,
  parseBlock: ParseBlock,
): Statement {
  const [, subject] = parts;
  const body = parts.find((part) => part.name === "MatchBody");
  if (!subject || !body) throw syntaxError("invalid syntax");
  const cases = childrenOf(body)
    .filter((node) => node.name === "MatchClause")
    .map((node) => parseCase(parser, childrenOf(node).slice(1), parseBlock));
  return { kind: "match", subject: parser.parse(subject), cases, from: span.from, to: span.to };
}

function parseCase(parser: NodeParser, parts: readonly SyntaxNode[], parseBlock: ParseBlock): MatchCase {
  const guardNode = parts.find((part) => part.name === "Guard");
  const body = parts.at(-1);
  const inside = parts.filter((part) => part !== guardNode && part !== body);
  const [first] = inside;
  if (!first) throw syntaxError("invalid syntax");
  const pattern = inside.length === 1 ? parsePattern(parser, first) : parseSequencePattern(parser, inside);
  const condition = guardNode && childrenOf(guardNode)[1];
  return { pattern, guard: condition ? parser.parse(condition) : null, body: parseBlock(body) };
}

function parsePattern(parser: NodeParser, node: SyntaxNode): Pattern {
  const parts = childrenOf(node);
  switch (node.name) {
    case "CapturePattern":
      return parseCapturePattern(parser, node);
    case "LiteralPattern":
      return parseLiteralPattern(parser, node, parts);
    case "AttributePattern":
      return parseValuePattern(parser, node);
    case "OrPattern":
      return parseOrPattern(parser, parts);
    case "AsPattern": {
      const [inner, , nameNode] = parts;
      if (!inner || !nameNode) throw syntaxError("invalid syntax");
      return { kind: "as", pattern: parsePattern(parser, inner), name: bindName(parser, nameNode) };
    }
    case "SequencePattern": {
      const inside = parts.slice(1, -1);
      const [only] = inside;
      const isGroup = parser.textOf(node).startsWith("(") && inside.length === 1 && only;
      return isGroup ? parsePattern(parser, only) : parseSequencePattern(parser, inside);
    }
    case "MappingPattern":
      return parseMappingPattern(parser, parts.slice(1, -1));
    case "ClassPattern":
      return parseClassPattern(parser, parts);
    default:
      throw syntaxError("invalid pattern");
  }
}

/** The Lezer parser parses `a | b as c` as `a | (b as c)`. */
function parseOrPattern(parser: NodeParser, parts: readonly SyntaxNode[]): Pattern {
  const options = parts.filter((part) => part.name !== "LogicOp").map((part) => parsePattern(parser, part));
  const last = options.at(-1);
  if (last?.kind !== "as") return { kind: "or", options };
  return { kind: "as", pattern: { kind: "or", options: [...options.slice(0, -1), last.pattern] }, name: last.name };
}

function bindName(parser: NodeParser, node: SyntaxNode): string {
  const name = parser.identifier(parser.textOf(node));
  parser.bindings.bind(name);
  return name;
}

/** Parses a name. Masked empty brackets make it a class pattern or an empty sequence (see `source.ts`). */
function parseCapturePattern(parser: NodeParser, node: SyntaxNode): Pattern {
  const text = parser.textOf(node);
  if (text === "_") return { kind: "capture", name: null };
  if (text === "[]" || text === "()") return { kind: "sequence", items: [], star: null };
  if (text === "{}") return { kind: "mapping", entries: [], rest: null };
  if (!text.endsWith("()")) return { kind: "capture", name: bindName(parser, node) };
  return { kind: "class", cls: nameOf(parser, node, text.slice(0, -2)), positional: [], keywords: [] };
}

const nameOf = (parser: NodeParser, { from, to }: Span, name: string): Expression => ({
  kind: "name",
  name: parser.identifier(name),
  from,
  to,
});

/** Parses `-1`, `'a'` and `None`. */
function parseLiteralPattern(parser: NodeParser, node: SyntaxNode, parts: readonly SyntaxNode[]): Pattern {
  const span = { from: node.from, to: node.to };
  const [first, second, third] = parts;
  if (!first || third) throw syntaxError("invalid pattern");
  if (second) {
    const operand = parser.parse(second);
    return { kind: "value", value: { kind: "unary", operator: "-", operand, ...span }, byIdentity: false };
  }
  return { kind: "value", value: parser.parse(first), byIdentity: first.name === "None" || first.name === "Boolean" };
}

/** Parses `a.b`; masked brackets at the end make it a class pattern. */
function parseValuePattern(parser: NodeParser, node: SyntaxNode): Pattern {
  const text = parser.textOf(node);
  let value: Expression | undefined;
  for (const { 0: name, index } of text.replace(/\(\)$/, "").matchAll(/[^\s.\\]+/g)) {
    const span = { from: node.from, to: node.from + index + name.length };
    value = value
      ? { kind: "attribute", object: value, name: parser.identifier(name), ...span }
      : nameOf(parser, span, name);
  }
  if (!value) throw syntaxError("invalid pattern");
  if (text.endsWith("()")) return { kind: "class", cls: value, positional: [], keywords: [] };
  return { kind: "value", value, byIdentity: false };
}

function parseSequencePattern(parser: NodeParser, parts: readonly SyntaxNode[]): Pattern {
  let star: number | null = null;
  const items = splitAtCommas(parts)
    .filter((part) => part.length > 0)
    .map(([node], index): Pattern => {
      if (!node) throw syntaxError("invalid pattern");
      if (node.name !== "StarPattern") return parsePattern(parser, node);
      if (star !== null) throw syntaxError("multiple starred expressions in sequence pattern");
      star = index;
      const [, inner] = childrenOf(node);
      if (!inner) throw syntaxError("invalid pattern");
      return parsePattern(parser, inner);
    });
  return { kind: "sequence", items, star };
}

function parseMappingPattern(parser: NodeParser, parts: readonly SyntaxNode[]): Pattern {
  let rest: string | null = null;
  const entries = splitAtCommas(parts)
    .filter((part) => part.length > 0)
    .flatMap(([first, second, third]) => {
      if (first?.name === "**" && second) {
        const inner = childrenOf(second)[0] ?? second;
        rest = bindName(parser, inner);
        return [];
      }
      if (!first || !third) throw syntaxError("invalid pattern");
      const key = parsePattern(parser, first);
      if (key.kind !== "value") throw syntaxError("mapping pattern keys may only match literals and attribute lookups");
      return [{ key: key.value, pattern: parsePattern(parser, third) }];
    });
  return { kind: "mapping", entries, rest };
}

function parseClassPattern(parser: NodeParser, parts: readonly SyntaxNode[]): Pattern {
  const list = parts.find((part) => part.name === "PatternArgList");
  const nameParts = parts.filter((part) => part !== list && part.name !== ".");
  const [first] = nameParts;
  if (!first || !list) throw syntaxError("invalid pattern");
  const to = nameParts.at(-1)?.to ?? first.to;
  const [head = "", ...others] = nameParts.flatMap((part) => parser.textOf(part).split(".")).map((name) => name.trim());
  const cls = others.reduce<Expression>(
    (object, name) => ({ kind: "attribute", object, name: parser.identifier(name), from: first.from, to }),
    nameOf(parser, first, head),
  );
  const positional: Pattern[] = [];
  const keywords: { name: string; pattern: Pattern }[] = [];
  for (const [node] of splitAtCommas(childrenOf(list).slice(1, -1))) {
    if (!node) continue;
    const [name, pattern] = node.name === "KeywordPattern" ? childrenOf(node).filter((part) => part.name !== "=") : [];
    if (name && pattern) keywords.push({ name: parser.textOf(name), pattern: parsePattern(parser, pattern) });
    else positional.push(parsePattern(parser, node));
  }
  return { kind: "class", cls, positional, keywords };
}
