import type { RowCells } from "../access-types.ts";
import type { Operator, Predicate } from "./predicate.ts";
import { RuleObject, TextMethod, ruleValue, type RuleValue } from "./rule-values.ts";

/** What a condition is asked about. Without rows, `rec` and `newRec` are unknown. */
export interface RuleContext {
  readonly user: RuleObject;
  /** The row before a change; the row itself when it is read, added or removed. */
  readonly rec?: RowCells;
  /** The row after a change. */
  readonly newRec?: RowCells;
}

/**
 * True when the rule applies.
 * @throws NeedsRow when that depends on the row and there is none; RuleError when the condition makes no sense
 */
export type RuleCondition = (context: RuleContext) => boolean;

/** Thrown where a condition looks at the row and the question is not about one. */
export class RowRequiredError extends Error {}

/** A condition that failed: what its rule would allow is then not allowed, what it would deny is denied. */
export class RuleError extends Error {}

type Evaluate = (context: RuleContext) => RuleValue;

/** Turns a tree into closures. Names that conditions do not know fail when they are evaluated. */
export function compilePredicate(predicate: Predicate): RuleCondition {
  const evaluate = compile(predicate);
  return (context) => isTrue(evaluate(context));
}

function compile(node: Predicate): Evaluate {
  switch (node.kind) {
    case "constant": {
      const value = typeof node.value === "bigint" ? Number(node.value) : node.value;
      return () => value;
    }
    case "name":
      return compileName(node.name);
    case "attribute":
      return compileAttribute(compile(node.object), node.name);
    case "call": {
      const callee = compile(node.callee);
      return (context) => {
        const method = callee(context);
        if (method instanceof TextMethod) return method.call();
        throw new RuleError("only .lower() and .upper() of texts can be called");
      };
    }
    case "list": {
      const items = node.items.map(compile);
      return (context) => items.map((item) => item(context));
    }
    case "logic": {
      const operands = node.operands.map(compile);
      return node.operator === "And"
        ? (context) => operands.every((operand) => isTrue(operand(context)))
        : (context) => operands.some((operand) => isTrue(operand(context)));
    }
    case "operation": {
      const [left, right = left] = node.operands.map(compile);
      if (!left || !right) throw new RuleError(`${node.operator} has no operands`);
      const operate = OPERATIONS[node.operator];
      return (context) => operate(left(context), right(context));
    }
    default:
      return node satisfies never;
  }
}

const CONSTANTS: ReadonlyMap<string, string> = new Map([
  ["OWNER", "owners"],
  ["EDITOR", "editors"],
  ["VIEWER", "viewers"],
]);

function compileName(name: string): Evaluate {
  if (name === "user") return ({ user }) => user;
  if (name === "rec") return ({ rec }) => rowObjectOf(rec);
  if (name === "newRec") return ({ newRec }) => rowObjectOf(newRec);
  const constant = CONSTANTS.get(name);
  return () => {
    if (constant === undefined) throw new RuleError(`there is no ${name}`);
    return constant;
  };
}

/** One for each row, so that a row equals itself. */
const rowObjects = new WeakMap<RowCells, RuleObject>();

function rowObjectOf(cells: RowCells | undefined): RuleObject {
  if (!cells) throw new RowRequiredError("the rule depends on the row");
  let row = rowObjects.get(cells);
  if (!row) rowObjects.set(cells, (row = new RuleObject((column) => ruleValue(cells(column)))));
  return row;
}

const compileAttribute =
  (object: Evaluate, name: string): Evaluate =>
  (context) => {
    const value = object(context);
    if (value instanceof RuleObject) return value.get(name);
    if (value === null || value === undefined) throw new RuleError(`None has no ${name}`);
    if (typeof value !== "string") return undefined;
    if (name === "lower") return new TextMethod(() => value.toLowerCase());
    if (name === "upper") return new TextMethod(() => value.toUpperCase());
    return undefined;
  };

/** As JavaScript has it: '' 0 None False NaN are not, an empty list is. */
const isTrue = (value: RuleValue): boolean => Boolean(value);

// Operators are those of JavaScript, on whatever values: the type only tells the compiler to let them.
const OPERATIONS: Readonly<Record<Operator, (left: RuleValue, right: RuleValue) => RuleValue>> = {
  Not: (left) => !isTrue(left),
  Add: (left, right) => (requirePlain(left) as number) + (requirePlain(right) as number),
  Sub: (left, right) => (requirePlain(left) as number) - (requirePlain(right) as number),
  Mult: (left, right) => (requirePlain(left) as number) * (requirePlain(right) as number),
  Div: (left, right) => (requirePlain(left) as number) / (requirePlain(right) as number),
  Mod: (left, right) => (requirePlain(left) as number) % (requirePlain(right) as number),
  Eq: (left, right) => left === right,
  NotEq: (left, right) => left !== right,
  Lt: (left, right) => (requirePlain(left) as number) < (requirePlain(right) as number),
  LtE: (left, right) => (requirePlain(left) as number) <= (requirePlain(right) as number),
  Gt: (left, right) => (requirePlain(left) as number) > (requirePlain(right) as number),
  GtE: (left, right) => (requirePlain(left) as number) >= (requirePlain(right) as number),
  Is: (left, right) => left === right,
  IsNot: (left, right) => left !== right,
  In: (left, right) => isIn(left, right),
  NotIn: (left, right) => !isIn(left, right),
};

/** What can be reckoned with. */
function requirePlain(value: RuleValue): RuleValue {
  if (value instanceof RuleObject || value instanceof TextMethod) throw new RuleError("this is no plain value");
  return Array.isArray(value) ? value.map((item: RuleValue) => requirePlain(item)) : value;
}

function isIn(item: RuleValue, container: RuleValue): boolean {
  if (container === null || container === undefined) return false;
  if (typeof container === "string") return container.includes(requirePlain(item) as string);
  if (Array.isArray(container)) return container.includes(item);
  throw new RuleError("in takes a text or a list");
}
