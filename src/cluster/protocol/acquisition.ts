/** Who may take a document, a dead process's lease, or a document that home does not know. */
import { type DatabaseIdentity, LEASE_MS, sameIdentity } from "./log-types.ts";

/** What the transaction of an acquisition read before it decides. */
export interface AcquisitionView {
  /** This node's id; `isLeaseValid` by its own clock. */
  readonly self: { readonly node: string; readonly isLeaseValid: boolean };
  /** The row of `doc_owner`; null when there is none. */
  readonly document: { readonly epoch: number; readonly node: string | null } | null;
  /**
   * The lease of the owner: its `node` row locked FOR UPDATE and then compared with `clock_timestamp()`. Without the lock
   * a renewal that was evaluated earlier could commit after the take-over. Null when there is no owner or no row.
   */
  readonly ownerLease: "valid" | "expired" | null;
  /** The highest epoch of the document under which this process has begun; 0 for none. */
  readonly begunEpoch: number;
  /** How long the database has had its current timeline, as far as this node knows; see `timelineWaitMs`. */
  readonly timelineWaitMs: number;
}

export type AcquisitionDecision =
  /** `UPDATE doc_owner SET epoch = fromEpoch + 1, node = … WHERE epoch = fromEpoch RETURNING head`, then commit. */
  | { readonly kind: "take"; readonly fromEpoch: number }
  /** Another node handed the document over to this one: this node begins under the epoch that names it. */
  | { readonly kind: "begin"; readonly epoch: number }
  /** Another node owns it: proxy to it. */
  | { readonly kind: "ownedBy"; readonly node: string }
  /** After a failover: leases of the former primary may be missing here. */
  | { readonly kind: "wait"; readonly delayMs: number }
  | { readonly kind: "refuse"; readonly reason: "leaseInvalid" | "unknownDocument" };

/** Decides while the rows are locked; roll back for everything but `take`. */
export function decideAcquisition({
  self,
  document,
  ownerLease,
  begunEpoch,
  timelineWaitMs,
}: AcquisitionView): AcquisitionDecision {
  if (!self.isLeaseValid) return { kind: "refuse", reason: "leaseInvalid" };
  if (!document) return { kind: "refuse", reason: "unknownDocument" };
  const isOther = document.node !== null && document.node !== self.node;
  if (isOther && ownerLease === "valid") return { kind: "ownedBy", node: document.node };
  if (timelineWaitMs > 0) return { kind: "wait", delayMs: timelineWaitMs };
  if (isHandedOver(self.node, document, begunEpoch)) return { kind: "begin", epoch: document.epoch };
  return { kind: "take", fromEpoch: document.epoch };
}

/**
 * Tells whether a document was handed over to a node: it is the owner under an epoch under which it has not begun. An
 * epoch under which it had begun may have appends whose outcome is unknown, and is raised.
 */
export const isHandedOver = (
  node: string,
  document: { readonly epoch: number; readonly node: string | null },
  begunEpoch: number,
): boolean => document.node === node && document.epoch > begunEpoch;

/**
 * Returns how long to wait before acquisitions: one lease after a change of timeline, counted from when this node first
 * saw it. A standby may have less of the leases than their owners believe.
 *
 * @param view.settled The identity under which the installation last ran for a whole lease, stored in the database.
 * @param view.seenForMs Time since this node first saw `current`, monotonic.
 */
export function timelineWaitMs(view: {
  readonly settled: DatabaseIdentity | null;
  readonly current: DatabaseIdentity;
  readonly seenForMs: number;
}): number {
  const isSettled = view.settled !== null && sameIdentity(view.settled, view.current);
  return isSettled ? 0 : Math.max(0, LEASE_MS - view.seenForMs);
}

/** Where a process runs; equal values mean the same folder of the same boot. */
export interface FolderPlace {
  /** `/proc/sys/kernel/random/boot_id`. */
  readonly bootId: string;
  /** Device and inode of the folder's lock file: a copy of a folder has another one. */
  readonly lockFile: string;
}

/**
 * Tells whether this process, which holds the folder's lock, may release the lease of the node id that the folder names:
 * its process is dead, as it held the same lock. A copied folder names a node that may be alive.
 */
export const mayReleasePredecessor = (recorded: FolderPlace | null, current: FolderPlace): boolean =>
  recorded !== null && recorded.bootId === current.bootId && recorded.lockFile === current.lockFile;

/** Documents that home does not know are deleted after this time: their creation did not get to its last step. */
export const ORPHAN_AGE_MS = 3_600_000;

/**
 * Tells whether the owner of home may delete the log of a document, in a statement that is fenced by home's epoch and
 * head, and sent only while `mayRead` of home is true. Creating a document writes its log first and home last; deleting one writes home first.
 *
 * @param view.isInHome In home at its current head.
 * @param view.isBeingCreated A request on this owner of home is creating it.
 * @param view.ageMs Time since the first row or base of its log, by PostgreSQL's clock.
 */
export const isOrphan = (view: {
  readonly isInHome: boolean;
  readonly isBeingCreated: boolean;
  readonly ageMs: number;
}): boolean => !view.isInHome && !view.isBeingCreated && view.ageMs >= ORPHAN_AGE_MS;
