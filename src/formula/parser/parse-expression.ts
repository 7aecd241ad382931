import type { Call, Expression, KeywordArgument, Span } from "./ast.ts";
import type { Bindings } from "./bindings.ts";
import { syntaxError } from "../runtime/errors.ts";
import { parseNumericLiteral } from "./literals.ts";
import { parseComprehension, parseDict } from "./parse-displays.ts";
import { parseLambda } from "./parse-functions.ts";
import { parseStrings } from "./parse-strings.ts";
import { combineTerms } from "./precedence.ts";
import type { NodeParser } from "./node-parser.ts";
import type { Source } from "./source.ts";
import { childrenOf, spanOf, splitAtCommas, type SyntaxNode } from "./syntax-node.ts";

/** Deeper nesting would overflow the stack. */
const MAX_DEPTH = 1000;

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global " +
    "if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);

/** Operands that need parentheses; the Lezer parser is more lenient than Python. */
const NEEDS_PARENTHESES = new Set(["LambdaExpression", "ConditionalExpression", "NamedExpression"]);

const OPERATOR_NODES: ReadonlySet<string> = new Set(["ArithOp", "BitOp", "CompareOp", "and", "or", "not", "in", "is"]);

const OPERATIONS: ReadonlySet<string> = new Set(["UnaryExpression", "BinaryExpression"]);

const markParenthesized = (expression: Expression): Expression =>
  expression.kind === "logic" ? { ...expression, isGrouped: true } : expression;

/** Converts nodes of the Lezer tree to expressions. */
export class ExpressionParser implements NodeParser {
  readonly #source: Source;
  #bindings: Bindings;
  #depth = 0;

  /** `bindings` collects the names that expressions bind. */
  constructor(source: Source, bindings: Bindings) {
    this.#source = source;
    this.#bindings = bindings;
  }

  get bindings(): Bindings {
    return this.#bindings;
  }

  withBindings<T>(bindings: Bindings, work: () => T): T {
    const outer = this.#bindings;
    this.#bindings = bindings;
    try {
      return work();
    } finally {
      this.#bindings = outer;
    }
  }

  /** Throws PyError SyntaxError when the nesting is too deep. */
  nested<T>(work: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw syntaxError("the formula is nested too deeply");
    const result = work();
    this.#depth--;
    return result;
  }

  parseItemsOrOne(parts: readonly SyntaxNode[]): Expression {
    const [first] = parts;
    if (parts.length === 1 && first) return this.parse(first);
    if (parts.some((part) => part.name === "for")) return parseComprehension(this, "generator", parts);
    return { kind: "tuple", items: this.parseItems(parts), ...spanOf(parts) };
  }

