import type { Database } from "../../sqlite/database.ts";
import { hasTable } from "../migrations/stored-tables.ts";

/**
 * Which API keys made the changes of a document, in an internal table: left out of downloads and copies, and unknown to the
 * programs that documents come from. A row says that all changes from its number on, up to the next row, were made with its
 * key, or with none if it is null, so that a program that writes all day adds one row.
 */

const TABLE = "_quern_changes";

/** The part of an open document that is needed here. */
interface Recorded {
  readonly db: Database;
  readonly schema: { readonly stored: { has(table: string): boolean } };
  invalidateSchema(): void;
}

/** Records which key made a change; null for none. Call it in the transaction of the change. */
export function recordChangeKey(document: Recorded, actionNum: number, keyId: number | null): void {
  const { db } = document;
  const last = lastKey(document);
  if (last === keyId || (last === undefined && keyId === null)) return;
  if (last === undefined) {
    db.exec(`create table ${TABLE} (actionNum integer primary key, keyId integer)`);
    document.invalidateSchema();
  }
  db.run(`insert or replace into ${TABLE} (actionNum, keyId) values (?, ?)`, actionNum, keyId);
}

/** Returns a function that returns the key of a change by its number; null for none. */
export function changeKeysOf(db: Database): (actionNum: number) => number | null {
  if (!hasTable(db, TABLE)) return () => null;
  const select = `select keyId from ${TABLE} where actionNum <= ? order by actionNum desc limit 1`;
  return (actionNum) => db.get<{ keyId: number | null }>(select, actionNum)?.keyId ?? null;
}

/** Deletes what concerns only changes before the oldest stored state. */
export function dropOldChangeKeys(db: Database): void {
  if (!hasTable(db, TABLE)) return;
  db.run(`delete from ${TABLE} where actionNum < (select max(actionNum) from ${TABLE}
    where actionNum <= (select min(actionNum) from _gristsys_ActionHistory))`);
}

/** Returns the key of the newest change; undefined without the table. */
function lastKey(document: Recorded): number | null | undefined {
  if (!document.schema.stored.has(TABLE)) return undefined;
  try {
    const row = document.db.get<{ keyId: number | null }>(`select keyId from ${TABLE} order by actionNum desc limit 1`);
    return row?.keyId ?? null;
  } catch (error) {
    // The transaction that created the table may have been rolled back after the schema was read.
    if (hasTable(document.db, TABLE)) throw error;
    document.invalidateSchema();
    return undefined;
  }
}
