/** The statements of production as transactions of the model. */
import {
  type AcquisitionDecision,
  decideAcquisition,
  isOrphan,
  ORPHAN_AGE_MS,
} from "../../src/cluster/protocol/acquisition.ts";
import type { Base } from "../../src/cluster/protocol/document-events.ts";
import {
  type Acknowledged,
  type DatabaseIdentity,
  LEASE_MS,
  LOG_START,
  type LogEntry,
  type LogHead,
  type LogPosition,
} from "../../src/cluster/protocol/log-types.ts";
import type { LogView } from "../../src/cluster/protocol/opening.ts";
import { decidePruning, type PublishedBase } from "../../src/cluster/protocol/retention.ts";
import type { Content } from "./content.ts";
import {
  atOnce,
  type BaseRow,
  type Body,
  type Database,
  type LogRow,
  type OwnerRow,
  type Transaction,
} from "./database.ts";
import type { Variant } from "./variants.ts";

/** The home document. */
export const HOME = "home";
export const CHUNKS = 3;
/** Real retention and orphan age are days and hours; an hour passes within a few seconds here. */
export const RETENTION_MS = 200;
const ORPHAN_MS = 6000;

export interface Owner {
  readonly document: string;
  readonly node: string;
  readonly epoch: number;
}

const owns = (row: OwnerRow | undefined, { epoch, node }: Owner): row is OwnerRow =>
  row !== undefined && row.epoch === epoch && row.node === node;

/** Inserts the node's row with its first lease. */
export const registerNode = (node: string): Body<true> =>
  atOnce((transaction) => {
    transaction.put(`node ${node}`, { leaseUntilMs: transaction.clockMs + LEASE_MS });
    return true;
  });

/** Ends the lease of a predecessor whose process is dead. */
export const releaseNode = (node: string): Body<true> =>
  function* (transaction) {
    yield { lock: `node ${node}` };
    if (transaction.get(`node ${node}`)) transaction.put(`node ${node}`, { leaseUntilMs: transaction.clockMs });
    return true;
  };

/** Returns false when the lease is no longer valid. */
export const renewLease = (node: string): Body<boolean> =>
  function* (transaction) {
    yield { lock: `node ${node}` };
    const row = transaction.get(`node ${node}`);
    if (!row || row.leaseUntilMs <= transaction.clockMs) return false;
    transaction.put(`node ${node}`, { leaseUntilMs: transaction.clockMs + LEASE_MS });
    return true;
  };

export interface Acquirer {
  readonly document: string;
  readonly node: string;
  readonly isLeaseValid: () => boolean;
  /** The highest epoch of the document under which the process has begun; 0 for none. */
  readonly begunEpoch: () => number;
  readonly timelineWaitMs: () => number;
  /** The acquirer's wall clock, for a broken variant. */
  readonly wallMs: () => number;
  /** Sometimes seconds. */
  readonly roundTripMs: () => number;
  readonly variant: Variant | null;
}

export interface Acquired {
  readonly decision: AcquisitionDecision;
  /** The epoch, for `take` and `begin`. */
  readonly epoch: number;
}

