import type { RowCells } from "./contract.ts";
import type { Operator, Predicate } from "./predicate.ts";
import { Holder, Method, ruleValue, type RuleValue } from "./rule-values.ts";

/** What a condition is asked about. Without rows, `rec` and `newRec` are unknown. */
export interface Question {
  readonly user: Holder;
  /** The row before a change; the row itself when it is read, added or removed. */
  readonly rec?: RowCells;
  /** The row after a change. */
  readonly newRec?: RowCells;
}

/**
 * True when the rule applies.
 * @throws NeedsRow when that depends on the row and there is none; RuleError when the condition makes no sense
 */
export type Condition = (question: Question) => boolean;

/** Thrown where a condition looks at the row and the question is not about one. */
export class NeedsRow extends Error {}

/** A condition that failed: what its rule would allow is then not allowed, what it would deny is denied. */
export class RuleError extends Error {}

type Evaluate = (question: Question) => RuleValue;

/** Turns a tree into closures. Names that conditions do not know fail when they are evaluated. */
export function compilePredicate(predicate: Predicate): Condition {
  const evaluate = compile(predicate);
  return (question) => isTrue(evaluate(question));
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
      return (question) => {
        const method = callee(question);
        if (method instanceof Method) return method.call();
        throw new RuleError("only .lower() and .upper() of texts can be called");
      };
    }
    case "list": {
      const items = node.items.map(compile);
      return (question) => items.map((item) => item(question));
    }
    case "logic": {
      const operands = node.operands.map(compile);
      return node.operator === "And"
        ? (question) => operands.every((operand) => isTrue(operand(question)))
        : (question) => operands.some((operand) => isTrue(operand(question)));
    }
    case "operation": {
      const [left, right = left] = node.operands.map(compile);
      if (!left || !right) throw new RuleError(`${node.operator} has no operands`);
      const operate = OPERATIONS[node.operator];
      return (question) => operate(left(question), right(question));
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
  if (name === "rec") return ({ rec }) => rowOf(rec);
  if (name === "newRec") return ({ newRec }) => rowOf(newRec);
  const constant = CONSTANTS.get(name);
  return () => {
    if (constant === undefined) throw new RuleError(`there is no ${name}`);
    return constant;
  };
}

/** One for each row, so that a row equals itself. */
const rows = new WeakMap<RowCells, Holder>();

function rowOf(cells: RowCells | undefined): Holder {
  if (!cells) throw new NeedsRow("the rule depends on the row");
  let row = rows.get(cells);
  if (!row) rows.set(cells, (row = new Holder((column) => ruleValue(cells(column)))));
  return row;
}

const compileAttribute =
  (object: Evaluate, name: string): Evaluate =>
  (question) => {
    const value = object(question);
    if (value instanceof Holder) return value.get(name);
    if (value === null || value === undefined) throw new RuleError(`None has no ${name}`);
    if (typeof value !== "string") return undefined;
    if (name === "lower") return new Method(() => value.toLowerCase());
    if (name === "upper") return new Method(() => value.toUpperCase());
    return undefined;
  };

/** As JavaScript has it: '' 0 None False NaN are not, an empty list is. */
const isTrue = (value: RuleValue): boolean => Boolean(value);

// Operators are those of JavaScript, on whatever values: the type only tells the compiler to let them.
const OPERATIONS: Readonly<Record<Operator, (left: RuleValue, right: RuleValue) => RuleValue>> = {
  Not: (left) => !isTrue(left),
  Add: (left, right) => (plain(left) as number) + (plain(right) as number),
  Sub: (left, right) => (plain(left) as number) - (plain(right) as number),
  Mult: (left, right) => (plain(left) as number) * (plain(right) as number),
  Div: (left, right) => (plain(left) as number) / (plain(right) as number),
  Mod: (left, right) => (plain(left) as number) % (plain(right) as number),
  Eq: (left, right) => left === right,
  NotEq: (left, right) => left !== right,
  Lt: (left, right) => (plain(left) as number) < (plain(right) as number),
  LtE: (left, right) => (plain(left) as number) <= (plain(right) as number),
  Gt: (left, right) => (plain(left) as number) > (plain(right) as number),
  GtE: (left, right) => (plain(left) as number) >= (plain(right) as number),
  Is: (left, right) => left === right,
  IsNot: (left, right) => left !== right,
  In: (left, right) => isIn(left, right),
  NotIn: (left, right) => !isIn(left, right),
};

/** What can be reckoned with. */
function plain(value: RuleValue): RuleValue {
  if (value instanceof Holder || value instanceof Method) throw new RuleError("this is no plain value");
  return Array.isArray(value) ? value.map((item: RuleValue) => plain(item)) : value;
}

function isIn(item: RuleValue, holder: RuleValue): boolean {
  if (holder === null || holder === undefined) return false;
  if (typeof holder === "string") return holder.includes(plain(item) as string);
  if (Array.isArray(holder)) return holder.includes(item);
  throw new RuleError("in takes a text or a list");
}
