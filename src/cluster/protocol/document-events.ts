/** What happens to an owned document (events), and what its owner has to do (effects). See `owned-document.ts`. */
import type { Acknowledged, LogHead, LogPosition } from "./log-types.ts";

/** A group commit of the document's file. */
export interface LocalCommit extends LogPosition {
  /**
   * Bytes of the encoded pages; null when only a base can hold the change: a commit of more than 8 MB, frames that were
   * lost with a restarted WAL, or a file that was replaced.
   */
  readonly bytes: number | null;
}

/** An uploaded and verified base. */
export interface Base extends LogPosition {
  /** Names the chunks; new for each attempt. */
  readonly ref: string;
}

/**
 * Answers carry the `attempt` of the effect that they answer. Answers to earlier attempts are ignored, so they may come
 * late, twice or never.
 */
export type DocumentEvent =
  /** The document's thread committed. Seqs rise by one; a commit that only a base holds may skip some. */
  | { readonly kind: "committed"; readonly commit: LocalCommit }
  /** The append statement returned its row. */
  | { readonly kind: "appended"; readonly attempt: number }
  /** Anything else came back from the append: zero rows, an error, a warning, a lost connection, or a deadline passed. */
  | { readonly kind: "appendUnknown"; readonly attempt: number }
  /** The row of `doc_owner`; null when there is none. */
  | { readonly kind: "headRead"; readonly attempt: number; readonly head: LogHead | null }
  | { readonly kind: "headUnreadable"; readonly attempt: number }
  /** The delay of `retryLater` has passed. */
  | { readonly kind: "retryDue"; readonly attempt: number }
  /**
   * A new connection reached a database with another identity. Report it to all documents before the connection is used.
   * Pending commits are then not appended again: what they need, such as contents of attachments, may be lost.
   */
  | { readonly kind: "identityChanged" }
  /** From the node's lease: `expired`, `valid`, `lost`. */
  | { readonly kind: "leaseExpired" }
  | { readonly kind: "leaseValid" }
  | { readonly kind: "leaseLost" }
  /** The chunks of a base are durable, and reading them back gave their checksum. */
  | { readonly kind: "baseWritten"; readonly attempt: number; readonly base: Base }
  /** The base could not be written or verified. */
  | { readonly kind: "baseFailed"; readonly attempt: number }
  /** The statement of `pointBase` returned its row. */
  | { readonly kind: "basePointed"; readonly attempt: number }
  /** Anything else came back from `pointBase`. */
  | { readonly kind: "basePointUnknown"; readonly attempt: number }
  /** Idle, drained or handed over: append what is pending, then close. */
  | { readonly kind: "closeRequested" };

/** Why the document accepts no writes for now; callers answer 503 with Retry-After. */
export type RefusalReason = "unresolved" | "leaseExpired" | "closing" | "stopped";

/** Why a document stopped and its local copy must be kept under `diverged/`. */
export type DivergenceReason =
  /** The log ends before a row that PostgreSQL had acknowledged, or holds another one in its place. */
  | "logWentBackwards"
  /** PostgreSQL no longer knows the document. */
  | "documentMissing"
  /** The log has rows of our epoch that we never sent, or other checksums than ours: never skipped. */
  | "chainMismatch";

export type DocumentEffect =
  /** Append rows `after` + 1 to `last` in one fenced statement (epoch, node and head = `after`). */
  | { readonly kind: "append"; readonly attempt: number; readonly after: number; readonly last: number }
  /** Read `LogHead` on a connection whose identity was checked. */
  | { readonly kind: "readHead"; readonly attempt: number; readonly acknowledged: LogPosition }
  /** Report `retryDue` after a delay with backoff; `failures` counts from 1. */
  | { readonly kind: "retryLater"; readonly attempt: number; readonly failures: number }
  /**
   * The commits up to `acknowledged.seq` are in the log. Note the position beside the file (no fsync is needed), then
   * release the answers that saw these commits. The note shows after a crash whether the log has lost rows.
   */
  | { readonly kind: "release"; readonly acknowledged: Acknowledged }
  | { readonly kind: "acceptWrites" }
  | { readonly kind: "refuseWrites"; readonly reason: RefusalReason }
  /**
   * Write a base of the current file: all chunks under a new name, then read them back. It must contain at least the
   * commit `minSeq`. `beginBase` holds checkpoints meanwhile; commits go on.
   */
  | { readonly kind: "writeBase"; readonly attempt: number; readonly minSeq: number }
  /**
   * One fenced statement (epoch and node) that sets `base_seq` and `base_ref`. With `advanceFrom` it also requires head =
   * `advanceFrom` and sets it to the base's seq, for commits that only the base holds.
   */
  | { readonly kind: "pointBase"; readonly attempt: number; readonly base: Base; readonly advanceFrom: number | null }
  /** The base is the current one: prune what `decidePruning` allows, in statements fenced by epoch, node and `base_ref`. */
  | { readonly kind: "pruneLog"; readonly base: Base }
  /**
   * Final: this node no longer owns the document. Answer 503 to all held answers and close the file. If `isAhead`, it has
   * commits that are not known to be in the log: set it aside. `decideOpening` never uses such commits.
   */
  | { readonly kind: "fenced"; readonly isAhead: boolean }
  /** Final: keep the local file under `diverged/`, answer 503, log `cluster.log_went_backwards`. Delete nothing. */
  | { readonly kind: "diverged"; readonly reason: DivergenceReason }
  /** Final: everything is in the log. Close the file, note the clean close, release the ownership. */
  | { readonly kind: "closed"; readonly acknowledged: LogPosition };