  parse(node: SyntaxNode): Expression {
    // The Lezer parser's own limit is much higher; it leaves an error node.
    if (++this.#depth > MAX_DEPTH || node.type.isError) throw syntaxError("the formula is nested too deeply");
    const expression = this.#parseNode(node);
    this.#depth--;
    return expression;
  }

  #parseNode(node: SyntaxNode): Expression {
    const span = { from: node.from, to: node.to };
    switch (node.name) {
      case "None":
        return { kind: "constant", value: null, ...span };
      case "Ellipsis":
        return { kind: "name", name: "Ellipsis", ...span };
      case "Boolean":
        return { kind: "constant", value: this.textOf(node) === "True", ...span };
      case "Number":
        return this.#parseNumber(this.textOf(node), span);
      case "String":
      case "FormatString":
      case "ContinuedString":
        return parseStrings(node, this.#source, (inner) => this.parseItemsOrOne(inner));
      case "VariableName":
        return this.#parseName(node);
      case "YieldExpression":
        return this.#parseYield(childrenOf(node).slice(1), span);
      case "NamedExpression":
        return this.#parseNamedExpression(childrenOf(node), span);
      case "LambdaExpression":
        return parseLambda(this, node);
      case "ArrayComprehensionExpression":
        return parseComprehension(this, "list", childrenOf(node).slice(1, -1));
      case "SetComprehensionExpression":
        return parseComprehension(this, "set", childrenOf(node).slice(1, -1));
      case "DictionaryComprehensionExpression":
        return parseComprehension(this, "dict", childrenOf(node).slice(1, -1));
      case "ComprehensionExpression":
        return parseComprehension(this, "generator", childrenOf(node).slice(1, -1));
      case "DictionaryExpression":
        return parseDict(this, childrenOf(node).slice(1, -1), span);
      case "SetExpression":
        return { kind: "set", items: this.parseItems(childrenOf(node).slice(1, -1)), ...span };
      case "ParenthesizedExpression":
        return markParenthesized(this.parseItemsOrOne(childrenOf(node).slice(1, -1)));
      case "TupleExpression":
        return { kind: "tuple", items: this.parseItems(childrenOf(node).slice(1, -1)), ...span };
      case "ArrayExpression":
        return { kind: "list", items: this.parseItems(childrenOf(node).slice(1, -1)), ...span };
      case "UnaryExpression":
      case "BinaryExpression":
        return this.#parseOperation(node);
      case "ConditionalExpression":
        return this.#parseConditional(node);
      case "MemberExpression":
        return this.#parseMember(node);
      case "CallExpression":
        return this.#parseCall(node);
    }
    if (node.name === "AwaitExpression") throw syntaxError("'await' outside async function");
    return { kind: "unsupported", what: node.name, ...span };
  }

  indentOf(node: SyntaxNode): string | undefined {
    const { text } = this.#source;
    const before = text.slice(text.lastIndexOf("\n", node.from - 1) + 1, node.from);
    return /^[ \t]*$/.test(before) ? before : undefined;
  }

  isStarred(node: SyntaxNode): boolean {
    return /(?<!\*)\*[ \t]*$/.test(this.#source.text.slice(Math.max(0, node.from - 8), node.from));
  }

  textOf(node: SyntaxNode): string {
    return this.#source.text.slice(node.from, node.to);
  }

  #parseNumber(literal: string, span: Span): Expression {
    if (!/[jJ]$/.test(literal)) return { kind: "constant", value: parseNumericLiteral(literal), ...span };
    return { kind: "imaginary", value: Number(literal.slice(0, -1).replaceAll("_", "")), ...span };
  }

  /** Parses `yield`, `yield value` and `yield from value`, given the nodes after the keyword. */
  #parseYield(parts: readonly SyntaxNode[], span: Span): Expression {
    this.bindings.isGenerator = true;
    this.bindings.hasYieldExpression = true;
    const delegates = parts[0]?.name === "from";
    const rest = delegates ? parts.slice(1) : parts;
    return { kind: "yield", value: rest.length > 0 ? this.parseItemsOrOne(rest) : null, delegates, ...span };
  }

