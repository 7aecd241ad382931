/** The condition of an access rule as a syntax tree, a small subset of the formula language. */

/** Operators with a fixed number of operands, by their names in the stored form. */
export type Operator =
  | "Not"
  | "Add"
  | "Sub"
  | "Mult"
  | "Div"
  | "Mod"
  | "Eq"
  | "NotEq"
  | "Lt"
  | "LtE"
  | "Gt"
  | "GtE"
  | "Is"
  | "IsNot"
  | "In"
  | "NotIn";

export type Predicate =
  | { readonly kind: "constant"; readonly value: null | boolean | bigint | number | string }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "attribute"; readonly object: Predicate; readonly name: string }
  | { readonly kind: "call"; readonly callee: Predicate; readonly args: readonly Predicate[] }
  | { readonly kind: "list"; readonly items: readonly Predicate[] }
  | { readonly kind: "logic"; readonly operator: "And" | "Or"; readonly operands: readonly Predicate[] }
  | { readonly kind: "operation"; readonly operator: Operator; readonly operands: readonly Predicate[] };

/** A condition with its trailing comment. */
export interface ParsedPredicate {
  readonly predicate: Predicate;
  readonly comment: string | null;
}

/** The names that a condition may use. */
export const PREDICATE_NAMES: ReadonlySet<string> = new Set(["rec", "newRec", "user", "OWNER", "EDITOR", "VIEWER"]);

/** Returns a name in the condition that is not defined; null when there is none. */
export function unknownName(predicate: Predicate): string | null {
  if (predicate.kind === "name") return PREDICATE_NAMES.has(predicate.name) ? null : predicate.name;
  for (const part of partsOf(predicate)) {
    const unknown = unknownName(part);
    if (unknown !== null) return unknown;
  }
  return null;
}

/** Returns the columns of the row that a condition reads. */
export function columnsRead(predicate: Predicate, found = new Set<string>()): ReadonlySet<string> {
  if (predicate.kind === "attribute" && isRow(predicate.object)) found.add(predicate.name);
  for (const part of partsOf(predicate)) columnsRead(part, found);
  return found;
}

/** True if the value of a condition depends on the row. */
export const readsRow = (predicate: Predicate): boolean => isRow(predicate) || partsOf(predicate).some(readsRow);

const isRow = (predicate: Predicate): boolean =>
  predicate.kind === "name" && (predicate.name === "rec" || predicate.name === "newRec");

function partsOf(predicate: Predicate): readonly Predicate[] {
  switch (predicate.kind) {
    case "constant":
    case "name":
      return [];
    case "attribute":
      return [predicate.object];
    case "call":
      return [predicate.callee, ...predicate.args];
    case "list":
      return predicate.items;
    case "logic":
    case "operation":
      return predicate.operands;
    default:
      return predicate satisfies never;
  }
}
