import type { ColumnType } from "../../values/column-type.ts";
import type { PyValue } from "../runtime/object.ts";
import type { Order } from "./order.ts";

/**
 * A table as a formula reached it: by its name, by a reference from its own row, by a look-up. Reading through it notes
 * what the formula depends on. What is behind it is the document's business.
 */
export interface TrackedTable {
  /** The table's id. */
  readonly tableId: string;
  /** A cell as formulas see it. Throws PyError: the cell's error, or AttributeError for a column that does not exist. */
  read(id: number, colId: string): PyValue;
  /** The cells of several rows; throws as `read`. */
  readAll(ids: readonly number[], colId: string): PyValue[];
  /** The type of a column. Throws PyError AttributeError when there is none. */
  typeOf(colId: string): ColumnType;
  /** The way on by the references in a column. */
  followReference(colId: string, tableId: string): TrackedTable;
  /** The ids of the columns that people see, without the one that is being computed. */
  visibleColumns(): readonly string[];
  /** The records of the table for which all conditions hold, as `order` has them. */
  lookUp(conditions: readonly LookupCondition[], order: Order): { path: TrackedTable; ids: readonly number[] };
  /** The place of a row among rows that were looked up; -1 if it is none of them. `ids` is as `lookUp` gave it. */
  positionOf(id: number, ids: readonly number[]): number;
  /** The source rows that a row of a summary stands for. */
  summarySource(id: number): { path: TrackedTable; ids: readonly number[] };
}

/** What the column of a looked-up record has to be. */
export interface LookupCondition {
  readonly column: string;
  readonly value: PyValue;
  /** The column is a list that has the value as an element. */
  readonly contains: boolean;
  /** With `contains`: the element that empty lists are taken to have; undefined for none. */
  readonly matchEmpty?: PyValue | undefined;
}
