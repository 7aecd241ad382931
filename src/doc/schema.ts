/** The tables and columns of a document according to its metadata: plain values, rebuilt when the metadata change. */

/** A readable column of a user table or metadata table. */
export interface FieldInfo {
  readonly id: string;
  /** As stored in the metadata: `Int`, `Ref:People`, `DateTime:Europe/Berlin` … */
  readonly type: string;
  /** False where the SQL column does not exist (formula columns in old files): every cell then reads as null. */
  readonly isStored: boolean;
}

/** A column of a user table: one row of `_grist_Tables_column`. Empty references are 0. */
export interface ColumnInfo extends FieldInfo {
  /** The row id in `_grist_Tables_column`. */
  readonly ref: number;
  readonly tableRef: number;
  /** Infinity where the metadata have none. */
  readonly position: number;
  readonly label: string;
  readonly isFormula: boolean;
  /** A trigger formula where `isFormula` is false. */
  readonly formula: string;
  /** JSON text, or empty. */
  readonly widgetOptions: string;
  readonly description: string;
  readonly untieColIdFromLabel: boolean;
  readonly summarySourceCol: number;
  readonly displayCol: number;
  readonly visibleCol: number;
  readonly reverseCol: number;
  /** Column refs of conditional formats; null when there are none. */
  readonly rules: readonly number[] | null;
  /** 0: on new records and changes of `recalcDeps`, 1: never, 2: on every change of the row. */
  readonly recalcWhen: number;
  readonly recalcDeps: readonly number[] | null;
  /** `manualSort` and `gristHelper_…`: omitted from listings and records unless requested. */
  readonly isHidden: boolean;
}

/** A user table: one row of `_grist_Tables`. */
export interface TableInfo {
  /** The row id in `_grist_Tables`. */
  readonly ref: number;
  readonly id: string;
  readonly primaryViewId: number;
  /** The ref of the summarized table, or 0. */
  readonly summarySourceTable: number;
  readonly onDemand: boolean;
  readonly rawViewSectionRef: number;
  readonly recordCardViewSectionRef: number;
  /** Ordered by ref. */
  readonly columns: readonly ColumnInfo[];
  readonly columnById: ReadonlyMap<string, ColumnInfo>;
  /** False where the SQL table does not exist: the table then reads as empty. */
  readonly isStored: boolean;
}

export interface Schema {
  /** User tables including summaries, ordered by ref. */
  readonly tables: readonly TableInfo[];
  readonly tableById: ReadonlyMap<string, TableInfo>;
  readonly tableByRef: ReadonlyMap<number, TableInfo>;
  readonly columnByRef: ReadonlyMap<number, ColumnInfo>;
  /**
   * The tables and columns that exist in the file, with keys in lower case, since SQLite compares names
   * case-insensitively.
   */
  readonly stored: ReadonlyMap<string, ReadonlySet<string>>;
}

/** True for technical columns: positions, and helpers of references and rules. */
export const isHiddenColumn = (id: string): boolean => id === "manualSort" || id.startsWith("gristHelper_");
