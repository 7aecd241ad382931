/** A server that shares the replicated log. Times are in milliseconds since the epoch. */
export interface ClusterNode {
  readonly id: string;
  /** How the other nodes reach it; null for the only server of a log. */
  readonly address: string | null;
  readonly version: string;
  /** False when its lease has expired. */
  readonly isAlive: boolean;
  /** True while it hands its documents over and takes none. */
  readonly isDraining: boolean;
  readonly leaseRemainingMs: number;
  readonly startedAtMs: number;
  /** Since when other nodes may take, or have taken, its documents; null while it is alive. */
  readonly lostAtMs: number | null;
  /** Commits that are not yet in the log. */
  readonly pendingCommits: number;
  /** The documents that it owns. */
  readonly documents: number;
  readonly ownsHome: boolean;
}

export interface ClusterDescription {
  /** The id of this server; null while it has no lease. */
  readonly thisNode: string | null;
  /** False for the only server of a log. */
  readonly isCluster: boolean;
  /** Oldest first, including nodes that were lost in the last week. */
  readonly nodes: readonly ClusterNode[];
  readonly documents: { readonly total: number; readonly withoutOwner: number };
  /** Whether commits wait for a standby of PostgreSQL; null if that is not known. */
  readonly isSynchronous: boolean | null;
}
