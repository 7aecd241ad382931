import { LEASE_MS } from "../../protocol/log-types.ts";
import { statement, type RunOptions, type Session } from "../connection.ts";

/** A process that serves documents. Its id is random for every start. */
export interface NodeInfo {
  readonly id: string;
  /** Where peers reach it; null for a single node. */
  readonly address: string | null;
  readonly version: string;
  /** Identifies the start of the machine. */
  readonly boot: string;
}

/** What a node says about itself with each renewal of its lease. */
export interface NodeReport {
  /** Commits that are not yet in the log. */
  readonly pendingCommits: number;
  /** True while it hands its documents over and takes none. */
  readonly isDraining: boolean;
}

export interface NodeRow extends NodeInfo, NodeReport {
  /** False when its lease has expired. */
  readonly isAlive: boolean;
  readonly leaseRemainingMs: number;
  readonly startedAtMs: number;
  /** Since when its lease has expired, or other nodes have taken over; null while it is alive. */
  readonly lostAtMs: number | null;
  /** The documents that it owns, without the home database. */
  readonly documents: number;
  readonly ownsHome: boolean;
}

// Leases are compared with clock_timestamp() only: now() is the start of the transaction, which may have waited.
const REGISTER = statement(
  "node_register",
  `insert into quern.node (id, address, version, boot, lease_until)
  values ($1, $2, $3, $4, clock_timestamp() + $5::bigint * interval '1 millisecond')`,
);

const RENEW = statement(
  "node_renew",
  `update quern.node set lease_until = clock_timestamp() + $2::bigint * interval '1 millisecond',
    pending_commits = $3, is_draining = $4
  where id = $1 and lease_until > clock_timestamp()`,
);

const SET_ADDRESS = statement("node_set_address", "update quern.node set address = $2 where id = $1");

const RELEASE_DOCUMENTS = statement("node_release_documents", "update quern.doc_owner set node = null where node = $1");

const REMOVE = statement("node_remove", "delete from quern.node where id = $1");

const REMOVE_ON_BOOT = statement("node_remove_predecessor", "delete from quern.node where id = $1 and boot = $2");

const LIST = statement<NodeRow>(
  "node_list",
  `select id, address, version, boot, lease_until > clock_timestamp() as "isAlive",
    greatest(0, extract(epoch from greatest(lease_until, clock_timestamp()) - clock_timestamp()) * 1000)::float8
      as "leaseRemainingMs",
    (extract(epoch from started_at) * 1000)::float8 as "startedAtMs",
    (extract(epoch from coalesce(lost_at, case when lease_until <= clock_timestamp() then lease_until end))
      * 1000)::float8 as "lostAtMs",
    pending_commits as "pendingCommits", is_draining as "isDraining",
    coalesce(owned.documents, 0) as documents, coalesce(owned.home, false) as "ownsHome"
  from quern.node left join (
    select node, count(*) filter (where doc <> 'home') as documents, bool_or(doc = 'home') as home
    from quern.doc_owner where deleted_at is null group by node) as owned on owned.node = id
  order by started_at, id`,
);

const REMOVE_EXPIRED = statement(
  "node_remove_expired",
  `delete from quern.node where coalesce(lost_at, lease_until) < clock_timestamp() - interval '7 days'
    and lease_until < clock_timestamp() and not exists (select 1 from quern.doc_owner where node = quern.node.id)`,
);

/**
 * Registers a node with a lease. The caller counts the lease from before this call.
 * @throws StatementError if the id is taken: the caller chooses a new one. After a lost connection, too
 */
export async function registerNode(
  session: Session,
  { id, address, version, boot }: NodeInfo,
  { leaseMs = LEASE_MS, ...options }: { readonly leaseMs?: number } & RunOptions = {},
): Promise<void> {
  await session.run(REGISTER, [id, address, version, boot, leaseMs], options);
}

/**
 * Renews a lease that has not expired. The caller counts it from before this call.
 * @returns false if the lease has expired or a taker has ended it: the node has lost all its documents, and starts again
 * with a new id
 */
export async function renewLease(
  session: Session,
  id: string,
  {
    leaseMs = LEASE_MS,
    report: { pendingCommits, isDraining } = { pendingCommits: 0, isDraining: false },
    ...options
  }: { readonly leaseMs?: number; readonly report?: NodeReport } & RunOptions = {},
): Promise<boolean> {
  return (await session.run(RENEW, [id, leaseMs, pendingCommits, isDraining], options)).count > 0;
}

/** Stores how peers reach a node. */
export async function setNodeAddress(
  session: Session,
  { id, address }: { id: string; address: string },
): Promise<void> {
  await session.run(SET_ADDRESS, [id, address]);
}

/** Releases all documents of a node and removes it, at a clean shutdown. Idempotent. */
export async function removeNode(session: Session, id: string): Promise<void> {
  await session.run(RELEASE_DOCUMENTS, [id]);
  await session.run(REMOVE, [id]);
}

/**
 * Ends the lease of the process that had this data folder before. Only for a caller that holds the folder's lock, so that
 * the former process cannot be running, and only on the same start of the same machine: a copy of the folder elsewhere
 * has no say. Idempotent.
 */
export async function removePredecessor(
  session: Session,
  { id, boot }: { id: string; boot: string },
): Promise<boolean> {
  return (await session.run(REMOVE_ON_BOOT, [id, boot])).count > 0;
}

/** Lists all nodes, oldest first. */
export const listNodes = async (session: Session): Promise<readonly NodeRow[]> => (await session.run(LIST)).rows;

/** Removes nodes whose lease expired a week ago and that own nothing. Until then they show when documents were taken over. */
export async function removeExpiredNodes(session: Session): Promise<void> {
  await session.run(REMOVE_EXPIRED);
}
