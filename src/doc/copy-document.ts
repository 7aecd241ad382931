import { renameSync } from "node:fs";
import { Database } from "../sqlite/database.ts";
import { quote } from "../sqlite/quote.ts";
import { vacuumInto } from "../sqlite/vacuum.ts";
import { marshal, unmarshal } from "../values/marshal.ts";
import { createDatabaseAt, replaceFileDurably } from "./file-copy.ts";
import { clearQueryArguments } from "./queries/saved-queries.ts";
import { isDropped } from "./untrusted-file.ts";
import { hasTable, isSystemTable, storedColumns, storedTables } from "./migrations/stored-tables.ts";

export interface CopyOptions {
  /** Structure only: no user rows, no attachments, no history. */
  readonly asTemplate: boolean;
  /** Of the history only the newest state, without its actions. */
  readonly withoutHistory?: boolean;
  /** Webhooks are dropped unless this is set, which keeps them disabled. */
  readonly keepWebhooks?: boolean;
  /** The copy is temporary (handed out and then deleted), so it need not survive a power failure. */
  readonly isPassing?: boolean;
}

/**
 * Copies a document's file from a consistent snapshot; it may be open, and readers and the writer continue meanwhile.
 * Internal tables of the server are left out. `to` must not exist.
 * @throws AppError `storage` when the disk is full; then nothing remains at `to` or beside it
 */
export function copyDocumentFile(from: string, to: string, options: CopyOptions): void {
  const write = (copy: string) => {
    vacuumInto(from, copy);
    stripCopy(copy, options);
  };
  createDatabaseAt(to, write, options.isPassing ? renameSync : replaceFileDurably);
}

function stripCopy(path: string, { asTemplate, withoutHistory = asTemplate, keepWebhooks = false }: CopyOptions): void {
  using db = new Database(path);
  // An incomplete copy is discarded, so it is only synced once it is complete.
  db.exec("pragma synchronous = off");
  // Deleted data must not be readable by the recipient, so it must not remain in free pages.
  db.exec("pragma secure_delete = on");
  db.transaction(() => {
    for (const table of storedTables(db)) if (isDropped(table)) db.exec(`drop table ${quote(table)}`);
    // Webhook URLs and secrets are not in the file and belong to the original only.
    if (keepWebhooks) switchOffWebhooks(db);
    else empty(db, "_grist_Triggers");
    if (asTemplate) emptyContents(db);
    if (withoutHistory) reduceHistory(db);
  });
  if (asTemplate || withoutHistory) db.exec("vacuum");
}

function emptyContents(db: Database): void {
  for (const table of storedTables(db)) if (!isSystemTable(table)) empty(db, table);
  // Comments belong to rows, and attachments are the user's data.
  clearQueryArguments(db);
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
 * Reduces the history to the newest state, which identifies the original of the copy, without its actions, which
 * contain data.
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

/** Returns the user and time of a state; empty when these cannot be read. */
function readState(body: Uint8Array): object {
  try {
    const state = unmarshal(body);
    return typeof state === "object" && state !== null && !Array.isArray(state) ? state : {};
  } catch {
    return {};
  }
}
