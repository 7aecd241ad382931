import type { Expression, KeywordArgument } from "./ast.ts";
import { syntaxError } from "./errors.ts";
import { readNumber } from "./literals.ts";
import { readStrings } from "./parse-strings.ts";
import { combineTerms } from "./precedence.ts";
import type { Source } from "./source.ts";
import { childrenOf, type SyntaxNode } from "./syntax-node.ts";

/** Deeper nesting would exhaust the stack. */
const MAX_DEPTH = 1000;

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
]);

/** What an operand may not be without parentheses; the parser is more lenient than Python. */
const LOOSE = new Set(["LambdaExpression", "ConditionalExpression", "NamedExpression"]);

const SIGNS: ReadonlySet<string> = new Set(["ArithOp", "BitOp", "CompareOp", "and", "or", "not", "in", "is"]);

const OPERATIONS: ReadonlySet<string> = new Set(["UnaryExpression", "BinaryExpression"]);

/** Turns nodes of the parser's tree into ours. */
export class ExpressionReader {
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
    // The parser itself gives up far beyond that, leaving a mark.
    if (++this.#depth > MAX_DEPTH || node.type.isError) throw syntaxError("the formula is nested too deeply");
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
      case "BinaryExpression":
        return this.#readOperation(node);
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

  #readOperation(node: SyntaxNode): Expression {
    const parts = this.#flatten(node);
    // Each operator may become one more level of the tree.
    const levels = parts.length;
    this.#depth += levels;
    const expression = combineTerms(parts.map((part) => (typeof part === "string" ? part : this.#readOperand(part))));
    this.#depth -= levels;
    return { ...expression, from: node.from, to: node.to };
  }

  /** Operands and operators of nested operations as they are written; what has parentheses is one operand. */
  #flatten(node: SyntaxNode): (SyntaxNode | string)[] {
    const parts: (SyntaxNode | string)[] = [];
    // Long chains are nested deeply, so this does not call itself.
    const waiting = [node];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      if (OPERATIONS.has(next.name)) {
        waiting.push(...childrenOf(next).reverse());
      } else if (SIGNS.has(next.name)) {
        const sign = this.#textOf(next);
        const last = parts.at(-1);
        if ((last === "not" && sign === "in") || (last === "is" && sign === "not"))
          parts[parts.length - 1] = `${last} ${sign}`;
        else parts.push(sign);
      } else parts.push(next);
    }
    return parts;
  }

  #readOperand(node: SyntaxNode): Expression {
    if (LOOSE.has(node.name)) throw syntaxError("invalid syntax");
    return this.read(node);
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
    const object = this.#readOperand(first);
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
    return { kind: "call", callee: this.#readOperand(callee), positional, keywords, ...span };
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
