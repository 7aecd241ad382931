import { existsSync } from "node:fs";
import { randomHex } from "../lib/ids.ts";
import { syncToDisk } from "../lib/sync-to-disk.ts";
import { Database } from "../sqlite/database.ts";
import { type ChangeCount, renewCounter } from "./change-counter.ts";

/**
 * Prepares a document's file that nothing has open for log mode: converts it to WAL mode, and gives it a change counter
 * that continues the log.
 * @returns the count of its content
 */
export function prepareForLog(path: string, { seq }: { seq: number }): ChangeCount {
  const count = { epoch: randomHex(8), seq };
  {
    using db = new Database(path, { durability: "off" });
    db.transaction(() => renewCounter(db, count));
    db.exec("pragma journal_mode = wal");
  }
  // The log remains while another process reads the file.
  for (const file of [path, `${path}-wal`]) if (existsSync(file)) syncToDisk(file);
  return count;
}
