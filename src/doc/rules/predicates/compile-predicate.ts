import type { RowCells } from "../access-types.ts";
import type { Operator, Predicate } from "./predicate.ts";
import { RuleObject, TextMethod, ruleValue, type RuleValue } from "./rule-values.ts";

/** The context that a condition is evaluated in. Without rows, `rec` and `newRec` are unknown. */
export interface RuleContext {
  readonly user: RuleObject;
  /** The row before a change; the row itself when it is read, added or removed. */
  readonly rec?: RowCells;
  /** The row after a change. */
  readonly newRec?: RowCells;
}

/**
 * Returns true when the rule applies.
 * @throws RowRequiredError when that depends on the row and the context has none; RuleError when the condition fails
 */
export type RuleCondition = (context: RuleContext) => boolean;

/** Thrown when a condition reads the row and the context has none. */
export class RowRequiredError extends Error {}

/** A condition that failed: its rule then allows nothing and still denies what it denies. */
export class RuleError extends Error {}

type Evaluate = (context: RuleContext) => RuleValue;

/** Compiles a tree to closures. Unknown names fail when they are evaluated. */
export function compilePredicate(predicate: Predicate): RuleCondition {
  const evaluate = compile(predicate);
  return (context) => isTrue(evaluate(context));
}

/** Returns the value of a part of a condition. @throws as `RuleCondition` */
export const evaluatePredicate = (predicate: Predicate, context: RuleContext): RuleValue => compile(predicate)(context);

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
        throw new RuleError("only .lower() and .upper() of strings can be called");
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
    if (constant === undefined) throw new RuleError(`unknown name ${name}`);
    return constant;
  };
}

/** One object per row, so that a row equals itself. */
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

/** JavaScript truthiness: '' 0 None False NaN are false, an empty list is true. */
const isTrue = (value: RuleValue): boolean => Boolean(value);

// JavaScript operators on values of any type; the casts only satisfy the compiler.
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

/** Returns the value if operators accept it. */
function requirePlain(value: RuleValue): RuleValue {
  if (value instanceof RuleObject || value instanceof TextMethod) throw new RuleError("operators require plain values");
  return Array.isArray(value) ? value.map((item: RuleValue) => requirePlain(item)) : value;
}

function isIn(item: RuleValue, container: RuleValue): boolean {
  if (container === null || container === undefined) return false;
  if (typeof container === "string") return container.includes(requirePlain(item) as string);
  if (Array.isArray(container)) return container.includes(item);
  throw new RuleError("in requires a string or a list on its right");
}
