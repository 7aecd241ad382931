/** Data embedded in the page of a table for its script, so that the first rows need no further request. */

export interface ColumnListing {
  readonly id: string;
  readonly fields: {
    readonly colRef: number;
    readonly label: string;
    readonly type: string;
    readonly isFormula: boolean;
    readonly formula: string;
    /** JSON as text. */
    readonly widgetOptions: string;
    readonly description: string;
    readonly displayCol: number;
    readonly visibleCol: number;
    readonly parentPos: number | null;
    readonly reverseCol: number;
    readonly summarySourceCol: number;
    readonly recalcWhen: number;
    /** The hidden columns of its conditional styles, as a list of row ids; null for none. */
    readonly rules?: unknown;
    readonly recalcDeps?: unknown;
  };
}

/** Returns true for internal columns. */
export const isHelperColumn = (id: string): boolean => id === "manualSort" || id.startsWith("gristHelper_");

const GROUP_FORMULA = "table.getSummarySourceGroup(rec)";

/** Returns true for the column of a summary that contains the rows of each group: views have it only where it was added. */
export const isGroupColumn = ({ id, fields }: Pick<ColumnListing, "id" | "fields">): boolean =>
  id === "group" && fields.formula === GROUP_FORMULA;

export type ShownColumn = Pick<ColumnListing["fields"], "type" | "widgetOptions">;

export interface TableListing {
  readonly id: string;
  readonly fields: {
    readonly tableRef: number;
    readonly summarySourceTable: number;
    /** Row id of the section that has the table's title. */
    readonly rawViewSectionRef?: number;
    /** Row id of the view that was made with the table; 0 for none. */
    readonly primaryViewId?: number;
  };
}

/** A table by its name. */
export interface NamedTable {
  readonly id: string;
  /** Row id of the table. */
  readonly ref: number;
  /** The title that people gave it; its id if there is none. */
  readonly title: string;
  /** Of a summary, the row id of the table that it summarises; else 0. */
  readonly sourceRef: number;
  /** Labels of the columns that a summary groups by. */
  readonly groupedBy: readonly string[];
}

export interface RecordJson {
  readonly id: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly errors?: Readonly<Record<string, string>>;
}

export interface RecordsPage {
  readonly records: readonly RecordJson[];
  readonly total: number;
}

export interface DocumentSettings {
  readonly locale: string;
  readonly currency?: string;
  readonly timezone: string;
}

/** The section of a table that has the conditional styles of its rows. */
export interface RawSection {
  readonly ref: number;
  /** The hidden columns of the styles, as a list of row ids; null for none. */
  readonly rules: unknown;
  /** JSON as text. */
  readonly options: string;
}

/** What pages show of a table besides its rows. */
export interface TableContent {
  /** Of the table, including hidden columns. */
  readonly columns: readonly ColumnListing[];
  /** Display columns of referenced tables, by their row ids. */
  readonly shown: Readonly<Record<number, ShownColumn>>;
  /** Null in tables without one, and where access rules hide it. */
  readonly section: RawSection | null;
  /** Whether access rules decide for each row of the table if the reader sees it. */
  readonly hasRowRules: boolean;
  /** Whether the reader may change tables and columns. */
  readonly canChangeColumns: boolean;
}

/** What the pages of tables and those of several sections have in common. */
export interface DataPage {
  readonly docId: string;
  /** Id of the last event that the embedded data includes. */
  readonly eventId: string;
  readonly role: "owners" | "editors" | "viewers";
  readonly tables: readonly NamedTable[];
  readonly settings: DocumentSettings;
  /** The size limit of uploaded files. */
  readonly maxUploadBytes: number;
  /** Whether the server keeps snapshots of documents, which owners can save before large changes. */
  readonly keepsSnapshots: boolean;
  /** How much history the document keeps. */
  readonly keptBytes: number;
}

export interface TablePageData extends DataPage, TableContent {
  /** Null in a document without tables. */
  readonly table: string | null;
  /** The first rows in the order of the URL; null when the script must request them. */
  readonly first: RecordsPage | null;
  /** Ids of the columns that the view shows or offers; by default all but internal ones. */
  readonly listed?: readonly string[];
}

/** Number of rows per request, and of rows embedded in the page. */
export const PAGE_ROWS = 100;

/** Converts a sort of the page's URL to that of the API: empty cells come last in either direction. */
export const withBlanksLast = (sort: string): string =>
  sort
    .split(",")
    .map((key) => (/^-?\w+$/.test(key) ? `${key}:blanksLast` : key))
    .join(",");
