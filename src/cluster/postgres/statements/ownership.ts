import { isHandedOver } from "../../protocol/acquisition.ts";
import { statement, type Connection, type RunOptions, type Session } from "../connection.ts";

/** What the log knows of a document. */
export interface DocumentState {
  readonly doc: string;
  /** The id of the owner; null when released. Its lease may have expired. */
  readonly node: string | null;
  /** The epoch of ownership: rises with every change of owner. */
  readonly epoch: number;
  /** The last appended sequence number; 0 before the first. */
  readonly head: number;
  readonly baseSeq: number | null;
  readonly baseRef: string | null;
  readonly dueAtMs: number | null;
  /** Since the document was added to the log, by PostgreSQL's clock. */
  readonly ageMs: number;
  /** When the document was permanently deleted. Its log is kept until the retention has passed. */
  readonly deletedAtMs: number | null;
}

/** The owner of a document, for routing. */
export interface Owner {
  readonly node: string;
  readonly address: string | null;
  readonly epoch: number;
  /** False when its lease has expired: another node may acquire the document. */
  readonly isAlive: boolean;
}

export type AcquireOutcome =
  | { readonly kind: "acquired"; readonly state: DocumentState }
  /** Another node has the document and a valid lease. */
  | { readonly kind: "owned"; readonly owner: Owner }
  /** The log has no such document. */
  | { readonly kind: "missing" }
  /** The document was permanently deleted. */
  | { readonly kind: "deleted" }
  /** The caller has no valid lease. */
  | { readonly kind: "expired" }
  /** Another node was faster; look the owner up. */
  | { readonly kind: "raced" };

const COLUMNS = `doc, node, epoch, head, base_seq as "baseSeq", base_ref as "baseRef",
  (extract(epoch from due_at) * 1000)::float8 as "dueAtMs",
  (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as "ageMs",
  (extract(epoch from deleted_at) * 1000)::float8 as "deletedAtMs"`;

const READ = statement<DocumentState>("owner_read", `select ${COLUMNS} from quern.doc_owner where doc = $1`);

const LIST = statement<DocumentState>(
  "owner_list",
  `select ${COLUMNS} from quern.doc_owner where doc > $1 order by doc limit $2::int`,
);

const FIND_OWNER = statement<Owner>(
  "owner_find",
  `select o.node, n.address, o.epoch, coalesce(n.lease_until > clock_timestamp(), false) as "isAlive"
  from quern.doc_owner o left join quern.node n on n.id = o.node
  where o.doc = $1 and o.node is not null`,
);

const CREATE = statement(
  "owner_create",
  `insert into quern.doc_owner (doc, node, epoch, head) values ($1, null, 0, $2::bigint)
  on conflict (doc) do update set head = $2::bigint
  where doc_owner.base_ref is null and doc_owner.head <> $2::bigint and doc_owner.deleted_at is null`,
);

const LOCK_NODE = statement<{ address: string | null }>(
  "node_lock",
  "select address from quern.node where id = $1 for update",
);

const END_LEASE = statement(
  "node_end_lease",
  `update quern.node set lost_at = coalesce(lost_at, clock_timestamp()), lease_until = '-infinity'
  where id = $1 and lease_until <= clock_timestamp()`,
);

/** Completes a change of an owner, which all nodes are notified of when it is committed. */
const notified = (update: string, columns = COLUMNS) =>
  `with changed as (${update} returning *)
  select ${columns} from changed where pg_notify('quern_owner', doc) is not null`;

const ACQUIRE = statement<DocumentState>(
  "owner_acquire",
  notified(`update quern.doc_owner set epoch = epoch + 1, node = $2
  where doc = $1 and epoch = $3 and node is not distinct from $4
    and exists (select 1 from quern.node where id = $2 and lease_until > clock_timestamp())`),
);

/** `due_at` from two parameters: whether to set it, and in how many milliseconds, null for never. */
const dueAt = (sets: string, inMs: string) =>
  `case when ${sets}::boolean then clock_timestamp() + ${inMs}::float8 * interval '1 millisecond' else due_at end`;

const RELEASE = statement(
  "owner_release",
  notified(
    `update quern.doc_owner set node = null, due_at = ${dueAt("$4", "$5")} where doc = $1 and node = $2 and epoch = $3`,
    "1",
  ),
);

const HAND_OVER = statement<DocumentState>(
  "owner_hand_over",
  notified(`update quern.doc_owner set epoch = epoch + 1, node = $4, due_at = ${dueAt("$5", "$6")}
  where doc = $1 and node = $2 and epoch = $3
    and exists (select 1 from quern.node where id = $4 and lease_until > clock_timestamp())`),
);

const HAS_LEASE = statement(
  "node_has_lease",
  "select 1 from quern.node where id = $1 and lease_until > clock_timestamp()",
);

