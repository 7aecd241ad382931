import type { SharedBase } from "./shared-index.ts";

/** An index of a table, kept in step with its rows. */
export interface TableIndex {
  readonly table: string;
  /** The columns whose cells it depends on. */
  readonly columns: ReadonlySet<string>;
  readonly isBuilt: boolean;
  /** True when it must no longer be used. */
  readonly isClosed: boolean;
  /** True when it turned out to find too much to be of use. */
  readonly isUseless: boolean;
  /** What readers need; null until it is built. */
  readonly shared: SharedBase | null;
  readonly sizeBytes: number;
  /** True when `work` would do something for a built index. */
  readonly hasWork: boolean;
  /** Rows were added, or their cells in the columns of the index were written. */
  rowsWritten(ids: readonly number[]): void;
  rowsRemoved(ids: readonly number[]): void;
  close(): void;
  /** Builds the index, or takes in changes, in steps of at most a few milliseconds. Must not run in a transaction. */
  work(): Generator<void>;
}

/** Ids are stored in 32 bits; tables with higher ones have no indexes. */
export const MAX_INDEXED_ID = 2 ** 32 - 1;
