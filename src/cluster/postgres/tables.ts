import { AppError } from "../../errors.ts";
import { statement, unpreparedStatement, type Connection, type Session } from "./connection.ts";
import { SQL_STATE, StatementError } from "./failures.ts";
import { LOG_REFUSALS } from "./refusals.ts";

/** Version of the tables. A version refuses databases with newer tables, and upgrades older ones. */
export const TABLES_VERSION = 1;

/** Identifies our advisory lock among those of other programs in the database: "quern" in ASCII. */
const LOCK_ID = 0x71_75_65_72_6e;

/**
 * The schema, one statement each. PostgreSQL 13 and later. Contents are compressed already: `storage external` keeps
 * PostgreSQL from trying it again. `doc_owner` has room in its pages for its frequent updates (`fillfactor`), which then
 * do not touch its index.
 */
const CREATE = [
  "create schema quern",
  `create table quern.installation (
    only_row boolean primary key default true check (only_row),
    id text not null,
    history_id text not null,
    tables_version integer not null,
    settled_identity text,
    created_at timestamptz not null default clock_timestamp())`,
  `create table quern.node (
    id text primary key,
    address text,
    lease_until timestamptz not null,
    version text not null,
    boot text not null,
    started_at timestamptz not null default clock_timestamp(),
    pending_commits bigint not null default 0,
    is_draining boolean not null default false,
    lost_at timestamptz) with (fillfactor = 50)`,
  `create table quern.doc_owner (
    doc text primary key,
    node text,
    epoch bigint not null,
    head bigint not null,
    base_seq bigint,
    base_ref text,
    due_at timestamptz,
    created_at timestamptz not null default clock_timestamp(),
    deleted_at timestamptz) with (fillfactor = 50)`,
  `create table quern.doc_log (
    doc text not null,
    seq bigint not null,
    epoch bigint not null,
    content_epoch text not null,
    frames bytea not null,
    checksum bytea not null,
    appended_at timestamptz not null default clock_timestamp(),
    primary key (doc, seq))`,
  "alter table quern.doc_log alter column frames set storage external",
  `create table quern.doc_base (
    doc text not null,
    ref text not null,
    seq bigint not null,
    epoch bigint not null,
    content_epoch text not null,
    size bigint not null,
    chunks integer not null,
    stored bigint not null,
    checksum bytea not null,
    chain bytea not null,
    committed_at timestamptz not null,
    primary key (doc, ref))`,
  `create table quern.doc_base_chunk (
    doc text not null,
    ref text not null,
    chunk integer not null,
    bytes bytea not null,
    written_at timestamptz not null default clock_timestamp(),
    primary key (doc, ref, chunk))`,
  "alter table quern.doc_base_chunk alter column bytes set storage external",
  `create table quern.doc_blob (
    doc text not null,
    hash text not null,
    ref text not null,
    size bigint not null,
    in_bucket boolean not null,
    stored_at timestamptz not null default clock_timestamp(),
    removed_at timestamptz,
    removed_seq bigint,
    primary key (doc, hash))`,
  "create index doc_blob_removed on quern.doc_blob (removed_at) where removed_at is not null",
  `create table quern.doc_blob_chunk (
    doc text not null,
    ref text not null,
    chunk integer not null,
    bytes bytea not null,
    written_at timestamptz not null default clock_timestamp(),
    primary key (doc, ref, chunk))`,
  "alter table quern.doc_blob_chunk alter column bytes set storage external",
  `create table quern.doc_snapshot (
    doc text not null,
    id text not null,
    seq bigint not null,
    at timestamptz not null,
    primary key (doc, id))`,
] as const;

const LOCK = statement("lock_tables", "select pg_advisory_xact_lock($1::bigint)");

const SCHEMA_STATE = statement<{ hasSchema: boolean; hasInstallation: boolean }>(
  "schema_state",
  `select to_regnamespace('quern') is not null as "hasSchema",
    to_regclass('quern.installation') is not null as "hasInstallation"`,
);

