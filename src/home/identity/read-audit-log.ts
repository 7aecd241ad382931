/** Reads the audit log from the file of a home database, also while a server uses it. Changes nothing. */
import { openUnchanged } from "../../sqlite/open-unchanged.ts";
import type { Database } from "../../sqlite/database.ts";
import { yieldToEventLoop } from "../../lib/time/timers.ts";
import { type AuditRow, CHAIN_START, type ChainLink, ChainVerifier } from "./audit-chain.ts";
import { ENTRIES_AFTER, LAST_CHECKPOINT } from "./audit-log.ts";

export interface AuditReport {
  readonly entries: number;
  /** Numbers of the first and last valid entry; null without entries. */
  readonly first: number | null;
  readonly last: number | null;
  /** The hash of the last valid entry, or of what the next one continues. */
  readonly lastHash: string;
  /** The entry that the chain starts after; null if no entries were deleted. */
  readonly checkpoint: ChainLink | null;
  /** The first entry that does not continue the chain. */
  readonly firstBad: number | null;
  /** False when the given hash is missing. */
  readonly hasFrom: boolean;
}

const BATCH = 1000;

/**
 * Verifies the chain of a log.
 * @param from a hash that the log must have; null for none
 */
export async function verifyAuditLog(path: string, { from }: { readonly from: string | null }): Promise<AuditReport> {
  using db = openUnchanged(path);
  const checkpoint = hasLog(db) ? db.get<ChainLink>(LAST_CHECKPOINT) : null;
  const verifier = new ChainVerifier(checkpoint ?? CHAIN_START);
  let hasFrom = from === null || from === CHAIN_START.hash || hasCheckpoint(db, from);
  let entries = 0;
  let first: number | null = null;
  let firstBad: number | null = null;
  // Entries before the checkpoint were put there by someone else.
  let after = Number.MIN_SAFE_INTEGER;
  for (let rows = read(db, after); rows.length > 0 && firstBad === null; rows = read(db, after)) {
    for (const row of rows) {
      if (!verifier.accepts(row)) {
        firstBad = row.number;
        break;
      }
      entries++;
      first ??= row.number;
      hasFrom ||= row.hash === from;
    }
    after = rows.at(-1)?.number ?? after;
    await yieldToEventLoop();
  }
  const { number, hash: lastHash } = verifier.last;
  return { entries, first, last: first === null ? null : number, lastHash, checkpoint, firstBad, hasFrom };
}

/** Reads new entries of a log. Opens the file for each read: a server may replace it. */
export class AuditReader {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns entries after a number, oldest first; not necessarily all. */
  read(after: number): AuditRow[] {
    using db = openUnchanged(this.#path);
    return read(db, after);
  }

  /** Returns the number of the last entry; 0 for an empty log. */
  lastNumber(): number {
    using db = openUnchanged(this.#path);
    if (!hasLog(db)) return 0;
    return db.get<{ number: number | null }>("select max(number) as number from audit_entries")?.number ?? 0;
  }
}

const read = (db: Database, after: number): AuditRow[] =>
  hasLog(db) ? db.all<AuditRow>(ENTRIES_AFTER, after, BATCH) : [];

const hasCheckpoint = (db: Database, hash: string): boolean =>
  hasLog(db) && db.get("select 1 from audit_checkpoints where hash = ?", hash) !== null;

/** A file of an older version has no audit log. */
const hasLog = (db: Database): boolean =>
  db.get("select 1 from sqlite_master where type = 'table' and name = 'audit_entries'") !== null;
