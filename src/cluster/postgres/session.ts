import { AppError } from "../../errors.ts";
import { unpreparedStatement, type Connection, type RunOptions } from "./connection.ts";
import { LOG_REFUSALS, MIN_POSTGRES_VERSION } from "./refusals.ts";

/**
 * Settings of every session. Roles and databases can have other defaults; timeouts in particular would end a wait for a
 * synchronous standby, after which PostgreSQL commits all the same. Settings that a version does not have are left out.
 */
const SESSION_SETTINGS = {
  synchronous_commit: "on",
  statement_timeout: "0",
  lock_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  idle_session_timeout: "0",
  transaction_timeout: "0",
  default_transaction_isolation: "read committed",
  search_path: "pg_catalog",
  bytea_output: "hex",
  timezone: "UTC",
};

/** What the checks of a session look at. */
export interface SessionState {
  readonly versionNumber: number;
  readonly version: string;
  readonly isStandby: boolean;
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly synchronousCommit: string;
  readonly statementTimeout: string;
  readonly readOnly: string;
}

const SET = unpreparedStatement(`select set_config(name, value, false)
  from unnest($1::text[], $2::text[]) as setting(name, value)
  where current_setting(name, true) is not null`);

const READ = unpreparedStatement<SessionState>(`select current_setting('server_version_num')::int as "versionNumber",
    current_setting('server_version') as version,
    pg_is_in_recovery() as "isStandby",
    current_setting('fsync') as fsync,
    current_setting('full_page_writes') as "fullPageWrites",
    current_setting('synchronous_commit') as "synchronousCommit",
    current_setting('statement_timeout') as "statementTimeout",
    current_setting('default_transaction_read_only') as "readOnly"`);

const PROCESS_ID = unpreparedStatement<{ id: number }>("select pg_backend_pid() as id");

/**
 * Sets what the log needs and checks what it cannot set.
 * @throws AppError `log.unsupported` with one sentence
 */
export async function prepareSession(connection: Connection, options: RunOptions): Promise<void> {
  const settings = [Object.keys(SESSION_SETTINGS), Object.values(SESSION_SETTINGS)] as const;
  await connection.run(SET, settings, options);
  const { rows } = await connection.run(READ, [], options);
  const problem = rows[0] ? findProblem(rows[0]) : "PostgreSQL did not answer.";
  if (problem !== null) throw new AppError("log.unsupported", problem);
}

/** Returns the sentence that says why a session cannot hold the log; null if it can. */
export function findProblem(state: SessionState): string | null {
  if (state.versionNumber < MIN_POSTGRES_VERSION * 10_000) return LOG_REFUSALS.version(state.version);
  if (state.isStandby) return LOG_REFUSALS.standby();
  if (state.readOnly === "on") return LOG_REFUSALS.readOnly();
  const { fsync, fullPageWrites, synchronousCommit, statementTimeout } = state;
  const needed = { fsync, full_page_writes: fullPageWrites, synchronous_commit: synchronousCommit };
  for (const [name, value] of Object.entries(needed)) if (value !== "on") return LOG_REFUSALS.setting(name, value);
  return statementTimeout === "0" ? null : LOG_REFUSALS.timeout("statement_timeout", statementTimeout);
}

/** How often the pooler test asks: poolers do not always give the connection that was used last. */
const POOLER_TRIES = 3;

/**
 * Checks that a connection has one server process for itself. A pooler announces a process of its own; one in
 * transaction mode lets other connections use the server process between two statements, which loses LISTEN, session
 * settings and the order of appends.
 * @param open opens another connection with the same URL
 * @throws AppError `log.unsupported`
 */
export async function checkNoPooler(
  connection: Connection,
  open: () => Promise<Connection>,
  options: RunOptions = {},
): Promise<void> {
  const processOf = async (session: Pick<Connection, "run">) => (await session.run(PROCESS_ID)).rows[0]?.id;
  const own = await processOf(connection);
  if (own === connection.announcedProcessId) return;
  for (let i = 0; i < POOLER_TRIES; i++) {
    await using other = await open();
    const isShared = await other.transaction(
      "read committed",
      async (session) => (await processOf(session)) === own || (await processOf(connection)) !== own,
      options,
    );
    if (isShared) throw new AppError("log.unsupported", LOG_REFUSALS.pooler());
  }
}
