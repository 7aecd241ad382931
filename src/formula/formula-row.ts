import type { PyValue } from "./runtime/object.ts";

/** The row that a formula is evaluated for, and the data reachable from it. */
export interface FormulaRow {
  /**
   * Returns the value of a column in this row; `id` is the row id. Throws PyError, for example for a column that does
   * not exist (`unknownColumn`).
   */
  read(colId: string): PyValue;
  /** Returns `rec` as a value. */
  record(): PyValue;
  /** Returns a table by name; without a name, the row's own table. */
  table(name?: string): PyValue;
  /** Returns `value` or `user` of a trigger formula. */
  triggerValue(name: "value" | "user"): PyValue;
}

/** The reads of a formula that are known from its text. */
export interface FormulaReads {
  /** Columns of its own row, in order of first mention. */
  readonly columns: ReadonlySet<string>;
  /** Chains of attributes that start at a column of its own row: `["Owner", "Name"]` for `$Owner.Name`. */
  readonly chains: readonly (readonly string[])[];
  /** Attributes of other objects, any of which may be a column. */
  readonly attributes: ReadonlySet<string>;
  /** Names of keyword arguments, and string literals that may name columns. */
  readonly mentions: ReadonlySet<string>;
  /** String literals that specify an order. Removing a column that only these name does not recompute the formula. */
  readonly orderColumns: ReadonlySet<string>;
  /** Names that are not variables: tables, functions and unknown names. */
  readonly globals: ReadonlySet<string>;
  /**
   * True when it uses its own table, or reads cells that its text does not determine: through the record itself or
   * `getattr`.
   */
  readonly isDynamic: boolean;
  /** True when it reads cells with PEEK, without requiring them to be up to date. */
  readonly isPeeking: boolean;
}
