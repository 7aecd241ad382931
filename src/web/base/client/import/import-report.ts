/** The report of an import, or of its dry run: the parts that the window shows. */

export interface ReportColumn {
  readonly id: string;
  readonly label: string;
  /** The name of the column in choices: its label, or its letter where that is ambiguous. */
  readonly source?: string;
  readonly type: string;
  readonly kind: "new" | "existing" | "skipped";
  /** widgetOptions */
  readonly format?: Readonly<Record<string, unknown>>;
  readonly firstValue?: unknown;
  readonly converted?: number;
  readonly unconverted?: number;
  readonly examples?: readonly string[];
  readonly rule?: string;
  readonly ambiguous?: boolean;
}

export interface ReportTable {
  readonly id: string;
  readonly name: string;
  readonly rows: number;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly header?: number;
  readonly droppedLines?: readonly string[];
  readonly hiddenSheets?: readonly string[];
  readonly errorCells?: number;
  readonly columns: readonly ReportColumn[];
  /** Of an import into an existing table. */
  readonly added?: number;
  readonly updated?: number;
  readonly unchanged?: number;
  readonly skipped?: number;
  readonly duplicates?: number;
}

export interface FileReport {
  readonly title?: string;
  readonly locale?: string;
  readonly currency?: string;
  readonly decimal?: string;
  readonly dates?: string | null;
  /** Missing for a document file. */
  readonly tables?: readonly ReportTable[];
  /** What the import writes, and how much of it the history keeps. */
  readonly size?: { readonly cells: number; readonly bytes: number; readonly keptBytes: number };
}

/** The name of a column in choices. */
export const sourceOf = ({ source, label }: ReportColumn): string => source ?? label;
