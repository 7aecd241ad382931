import { parser as lezer } from "@lezer/python";
import type { BinaryOperator, CompareOperator, Comparison, Expression, KeywordArgument, UnaryOperator } from "./ast.ts";
import { notSupported, PyError, syntaxError } from "./errors.ts";
import { readNumber } from "./literals.ts";
import type { Source } from "./source.ts";
import { readStrings } from "./parse-strings.ts";
import { childrenOf, type SyntaxNode } from "./syntax-node.ts";

/** A formula that can be read. */
export type Formula =
  /** Nothing but blanks. */
  | { readonly kind: "blank" }
  /** Nothing but comments. */
  | { readonly kind: "comment" }
  | { readonly kind: "expression"; readonly expression: Expression }
  /** Valid, as far as it was looked at, but made of more than one expression. */
  | { readonly kind: "statements"; readonly what: string };

// Stops at the first mistake. Going on after one serves editors; here it would only take time.
const parser = lezer.configure({ strict: true });

/** Reads a formula. Throws PyError SyntaxError or IndentationError. */
export function parseFormula(source: Source): Formula {
  if (/^\s*$/.test(source.text)) return { kind: "blank" };
  const script = parseScript(source);
  const statements = childrenOf(script).filter((node) => node.name !== "Comment");
  for (const statement of statements) checkIndent(source.text, statement);
  const [only] = statements;
  if (!only) return { kind: "comment" };
  const parts = childrenOf(only);
  if (statements.length === 1 && only.name === "ExpressionStatement") return readSingle(source, parts);
  if (statements.length === 1 && only.name === "StatementGroup") {
    const [first, semicolon, ...others] = parts;
    if (first?.name === "ExpressionStatement" && semicolon && others.length === 0) {
      return readSingle(source, childrenOf(first));
    }
  }
  checkReturns(script, statements.at(-1));
  return { kind: "statements", what: "formulas of several statements" };
}

function readSingle(source: Source, parts: readonly SyntaxNode[]): Formula {
  const reader = new ExpressionReader(source);
  return { kind: "expression", expression: reader.readItemsOrOne(parts) };
}

