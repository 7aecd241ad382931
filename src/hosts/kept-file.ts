import { existsSync, linkSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { copyDatabase, removeDatabase, syncToDisk } from "../doc/file-copy.ts";
import { carryOutbox } from "../doc/webhooks/carry-outbox.ts";
import type { Log } from "../lib/log.ts";

/**
 * Gives a document's file, which this process does not have open, a second name in a folder that is made if need be:
 * the file that takes its first name then leaves it alone. Fine when there is no file.
 */
export function keepAside(file: string, keepAs: string): void {
  if (!existsSync(file)) return;
  const folder = dirname(keepAs);
  if (!existsSync(folder)) {
    mkdirSync(folder, { mode: 0o700 });
    syncToDisk(dirname(folder));
  }
  // Somebody who reads the file just now keeps changes from being moved into it.
  if (existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0) copyAside(file, keepAs);
  else {
    try {
      linkSync(file, keepAs);
    } catch {
      // Not every disk gives files a second name.
      copyAside(file, keepAs);
    }
  }
  syncToDisk(folder);
}

/** Under another name first, so that there is a whole file or none. */
function copyAside(file: string, keepAs: string): void {
  const part = `${keepAs}.part`;
  try {
    copyDatabase(file, part);
    if (existsSync(`${part}-wal`)) renameSync(`${part}-wal`, `${keepAs}-wal`);
    renameSync(part, keepAs);
  } finally {
    removeDatabase(part);
  }
}

/** `carryOutbox`, where what is to be replaced can still be read; else the earlier content tells what it had to tell. */
export function tryToCarryOutbox(from: string, to: string, log: Log): void {
  if (!existsSync(from)) return;
  try {
    carryOutbox(from, to);
  } catch (error) {
    log.warn("webhook-queue-not-carried", { file: from, error: String(error) });
  }
}
