/** The cells and rows of a table that get back what they had at a state. */
export interface RestoreRequest {
  /** The number of the state. */
  readonly state: number;
  /** The table's id now. */
  readonly table: string;
  /** All rows that exist at the state and now when absent. */
  readonly rows?: readonly number[] | undefined;
  /** The ids of columns now; all that hold data when absent. */
  readonly columns?: readonly string[] | undefined;
  /** Cells that have changed after this state are left alone; no cell when absent. */
  readonly unchangedSince?: number | undefined;
  /** Whether deleted rows whose ids other rows have now return under new ids; only of `rows`, with all their columns. */
  readonly newIds?: boolean | undefined;
  /** Whether references to rows that return are set again. */
  readonly references?: boolean | undefined;
}