const READ_INSTALLATION = statement<InstallationRow>(
  "installation",
  `select id, history_id as "historyId", tables_version as "tablesVersion" from quern.installation`,
);

const INSERT_INSTALLATION = statement(
  "create_installation",
  "insert into quern.installation (id, history_id, tables_version) values ($1, $2, $3)",
);

const CHECK_RIGHTS = statement<{ table: string }>(
  "rights",
  `select name as table from unnest($1::text[]) as t(name)
  where not (has_table_privilege('quern.' || name, 'select') and has_table_privilege('quern.' || name, 'insert')
    and has_table_privilege('quern.' || name, 'update') and has_table_privilege('quern.' || name, 'delete'))`,
);

/** The installation that a log belongs to. */
export interface InstallationRow {
  readonly id: string;
  /** Renewed when an operator decides between a local copy and a log that went back in time. */
  readonly historyId: string;
  readonly tablesVersion: number;
}

export interface OpenedTables extends InstallationRow {
  /** True when this call created the tables. */
  readonly isNew: boolean;
}

const TABLES = [
  "installation",
  "node",
  "doc_owner",
  "doc_log",
  "doc_base",
  "doc_base_chunk",
  "doc_blob",
  "doc_blob_chunk",
  "doc_snapshot",
];

/**
 * Creates the tables if the database has none, otherwise checks them. Concurrent starts wait for each other.
 * @param installation the installation's id, and the history id of a new log
 * @throws AppError `log.other_installation`, `log.newer_version`, `log.rights` or `log.unsupported`; then nothing has
 * changed
 */
export async function openTables(
  connection: Connection,
  installation: { readonly id: string; readonly historyId: string },
): Promise<OpenedTables> {
  return withRightsExplained("create a schema in the database", () =>
    connection.transaction("read committed", async (session) => {
      await session.run(LOCK, [LOCK_ID]);
      const found = await findInstallation(session);
      if (found) {
        if (found.id !== installation.id) {
          throw new AppError("log.other_installation", LOG_REFUSALS.otherInstallation());
        }
        return { ...found, isNew: false };
      }
      for (const text of CREATE) await session.run(unpreparedStatement(text));
      await session.run(INSERT_INSTALLATION, [installation.id, installation.historyId, TABLES_VERSION]);
      return { ...installation, tablesVersion: TABLES_VERSION, isNew: true };
    }),
  );
}

/**
 * Reads the installation of an existing log, changing nothing: for commands.
 * @returns null if the database has no log
 * @throws AppError as `openTables`
 */
export const readInstallation = (session: Session): Promise<InstallationRow | null> =>
  withRightsExplained("read the log", () => findInstallation(session));

async function findInstallation(session: Session): Promise<InstallationRow | null> {
  const state = (await session.run(SCHEMA_STATE)).rows[0];
  if (!state?.hasSchema) return null;
  const row = state.hasInstallation ? (await session.run(READ_INSTALLATION)).rows[0] : undefined;
  if (!row) throw new AppError("log.unsupported", LOG_REFUSALS.foreignSchema());
  if (row.tablesVersion > TABLES_VERSION) {
    throw new AppError("log.newer_version", LOG_REFUSALS.newerTables(row.tablesVersion, TABLES_VERSION));
  }
  return row;
}

/** @throws AppError `log.rights` if the role may not write to the tables of an existing log */
export async function checkRights(session: Session): Promise<void> {
  const { rows } = await session.run(CHECK_RIGHTS, [TABLES]);
  const table = rows[0]?.table;
  if (table !== undefined) throw new AppError("log.rights", LOG_REFUSALS.rights(`write to the table quern.${table}`));
}

async function withRightsExplained<T>(action: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StatementError && error.sqlState === SQL_STATE.insufficientPrivilege) {
      throw new AppError("log.rights", LOG_REFUSALS.rights(action), { cause: error });
    }
    throw error;
  }
}
