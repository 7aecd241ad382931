import { must } from "../../../lib/assert.ts";
import { statement, type Session } from "../connection.ts";

/** Sizes and ages of the whole log. */
export interface LogStatistics {
  readonly documents: number;
  /** Permanently deleted documents whose log is kept until the retention has passed. */
  readonly deletedDocuments: number;
  readonly rows: number;
  readonly logBytes: number;
  readonly baseBytes: number;
  readonly attachmentBytes: number;
  /** Of the schema on disk, with indexes and space that PostgreSQL will use again. */
  readonly diskBytes: number;
  readonly oldestRowAtMs: number | null;
  readonly newestRowAtMs: number | null;
  /** The oldest moment that can be restored: that of the oldest base of home. Null before the first one. */
  readonly restorableFromMs: number | null;
  readonly serverVersion: string;
}

/** The log of one document. */
export interface DocumentStatistics {
  readonly doc: string;
  readonly node: string | null;
  readonly isAlive: boolean;
  readonly epoch: number;
  readonly head: number;
  readonly baseSeq: number | null;
  readonly rows: number;
  readonly logBytes: number;
  /** Of the rows after the current base: what opening the document elsewhere reads besides the base. */
  readonly tailBytes: number;
  readonly bases: number;
  readonly baseBytes: number;
  readonly attachmentBytes: number;
  readonly lastAppendAtMs: number | null;
  readonly isDeleted: boolean;
}

/** A standby server of PostgreSQL. */
export interface Standby {
  readonly name: string;
  /** Null where the role may not see it (it needs `pg_monitor`). */
  readonly state: string | null;
  /** `sync`, `quorum`, `potential` or `async`. */
  readonly syncState: string | null;
  readonly lagBytes: number | null;
  readonly lagMs: number | null;
}

export interface Standbys {
  /** PostgreSQL's setting `synchronous_standby_names`; empty when no commit waits for a standby. */
  readonly synchronousNames: string;
  /** True when every acknowledged write is on a standby, too; null where the role may not see it. */
  readonly isSynchronous: boolean | null;
  readonly standbys: readonly Standby[];
}

const TOTALS = statement<LogStatistics>(
  "totals",
  `select
    (select count(*) from quern.doc_owner where deleted_at is null) as documents,
    (select count(*) from quern.doc_owner where deleted_at is not null and head >= 0) as "deletedDocuments",
    log.rows, log.bytes as "logBytes",
    (select coalesce(sum(stored), 0)::bigint from quern.doc_base) as "baseBytes",
    (select coalesce(sum(size), 0)::bigint from quern.doc_blob) as "attachmentBytes",
    (select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint from pg_class c
      where c.relnamespace = 'quern'::regnamespace and c.relkind = 'r') as "diskBytes",
    (extract(epoch from log.oldest) * 1000)::float8 as "oldestRowAtMs",
    (extract(epoch from log.newest) * 1000)::float8 as "newestRowAtMs",
    (select (extract(epoch from min(committed_at)) * 1000)::float8 from quern.doc_base where doc = 'home')
      as "restorableFromMs",
    current_setting('server_version') as "serverVersion"
  from (
    select count(*) as rows, coalesce(sum(octet_length(frames)), 0)::bigint as bytes,
      min(appended_at) as oldest, max(appended_at) as newest
    from quern.doc_log) as log`,
);

const DOCUMENTS = statement<DocumentStatistics>(
  "document_statistics",
  `select o.doc, o.node, coalesce(n.lease_until > clock_timestamp(), false) as "isAlive", o.epoch, o.head,
    o.base_seq as "baseSeq", coalesce(l.rows, 0) as rows, coalesce(l.bytes, 0) as "logBytes",
    coalesce(l.tail, 0) as "tailBytes", coalesce(b.bases, 0) as bases, coalesce(b.bytes, 0) as "baseBytes",
    coalesce(a.bytes, 0) as "attachmentBytes",
    (extract(epoch from l.newest) * 1000)::float8 as "lastAppendAtMs",
    o.deleted_at is not null as "isDeleted"
  from quern.doc_owner o
  left join quern.node n on n.id = o.node
  left join (
    select l.doc, count(*) as rows, sum(octet_length(l.frames))::bigint as bytes, max(l.appended_at) as newest,
      sum(octet_length(l.frames)) filter (where l.seq > coalesce(p.base_seq, 0))::bigint as tail
    from quern.doc_log l join quern.doc_owner p on p.doc = l.doc group by l.doc) l on l.doc = o.doc
  left join (
    select doc, count(*) as bases, sum(stored)::bigint as bytes from quern.doc_base group by doc) b on b.doc = o.doc
  left join (select doc, sum(size)::bigint as bytes from quern.doc_blob group by doc) a on a.doc = o.doc
  order by coalesce(l.bytes, 0) + coalesce(b.bytes, 0) + coalesce(a.bytes, 0) desc, o.doc limit $1::int`,
);

/** The documents of an installation, without the home database. */
export interface DocumentCounts {
  readonly total: number;
  /** Documents that no living node has open. */
  readonly withoutOwner: number;
}

const COUNTS = statement<DocumentCounts>(
  "document_counts",
  `select count(*) as total,
    count(*) filter (where not coalesce(n.lease_until > clock_timestamp(), false)) as "withoutOwner"
  from quern.doc_owner o left join quern.node n on n.id = o.node
  where o.doc <> 'home' and o.deleted_at is null`,
);

const STANDBYS = statement<Standby>(
  "standbys",
  `select coalesce(application_name, '') as name, state, sync_state as "syncState",
    pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint as "lagBytes",
    (extract(epoch from replay_lag) * 1000)::float8 as "lagMs"
  from pg_stat_replication order by application_name`,
);

const SYNCHRONOUS_NAMES = statement<{ names: string }>(
  "synchronous_names",
  "select current_setting('synchronous_standby_names') as names",
);

export const readStatistics = async (session: Session): Promise<LogStatistics> =>
  must((await session.run(TOTALS)).rows[0], "statistics");

export const countDocuments = async (session: Session): Promise<DocumentCounts> =>
  must((await session.run(COUNTS)).rows[0], "counts");

/** Returns the documents with the most bytes, the largest first. */
export const readDocumentStatistics = async (session: Session, limit: number): Promise<readonly DocumentStatistics[]> =>
  (await session.run(DOCUMENTS, [limit])).rows;

/** Returns the standby servers of PostgreSQL as far as the role may see them. */
export async function readStandbys(session: Session): Promise<Standbys> {
  const { rows: standbys } = await session.run(STANDBYS);
  const synchronousNames = (await session.run(SYNCHRONOUS_NAMES)).rows[0]?.names ?? "";
  const isHidden = standbys.some(({ syncState }) => syncState === null);
  const isSynchronous = standbys.some(({ syncState }) => syncState === "sync" || syncState === "quorum");
  if (synchronousNames === "") return { synchronousNames, isSynchronous: false, standbys };
  return { synchronousNames, isSynchronous: isHidden ? null : isSynchronous, standbys };
}
