/** A kind of values in the results of a formula, beside null and errors. */
export type ValueKind = "number" | "string" | "boolean";

/** A table as clients in TypeScript need it: what a caller can read and write, with explanations. */
export interface TypedTable {
  readonly id: string;
  readonly columns: readonly TypedColumn[];
}

export interface TypedColumn {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** The name of the type, without its argument: `Ref`, `DateTime`. */
  readonly type: string;
  /** The table that references lead to; absent if it is hidden from the caller. */
  readonly target?: string;
  /** The choices; absent if the column has none. */
  readonly choices?: readonly string[];
  /** True for formulas and for the groups of summary tables, which cannot be written. */
  readonly isComputed: boolean;
  /** For untyped formulas: what they evaluate to, as far as it is known. */
  readonly kinds?: readonly ValueKind[];
}
