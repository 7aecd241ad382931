import type { PyValue } from "./runtime/object.ts";

/** The row that a formula is computed for, and what it can reach from there. */
export interface FormulaRow {
  /**
   * The value of a column in this row; `id` is the row's number. Throws PyError, as for a column that does not exist
   * (`unknownColumn`).
   */
  read(colId: string): PyValue;
  /** `rec` as a value. */
  record(): PyValue;
  /** The table of a name, or, without one, the table that the row is of. */
  table(name?: string): PyValue;
  /** `value` and `user`, which trigger formulas have. */
  triggerValue(name: "value" | "user"): PyValue;
}

/** What a formula's text tells about the cells that it reads. */
export interface FormulaReads {
  /** The columns of its own row, in the order of first mention. */
  readonly columns: ReadonlySet<string>;
  /** Attributes taken one from another, from a column of its own row on: `["Owner", "Name"]` of `$Owner.Name`. */
  readonly chains: readonly (readonly string[])[];
  /** Attributes of anything else, any of which may be a column. */
  readonly attributes: ReadonlySet<string>;
  /** Names of keyword arguments, and texts that may name columns. */
  readonly mentions: ReadonlySet<string>;
  /** Texts that tell an order. A formula is not computed because a column is gone that only these name. */
  readonly orderColumns: ReadonlySet<string>;
  /** Names that are nobody's variables: tables, functions, and those that nobody knows. */
  readonly globals: ReadonlySet<string>;
  /** True when it uses its own table, or a way to cells that its text does not tell: the record itself, `getattr`. */
  readonly isDynamic: boolean;
  /** True when it reads cells by PEEK, whenever they were computed. */
  readonly isPeeking: boolean;
}