  #parseNamedExpression([target, , value]: readonly SyntaxNode[], span: Span): Expression {
    if (target?.name !== "VariableName" || !value) throw syntaxError("invalid syntax");
    const name = this.identifier(this.textOf(target));
    this.bindings.nearestFunction.bind(name);
    return { kind: "named", name, value: this.parse(value), ...span };
  }

  #parseName(node: SyntaxNode): Expression {
    const span = { from: node.from, to: node.to };
    const name = this.textOf(node);
    if (name === "yield") return this.#parseYield([], span);
    if (!name.startsWith("$")) {
      return { kind: "name", name: this.#bindings.resolve(this.identifier(name)), ...span };
    }
    const object: Expression = { kind: "name", name: "rec", from: node.from, to: node.from + 1 };
    return { kind: "attribute", object, name: this.identifier(name.slice(1)), ...span };
  }

  identifier(name: string): string {
    if (KEYWORDS.has(name) || name.includes("$")) throw syntaxError(`invalid name '${name}'`);
    // Python normalizes identifiers, so that different spellings are the same name.
    return name.normalize("NFKC");
  }

  parseItems(parts: readonly SyntaxNode[]): Expression[] {
    return splitAtCommas(parts)
      .filter((part) => part.length > 0)
      .map((part) => this.#parseItem(part));
  }

  #parseItem(part: readonly SyntaxNode[]): Expression {
    const [first, second, third] = part;
    if (!first) throw syntaxError("invalid syntax");
    if (first.name === "*" && second) return { kind: "starred", value: this.parse(second), ...spanOf(part) };
    if (second?.name === "AssignOp" && third) return this.#parseNamedExpression(part, spanOf(part));
    if (second) throw syntaxError("invalid syntax");
    return this.parse(first);
  }

  #parseOperation(node: SyntaxNode): Expression {
    const parts = this.#flatten(node);
    // Each operator may add a level to the tree.
    const levels = parts.length;
    this.#depth += levels;
    const expression = combineTerms(parts.map((part) => (typeof part === "string" ? part : this.#parseOperand(part))));
    this.#depth -= levels;
    return { ...expression, from: node.from, to: node.to };
  }

  /** Returns operands and operators of nested operations in text order; a parenthesized expression is one operand. */
  #flatten(node: SyntaxNode): (SyntaxNode | string)[] {
    const parts: (SyntaxNode | string)[] = [];
    // Iterative, because long chains are nested deeply.
    const stack = [node];
    for (let next = stack.pop(); next; next = stack.pop()) {
      if (OPERATIONS.has(next.name)) {
        stack.push(...childrenOf(next).reverse());
      } else if (OPERATOR_NODES.has(next.name)) {
        const sign = this.textOf(next);
        const last = parts.at(-1);
        if ((last === "not" && sign === "in") || (last === "is" && sign === "not"))
          parts[parts.length - 1] = `${last} ${sign}`;
        else parts.push(sign);
      } else parts.push(next);
    }
    return parts;
  }

  #parseOperand(node: SyntaxNode): Expression {
    if (NEEDS_PARENTHESES.has(node.name)) throw syntaxError("invalid syntax");
    return this.parse(node);
  }

  #parseConditional(node: SyntaxNode): Expression {
    const [body, , test, , orElse] = childrenOf(node);
    if (!body || !test || !orElse) throw syntaxError("invalid syntax");
    if (NEEDS_PARENTHESES.has(body.name) || NEEDS_PARENTHESES.has(test.name)) throw syntaxError("invalid syntax");
    return {
      kind: "conditional",
      test: this.parse(test),
      body: this.parse(body),
      orElse: this.parse(orElse),
      from: node.from,
      to: node.to,
    };
  }

  #parseMember(node: SyntaxNode): Expression {
    const span = { from: node.from, to: node.to };
    const [first, opening, ...rest] = childrenOf(node);
    if (!first || !opening) throw syntaxError("invalid syntax");
    const object = this.#parseOperand(first);
    if (opening.name === ".") {
      const [property] = rest;
      if (!property) throw syntaxError("invalid syntax");
      return { kind: "attribute", object, name: this.identifier(this.textOf(property)), ...span };
    }
    const inside = rest.slice(0, -1);
    if (!inside.some((part) => part.name === ":")) {
      return { kind: "index", object, index: this.parseItemsOrOne(inside), ...span };
    }
    if (inside.some((part) => part.name === ",")) {
      return { kind: "index", object, index: this.#parseIndices(inside), ...span };
    }
    return { kind: "slice", object, bounds: this.#parseBounds(inside), ...span };
  }

  /** Parses `1:2, 3`. */
  #parseIndices(parts: readonly SyntaxNode[]): Expression {
    const items = splitAtCommas(parts).map((part): Expression => {
      if (!part.some((node) => node.name === ":")) return this.#parseItem(part);
      return { kind: "sliceValue", bounds: this.#parseBounds(part), ...spanOf(part) };
    });
    return { kind: "tuple", items, ...spanOf(parts) };
  }

  #parseBounds(parts: readonly SyntaxNode[]): [Expression | null, Expression | null, Expression | null] {
    const bounds: [Expression | null, Expression | null, Expression | null] = [null, null, null];
    let index = 0;
    for (const part of parts) {
      if (part.name === ":") index++;
      else bounds[index] = this.parse(part);
    }
    return bounds;
  }

  #parseCall(node: SyntaxNode): Expression {
    const span = { from: node.from, to: node.to };
    const [callee, list] = childrenOf(node);
    if (!callee || !list) throw syntaxError("invalid syntax");
    const parts = childrenOf(list).slice(1, -1);
    return { kind: "call", callee: this.#parseOperand(callee), ...this.parseArguments(parts), ...span };
  }

  parseArguments(parts: readonly SyntaxNode[]): Pick<Call, "positional" | "keywords"> {
    if (parts.some((part) => part.name === "for")) {
      return { positional: [parseComprehension(this, "generator", parts)], keywords: [] };
    }
    const positional: Expression[] = [];
    const keywords: KeywordArgument[] = [];
    for (const argument of splitAtCommas(parts)) {
      const [first, second, third] = argument;
      if (!first) continue;
      if (first.name === "**" && second) keywords.push({ name: null, value: this.parse(second) });
      else if (second?.name === "AssignOp" && third && this.textOf(second) === "=") {
        const name = this.identifier(this.textOf(first));
        if (keywords.some((keyword) => keyword.name === name)) throw syntaxError(`keyword argument repeated: ${name}`);
        keywords.push({ name, value: this.parse(third), span: { from: first.from, to: first.to } });
      } else {
        const item = this.#parseItem(argument);
        const followsKeyword = keywords.some((keyword) => keyword.name === null || item.kind !== "starred");
        if (followsKeyword) throw syntaxError("positional argument follows keyword argument");
        positional.push(item);
      }
    }
    return { positional, keywords };
  }
}