export const acquire = (acquirer: Acquirer): Body<Acquired> =>
  function* (transaction) {
    const { document, node, variant } = acquirer;
    const key = `owner ${document}` as const;
    const seen = transaction.get(key);
    const other = seen && seen.node !== node ? seen.node : null;
    yield { roundTripMs: 1 };
    if (other !== null && variant !== "acquire-without-row-lock") yield { lock: `node ${other}` };
    const lease = other === null ? undefined : transaction.get(`node ${other}`);
    yield { roundTripMs: acquirer.roundTripMs() };
    const clockMs = variant === "lease-by-local-clock" ? acquirer.wallMs() : transaction.clockMs;
    const isExpired = !lease || lease.leaseUntilMs <= clockMs;
    yield { roundTripMs: 1 };
    const decision = decideAcquisition({
      self: { node, isLeaseValid: acquirer.isLeaseValid() },
      document: seen ?? null,
      ownerLease: other === null ? null : isExpired ? "expired" : "valid",
      begunEpoch: variant === "begins-again" ? 0 : acquirer.begunEpoch(),
      timelineWaitMs: variant === "no-wait-after-failover" ? 0 : acquirer.timelineWaitMs(),
    });
    if (decision.kind === "begin") {
      const own = transaction.get(`node ${node}`);
      const isOwnExpired = !own || own.leaseUntilMs <= transaction.clockMs;
      if (isOwnExpired) return { decision: { kind: "refuse", reason: "leaseInvalid" }, epoch: 0 };
      return { decision, epoch: decision.epoch };
    }
    if (decision.kind !== "take") return { decision, epoch: 0 };
    yield { roundTripMs: 1 };
    yield { lock: key };
    const row = transaction.get(key);
    if (!row || row.epoch !== decision.fromEpoch)
      return { decision: { kind: "refuse", reason: "unknownDocument" }, epoch: 0 };
    transaction.put(key, { ...row, epoch: row.epoch + 1, node });
    return { decision, epoch: row.epoch + 1 };
  };

/** Releases the document after a clean close. */
export const releaseDocument = (owner: Owner): Body<true> =>
  function* (transaction) {
    const key = `owner ${owner.document}` as const;
    yield { lock: key };
    const row = transaction.get(key);
    if (owns(row, owner)) transaction.put(key, { ...row, node: null });
    return true;
  };

/** Gives the document to another node with a valid lease, under a new epoch; false for zero rows. */
export const handOverDocument = (owner: Owner, to: string): Body<boolean> =>
  function* (transaction) {
    const key = `owner ${owner.document}` as const;
    yield { lock: key };
    const row = transaction.get(key);
    const lease = transaction.get(`node ${to}`);
    if (!owns(row, owner) || !lease || lease.leaseUntilMs <= transaction.clockMs) return false;
    transaction.put(key, { ...row, epoch: row.epoch + 1, node: to });
    return true;
  };

/** Appends rows after `after`; false for zero rows. */
export const append = (owner: Owner, after: number, rows: readonly LogRow[], variant: Variant | null): Body<boolean> =>
  function* (transaction) {
    const key = `owner ${owner.document}` as const;
    yield { lock: key };
    const row = transaction.get(key);
    const last = rows.at(-1);
    if (!row || !last || row.head !== after) return false;
    const isFenced = variant !== "no-epoch-check" && !owns(row, owner);
    if (isFenced) return false;
    transaction.put(key, { ...row, head: last.seq });
    for (const one of rows) transaction.put(`log ${owner.document} ${one.seq}`, one);
    return true;
  };

/** The row of `doc_owner` with the entries that `OwnedDocument` compares. */
export const readHead = (document: string, acknowledged: LogPosition): Body<LogHead | null> =>
  atOnce((transaction) => {
    const row = transaction.get(`owner ${document}`);
    if (!row) return null;
    const atHead = entryAt(transaction, document, row, row.head);
    return {
      epoch: row.epoch,
      node: row.node,
      head: row.head,
      checksum: atHead.kind === "found" ? atHead.checksum : null,
      atAcknowledged: entryAt(transaction, document, row, acknowledged.seq),
    };
  });

function entryAt(transaction: Transaction, document: string, owner: OwnerRow, seq: number): LogEntry {
  const row = transaction.get(`log ${document} ${seq}`);
  if (row) return { kind: "found", checksum: row.checksum, contentEpoch: row.contentEpoch };
  for (const ref of owner.bases) {
    const base = transaction.get(`base ${ref}`);
    if (base?.seq === seq && base.publishedAtMs !== null) {
      return { kind: "found", checksum: base.checksum, contentEpoch: base.contentEpoch };
    }
  }
  return { kind: seq <= owner.baseSeq ? "pruned" : "absent" };
}

/** What a taker reads in one REPEATABLE READ transaction. */
export interface Tail {
  readonly view: LogView;
  readonly epoch: number;
  readonly node: string | null;
  readonly atHead: LogPosition;
  readonly base: BaseRow | null;
  readonly baseRef: string | null;
  /** From the oldest that exists without a gap up to the head. */
  readonly rows: readonly LogRow[];
}

