import { Database } from "../../sqlite/database.ts";
import { renewCounter } from "../change-counter.ts";
import { hasTable } from "../migrations/stored-tables.ts";
import { OUTBOX_COLUMNS, OUTBOX_SCHEMA } from "./outbox-tables.ts";

/**
 * Replaces the outbox and webhook states in the file `to` by those of `from`: `to` holds an earlier version of the same
 * document, whose events were delivered long ago. Neither file may be open for writing.
 */
export function transferOutbox(from: string, to: string): void {
  using db = new Database(to);
  db.run("attach ? as newer", from);
  db.transaction(() => {
    for (const [table, columns] of Object.entries(OUTBOX_COLUMNS)) {
      if (hasTable(db, table)) db.exec(`drop table main.${table}`);
      const exists = db.get("select 1 from newer.sqlite_master where type = 'table' and name = ?", table) !== null;
      if (!exists) continue;
      db.exec(OUTBOX_SCHEMA);
      db.exec(`insert into main.${table} (${columns}) select ${columns} from newer.${table}`);
    }
    renewCounter(db);
  });
}
