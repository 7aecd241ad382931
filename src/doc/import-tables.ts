import { conversionCounter, countConversions } from "../exchange/count-conversions.ts";
import type { TypedFile } from "../exchange/infer-tables.ts";
import type { ConversionCounts } from "../exchange/detect/conversion-counter.ts";
import { stagedRows } from "../exchange/staging.ts";
import { must } from "../lib/assert.ts";
import { Database } from "../sqlite/database.ts";
import { quote } from "../sqlite/quote.ts";
import { columnType } from "../values/column-type.ts";
import { currencyOf } from "../values/currencies.ts";
import { applyUserActions } from "./actions/apply-user-actions.ts";
import { createDocumentFile } from "./create-document.ts";
import { OpenDocument } from "./document.ts";
import { replaceFileDurably, removeDatabase } from "./file-copy.ts";
import type { ImportedCounts } from "./import-document.ts";
import { planNewTables, type PlannedTable } from "./import-plan.ts";
import { reportNewTable, type TableReport } from "./import-report.ts";
import { checkCellSize } from "./limits.ts";
import { SYSTEM_USER } from "./user-info.ts";

/** What a new document of tables holds. */
export interface FilledDocument extends ImportedCounts {
  readonly report: readonly TableReport[];
}

/**
 * Writes the file of a new document that holds just these tables. Its history begins with them, and its locale, currency
 * and zone are those of the file.
 * @param nowMs when that is, in milliseconds since the epoch
 * @throws AppError `invalid` for more columns than a table has, `tooLarge` for a cell, `storage` when the disk is full;
 *   nothing is left at `to` or beside it then
 */
export function createDocumentFromTables(
  to: string,
  { tables, conventions }: TypedFile,
  nowMs: number,
): FilledDocument {
  const file = `${to}.part`;
  const { locale, currency, zone: timezone } = conventions;
  removeDatabase(file);
  let report: TableReport[];
  try {
    const own = currency === currencyOf(locale) ? undefined : currency;
    createDocumentFile(file, { now: nowMs, firstTable: false, locale, currency: own, timezone });
    report = fillTables(file, addTables(file, { tables, conventions }, nowMs));
    replaceFileDurably(file, to);
  } finally {
    removeDatabase(file);
  }
  return { tables: tables.length, rows: tables.reduce((sum, { rowCount }) => sum + rowCount, 0), report };
}

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

function fillTables(file: string, tables: readonly PlannedTable[]): TableReport[] {
  using db = new Database(file);
  // The file is worth nothing until it is complete, and written to the disk then.
  db.exec("pragma synchronous = off");
  db.exec("pragma journal_mode = off");
  return db.transaction(() => {
    // What was done to make the tables would be undone without their rows.
    db.exec("delete from _gristsys_ActionHistory where id > 1");
    db.exec("update _gristsys_ActionHistoryBranch set actionRef = 1");
    return tables.map((table) => reportNewTable(table, insertRows(db, table)));
  });
}

function insertRows(db: Database, { id: table, columns, staged }: PlannedTable): ConversionCounts[] {
  // Columns without values stay empty: their type is found out when somebody fills them.
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
  }
  return [...counters.values()].map(({ counts }) => counts);
}

/** What `createDocumentOfTables` would make of these tables. */
export const previewDocumentFromTables = ({ tables, conventions }: TypedFile): TableReport[] =>
  planNewTables([], tables, conventions.currency).map((table) => reportNewTable(table, countConversions(table.staged)));