export const readTail = (
  database: Database,
  document: string,
  local: { seq: number | null; acknowledged: Acknowledged | null },
): Body<Tail | null> =>
  atOnce((transaction) => {
    const owner = transaction.get(`owner ${document}`);
    if (!owner) return null;
    const rows: LogRow[] = [];
    for (let seq = owner.head; seq > 0; seq--) {
      const row = transaction.get(`log ${document} ${seq}`);
      if (!row) break;
      rows.unshift(row);
    }
    const atHead = entryAt(transaction, document, owner, owner.head);
    return {
      view: {
        head: owner.head,
        identity: database.identity,
        atLocal: entryAt(transaction, document, owner, local.seq ?? 0),
        atAcknowledged: entryAt(transaction, document, owner, local.acknowledged?.seq ?? 0),
      },
      epoch: owner.epoch,
      node: owner.node,
      atHead: atHead.kind === "found" ? { seq: owner.head, checksum: atHead.checksum } : LOG_START,
      base: owner.baseRef === null ? null : (transaction.get(`base ${owner.baseRef}`) ?? null),
      baseRef: owner.baseRef,
      rows,
    };
  });

/** Begins a base: its name is known before its first chunk. */
export const beginBase = (owner: Owner, ref: string, base: Omit<BaseRow, "document" | "publishedAtMs">): Body<true> =>
  function* (transaction) {
    const key = `owner ${owner.document}` as const;
    yield { lock: key };
    const row = transaction.get(key);
    if (!row) return true;
    transaction.put(key, { ...row, bases: [...row.bases, ref] });
    transaction.put(`base ${ref}`, { ...base, document: owner.document, publishedAtMs: null });
    return true;
  };

export const writeChunk = (ref: string, chunk: number): Body<true> =>
  atOnce((transaction) => {
    transaction.put(`chunk ${ref} ${chunk}`, true);
    return true;
  });

/** True if the base can be read back completely. */
export const readBase = (ref: string): Body<boolean> =>
  atOnce((transaction) => {
    return hasChunks(transaction, ref);
  });

export const hasChunks = (rows: Pick<Database, "get">, ref: string): boolean => {
  if (!rows.get(`base ${ref}`)) return false;
  for (let chunk = 0; chunk < CHUNKS; chunk++) if (!rows.get(`chunk ${ref} ${chunk}`)) return false;
  return true;
};

/** Sets `base_seq` and `base_ref`, and with `advanceFrom` the head; false for zero rows. */
export const pointBase = (owner: Owner, base: Base, advanceFrom: number | null): Body<boolean> =>
  function* (transaction) {
    const key = `owner ${owner.document}` as const;
    yield { lock: key };
    const row = transaction.get(key);
    const written = transaction.get(`base ${base.ref}`);
    if (!owns(row, owner) || row.baseSeq > base.seq) return false;
    if (advanceFrom !== null && row.head !== advanceFrom) return false;
    transaction.put(key, {
      ...row,
      head: advanceFrom === null ? row.head : base.seq,
      baseSeq: base.seq,
      baseRef: base.ref,
    });
    if (written) transaction.put(`base ${base.ref}`, { ...written, publishedAtMs: transaction.clockMs });
    return true;
  };

/** Prunes what the retention allows; the statements require owner and `base_ref`. */
export const pruneLog = (owner: Owner, base: Base): Body<true> =>
  function* (transaction) {
    const key = `owner ${owner.document}` as const;
    yield { lock: key };
    const row = transaction.get(key);
    if (!owns(row, owner) || row.baseRef !== base.ref) return true;
    const published: PublishedBase[] = [];
    for (const ref of row.bases) {
      const { seq, publishedAtMs } = transaction.get(`base ${ref}`) ?? { seq: 0, publishedAtMs: null };
      if (publishedAtMs !== null) published.push({ ref, seq, publishedAtMs });
    }
    const { keepFrom, deleteRefs, deleteRowsTo } = decidePruning(published, transaction.clockMs - RETENTION_MS);
    if (!keepFrom) return true;
    deleteRows(transaction, owner.document, deleteRowsTo);
    for (const ref of deleteRefs) deleteBase(transaction, ref);
    // Bases that were never pointed to are older than the one that stays, or still being written.
    const rests = row.bases.filter((ref) => {
      const one = transaction.get(`base ${ref}`);
      return one && one.publishedAtMs === null && one.seq < keepFrom.seq;
    });
    for (const ref of rests) deleteBase(transaction, ref);
    const deleted = new Set([...deleteRefs, ...rests]);
    transaction.put(key, { ...row, bases: row.bases.filter((ref) => !deleted.has(ref)) });
    return true;
  };

