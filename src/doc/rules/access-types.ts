import type { Database } from "../../sqlite/database.ts";
import type { CellValue } from "../../values/cell.ts";
import type { UserInfo } from "../user-info.ts";

/**
 * What a document's access rules say, as those who read and write it ask for it. There are three steps, each made once
 * and no oftener: the rules of a document (`OpenDocument.rules`, null where it has none, and then only the role counts),
 * what they mean for one caller (`DocumentRules.for`, once per request), and what they mean for one row (`RowReader`,
 * only where a table's decision is "mixed").
 */

/** What a rule can be about. Changing tables and columns is decided for the document as a whole. */
export type Permission = "read" | "update" | "create" | "delete" | "structure";

/** `mixed`: it depends on the row, or on the column. */
export type Decision = "allow" | "deny" | "mixed";

/** The rules of a document, until any of its metadata changes. */
export interface DocumentRules {
  /** What they mean for somebody. Nothing of it outlives the request: what is looked up about the user may change. */
  forUser(user: UserInfo): CallerAccess;
}

/** What the rules mean for one caller. */
export interface CallerAccess {
  /** For a user table, also one without rules of its own. Metadata tables are not asked for here. */
  table(tableId: string): TableRules;
  /** He can read every cell there is. Metadata then are whole for him, the tables of the rules included. */
  readonly readsEverything: boolean;
  /** May read metadata tables and the list of attachments at all. */
  readonly mayReadMetadata: boolean;
  /** Sees the tables of the rules; they are empty for others. */
  readonly maySeeAccessRules: boolean;
  /** May have everything in one piece, whatever is hidden from him elsewhere: SQL, the file, copies, comparing. */
  readonly mayCopyEverything: boolean;
  /** May change tables and columns. */
  readonly structure: Decision;
}

/** What the rules mean for one caller and one table. */
export interface TableRules {
  readonly read: Decision;
  readonly update: Decision;
  readonly create: Decision;
  readonly delete: Decision;
  /**
   * For one column; `mixed` depends on the row. `id` and `manualSort` are never denied as columns: all who read anything
   * have them, though a cell of `manualSort` may be censored.
   */
  column(columnId: string): ColumnRules;
  /** Tells what of each row is read: to be asked only where `read` is "mixed", and when some column is. */
  rows(): RowAccess;
}

export interface ColumnRules {
  readonly read: Decision;
  readonly update: Decision;
}

/** Tells what of a row is read. */
export interface RowAccess {
  /**
   * False when the columns alone decide: no row is hidden then and no cell censored, and rows need not be looked at.
   * Columns that are denied (`TableRules.column`) are left out for all rows in any case.
   */
  readonly dependsOnRows: boolean;
  /** The columns that `view` may ask for, `id` not among them. Others are undefined to rules. */
  readonly columns: readonly string[];
  /**
   * What is seen of the row with these cells. `db` is where the row was read: rows that it shows or sums up are read
   * there too, so that all of them are of the same state.
   */
  view(cells: RowCells, db: Database): RowView;
}

/**
 * A row as rules see it: the cell of a column as `ColumnType.decode` gives it, and the number of the row for `id`;
 * undefined when there is no such column.
 */
export type RowCells = (columnId: string) => CellValue | undefined;

/** The row is seen whole, not at all, or but for the cells of these columns. */
export type RowView = "whole" | "hidden" | ReadonlySet<string>;
