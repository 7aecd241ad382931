import { AppError } from "../../errors.ts";
import type { ColumnType } from "../../values/column-type.ts";

export const OPERATORS = [
  "eq",
  "ne",
  "gt",
  "gte",
  "lt",
  "lte",
  "in",
  "nin",
  "contains",
  "startsWith",
  "endsWith",
  "matches",
  "empty",
  "has",
  "hasAny",
  "hasAll",
  "within",
  "saved",
] as const;

export type Operator = (typeof OPERATORS)[number];

export type EqualityOperator = "eq" | "ne" | "in" | "nin";
export type OrderOperator = "gt" | "gte" | "lt" | "lte";
export type TextOperator = "contains" | "startsWith" | "endsWith" | "matches";
export type ListOperator = "has" | "hasAny" | "hasAll";

export const isOperator = (name: string): name is Operator => (OPERATORS as readonly string[]).includes(name);

/** What the cells of a column are for a filter: it decides which operators apply, and how operands are read. */
export type CellKind = "number" | "date" | "bool" | "text" | "ref" | "choices" | "refs" | "any";

const KIND_BY_BASE: ReadonlyMap<string, CellKind> = new Map<string, CellKind>([
  ["Int", "number"],
  ["Numeric", "number"],
  ["ManualSortPos", "number"],
  ["PositionNumber", "number"],
  ["Id", "number"],
  ["Date", "date"],
  ["DateTime", "date"],
  ["Bool", "bool"],
  ["Text", "text"],
  ["Choice", "text"],
  ["Ref", "ref"],
  ["ChoiceList", "choices"],
  ["RefList", "refs"],
  ["Attachments", "refs"],
]);

export const cellKindOf = ({ base }: ColumnType): CellKind => KIND_BY_BASE.get(base) ?? "any";

const EQUALITY: readonly Operator[] = ["eq", "ne", "in", "nin", "empty", "saved"];
const ORDER: readonly Operator[] = ["gt", "gte", "lt", "lte"];
const TEXT: readonly Operator[] = ["contains", "startsWith", "endsWith", "matches"];
const LIST: readonly Operator[] = ["has", "hasAny", "hasAll"];

const OPERATORS_BY_KIND: Readonly<Record<CellKind, ReadonlySet<Operator>>> = {
  number: new Set([...EQUALITY, ...ORDER]),
  date: new Set([...EQUALITY, ...ORDER, "within"]),
  bool: new Set(EQUALITY),
  text: new Set([...EQUALITY, ...ORDER, ...TEXT]),
  ref: new Set([...EQUALITY, ...ORDER, ...TEXT]),
  choices: new Set([...EQUALITY, ...LIST]),
  refs: new Set([...EQUALITY, ...LIST]),
  any: new Set([...EQUALITY, ...ORDER, ...TEXT, ...LIST]),
};

/** A comparison with its column, for messages. */
export interface ComparisonName {
  /** The column, or the path that leads to it. */
  readonly column: string;
  readonly operator: Operator;
}

/** @throws AppError `invalid` when the operator does not apply to columns of the type */
export function checkOperator({ column, operator }: ComparisonName, type: ColumnType): void {
  const known = OPERATORS_BY_KIND[cellKindOf(type)];
  if (known.has(operator)) return;
  const possible = OPERATORS.filter((name) => known.has(name)).join(", ");
  throw new AppError(
    "filter.operator",
    `${column}: the operator ${operator} does not apply to columns of the type ${type.base}; use one of ${possible}`,
  );
}

/** A refusal of an operand; `problem` continues a sentence that names the comparison. */
export const invalidOperand = ({ column, operator }: ComparisonName, problem: string): AppError =>
  new AppError("filter.operand", `${column}.${operator} ${problem}`);