const DUE = statement<{ doc: string }>(
  "owner_due",
  `select o.doc from quern.doc_owner o left join quern.node n on n.id = o.node
  where o.due_at <= clock_timestamp() and o.deleted_at is null
    and not coalesce(n.lease_until > clock_timestamp(), false)
  order by o.due_at limit $1::int`,
);

/** Returns the state of a document; null if the log does not have it. */
export const readDocumentState = async (
  session: Session,
  doc: string,
  options: RunOptions = {},
): Promise<DocumentState | null> => (await session.run(READ, [doc], options)).rows[0] ?? null;

/** Reads the states of all documents in batches, ordered by id. */
export async function* documentStates(session: Session, batchSize = 1000): AsyncGenerator<DocumentState> {
  let after = "";
  for (;;) {
    const { rows } = await session.run(LIST, [after, batchSize]);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < batchSize) return;
    after = last.doc;
  }
}

/** Returns the owner of a document; null when it has none. */
export const findOwner = async (session: Session, doc: string, options: RunOptions = {}): Promise<Owner | null> =>
  (await session.run(FIND_OWNER, [doc], options)).rows[0] ?? null;

/**
 * Adds a document without owner and content to the log. Idempotent: one that has content stays as it is.
 * @param head the number before its first content
 */
export async function createDocument(
  session: Session,
  { doc, head = 0 }: { readonly doc: string; readonly head?: number },
): Promise<void> {
  await session.run(CREATE, [doc, head]);
}

export interface Acquisition {
  readonly doc: string;
  readonly node: string;
  /** As `AcquisitionView.begunEpoch`; without it the epoch is always raised. */
  readonly begunEpoch?: number;
}

/**
 * Makes a node the owner of a document under a new epoch, unless a node with a valid lease owns it. The former owner's
 * appends are refused from then on. The caller reads base and log after this.
 *
 * The row of the former owner's node is locked first, so that its renewals wait, and its lease is then ended: a renewal
 * that had begun before the lease expired would succeed after this otherwise, and the former owner would believe in its
 * lease. A document that was handed over to the node keeps its epoch.
 * @throws ConnectionLostError if the outcome is unknown: acquire again, which raises the epoch once more
 */
export function acquireDocument(
  connection: Connection,
  { doc, node, begunEpoch = Infinity }: Acquisition,
  options: RunOptions = {},
): Promise<AcquireOutcome> {
  const work = async (session: Session): Promise<AcquireOutcome> => {
    const state = await readDocumentState(session, doc);
    if (!state) return { kind: "missing" };
    if (state.deletedAtMs !== null) return { kind: "deleted" };
    const { node: former, epoch } = state;
    if (isHandedOver(node, state, begunEpoch) && (await hasLease(session, node))) return { kind: "acquired", state };
    if (former !== null && former !== node && !(await endExpiredLease(session, former))) {
      const owner = await findOwner(session, doc);
      return owner ? { kind: "owned", owner } : { kind: "raced" };
    }
    const acquired = (await session.run(ACQUIRE, [doc, node, epoch, former])).rows[0];
    if (acquired) return { kind: "acquired", state: acquired };
    return { kind: (await hasLease(session, node)) ? "raced" : "expired" };
  };
  return connection.transaction("read committed", work, options);
}

const hasLease = async (session: Session, node: string): Promise<boolean> =>
  (await session.run(HAS_LEASE, [node])).count > 0;

/** Returns false if the node has a valid lease; otherwise it can never renew it. */
async function endExpiredLease(session: Session, node: string): Promise<boolean> {
  const isRegistered = (await session.run(LOCK_NODE, [node])).count > 0;
  return !isRegistered || (await session.run(END_LEASE, [node])).count > 0;
}

/** An ownership that ends. */
export interface EndingOwnership {
  readonly doc: string;
  readonly node: string;
  readonly epoch: number;
  /** In how many milliseconds deliveries of the document are due; null for never, absent to leave it as it is. */
  readonly dueInMs?: number | null;
}

/**
 * Gives a document up, so that any node can acquire it at once. Everything has to be appended before.
 * @returns false if the node is not the owner under this epoch
 */
export const releaseDocument = async (
  session: Session,
  { doc, node, epoch, dueInMs }: EndingOwnership,
): Promise<boolean> =>
  (await session.run(RELEASE, [doc, node, epoch, dueInMs !== undefined, dueInMs ?? null])).count > 0;

/**
 * Gives a document to another node with a valid lease, under a new epoch.
 * @returns the new state; null if the node is not the owner under this epoch, or the other one has no valid lease
 */
export const handOverDocument = async (
  session: Session,
  { doc, node, epoch, dueInMs, to }: EndingOwnership & { readonly to: string },
): Promise<DocumentState | null> =>
  (await session.run(HAND_OVER, [doc, node, epoch, to, dueInMs !== undefined, dueInMs ?? null])).rows[0] ?? null;

/** Returns documents whose deliveries are due and that no living node owns, the longest due first. */
export const findDueDocuments = async (session: Session, limit: number): Promise<string[]> =>
  (await session.run(DUE, [limit])).rows.map(({ doc }) => doc);
