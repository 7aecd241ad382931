import type { Order } from "../../formula/records/order.ts";
import type { LookupCondition, TrackedTable } from "../../formula/records/tracked-table.ts";
import type { PyValue } from "../../formula/runtime/values.ts";
import type { CellValue } from "../../values/cell.ts";
import type { Calculation } from "../formulas/calculation.ts";
import type { ColumnNode, TableNode } from "../formulas/nodes.ts";
import type { UserInfo } from "../user-info.ts";
import type { ReadableCells } from "./readable-cells.ts";

export interface CellRead {
  readonly column: ColumnNode;
  readonly row: number;
}

/** A look-up, or the source rows of a summary's row. */
export interface LookupRead {
  readonly kind: "lookup" | "group";
  readonly table: TableNode;
  readonly criteria: readonly { readonly column: string; readonly contains: boolean; readonly value: CellValue }[];
  readonly order: Order;
  readonly rows: readonly number[];
}

/** What the evaluation of a formula for one row read. */
export interface Trace {
  /** In the order of the first read, each cell once. */
  readonly cells: readonly CellRead[];
  readonly lookups: readonly LookupRead[];
  readonly clock: boolean;
  /** The attributes of the user that were read. */
  readonly user: readonly string[];
  /** True when the formula continues with what the caller cannot read. */
  readonly isStopped: boolean;
  readonly error: { readonly type: string; readonly detail: string; readonly line: number | null } | null;
  /** The cell whose error the formula failed with; null when the error is its own. */
  readonly failedRead: CellRead | null;
  readonly steps: number;
}

/** Ends an evaluation where the formula reads what the caller cannot. Formulas cannot catch it. */
export class Stopped extends Error {}

/** An evaluation that is being traced. */
export interface TraceSession {
  readonly calculation: Calculation;
  /** The cells of a restricted caller; null for one from whom nothing is hidden. */
  readonly readable: ReadableCells | null;
  readonly actor: UserInfo;
  /** The column whose formula is being evaluated. */
  readonly owner: ColumnNode | undefined;
  readonly currentRow: number;
  tableFor(node: TableNode): TrackedTable;
  /** Returns the value of a cell for the formula, and records that it was read. Throws PyError. */
  value(column: ColumnNode, row: number): PyValue;
  /** As `value`, for a column that orders the rows of a look-up, which is recorded with it. */
  sortValue(column: ColumnNode, row: number): PyValue;
  recordLookup(lookup: LookupRead): void;
  recordUser(attribute: string): void;
  /** Returns the cell that a condition of a look-up compares with. */
  conditionCell(table: TableNode, condition: LookupCondition): CellValue;
}
