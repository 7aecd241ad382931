import { unreachable } from "../../lib/assert.ts";
import type { Bounds, Expression, FormatPart, Statement } from "../parser/ast.ts";
import { notSupported } from "../runtime/errors.ts";

/**
 * Moves each `yield` within an expression to a statement of its own before it; the expression reads the result from a
 * variable. Subexpressions that are evaluated before the `yield` move too, which keeps the order of evaluation.
 */

/** The names of these variables, unique within a function. No name in a formula can equal them. */
export const hoistedName = (index: number): string => `\0held${index}`;

/** Returns true if an expression contains a `yield`. */
export function containsYield(node: Expression): boolean {
  return node.kind === "yield" || (node.kind !== "lambda" && subexpressionsOf(node).some(containsYield));
}

/** Returns the direct subexpressions in the order of evaluation. */
function subexpressionsOf(node: Expression): readonly Expression[] {
  const found: Expression[] = [];
  mapSubexpressions(node, (part) => {
    found.push(part);
    return part;
  });
  return found;
}

/** Returns a copy with mapped direct subexpressions. Calls `map` in the order of evaluation. */
function mapSubexpressions(node: Expression, map: (part: Expression) => Expression): Expression {
  switch (node.kind) {
    case "attribute":
      return { ...node, object: map(node.object) };
    case "index":
      return { ...node, object: map(node.object), index: map(node.index) };
    case "slice":
      return { ...node, object: map(node.object), bounds: mapBounds(node.bounds, map) };
    case "sliceValue":
      return { ...node, bounds: mapBounds(node.bounds, map) };
    case "call":
      return {
        ...node,
        callee: map(node.callee),
        positional: node.positional.map(map),
        keywords: node.keywords.map((one) => ({ ...one, value: map(one.value) })),
      };
    case "unary":
      return { ...node, operand: map(node.operand) };
    case "binary":
    case "logic":
      return { ...node, left: map(node.left), right: map(node.right) };
    case "compare":
      return {
        ...node,
        first: map(node.first),
        rest: node.rest.map((one) => ({ ...one, operand: map(one.operand) })),
      };
    case "conditional":
      return { ...node, test: map(node.test), body: map(node.body), orElse: map(node.orElse) };
    case "list":
    case "tuple":
    case "set":
      return { ...node, items: node.items.map(map) };
    case "starred":
    case "named":
      return { ...node, value: map(node.value) };
    case "dict":
      return {
        ...node,
        entries: node.entries.map(({ key, value }) => ({ key: key && map(key), value: map(value) })),
      };
    case "format": {
      const mapPart = (part: FormatPart): FormatPart =>
        typeof part === "string" ? part : { ...part, value: map(part.value), spec: part.spec.map(mapPart) };
      return { ...node, parts: node.parts.map(mapPart) };
    }
    case "yield":
      return { ...node, value: node.value && map(node.value) };
    case "comprehension": {
      const [first, ...others] = node.clauses;
      return { ...node, clauses: [{ ...first, iterable: map(first.iterable) }, ...others] };
    }
    case "bytes":
    case "constant":
    case "imaginary":
    case "lambda":
    case "name":
    case "unsupported":
      return node;
    default:
      return unreachable(node);
  }
}

function mapBounds([start, stop, step]: Bounds, map: (part: Expression) => Expression): Bounds {
  return [start && map(start), stop && map(stop), step && map(step)];
}

/** Expressions that evaluate a `yield` in a scope or order that hoisting does not preserve. */
const NOT_HOISTABLE: ReadonlySet<Expression["kind"]> = new Set(["comprehension", "slice", "sliceValue"]);

/** Hoists the `yield`s out of the expressions of one function. */
export class YieldHoister {
  #hoistedCount = 0;

  /**
   * Returns equivalent statements in which each `yield` is a whole expression statement, assigned value or return
   * value.
   */
  expand(statement: Statement): readonly Statement[] {
    switch (statement.kind) {
      case "expression":
      case "return":
      case "assign":
      case "augment": {
        if (!needsExpansion(statement.value)) return [statement];
        return this.#hoistFromValue(statement, []);
      }
      case "if":
        return this.#expandIf(statement);
      case "for": {
        if (!containsYield(statement.iterable)) return [statement];
        const before: Statement[] = [];
        const iterable = this.#extractYields(statement.iterable, before);
        return [...before, { ...statement, iterable }];
      }
      case "match": {
        if (!containsYield(statement.subject)) return [statement];
        const before: Statement[] = [];
        const subject = this.#extractYields(statement.subject, before);
        return [...before, { ...statement, subject }];
      }
      case "while":
        return [this.#expandWhile(statement)];
      case "assert":
      case "break":
      case "class":
      case "continue":
      case "delete":
      case "function":
      case "import":
      case "pass":
      case "raise":
      case "try":
      case "unsupported":
      case "with":
        return [statement];
      default:
        return unreachable(statement);
    }
  }

  #hoistFromValue(
    statement: Statement & { kind: "expression" | "return" | "assign" | "augment" },
    before: Statement[],
  ): readonly Statement[] {
    const { value } = statement;
    if (value.kind === "yield" && value.value) {
      const inner = this.#extractYields(value.value, before);
      return [...before, { ...statement, value: { ...value, value: inner } }];
    }
    const extracted = this.#extractYields(value, before);
    return [...before, { ...statement, value: extracted }];
  }

