import type { ColumnType } from "../../values/column-type.ts";
import type { PyValue } from "../runtime/object.ts";
import type { Order } from "./order.ts";

/**
 * A table together with the path by which a formula reached it: by name, by a reference from its own row, or by a
 * look-up. Reads through it record the formula's dependencies. The document implements it.
 */
export interface TrackedTable {
  /** The table's id. */
  readonly tableId: string;
  /** Returns a cell's value. Throws PyError: the cell's error, or AttributeError for a column that does not exist. */
  read(id: number, colId: string): PyValue;
  /** Returns the cells of several rows; throws like `read`. */
  readAll(ids: readonly number[], colId: string): PyValue[];
  /** Returns the type of a column. Throws PyError AttributeError for a column that does not exist. */
  typeOf(colId: string): ColumnType;
  /** Extends the path by the references in a column. */
  followReference(colId: string, tableId: string): TrackedTable;
  /** Returns the ids of the columns visible to users, without the one that is being computed. */
  visibleColumns(): readonly string[];
  /** Returns the records that satisfy all conditions, in the given order. */
  lookUp(conditions: readonly LookupCondition[], order: Order): { path: TrackedTable; ids: readonly number[] };
  /**
   * Returns the position of a row in a look-up result; -1 if it is not in it. `ids` must be the array that `lookUp`
   * returned.
   */
  positionOf(id: number, ids: readonly number[]): number;
  /** Returns the source rows of a summary table's row. */
  summarySource(id: number): { path: TrackedTable; ids: readonly number[] };
}

/** A condition on a column of looked-up records. */
export interface LookupCondition {
  readonly column: string;
  readonly value: PyValue;
  /** True if the column's list must contain the value. */
  readonly contains: boolean;
  /** With `contains`: the element that empty lists are considered to contain; undefined for none. */
  readonly matchEmpty?: PyValue | undefined;
}
