/** The id of the installation whose log has the home database: a folder cannot be used with the log of another one. */
import { existsSync } from "node:fs";
import { openUnchanged } from "../sqlite/open-unchanged.ts";
import type { Database } from "../sqlite/database.ts";
import type { HomeDatabase } from "./database.ts";

/** Its row beside the secrets: not a secret, but like them the same on all nodes. */
const NAME = "installation";

export interface InstallationIdStore {
  /** Returns the id; null until the home database is in a log, while its schema has no table for the id, and once it is closed. */
  find(): string | null;
  /** Does nothing while the schema has no table for the id, and once the home database is closed. */
  set(id: string): void;
}

export const createInstallationId = ({ raw }: HomeDatabase): InstallationIdStore => ({
  find: () => (raw.isOpen && hasTable(raw) ? readId(raw) : null),
  set(id) {
    if (!raw.isOpen || !hasTable(raw)) return;
    raw.run(
      "insert into installation_secrets (name, value) values (?, ?) on conflict (name) do update set value = excluded.value",
      NAME,
      Buffer.from(id),
    );
  },
});

/**
 * Returns the id in the file of a home database, without changing anything; null if it has none. A damaged file has none:
 * it is built again from the log.
 */
export function readInstallationIdOf(homeFile: string): string | null {
  if (!existsSync(homeFile)) return null;
  try {
    using db = openUnchanged(homeFile);
    return hasTable(db) ? readId(db) : null;
  } catch {
    return null;
  }
}

const hasTable = (db: Database): boolean =>
  db.get("select 1 from sqlite_master where name = 'installation_secrets'") !== null;

function readId(db: Database): string | null {
  const row = db.get<{ value: Uint8Array }>("select value from installation_secrets where name = ?", NAME);
  return row && Buffer.from(row.value).toString();
}
