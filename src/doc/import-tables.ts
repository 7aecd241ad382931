import { conversionCounter, countConversions } from "../exchange/count-conversions.ts";
import type { TypedFile, TypedTable } from "../exchange/infer-tables.ts";
import type { ConversionCounts } from "../exchange/detect/conversion-counter.ts";
import { stagedRows } from "../exchange/staging.ts";
import { must } from "../lib/assert.ts";
import { Database } from "../sqlite/database.ts";
import { quote } from "../sqlite/quote.ts";
import { columnType } from "../values/column-type.ts";
import { currencyOf } from "../values/currencies.ts";
import { applyUserActions } from "./actions/apply-user-actions.ts";
import { createDocumentFile, keepFirstState } from "./create-document.ts";
import { OpenDocument } from "./document.ts";
import { createDatabaseAt } from "./file-copy.ts";
import type { ImportedCounts } from "./import-document.ts";
import { planNewTables, type PlannedTable } from "./import-plan.ts";
import { reportNewTable, type TableReport } from "./import-report.ts";
import { checkCellSize } from "./limits.ts";
import { SYSTEM_USER } from "./user-info.ts";

/** The contents of a new document created from tables. */
export interface FilledDocument extends ImportedCounts {
  readonly report: readonly TableReport[];
}

/**
 * Writes the file of a new document with exactly these tables. Its history begins with them, and its locale, currency
 * and time zone are those of the file.
 * @param options `nowMs`: the creation time, in milliseconds since the epoch; `onRows`: called with the rows that were
 *   written, and the number of all rows
 * @throws AppError `invalid` for more columns than a table may have, `tooLarge` for a cell, `storage` when the disk is
 *   full; then nothing remains at `to` or beside it
 */
export function createDocumentFromTables(
  to: string,
  { tables, conventions }: TypedFile,
  { nowMs, onRows = () => {} }: { nowMs: number; onRows?: OnRows },
): FilledDocument {
  const { locale, currency, zone: timezone } = conventions;
  const own = currency === currencyOf(locale) ? undefined : currency;
  const report = createDatabaseAt(to, (file) => {
    createDocumentFile(file, { now: nowMs, firstTable: false, locale, currency: own, timezone });
    return fillTables(file, addTables(file, { tables, conventions }, nowMs), onRows);
  });
  return { tables: tables.length, rows: countRows(tables), report };
}

type OnRows = (done: number, total: number) => void;

const countRows = (tables: readonly TypedTable[]): number => tables.reduce((sum, { rowCount }) => sum + rowCount, 0);

function addTables(file: string, { tables: typed, conventions }: TypedFile, nowMs: number): PlannedTable[] {
  using document = new OpenDocument(file, { durability: "normal" });
  const tables = planNewTables([], typed, conventions.currency);
  applyUserActions(
    document,
    tables.map(({ addition }) => addition),
    { parse: false, user: SYSTEM_USER, nowMs },
  );
  return tables;
}

function fillTables(file: string, tables: readonly PlannedTable[], onRows: OnRows): TableReport[] {
  using db = new Database(file);
  // An incomplete file is discarded, so it is only synced once it is complete.
  db.exec("pragma synchronous = off");
  db.exec("pragma journal_mode = off");
  return db.transaction(() => {
    keepFirstState(db);
    const total = countRows(tables.map(({ staged }) => staged));
    let done = 0;
    const onInserted = (count: number) => onRows((done += count), total);
    return tables.map((table) => reportNewTable(table, insertRows(db, table, onInserted)));
  });
}

function insertRows(
  db: Database,
  { id: table, columns, staged }: PlannedTable,
  onInserted: (count: number) => void,
): ConversionCounts[] {
  // Columns without values stay empty: their type is inferred from the first value that is entered.
  const filled = columns.filter(({ type }) => type !== "Any");
  const names = ["id", "manualSort", ...filled.map(({ id }) => quote(id))];
  const insert = db.prepare(
    `insert into ${quote(table)} (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
  );
  const counters = new Map(columns.map((column) => [column, conversionCounter(column.source)]));
  const kinds = filled.map((column) => {
    const { label, at } = column.source;
    return { at, label, kind: columnType(column.type), counter: must(counters.get(column), "column") };
  });
  let id = 0;
  for (const rows of stagedRows(staged)) {
    for (const row of rows) {
      id++;
      const cells = kinds.map(({ at, kind, label, counter }) => {
        const value = counter.read(row[at] ?? null);
        checkCellSize(value, () => `Column ${JSON.stringify(label)}, row ${id}`);
        return kind.encode(value);
      });
      insert.run(id, id, ...cells);
    }
    onInserted(rows.length);
  }
  return [...counters.values()].map(({ counts }) => counts);
}

/** Returns the report of `createDocumentFromTables` for these tables without creating it. */
export const previewDocumentFromTables = ({ tables, conventions }: TypedFile): TableReport[] =>
  planNewTables([], tables, conventions.currency).map((table) => reportNewTable(table, countConversions(table.staged)));
