import type { Expression, MatchCase, Pattern, Span, Statement } from "./ast.ts";
import { syntaxError } from "./errors.ts";
import type { Reader } from "./reader.ts";
import { childrenOf, splitAtCommas, type SyntaxNode } from "./syntax-node.ts";

type ReadBlock = (body: SyntaxNode | undefined) => Statement[];

/** `match subject:` and its cases. */
export function readMatch(reader: Reader, parts: readonly SyntaxNode[], span: Span, readBlock: ReadBlock): Statement {
  const [, subject] = parts;
  const body = parts.find((part) => part.name === "MatchBody");
  if (!subject || !body) throw syntaxError("invalid syntax");
  const cases = childrenOf(body)
    .filter((node) => node.name === "MatchClause")
    .map((node) => readCase(reader, childrenOf(node).slice(1), readBlock));
  return { kind: "match", subject: reader.read(subject), cases, from: span.from, to: span.to };
}

function readCase(reader: Reader, parts: readonly SyntaxNode[], readBlock: ReadBlock): MatchCase {
  const guardNode = parts.find((part) => part.name === "Guard");
  const body = parts.at(-1);
  const inside = parts.filter((part) => part !== guardNode && part !== body);
  const [first] = inside;
  if (!first) throw syntaxError("invalid syntax");
  const pattern = inside.length === 1 ? readPattern(reader, first) : readSequence(reader, inside);
  const condition = guardNode && childrenOf(guardNode)[1];
  return { pattern, guard: condition ? reader.read(condition) : null, body: readBlock(body) };
}

function readPattern(reader: Reader, node: SyntaxNode): Pattern {
  const parts = childrenOf(node);
  switch (node.name) {
    case "CapturePattern":
      return readCapture(reader, node);
    case "LiteralPattern":
      return readLiteral(reader, node, parts);
    case "AttributePattern":
      return readValue(reader, node);
    case "OrPattern":
      return readOr(reader, parts);
    case "AsPattern": {
      const [inner, , nameNode] = parts;
      if (!inner || !nameNode) throw syntaxError("invalid syntax");
      return { kind: "as", pattern: readPattern(reader, inner), name: bindName(reader, nameNode) };
    }
    case "SequencePattern": {
      const inside = parts.slice(1, -1);
      const [only] = inside;
      const isGroup = reader.textOf(node).startsWith("(") && inside.length === 1 && only;
      return isGroup ? readPattern(reader, only) : readSequence(reader, inside);
    }
    case "MappingPattern":
      return readMapping(reader, parts.slice(1, -1));
    case "ClassPattern":
      return readClass(reader, parts);
    default:
      throw syntaxError("invalid pattern");
  }
}

/** The parser takes `a | b as c` for `a | (b as c)`. */
function readOr(reader: Reader, parts: readonly SyntaxNode[]): Pattern {
  const options = parts.filter((part) => part.name !== "LogicOp").map((part) => readPattern(reader, part));
  const last = options.at(-1);
  if (last?.kind !== "as") return { kind: "or", options };
  return { kind: "as", pattern: { kind: "or", options: [...options.slice(0, -1), last.pattern] }, name: last.name };
}

function bindName(reader: Reader, node: SyntaxNode): string {
  const name = reader.identifier(reader.textOf(node));
  reader.bindings.bind(name);
  return name;
}

/** A name; with empty brackets behind it or alone, which the parser does not see, a class or an empty sequence. */
function readCapture(reader: Reader, node: SyntaxNode): Pattern {
  const text = reader.textOf(node);
  if (text === "_") return { kind: "capture", name: null };
  if (text === "[]" || text === "()") return { kind: "sequence", items: [], star: null };
  if (text === "{}") return { kind: "mapping", entries: [], rest: null };
  if (!text.endsWith("()")) return { kind: "capture", name: bindName(reader, node) };
  return { kind: "class", cls: nameOf(reader, node, text.slice(0, -2)), positional: [], keywords: [] };
}

