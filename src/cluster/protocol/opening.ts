import {
  type Acknowledged,
  type ContentCount,
  type DatabaseIdentity,
  LOG_START,
  type LogEntry,
  sameIdentity,
} from "./log-types.ts";
import type { DivergenceReason } from "./document-events.ts";

/** The local file of a document, and the notes beside it. */
export interface LocalFile {
  /** From the file after its recovery; null for a file without a counter. */
  readonly count: ContentCount | null;
  /**
   * True if the file was closed cleanly, or the machine has not rebooted since it was opened: otherwise it may hold any
   * mixture of what was not synced.
   */
  readonly isIntact: boolean;
  /**
   * The highest position that this folder saw acknowledged: exact while the file is intact, else perhaps too low.
   */
  readonly acknowledged: Acknowledged | null;
  /** The database that acknowledged it; noted together with it. */
  readonly identity: DatabaseIdentity | null;
}

/** What the log says, read in one REPEATABLE READ transaction. */
export interface LogView {
  /** Seq of the last append. */
  readonly head: number;
  readonly identity: DatabaseIdentity;
  /** The entry at the seq of the local file. */
  readonly atLocal: LogEntry;
  /** The entry at the acknowledged seq. */
  readonly atAcknowledged: LogEntry;
}

export type OpeningDecision =
  /** Open the local file as it is: it has the content of the head. */
  | { readonly kind: "use" }
  /** Apply the rows after `after` to the local file, up to the head; rebuild if one is not there. */
  | { readonly kind: "applyTail"; readonly after: number }
  /**
   * Build a new file from the base and the rows after it. With `setAside` keep the local file for the retention: the log
   * does not have all of its commits, which were never acknowledged. With `mayHaveLost` keep it under `diverged/` and log
   * a warning: after a failover it cannot be compared with the log, which may have lost acknowledged commits of it.
   */
  | { readonly kind: "rebuild"; readonly setAside: boolean; readonly mayHaveLost: boolean }
  /** Keep the local file under `diverged/`, and do not open the document: the log has lost acknowledged rows. */
  | { readonly kind: "diverged"; readonly reason: DivergenceReason };

/**
 * Decides how to open a document whose local file may be older, newer or other than the log. Used by an owner after the
 * acquisition, and by replicas of home.
 *
 * @param local Null when the folder has no file of the document.
 * @param log Null when the log does not know the document.
 */
export function decideOpening(local: LocalFile | null, log: LogView | null): OpeningDecision {
  if (!local) return log ? { kind: "rebuild", setAside: false, mayHaveLost: false } : diverged("documentMissing");
  if (!log) return diverged("documentMissing");
  if (hasLostAcknowledged(local, log)) return diverged("logWentBackwards");
  const { count, isIntact } = local;
  if (count && isIntact && isInLog(count, log)) {
    return count.seq === log.head ? { kind: "use" } : { kind: "applyTail", after: count.seq };
  }
  const mayHaveLost = cannotCompare(local, log);
  return { kind: "rebuild", setAside: mayHaveLost || isAhead(local, log), mayHaveLost };
}

function hasLostAcknowledged({ acknowledged, count, identity, isIntact }: LocalFile, log: LogView): boolean {
  if (acknowledged && acknowledged.seq > LOG_START.seq) {
    if (log.head < acknowledged.seq) return true;
    const { atAcknowledged } = log;
    if (atAcknowledged.kind === "absent") return true;
    if (atAcknowledged.kind === "found" && atAcknowledged.checksum !== acknowledged.checksum) return true;
  }
  // The note may be too low. After a failover, commits that only this file has may have been acknowledged.
  return !isIntact && isOtherHistory(identity, log) && count !== null && count.seq > log.head;
}

const isOtherHistory = (identity: DatabaseIdentity | null, log: LogView): boolean =>
  identity !== null && !sameIdentity(identity, log.identity);

/** After a failover: the rows are pruned, or a power cut left a note that may be too low beside a file with more commits. */
const cannotCompare = (local: LocalFile, log: LogView): boolean =>
  isOtherHistory(local.identity, log) &&
  (log.atAcknowledged.kind === "pruned" || (!local.isIntact && !isInLog(local.count, log)));

/** Whether the log has the local file's last commit. */
const isInLog = (count: ContentCount | null, { atLocal }: LogView): boolean =>
  count !== null && atLocal.kind === "found" && atLocal.contentEpoch === count.epoch;

/** Whether the file has commits that the log does not have, as far as one can tell. */
const isAhead = ({ count, isIntact }: LocalFile, log: LogView): boolean =>
  !isIntact || count === null || count.seq > log.head || (log.atLocal.kind === "found" && !isInLog(count, log));

const diverged = (reason: DivergenceReason): OpeningDecision => ({ kind: "diverged", reason });