function parseScript(source: Source): SyntaxNode {
  try {
    return parser.parse(source.code).topNode;
  } catch (error) {
    if (error instanceof RangeError) throw syntaxError("the formula is nested too deeply");
    const at = /^No parse at (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    if (at === undefined) throw error;
    const line = source.text.slice(0, Number(at)).split("\n").length;
    if (BEYOND_PARSER.test(source.text)) throw notSupported("match statements and starred loop targets");
    if (lacksBlock(source.text)) throw new PyError("IndentationError", "expected an indented block");
    throw syntaxError(`invalid syntax (line ${line})`);
  }
}

/** Valid Python that the parser refuses in some forms: such formulas are not wrong, as far as we know. */
const BEYOND_PARSER = /^[ \t]*match\b.*:[ \t]*(?:#.*)?$|\bfor\b[^\n:]*,[ \t]*\*/m;

const BLOCK_HEAD = /^([ \t]*)(?:if|elif|else|for|while|try|except|finally|with|def|class)\b.*:[ \t]*(?:#.*)?$/;

/** True when a line that begins a block is not followed by one that is further in. */
function lacksBlock(text: string): boolean {
  const lines = text.split("\n").filter((line) => !/^[ \t]*(?:#.*)?$/.test(line));
  return lines.some((line, index) => {
    const head = BLOCK_HEAD.exec(line);
    return (
      head !== null && !lines[index + 1]?.startsWith(`${head[1]} `) && !lines[index + 1]?.startsWith(`${head[1]}\t`)
    );
  });
}

/** The parser accepts any indentation at the top. */
function checkIndent(text: string, statement: SyntaxNode): void {
  const before = text.slice(text.lastIndexOf("\n", statement.from - 1) + 1, statement.from);
  if (/^[ \t]+$/.test(before) && !continuesLine(text, statement.from - before.length)) {
    throw new PyError("IndentationError", "unexpected indent");
  }
}

const continuesLine = (text: string, lineStart: number): boolean => text.endsWith("\\\n", lineStart);

/** A formula gives its last expression, or what is returned somewhere: one of them there must be. */
function checkReturns(script: SyntaxNode, last: SyntaxNode | undefined): void {
  const final = last?.name === "StatementGroup" ? childrenOf(last).findLast((node) => node.name !== ";") : last;
  if (final?.name === "ExpressionStatement") return;
  let returns = false;
  script.cursor().iterate((node) => {
    returns ||= node.name === "ReturnStatement";
  });
  if (!returns) throw syntaxError("no value is returned");
}

/** Deeper nesting would exhaust the stack. */
const MAX_DEPTH = 500;

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global " +
    "if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);

const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ["LambdaExpression", "lambda"],
  ["ArrayComprehensionExpression", "comprehensions"],
  ["DictionaryComprehensionExpression", "comprehensions"],
  ["SetComprehensionExpression", "comprehensions"],
  ["ComprehensionExpression", "generator expressions"],
  ["DictionaryExpression", "dict displays"],
  ["SetExpression", "set displays"],
  ["NamedExpression", "assignment expressions"],
  ["YieldExpression", "yield"],
  ["AwaitExpression", "await"],
  ["Ellipsis", "Ellipsis"],
  ["Number", "complex numbers"],
]);

/** What an operand may not be without parentheses; the parser is more lenient than Python. */
const LOOSE = new Set(["LambdaExpression", "ConditionalExpression", "NamedExpression"]);

const COMPARE: ReadonlySet<string> = new Set(["CompareOp", "in", "not", "is"]);

/** Turns nodes of the parser's tree into ours. */
class ExpressionReader {
  readonly #source: Source;
  #depth = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  /** `a` or `a, b`, which is a tuple. */
  readItemsOrOne(parts: readonly SyntaxNode[]): Expression {
    const [first] = parts;
    if (parts.length === 1 && first) return this.read(first);
    return { kind: "tuple", items: this.#readItems(parts), ...spanOf(parts) };
  }

  read(node: SyntaxNode): Expression {
    if (++this.#depth > MAX_DEPTH) throw syntaxError("the formula is nested too deeply");
    const expression = this.#readNode(node);
    this.#depth--;
    return expression;
  }

  #readNode(node: SyntaxNode): Expression {
    const span = { from: node.from, to: node.to };
    const unsupported = UNSUPPORTED.get(node.name);
    switch (node.name) {
      case "None":
        return { kind: "constant", value: null, ...span };
      case "Boolean":
        return { kind: "constant", value: this.#textOf(node) === "True", ...span };
      case "Number":
        if (/j$/i.test(this.#textOf(node))) break;
        return { kind: "constant", value: readNumber(this.#textOf(node)), ...span };
      case "String":
      case "FormatString":
      case "ContinuedString":
        return readStrings(node, this.#source, (inner) => this.readItemsOrOne(inner));
      case "VariableName":
        return this.#readName(node);
      case "ParenthesizedExpression":
        return this.readItemsOrOne(childrenOf(node).slice(1, -1));
      case "TupleExpression":
        return { kind: "tuple", items: this.#readItems(childrenOf(node).slice(1, -1)), ...span };
      case "ArrayExpression":
        return { kind: "list", items: this.#readItems(childrenOf(node).slice(1, -1)), ...span };
      case "UnaryExpression":
        return this.#readUnary(node);
      case "BinaryExpression":
        return this.#readBinary(node);
      case "ConditionalExpression":
        return this.#readConditional(node);
      case "MemberExpression":
        return this.#readMember(node);
      case "CallExpression":
        return this.#readCall(node);
    }
    if (unsupported) return { kind: "unsupported", what: unsupported, ...span };
    return { kind: "unsupported", what: node.name, ...span };
  }

  #textOf(node: SyntaxNode): string {
    return this.#source.text.slice(node.from, node.to);
  }

  #readName(node: SyntaxNode): Expression {
    const span = { from: node.from, to: node.to };
    const name = this.#textOf(node);
    if (!name.startsWith("$")) return { kind: "name", name: this.#identifier(name), ...span };
    const object: Expression = { kind: "name", name: "rec", from: node.from, to: node.from + 1 };
    return { kind: "attribute", object, name: this.#identifier(name.slice(1)), ...span };
  }

  #identifier(name: string): string {
    if (KEYWORDS.has(name) || name.includes("$")) throw syntaxError(`invalid name '${name}'`);
    // As Python does, so that a name written in another way is the same name.
    return name.normalize("NFKC");
  }

  #readItems(parts: readonly SyntaxNode[]): Expression[] {
    const items: Expression[] = [];
    for (const part of parts) {
      if (part.name === ",") continue;
      if (part.name === "*") items.push({ kind: "unsupported", what: "unpacking with *", ...spanOf([part]) });
      else items.push(this.read(part));
    }
    return items;
  }

  #readUnary(node: SyntaxNode): Expression {
    const [sign, operand] = childrenOf(node);
    if (!sign || !operand) throw syntaxError("invalid syntax");
    const operator = this.#textOf(sign) as UnaryOperator;
    return { kind: "unary", operator, operand: this.#readOperand(operand, operator), from: node.from, to: node.to };
  }

  #readOperand(node: SyntaxNode, operator: string): Expression {
    const negated = node.name === "UnaryExpression" && childrenOf(node)[0]?.name === "not";
    const loose = LOOSE.has(node.name) || (negated && !["not", "and", "or"].includes(operator));
    if (loose) throw syntaxError("invalid syntax");
    return this.read(node);
  }

  #readBinary(node: SyntaxNode): Expression {
    const span = { from: node.from, to: node.to };
    const [left, sign, ...rest] = childrenOf(node);
    const right = rest.at(-1);
    if (!left || !sign || !right) throw syntaxError("invalid syntax");
    if (COMPARE.has(sign.name)) return this.#readComparison(node);
    const operator = this.#textOf(sign);
    const sides = { left: this.#readOperand(left, operator), right: this.#readOperand(right, operator), ...span };
    if (operator === "and" || operator === "or") return { kind: "logic", operator, ...sides };
    return { kind: "binary", operator: operator as BinaryOperator, ...sides };
  }

  /** `a < b < c` comes as `(a < b) < c`, but with parentheses it would have a node for them. */
  #readComparison(node: SyntaxNode): Expression {
    const rest: Comparison[] = [];
    let first = node;
    for (;;) {
      const [left, ...others] = childrenOf(first);
      const right = others.pop();
      if (!left || !right) throw syntaxError("invalid syntax");
      const operator = others.map((word) => this.#textOf(word)).join(" ");
      if (operator === "<>") throw syntaxError("invalid syntax");
      rest.unshift({ operator: operator as CompareOperator, operand: this.#readOperand(right, operator) });
      first = left;
      if (left.name !== "BinaryExpression" || !COMPARE.has(childrenOf(left)[1]?.name ?? "")) break;
    }
    return { kind: "compare", first: this.#readOperand(first, "=="), rest, from: node.from, to: node.to };
  }

  #readConditional(node: SyntaxNode): Expression {
    const [body, , test, , orElse] = childrenOf(node);
    if (!body || !test || !orElse) throw syntaxError("invalid syntax");
    if (LOOSE.has(body.name) || LOOSE.has(test.name)) throw syntaxError("invalid syntax");
    return {
      kind: "conditional",
      test: this.read(test),
      body: this.read(body),
      orElse: this.read(orElse),
      from: node.from,
      to: node.to,
    };
  }

  #readMember(node: SyntaxNode): Expression {
    const span = { from: node.from, to: node.to };
    const [first, opening, ...rest] = childrenOf(node);
    if (!first || !opening) throw syntaxError("invalid syntax");
    const object = this.#readOperand(first, ".");
    if (opening.name === ".") {
      const [property] = rest;
      if (!property) throw syntaxError("invalid syntax");
      return { kind: "attribute", object, name: this.#identifier(this.#textOf(property)), ...span };
    }
    const inside = rest.slice(0, -1);
    if (!inside.some((part) => part.name === ":")) {
      return { kind: "index", object, index: this.readItemsOrOne(inside), ...span };
    }
    if (inside.some((part) => part.name === ",")) return { kind: "unsupported", what: "slices in tuples", ...span };
    return { kind: "slice", object, bounds: this.#readBounds(inside), ...span };
  }

  #readBounds(parts: readonly SyntaxNode[]): [Expression | null, Expression | null, Expression | null] {
    const bounds: [Expression | null, Expression | null, Expression | null] = [null, null, null];
    let index = 0;
    for (const part of parts) {
      if (part.name === ":") index++;
      else bounds[index] = this.read(part);
    }
    return bounds;
  }

  #readCall(node: SyntaxNode): Expression {
    const span = { from: node.from, to: node.to };
    const [callee, list] = childrenOf(node);
    if (!callee || !list) throw syntaxError("invalid syntax");
    const parts = childrenOf(list).slice(1, -1);
    if (parts.some((part) => part.name === "for")) {
      return { kind: "unsupported", what: "generator expressions", ...span };
    }
    const positional: Expression[] = [];
    const keywords: KeywordArgument[] = [];
    for (const argument of splitAtCommas(parts)) {
      const [first, second, third] = argument;
      if (!first) continue;
      if (first.name === "*" || first.name === "**") {
        positional.push({ kind: "unsupported", what: `unpacking with ${first.name}`, ...spanOf(argument) });
      } else if (second && third) {
        const name = this.#identifier(this.#textOf(first));
        if (keywords.some((keyword) => keyword.name === name)) throw syntaxError(`keyword argument repeated: ${name}`);
        keywords.push({ name, value: this.read(third) });
      } else {
        if (keywords.length > 0) throw syntaxError("positional argument follows keyword argument");
        positional.push(this.read(first));
      }
    }
    return { kind: "call", callee: this.#readOperand(callee, "("), positional, keywords, ...span };
  }
}

function splitAtCommas(parts: readonly SyntaxNode[]): SyntaxNode[][] {
  const groups: SyntaxNode[][] = [[]];
  for (const part of parts) {
    if (part.name === ",") groups.push([]);
    else groups.at(-1)?.push(part);
  }
  return groups;
}

const spanOf = (parts: readonly SyntaxNode[]) => ({ from: parts[0]?.from ?? 0, to: parts.at(-1)?.to ?? 0 });
