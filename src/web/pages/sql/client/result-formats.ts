/** Formats the cells of a result as the tables of the document show them: dates, numbers and references. */
import { isErrorCell, type CellValue } from "../../../../values/cell.ts";
import { columnType, type WidgetOptions } from "../../../../values/column-type.ts";
import { cellFormatter } from "../../../../values/cell-formatter.ts";
import type { ColumnListing, DocumentSettings, RecordsPage } from "../../../base/table-data.ts";
import { apiWithRetry } from "../../../base/client/api.ts";
import { t } from "../../../base/client/texts.ts";
import type { SqlValue } from "./csv.ts";
import type { CellFormat, QueryResult } from "./query-result.ts";

export interface FormatOptions {
  readonly docId: string;
  readonly settings: DocumentSettings;
}

/** Row ids per request, and in all: further references are shown as they are stored. */
const IDS_PER_REQUEST = 500;
const MAX_IDS = 10_000;

/** Types of which the values mean the same as they are stored. */
const UNFORMATTED: ReadonlySet<string> = new Set(["Text", "Choice", "Any", "Id", "Blob", "Attachments"]);

/**
 * Returns the format of each column of a result; undefined where values are shown as they are stored: those of
 * expressions, and of columns that have been changed since.
 */
export async function readFormats(
  { columns, rows }: QueryResult,
  options: FormatOptions,
): Promise<(CellFormat | undefined)[]> {
  const tables = new TableColumns(options.docId);
  return Promise.all(
    columns.map(async ({ table, column }, at) => {
      const listing = table === null ? undefined : (await tables.of(table)).find(({ id }) => id === column);
      if (!listing) return undefined;
      const values = () => rows.map((row) => row[at] ?? null);
      return readFormat(listing, { options, tables, values });
    }),
  );
}

/** The columns of the tables of a result; none of a table that no longer exists. */
class TableColumns {
  readonly #docId: string;
  readonly #columns = new Map<string, Promise<readonly ColumnListing[]>>();

  constructor(docId: string) {
    this.#docId = docId;
  }

  of(table: string): Promise<readonly ColumnListing[]> {
    const read = this.#columns.get(table) ?? this.#read(table);
    this.#columns.set(table, read);
    return read;
  }

  async #read(table: string): Promise<readonly ColumnListing[]> {
    const path = `/api/docs/${this.#docId}/tables/${encodeURIComponent(table)}/columns`;
    try {
      return (await apiWithRetry<{ columns: ColumnListing[] }>(path, { query: { hidden: true } })).columns;
    } catch {
      return [];
    }
  }
}

interface Context {
  readonly options: FormatOptions;
  readonly tables: TableColumns;
  /** The values of the column. */
  readonly values: () => readonly SqlValue[];
}

async function readFormat(listing: ColumnListing, context: Context): Promise<CellFormat | undefined> {
  const { base } = columnType(listing.fields.type);
  if (UNFORMATTED.has(base)) return undefined;
  if (base === "Ref" || base === "RefList") return readReferenceFormat(listing, context);
  if (base === "Bool")
    return (value) => (value === 1 ? t("table.cell.yes") : value === 0 ? t("table.cell.no") : undefined);
  if (base === "ChoiceList") return (value) => listOf(value)?.map(String).join(", ");
  const format = formatterOf(listing, context.options);
  return (value) => (typeof value === "number" ? format(value) : undefined);
}

const formatterOf = ({ fields }: ColumnListing, { settings }: FormatOptions): ((value: CellValue) => string) =>
  cellFormatter(columnType(fields.type), { ...settings, widgetOptions: widgetOptionsOf(fields.widgetOptions) });

/** Rows are shown by the column that the reference shows. */
async function readReferenceFormat(
  { fields }: ColumnListing,
  { options, tables, values }: Context,
): Promise<CellFormat | undefined> {
  const target = columnType(fields.type).target ?? "";
  const columns = await tables.of(target);
  const shown = columns.find((column) => column.fields.colRef === fields.visibleCol);
  if (!shown) return undefined;
  const ids = new Set(values().flatMap(idsOf).slice(0, MAX_IDS));
  const texts = await readTexts([...ids], { target, shown, columns, options });
  return (value) => {
    if (value === 0) return "";
    const rows = idsOf(value);
    return rows.length === 0 ? undefined : rows.map((id) => texts.get(id) ?? String(id)).join(", ");
  };
}

/** The row ids of a reference, or of a list of them. */
const idsOf = (value: SqlValue): number[] =>
  (typeof value === "number" ? [value] : (listOf(value) ?? [])).filter(
    (id): id is number => typeof id === "number" && id > 0,
  );

interface ShownRows {
  readonly target: string;
  readonly shown: ColumnListing;
  /** Those of the target. */
  readonly columns: readonly ColumnListing[];
  readonly options: FormatOptions;
}

async function readTexts(ids: readonly number[], { target, shown, columns, options }: ShownRows) {
  // A reference to a reference shows what that one shows.
  const display = columns.find(({ fields }) => fields.colRef === shown.fields.displayCol) ?? shown;
  const format = formatterOf(shown.fields.displayCol === 0 ? shown : display, options);
  const path = `/api/docs/${options.docId}/tables/${encodeURIComponent(target)}/records`;
  const texts = new Map<number, string>();
  for (let at = 0; at < ids.length; at += IDS_PER_REQUEST) {
    const filter = JSON.stringify({ id: ids.slice(at, at + IDS_PER_REQUEST) });
    const query = { filter, fields: display.id, hidden: true };
    // Without the rows, their ids are shown.
    const page = await apiWithRetry<RecordsPage>(path, { query }).catch(() => null);
    for (const { id, fields } of page?.records ?? []) {
      const value = (fields[display.id] ?? null) as CellValue;
      if (!isErrorCell(value)) texts.set(id, format(value));
    }
  }
  return texts;
}

/** Lists are stored as JSON. */
function listOf(value: SqlValue): unknown[] | undefined {
  if (typeof value !== "string" || !value.startsWith("[")) return undefined;
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? (list as unknown[]) : undefined;
  } catch {
    return undefined;
  }
}

function widgetOptionsOf(text: string): WidgetOptions {
  try {
    const value: unknown = text === "" ? {} : JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as WidgetOptions) : {};
  } catch {
    return {};
  }
}
