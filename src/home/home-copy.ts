/** Copies and restores the home database as a file. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError, invalid } from "../errors.ts";
import { Database } from "../sqlite/database.ts";
import { COUNTER_TABLE } from "../sqlite/wal/commit-count.ts";
import { systemClock } from "../lib/time/clock.ts";
import { type AuditDetails, createAuditStore } from "./identity/audit-log.ts";
import { MIGRATIONS } from "./migrations/index.ts";

export interface NamedDocument {
  readonly uuid: string;
  readonly name: string;
}

/**
 * Lists the documents of a data folder, without migrating the home database.
 * @throws AppError `invalid` when the folder has no home database, or one of a newer version
 */
export function listFolderDocuments(folder: string): NamedDocument[] {
  using db = openWithoutMigrating(folder);
  return listDocuments(db);
}

/** Writes a snapshot of a data folder's home database, even while a server writes to it. */
export function copyHome(folder: string, to: string): NamedDocument[] {
  {
    using db = openWithoutMigrating(folder);
    db.run("vacuum into ?", to);
  }
  using db = new Database(to);
  return listDocuments(db);
}

/** Deletes documents from a copy of a home database, with all rows that reference them. */
export function removeDocumentsFromCopy(copy: string, uuids: readonly string[]): void {
  using db = new Database(copy, { foreignKeys: true });
  db.transaction(() => {
    for (const uuid of uuids) db.run("delete from documents where uuid = ?", uuid);
    removeCounter(db);
  });
}

export interface RestoredHomeOptions {
  readonly nowMs: number;
  readonly withWebhooks: boolean;
  /** What is restored, for the audit log. */
  readonly source: AuditDetails;
}

/**
 * Prepares a home database from a backup for use: deletes sessions, which may have been ended since, one-time tokens and
 * secrets of the former cluster, and either schedules all documents with webhooks for delivery or removes all webhooks. Returns its documents.
 * @throws AppError `invalid` when it is of a newer version, `damaged`
 */
export function prepareRestoredHome(
  path: string,
  { nowMs, withWebhooks, source }: RestoredHomeOptions,
): NamedDocument[] {
  using db = new Database(path, { foreignKeys: true });
  checkVersion(db);
  if (db.get<{ found: string }>("select integrity_check as found from pragma_integrity_check")?.found !== "ok") {
    throw new AppError("damaged", "the home database of the backup is damaged");
  }
  db.transaction(() => {
    removeCounter(db);
    const tablesToClear = [
      "sessions",
      "tokens",
      "installation_secrets",
      ...(withWebhooks ? [] : ["webhook_secrets", "webhook_deliveries"]),
    ];
    for (const table of tablesToClear) if (hasTable(db, table)) db.exec(`delete from ${table}`);
    if (withWebhooks && hasTable(db, "webhook_deliveries")) {
      db.run(
        "insert or ignore into webhook_deliveries (document_id, since) select distinct document_id, ? from webhook_secrets",
        nowMs,
      );
    }
    if (hasTable(db, "audit_entries")) recordRestore(db, nowMs, source);
  });
  return listDocuments(db);
}

/**
 * Numbers of entries that were written after the backup must not be used again, so the log continues with the time: no
 * installation writes an entry every millisecond, and a later restore of the same backup gets greater numbers.
 */
function recordRestore(db: Database, nowMs: number, details: AuditDetails): void {
  const transaction = <T>(work: () => T): T => db.transaction(work);
  createAuditStore({ raw: db, clock: { ...systemClock, now: () => nowMs }, transaction }).appendFrom(nowMs, {
    time: nowMs,
    event: "backup.restored",
    actorId: null,
    actor: "command",
    keyId: null,
    address: null,
    target: {},
    details,
    count: 1,
  });
}

function openWithoutMigrating(folder: string): Database {
  const path = join(folder, "home.sqlite");
  if (!existsSync(path)) throw invalid(`no home database in ${folder}`);
  const db = new Database(path, { busyTimeoutMs: 5000 });
  try {
    checkVersion(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function checkVersion(db: Database): void {
  const { user_version: version = 0 } = db.get<{ user_version: number }>("pragma user_version") ?? {};
  if (version > (MIGRATIONS.at(-1)?.version ?? 0)) {
    throw invalid(`the home database has version ${version}, which a newer version of Quern wrote: upgrade Quern`);
  }
}

/** A changed copy is no content of a replicated log. */
function removeCounter(db: Database): void {
  if (hasTable(db, COUNTER_TABLE)) db.exec(`delete from ${COUNTER_TABLE}`);
}

const listDocuments = (db: Database): NamedDocument[] =>
  hasTable(db, "documents") ? db.all<NamedDocument>("select uuid, name from documents order by id") : [];

const hasTable = (db: Database, table: string): boolean =>
  db.get("select 1 from sqlite_master where type = 'table' and name = ?", table) !== null;
