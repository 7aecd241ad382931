import { must } from "../../../lib/assert.ts";
import type { DatabaseIdentity } from "../../protocol/log-types.ts";
import { statement, type RunOptions, type Session } from "../connection.ts";

/** The database, and the installation that it belongs to. */
export interface InstalledDatabase extends DatabaseIdentity {
  readonly installationId: string;
}

// The timeline in the control file is that of the last checkpoint, which may be from before the promotion.
const IDENTITY = statement<InstalledDatabase>(
  "identity",
  `select (select system_identifier::text from pg_control_system()) as "systemIdentifier",
    ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int as timeline,
    id as "installationId",
    history_id as "historyId"
  from quern.installation`,
);

const READ_SETTLED = statement<{ settled: string | null }>(
  "read_settled",
  "select settled_identity as settled from quern.installation",
);

const SETTLE = statement("settle", "update quern.installation set settled_identity = $1");

const RENEW_HISTORY = statement("renew_history", "update quern.installation set history_id = $1");

/** Reads the identity of the database. */
export async function readIdentity(session: Session, options: RunOptions = {}): Promise<InstalledDatabase> {
  return must((await session.run(IDENTITY, [], options)).rows[0], "installation");
}

/** Returns the identity under which the installation last ran for a whole lease; null at first. */
export async function readSettledIdentity(session: Session): Promise<DatabaseIdentity | null> {
  const settled = (await session.run(READ_SETTLED)).rows[0]?.settled ?? null;
  return settled === null ? null : (JSON.parse(settled) as DatabaseIdentity);
}

/** Notes that the installation has run under an identity for a whole lease. */
export async function settleIdentity(session: Session, identity: DatabaseIdentity): Promise<void> {
  const { systemIdentifier, timeline, historyId } = identity;
  await session.run(SETTLE, [JSON.stringify({ systemIdentifier, timeline, historyId })]);
}

/** Gives the log a new history, after an operator has decided between a local copy and the log. Idempotent. */
export async function renewHistory(session: Session, historyId: string): Promise<void> {
  await session.run(RENEW_HISTORY, [historyId]);
}