const nameOf = (reader: Reader, { from, to }: Span, name: string): Expression => ({
  kind: "name",
  name: reader.identifier(name),
  from,
  to,
});

/** `-1`, `'a'`, `None` */
function readLiteral(reader: Reader, node: SyntaxNode, parts: readonly SyntaxNode[]): Pattern {
  const span = { from: node.from, to: node.to };
  const [first, second, third] = parts;
  if (!first || third) throw syntaxError("invalid pattern");
  if (second) {
    const operand = reader.read(second);
    return { kind: "value", value: { kind: "unary", operator: "-", operand, ...span }, bySame: false };
  }
  return { kind: "value", value: reader.read(first), bySame: first.name === "None" || first.name === "Boolean" };
}

/** `a.b`; with brackets at the end the class of that name. */
function readValue(reader: Reader, node: SyntaxNode): Pattern {
  const text = reader.textOf(node);
  let value: Expression | undefined;
  for (const { 0: name, index } of text.replace(/\(\)$/, "").matchAll(/[^\s.\\]+/g)) {
    const span = { from: node.from, to: node.from + index + name.length };
    value = value
      ? { kind: "attribute", object: value, name: reader.identifier(name), ...span }
      : nameOf(reader, span, name);
  }
  if (!value) throw syntaxError("invalid pattern");
  if (text.endsWith("()")) return { kind: "class", cls: value, positional: [], keywords: [] };
  return { kind: "value", value, bySame: false };
}

function readSequence(reader: Reader, parts: readonly SyntaxNode[]): Pattern {
  let star: number | null = null;
  const items = splitAtCommas(parts)
    .filter((part) => part.length > 0)
    .map(([node], index): Pattern => {
      if (!node) throw syntaxError("invalid pattern");
      if (node.name !== "StarPattern") return readPattern(reader, node);
      if (star !== null) throw syntaxError("multiple starred expressions in sequence pattern");
      star = index;
      const [, inner] = childrenOf(node);
      if (!inner) throw syntaxError("invalid pattern");
      return readPattern(reader, inner);
    });
  return { kind: "sequence", items, star };
}

function readMapping(reader: Reader, parts: readonly SyntaxNode[]): Pattern {
  let rest: string | null = null;
  const entries = splitAtCommas(parts)
    .filter((part) => part.length > 0)
    .flatMap(([first, second, third]) => {
      if (first?.name === "**" && second) {
        const inner = childrenOf(second)[0] ?? second;
        rest = bindName(reader, inner);
        return [];
      }
      if (!first || !third) throw syntaxError("invalid pattern");
      const key = readPattern(reader, first);
      if (key.kind !== "value") throw syntaxError("mapping pattern keys may only match literals and attribute lookups");
      return [{ key: key.value, pattern: readPattern(reader, third) }];
    });
  return { kind: "mapping", entries, rest };
}

function readClass(reader: Reader, parts: readonly SyntaxNode[]): Pattern {
  const list = parts.find((part) => part.name === "PatternArgList");
  const nameParts = parts.filter((part) => part !== list && part.name !== ".");
  const [first] = nameParts;
  if (!first || !list) throw syntaxError("invalid pattern");
  const to = nameParts.at(-1)?.to ?? first.to;
  const [head = "", ...others] = nameParts.flatMap((part) => reader.textOf(part).split(".")).map((name) => name.trim());
  const cls = others.reduce<Expression>(
    (object, name) => ({ kind: "attribute", object, name: reader.identifier(name), from: first.from, to }),
    nameOf(reader, first, head),
  );
  const positional: Pattern[] = [];
  const keywords: { name: string; pattern: Pattern }[] = [];
  for (const [node] of splitAtCommas(childrenOf(list).slice(1, -1))) {
    if (!node) continue;
    const [name, pattern] = node.name === "KeywordPattern" ? childrenOf(node).filter((part) => part.name !== "=") : [];
    if (name && pattern) keywords.push({ name: reader.textOf(name), pattern: readPattern(reader, pattern) });
    else positional.push(readPattern(reader, node));
  }
  return { kind: "class", cls, positional, keywords };
}
