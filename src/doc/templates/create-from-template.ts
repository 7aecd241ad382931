import { Problems } from "../../exchange/schema-file/problems.ts";
import { SCHEMA_FILE_VERSION } from "../../exchange/schema-file/model.ts";
import { DAY_S, startOfDay } from "../../values/calendar.ts";
import type { CellValue } from "../../values/cell.ts";
import { applyUserActions } from "../actions/apply-user-actions.ts";
import { createDocumentFile, keepFirstState } from "../create-document.ts";
import { OpenDocument } from "../document.ts";
import { createDatabaseAt } from "../file-copy.ts";
import { schemaFileActions } from "../schema-file/apply-schema-file.ts";
import { recordKeys } from "../schema-file/schema-keys.ts";
import { SYSTEM_USER } from "../user-info.ts";
import { orderBook } from "./order-book.ts";
import { tasks } from "./tasks.ts";
import type { Template, TemplateName, TemplateRow } from "./template.ts";

const TEMPLATES: Readonly<Record<TemplateName, Template>> = { "order-book": orderBook, tasks };

/**
 * Writes the file of a new document with the tables and rows of a template. Its history begins with them.
 * @param nowMs the creation time, in milliseconds since the epoch
 * @throws AppError `storage` when the disk is full; then nothing remains at `to` or beside it
 */
export function createDocumentFromTemplate(to: string, name: TemplateName, { nowMs }: { nowMs: number }): void {
  createDatabaseAt(to, (file) => {
    createDocumentFile(file, { now: nowMs, firstTable: false });
    fillDocument(file, TEMPLATES[name], nowMs);
  });
}

function fillDocument(file: string, { tables, rows }: Template, nowMs: number): void {
  using document = new OpenDocument(file, { durability: "normal" });
  const { actions } = schemaFileActions(document, {
    file: { version: SCHEMA_FILE_VERSION, tables },
    problems: new Problems(),
    user: SYSTEM_USER,
    allowDataLoss: false,
  });
  const options = { parse: false, user: SYSTEM_USER, nowMs };
  applyUserActions(document, actions, options);
  const today = startOfDay(nowMs / 1000);
  const additions = Object.entries(rows((offset) => today + offset * DAY_S)).map(([table, records]) => [
    "BulkAddRecord",
    table,
    records.map(() => null),
    columnsOf(records),
  ]);
  applyUserActions(document, additions, options);
  document.db.transaction(() => {
    // Tables have no keys until a schema file is applied to the document.
    recordKeys(document.db, []);
    keepFirstState(document.db);
  });
}

/** Returns the cells of records, which all have the same columns, by column. */
function columnsOf(records: readonly TemplateRow[]): Record<string, CellValue[]> {
  const ids = Object.keys(records[0] ?? {});
  return Object.fromEntries(ids.map((id) => [id, records.map((record) => record[id] ?? null)]));
}