/** Broken: deletes rows and bases before the base that replaces them is durable. */
export const pruneAll = (document: string, seq: number): Body<true> =>
  atOnce((transaction) => {
    deleteRows(transaction, document, seq);
    return true;
  });

function deleteRows(transaction: Transaction, document: string, lastSeq: number): void {
  for (let seq = lastSeq; seq > 0 && transaction.get(`log ${document} ${seq}`); seq--) {
    transaction.put(`log ${document} ${seq}`, undefined);
  }
}

function deleteBase(transaction: Transaction, ref: string): void {
  transaction.put(`base ${ref}`, undefined);
  for (let chunk = 0; chunk < CHUNKS; chunk++) transaction.put(`chunk ${ref} ${chunk}`, undefined);
}

const blobKey = (document: string, hash: string) => `blob ${document} ${hash}` as const;

export const storeBlob = (document: string, hash: string): Body<true> =>
  atOnce((transaction) => {
    if (!transaction.get(blobKey(document, hash))) transaction.put(blobKey(document, hash), true);
    return true;
  });

/** Deletes the content of an attachment; false for zero rows. */
export const deleteBlob = (
  owner: Owner,
  { hash, removedSeq }: { readonly hash: string; readonly removedSeq: number },
  variant: Variant | null,
): Body<boolean> =>
  function* (transaction) {
    yield { lock: `owner ${owner.document}` };
    const row = transaction.get(`owner ${owner.document}`);
    const isFenced = !owns(row, owner) || row.head < removedSeq;
    if (variant !== "fenced-owner-deletes" && isFenced) return false;
    transaction.put(blobKey(owner.document, hash), undefined);
    return true;
  };

export const newOwnerRow = (createdAtMs: number): OwnerRow => {
  return { epoch: 0, node: null, head: 0, baseSeq: 0, baseRef: null, createdAtMs, bases: [] };
};

/** Creates the row of a document, before home names it. */
export const createDocument = (document: string): Body<true> =>
  atOnce((transaction) => {
    transaction.put(`owner ${document}`, newOwnerRow(transaction.clockMs));
    return true;
  });

/** Deletes the log of a document that home at its current head does not have; requires the ownership of home. */
export const sweepDocument = (
  home: Owner,
  seen: { head: number; content: Content; isBeingCreated: (document: string) => boolean },
  document: string,
): Body<boolean> =>
  function* (transaction) {
    yield { lock: `owner ${HOME}` };
    const homeRow = transaction.get(`owner ${HOME}`);
    if (!owns(homeRow, home) || homeRow.head !== seen.head) return false;
    yield { lock: `owner ${document}` };
    const row = transaction.get(`owner ${document}`);
    const ageMs = row ? ((transaction.clockMs - row.createdAtMs) / ORPHAN_MS) * ORPHAN_AGE_MS : 0;
    const isInHome = seen.content.documents.has(document);
    if (!row || !isOrphan({ isInHome, isBeingCreated: seen.isBeingCreated(document), ageMs })) return false;
    deleteRows(transaction, document, row.head);
    for (const ref of row.bases) deleteBase(transaction, ref);
    transaction.put(`owner ${document}`, undefined);
    return true;
  };

/** Remembers the identity under which the installation ran for a whole lease. */
export const settleIdentity = (identity: DatabaseIdentity): Body<true> =>
  atOnce((transaction) => {
    transaction.put("installation", { settled: identity });
    return true;
  });
