import type { Database } from "../../sqlite/database.ts";
import type { CellValue } from "../../values/cell.ts";
import type { ColumnType } from "../../values/column-type.ts";
import type { SqlCondition } from "../filters/sql-condition.ts";
import type { UserInfo } from "../user-info.ts";

/**
 * Access rules of a document, as reading and writing code queries them. There are three steps, each evaluated once: the
 * rules of a document (`OpenDocument.rules`, null when it has none and only the role counts), their result for one
 * caller (`DocumentRules.forUser`, once per request), and their result for one row (`RowAccess`, only where a table's
 * decision is "mixed").
 */

/**
 * Permissions that a rule can grant or deny. `structure` covers tables and columns and is decided for the whole
 * document.
 */
export type Permission = "read" | "update" | "create" | "delete" | "structure";

/** `mixed`: depends on the row or on the column. */
export type Decision = "allow" | "deny" | "mixed";

/** The rules of a document. Valid until any of its metadata changes. */
export interface DocumentRules {
  /**
   * Evaluates the rules for a user. The result must not outlive the request: attributes that are looked up about the
   * user may change.
   */
  forUser(user: UserInfo): CallerAccess;
}

/** The rules as they apply to one caller. */
export interface CallerAccess {
  /** Returns the rules of a user table, also of one without rules of its own. Not for metadata tables. */
  table(tableId: string): TableRules;
  /** True when the caller can read every cell. Metadata are then unfiltered for them, the rule tables included. */
  readonly readsEverything: boolean;
  /** True when the caller may read metadata tables and the list of attachments. */
  readonly mayReadMetadata: boolean;
  /** The caller sees the rule tables; these are empty for other callers. */
  readonly maySeeAccessRules: boolean;
  /**
   * The caller may read the whole document, whatever is hidden from them elsewhere: SQL, file download, copies,
   * comparisons.
   */
  readonly mayCopyEverything: boolean;
  /** Whether the caller may change tables and columns. */
  readonly structure: Decision;
}

/** The rules as they apply to one caller and one table. */
export interface TableRules {
  readonly read: Decision;
  readonly update: Decision;
  readonly create: Decision;
  readonly delete: Decision;
  /** True when some rows may be entirely hidden from the caller. */
  readonly hidesRows: boolean;
  /**
   * Returns the decisions for one column; `mixed` depends on the row. `id` and `manualSort` are never denied as
   * columns: every caller who reads the table has them, though a cell of `manualSort` may be censored.
   */
  column(columnId: string): ColumnRules;
  /** Returns the filter of rows and cells. Only needed where `read` is "mixed" for the table and for some column. */
  rows(): RowAccess;
}

export interface ColumnRules {
  readonly read: Decision;
  readonly update: Decision;
}

/** Decides which rows and cells the caller reads. */
export interface RowAccess {
  /**
   * False when the columns alone decide: then no row is hidden and no cell censored, so rows need not be checked.
   * Denied columns (`TableRules.column`) are left out of all rows in either case.
   */
  readonly dependsOnRows: boolean;
  /** The columns that `view` may read, without `id`. All other columns are undefined to rules. */
  readonly columns: readonly string[];
  /**
   * Returns what the caller sees of the row with these cells. `db` is the connection that the row was read from: rows
   * that it shows or aggregates are read there too, so that all of them are of the same state.
   */
  view(cells: RowCells, db: Database): RowView;
  /**
   * Returns which rows are visible, in SQL, if all others are hidden and no cell is censored; null where only `view` can
   * decide. @param typeOf returns the type of a stored column; undefined for others
   */
  wholeRows(typeOf: (column: string) => ColumnType | undefined): WholeRows | null;
}

/** Types of stored cells, as SQLite names them. */
export type StoredType = "text" | "blob";

/** The visible rows of a caller, in SQL. */
export interface WholeRows {
  /** Decides as `view` does for rows whose cells have no excluded type. */
  readonly where: SqlCondition;
  /** Stored types of cells, by column, for which SQLite decides otherwise. */
  readonly excluded: ReadonlyMap<string, ReadonlySet<StoredType>>;
}

/**
 * A row as rules see it: the cell of a column as `ColumnType.decode` returns it, the row id for `id`, and undefined for
 * an unknown column.
 */
export type RowCells = (columnId: string) => CellValue | undefined;

/** The whole row is visible, the whole row is hidden, or the cells of these columns are censored. */
export type RowView = "whole" | "hidden" | ReadonlySet<string>;
