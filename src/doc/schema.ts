/** What a document's tables and columns are, as its metadata tables say: plain values, rebuilt when those change. */

/** A column that records can be read from, of a user table or of a metadata table. */
export interface FieldInfo {
  readonly id: string;
  /** As written in the metadata: `Int`, `Ref:People`, `DateTime:Europe/Berlin` … */
  readonly type: string;
  /** False where the file has no such SQL column (old files, for formula columns): every cell then reads as null. */
  readonly isStored: boolean;
}

/** A column of a user table: one row of `_grist_Tables_column`. Numbers that refer to nothing are 0. */
export interface ColumnInfo extends FieldInfo {
  /** Row id in `_grist_Tables_column`. */
  readonly ref: number;
  readonly tableRef: number;
  /** Infinity where the metadata has none. */
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
  /** 0 for new records and changes of `recalcDeps`, 1 never, 2 on every change of the row. */
  readonly recalcWhen: number;
  readonly recalcDeps: readonly number[] | null;
  /** `manualSort` and `gristHelper_…`: left out of listings and records unless asked for. */
  readonly isHidden: boolean;
}

/** A user table: one row of `_grist_Tables`. */
export interface TableInfo {
  /** Row id in `_grist_Tables`. */
  readonly ref: number;
  readonly id: string;
  readonly primaryViewId: number;
  /** The table it is a summary of, or 0. */
  readonly summarySourceTable: number;
  readonly onDemand: boolean;
  readonly rawViewSectionRef: number;
  readonly recordCardViewSectionRef: number;
  /** In the order of their refs. */
  readonly columns: readonly ColumnInfo[];
  readonly columnById: ReadonlyMap<string, ColumnInfo>;
  /** False where the file has no such SQL table: it then reads as empty. */
  readonly isStored: boolean;
}

export interface Schema {
  /** User tables, summary tables included, in the order of their refs. */
  readonly tables: readonly TableInfo[];
  readonly tableById: ReadonlyMap<string, TableInfo>;
  readonly tableByRef: ReadonlyMap<number, TableInfo>;
  readonly columnByRef: ReadonlyMap<number, ColumnInfo>;
  /** Which tables and columns the file really has: keys in lower case, since SQLite compares names so. */
  readonly stored: ReadonlyMap<string, ReadonlySet<string>>;
}

/** True for columns that are there for the program: positions and the helpers of references and rules. */
export const isHiddenColumn = (id: string): boolean => id === "manualSort" || id.startsWith("gristHelper_");
