import { renameSync } from "node:fs";
import { Database } from "../sqlite/database.ts";
import { quote } from "../sqlite/quote.ts";
import { vacuumInto } from "../sqlite/vacuum.ts";
import { marshal, unmarshal } from "../values/marshal.ts";
import { replaceFileDurably, removeDatabase } from "./file-copy.ts";
import { hasTable, isSystemTable, storedColumns, storedTables } from "./migrations/stored-tables.ts";

export interface CopyOptions {
  /** Structure only: no rows of the user's, no attachments, no past. */
  readonly asTemplate: boolean;
  /** Of the past only the newest state, without what was done in it. */
  readonly withoutHistory?: boolean;
  /** Webhooks are left out, unless they are to be kept switched off. */
  readonly keepWebhooks?: boolean;
  /** The copy is handed on and then deleted, so that it need not survive a power cut. */
  readonly isPassing?: boolean;
}

/**
 * Copies a document's file as it is at one moment, also while it is open and being written to: readers and the writer
 * go on meanwhile. What we keep for ourselves does not come along. `to` must not exist.
 * @throws AppError `storage` when the disk is full; nothing is left at `to` or beside it then.
 */
export function copyDocumentFile(from: string, to: string, options: CopyOptions): void {
  const copy = `${to}.part`;
  removeDatabase(copy);
  try {
    vacuumInto(from, copy);
    stripCopy(copy, options);
    if (options.isPassing) renameSync(copy, to);
    else replaceFileDurably(copy, to);
  } finally {
    removeDatabase(copy);
  }
}

function stripCopy(path: string, { asTemplate, withoutHistory = asTemplate, keepWebhooks = false }: CopyOptions): void {
  using db = new Database(path);
  // The copy is worth nothing until it is complete, and written to the disk then.
  db.exec("pragma synchronous = off");
  // What is deleted here is nobody else's to see, so it does not stay in free pages.
  db.exec("pragma secure_delete = on");
  db.transaction(() => {
    for (const table of storedTables(db)) if (/^_quern_/i.test(table)) db.exec(`drop table ${quote(table)}`);
    // Their addresses and secrets are not in the file, and are the original's alone.
    if (keepWebhooks) switchOffWebhooks(db);
    else empty(db, "_grist_Triggers");
    if (asTemplate) emptyContents(db);
    if (withoutHistory) reduceHistory(db);
  });
  if (asTemplate || withoutHistory) db.exec("vacuum");
}

function emptyContents(db: Database): void {
  for (const table of storedTables(db)) if (!isSystemTable(table)) empty(db, table);
  // Comments belong to rows, and attachments are bytes of the user's.
  for (const table of ["_grist_Attachments", "_gristsys_Files", "_grist_Cells"]) empty(db, table);
}

function switchOffWebhooks(db: Database): void {
  if (storedColumns(db, "_grist_Triggers").some(({ id }) => id === "enabled")) {
    db.exec("update _grist_Triggers set enabled = 0");
  }
}

function empty(db: Database, table: string): void {
  if (hasTable(db, table)) db.exec(`delete from ${quote(table)}`);
}

/**
 * Keeps the newest state only, by which the copy is known to come from the original, and nothing of what was done in
 * it: that would be data again.
 */
function reduceHistory(db: Database): void {
  if (!hasTable(db, "_gristsys_ActionHistory")) return;
  const newest = db.get<{ id: number; body: Uint8Array }>(
    "select id, body from _gristsys_ActionHistory order by actionNum desc, id desc limit 1",
  );
  if (!newest) return;
  const body = marshal({ ...readState(newest.body), stored: [], calc: [], undo: [], userActions: [] });
  db.run("delete from _gristsys_ActionHistory where id <> ?", newest.id);
  db.run("update _gristsys_ActionHistory set body = ? where id = ?", body, newest.id);
}

/** Who did it and when; nothing where that cannot be read. */
function readState(body: Uint8Array): object {
  try {
    const state = unmarshal(body);
    return typeof state === "object" && state !== null && !Array.isArray(state) ? state : {};
  } catch {
    return {};
  }
}
