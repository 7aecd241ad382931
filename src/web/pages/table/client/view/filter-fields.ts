/** The columns that conditions can be about: those of the table, and those of rows that references point to. */
import { cellFormatter } from "../../../../../values/cell-formatter.ts";
import { columnType } from "../../../../../values/column-type.ts";
import { apiWithRetry } from "../../../../base/client/api.ts";
import type { ColumnListing, ShownColumn, TablePageData } from "../../../../base/table-data.ts";
import { type Column, readColumns } from "../columns/columns.ts";
import type { FieldKind } from "./filter-model.ts";

export interface FilterField {
  /** A column id, or a path through references: `Customer.City`. */
  readonly path: string;
  /** `Customer › City`. */
  readonly name: string;
  readonly kind: FieldKind;
  /** The last column of the path. */
  readonly column: Column;
  /** The table of that column. */
  readonly table: string;
  /** Formats a day, given as seconds of its midnight in UTC. */
  readonly dayText: (seconds: number) => string;
}

const KINDS: Readonly<Record<string, FieldKind>> = {
  Text: "text",
  Numeric: "number",
  Int: "number",
  ManualSortPos: "number",
  PositionNumber: "number",
  Id: "number",
  Date: "date",
  DateTime: "date",
  Bool: "checkbox",
  Choice: "choice",
  Ref: "reference",
  ChoiceList: "choices",
  RefList: "references",
  Attachments: "files",
};

export interface FilterFieldsOptions {
  readonly docId: string;
  readonly table: string;
  readonly data: () => TablePageData;
  readonly columns: () => readonly Column[];
  /** Called when columns of another table are loaded. */
  readonly loaded: () => void;
}

export class FilterFields {
  readonly #options: FilterFieldsOptions;
  /** Columns of referenced tables. */
  readonly #tables = new Map<string, readonly Column[]>();
  readonly #loading = new Map<string, Promise<readonly Column[]>>();

  constructor(options: FilterFieldsOptions) {
    this.#options = options;
  }

  /** Returns the column of a path; null for unknown ones, and until the columns of its tables are loaded. */
  find(path: string): FilterField | null {
    let { table } = this.#options;
    let columns: readonly Column[] | null = this.#options.columns();
    const names: string[] = [];
    const ids = path.split(".");
    for (const [at, id] of ids.entries()) {
      const column: Column | undefined = columns?.find((each) => each.id === id);
      if (!column) return null;
      names.push(column.name);
      if (at === ids.length - 1) return { path, name: names.join(" › "), ...this.#describe(column), table };
      if (column.type.target === undefined || column.type.target === null) return null;
      table = column.type.target;
      columns = this.columnsOf(table);
    }
    return null;
  }

  #describe(column: Column): Pick<FilterField, "kind" | "column" | "dayText"> {
    const format = { ...this.#options.data().settings, widgetOptions: column.options };
    return {
      kind: KINDS[column.type.base] ?? "any",
      column,
      dayText: (seconds) => cellFormatter(columnType("Date"), format)(seconds),
    };
  }

  readonly kindOf = (path: string): FieldKind | null => this.find(path)?.kind ?? null;

  /** Returns the columns of a table; null while they are being loaded. */
  columnsOf(table: string): readonly Column[] | null {
    if (table === this.#options.table) return this.#options.columns();
    const known = this.#tables.get(table);
    if (!known) void this.loadColumns(table);
    return known ?? null;
  }

  /** Returns the columns of a table; none where access rules hide it. */
  loadColumns(table: string): Promise<readonly Column[]> {
    if (table === this.#options.table) return Promise.resolve(this.#options.columns());
    // Attachments refer to a table of the document's own structure, which has no columns for conditions.
    if (table.startsWith("_grist_")) return Promise.resolve([]);
    const before = this.#loading.get(table);
    if (before) return before;
    const loading = this.#load(table);
    this.#loading.set(table, loading);
    return loading;
  }

  async #load(table: string): Promise<readonly Column[]> {
    const { docId, data, loaded } = this.#options;
    let read: readonly Column[] = [];
    const path = `/api/docs/${docId}/tables`;
    try {
      const { columns } = await apiWithRetry<{ columns: ColumnListing[] }>(
        `${path}/${encodeURIComponent(table)}/columns`,
        { query: { hidden: true } },
      );
      const id = columns.map(({ fields }) => fields.visibleCol).filter((ref) => ref > 0);
      const shown: Record<number, ShownColumn> = {};
      if (id.length > 0) {
        const query = { filter: JSON.stringify({ id }), hidden: true };
        const { records } = await apiWithRetry<{ records: { id: number; fields: ShownColumn }[] }>(
          `${path}/_grist_Tables_column/records`,
          { query },
        );
        for (const { id: ref, fields } of records) shown[ref] = fields;
      }
      read = readColumns({ columns, shown, settings: data().settings });
    } catch {
      // Access rules may hide the table: conditions on it are shown as custom ones.
    }
    this.#tables.set(table, read);
    loaded();
    return read;
  }
}