  #expandIf(statement: Statement & { kind: "if" }): readonly Statement[] {
    const at = statement.branches.findIndex(({ test }) => containsYield(test));
    const branch = statement.branches[at];
    if (!branch) return [statement];
    const before: Statement[] = [];
    const test = this.#extractYields(branch.test, before);
    const rest: Statement = { ...statement, branches: [{ ...branch, test }, ...statement.branches.slice(at + 1)] };
    const inner = [...before, ...this.#expandElseBranches(rest)];
    if (at === 0) return inner;
    return [{ ...statement, branches: statement.branches.slice(0, at), orElse: inner }];
  }

  /** Conditions of `elif` are evaluated only when those before them are false. */
  #expandElseBranches(statement: Statement & { kind: "if" }): readonly Statement[] {
    const [first, ...others] = statement.branches;
    if (!first || !others.some(({ test }) => containsYield(test))) return [statement];
    return [{ ...statement, branches: [first], orElse: this.#expandIf({ ...statement, branches: others }) }];
  }

  #expandWhile(statement: Statement & { kind: "while" }): Statement {
    if (!containsYield(statement.test)) return statement;
    if (statement.orElse.length > 0) throw notSupported("yield in this place");
    const { from, to } = statement;
    const before: Statement[] = [];
    const test = this.#extractYields(statement.test, before);
    const stop: Statement = {
      kind: "if",
      branches: [{ test, body: [{ kind: "pass", from, to }] }],
      orElse: [{ kind: "break", from, to }],
      from,
      to,
    };
    return {
      ...statement,
      test: { kind: "constant", value: true, from, to },
      body: [...before, stop, ...statement.body],
    };
  }

  /** Returns the expression without its `yield`s; statements that must run first are pushed to `before`. */
  #extractYields(node: Expression, before: Statement[]): Expression {
    if (!containsYield(node)) return node;
    if (node.kind === "yield") {
      const value = node.value && this.#extractYields(node.value, before);
      return this.#hoist({ ...node, value }, before);
    }
    if (node.kind === "logic") {
      const left = this.#hoist(this.#extractYields(node.left, before), before);
      const inner: Statement[] = [];
      this.#assign(left, this.#extractYields(node.right, inner), inner);
      const isAnd = node.operator === "and";
      before.push(ifStatement(left, isAnd ? inner : [], isAnd ? [] : inner));
      return left;
    }
    if (node.kind === "conditional") return this.#extractFromConditional(node, before);
    if (node.kind === "compare" && node.rest.length > 1) throw notSupported("yield in this place");
    const parts = subexpressionsOf(node);
    const last = parts.findLastIndex(containsYield);
    const extracted = parts.map((part, index) => {
      if (index > last) return part;
      const isStarred = part.kind === "starred";
      const value = this.#extractYields(isStarred ? part.value : part, before);
      const hoisted = index === last || value.kind === "constant" ? value : this.#hoist(value, before);
      return isStarred ? { ...part, value: hoisted } : hoisted;
    });
    if (NOT_HOISTABLE.has(node.kind)) throw notSupported("yield in this place");
    let at = 0;
    return mapSubexpressions(node, (part) => extracted[at++] ?? part);
  }

  #extractFromConditional(node: Expression & { kind: "conditional" }, before: Statement[]): Expression {
    const test = this.#extractYields(node.test, before);
    const result = this.#hoist({ kind: "constant", value: null, from: node.from, to: node.to }, before);
    const [body, orElse]: [Statement[], Statement[]] = [[], []];
    this.#assign(result, this.#extractYields(node.body, body), body);
    this.#assign(result, this.#extractYields(node.orElse, orElse), orElse);
    before.push(ifStatement(test, body, orElse));
    return result;
  }

  /** Stores a value in a variable for later use. */
  #hoist(value: Expression, before: Statement[]): Expression & { kind: "name" } {
    const name = { kind: "name" as const, name: hoistedName(this.#hoistedCount++), from: value.from, to: value.to };
    if (this.#hoistedCount > MAX_HOISTED) throw notSupported("so many yields within expressions");
    this.#assign(name, value, before);
    return name;
  }

  #assign({ name, from, to }: Expression & { kind: "name" }, value: Expression, into: Statement[]): void {
    into.push({ kind: "assign", targets: [{ kind: "name", name, from, to }], value, from, to });
  }
}

/** The number of such variables that a function with a `yield` within an expression reserves. */
export const MAX_HOISTED = 200;

function ifStatement(test: Expression, body: Statement[], orElse: Statement[]): Statement {
  return { kind: "if", branches: [{ test, body }], orElse, from: test.from, to: test.to };
}

/** Returns false for a bare `yield` and for expressions without a `yield`. */
function needsExpansion(value: Expression): boolean {
  if (value.kind !== "yield") return containsYield(value);
  return value.value !== null && containsYield(value.value);
}
