/** What the page of a table carries for its script, so that the first rows are there without another request. */

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
  };
}

export type ShownColumn = Pick<ColumnListing["fields"], "type" | "widgetOptions">;

export interface TableListing {
  readonly id: string;
  readonly fields: { readonly tableRef: number; readonly summarySourceTable: number };
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

export interface TablePageData {
  readonly docId: string;
  /** The event up to which what the page carries is told by it. */
  readonly eventId: string;
  readonly role: "owners" | "editors" | "viewers";
  /** Null in a document without tables. */
  readonly table: string | null;
  readonly tables: readonly TableListing[];
  /** Of the table, hidden ones among them. */
  readonly columns: readonly ColumnListing[];
  /** How columns of other tables that references show are shown there, by their numbers. */
  readonly shown: Readonly<Record<number, ShownColumn>>;
  readonly settings: DocumentSettings;
  /** The first rows in the order of the address; null where they are to be asked for. */
  readonly first: RecordsPage | null;
}

/** How many rows are asked for at once, and come along with the page. */
export const PAGE_ROWS = 100;

/** A sort of the page's address as the API takes it: empty cells come last in either direction. */
export const withBlanksLast = (sort: string): string =>
  sort
    .split(",")
    .map((key) => (/^-?\w+$/.test(key) ? `${key}:blanksLast` : key))
    .join(",");
