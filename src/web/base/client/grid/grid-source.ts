import type { RowGeometry } from "./row-geometry.ts";

/** The source of rows. */
export interface RowSource<Row> {
  /** Number of rows that are shown: without those of folded groups. */
  readonly count: number;
  /** Where rows are that are in groups; null or absent for rows that follow each other. */
  readonly geometry?: RowGeometry | null;
  /** Undefined while it is not loaded. */
  rowAt(index: number): Row | undefined;
  /** Called whenever the rows in view change. The active row has the focus, wherever it is. */
  requestRows(first: number, last: number, activeRow: number): void;
}
