import type { Database } from "../../sqlite/database.ts";
import { hasColumn, hasTable } from "../migrations/stored-tables.ts";

/**
 * Which API keys made the changes of a document, and whether by tokens for end users, in an internal table: left out of
 * downloads and copies, and unknown to the programs that documents come from. A row says that all changes from its number on,
 * up to the next row, were made with its key, or with none if it is null, so that a program that writes all day adds one row.
 */

const TABLE = "_quern_changes";

/** What made a change, beside the address of the user. */
export interface ChangeCredential {
  readonly keyId: number | null;
  /** True for a token that the key created for an end user; null for changes that were recorded without it. */
  readonly isEndUser: boolean | null;
}

const NO_KEY: ChangeCredential = { keyId: null, isEndUser: false };

/** The part of an open document that is needed here. */
interface Recorded {
  readonly db: Database;
  readonly schema: { readonly stored: Pick<ReadonlyMap<string, ReadonlySet<string>>, "get"> };
  invalidateSchema(): void;
}

/** Records what made a change. Call it in the transaction of the change. */
export function recordChangeKey(document: Recorded, actionNum: number, { keyId, isEndUser }: ChangeCredential): void {
  const { db } = document;
  const last = lastCredential(document);
  if (last ? last.keyId === keyId && last.isEndUser === isEndUser : keyId === null) return;
  if (!last) {
    db.exec(`create table ${TABLE} (actionNum integer primary key, keyId integer, isEndUser integer)`);
    document.invalidateSchema();
  }
  const flag = isEndUser === null ? null : Number(isEndUser);
  db.run(`insert or replace into ${TABLE} (actionNum, keyId, isEndUser) values (?, ?, ?)`, actionNum, keyId, flag);
}

/** Returns a function that returns what made a change, by its number. */
export function changeCredentialsOf(db: Database): (actionNum: number) => ChangeCredential {
  if (!hasTable(db, TABLE)) return () => NO_KEY;
  const flag = hasColumn(db, TABLE, "isEndUser") ? "isEndUser" : "null as isEndUser";
  const select = `select keyId, ${flag} from ${TABLE} where actionNum <= ? order by actionNum desc limit 1`;
  return (actionNum) => toCredential(db.get<StoredCredential>(select, actionNum));
}

/** A caller or the author of a change. */
interface ChangeUser {
  readonly email: string | null;
  readonly isEndUser: boolean | null;
}

/**
 * Returns true if a caller is the author of a change. An account and an end user with the same address are different users. What
 * was recorded without this distinction belongs to the account: accounts have rights of their own, and an end user must not get
 * any from an address.
 */
export const isSameUser = (author: ChangeUser, caller: ChangeUser): boolean =>
  author.email !== null &&
  author.email.toLowerCase() === caller.email?.toLowerCase() &&
  (author.isEndUser ?? false) === caller.isEndUser;

/** Deletes what concerns only changes before the oldest stored state. */
export function dropOldChangeKeys(db: Database): void {
  if (!hasTable(db, TABLE)) return;
  db.run(`delete from ${TABLE} where actionNum < (select max(actionNum) from ${TABLE}
    where actionNum <= (select min(actionNum) from _gristsys_ActionHistory))`);
}

interface StoredCredential {
  readonly keyId: number | null;
  readonly isEndUser: number | null;
}

/** All end users have a token of a key. */
function toCredential(stored: StoredCredential | null): ChangeCredential {
  if (!stored || stored.keyId === null) return NO_KEY;
  const { keyId, isEndUser } = stored;
  return { keyId, isEndUser: isEndUser === null ? null : isEndUser === 1 };
}

/** Returns what made the newest change; undefined without the table. */
function lastCredential(document: Recorded): ChangeCredential | undefined {
  const { db, schema } = document;
  const columns = schema.stored.get(TABLE);
  if (!columns) return undefined;
  const read = () =>
    toCredential(db.get<StoredCredential>(`select keyId, isEndUser from ${TABLE} order by actionNum desc limit 1`));
  if (columns.has("isenduser")) {
    try {
      return read();
    } catch (error) {
      if (hasTable(db, TABLE) && hasColumn(db, TABLE, "isEndUser")) throw error;
    }
  }
  // The table is an older one, or the transaction that created or changed it was rolled back after the schema was read.
  document.invalidateSchema();
  if (!hasTable(db, TABLE)) return undefined;
  if (!hasColumn(db, TABLE, "isEndUser")) db.exec(`alter table ${TABLE} add column isEndUser integer`);
  return read();
}
