import { existsSync, linkSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { copyDatabase, removeDatabase, syncToDisk } from "../../doc/file-copy.ts";
import { transferOutbox } from "../../doc/webhooks/carry-outbox.ts";
import type { Log } from "../../lib/observability/log.ts";

/**
 * Gives a document's file, which this process does not have open, a second name in a folder that is made if need be:
 * the file that takes its first name then leaves it alone. Fine when there is no file.
 */
export function preserveFile(file: string, preserveAs: string): void {
  if (!existsSync(file)) return;
  const folder = dirname(preserveAs);
  if (!existsSync(folder)) {
    mkdirSync(folder, { mode: 0o700 });
    syncToDisk(dirname(folder));
  }
  // Somebody who reads the file just now keeps changes from being moved into it.
  if (existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0) copyPreserved(file, preserveAs);
  else {
    try {
      linkSync(file, preserveAs);
    } catch {
      // Not every disk gives files a second name.
      copyPreserved(file, preserveAs);
    }
  }
  syncToDisk(folder);
}

/** Under another name first, so that there is a whole file or none. */
function copyPreserved(file: string, preserveAs: string): void {
  const partialFile = `${preserveAs}.part`;
  try {
    copyDatabase(file, partialFile);
    if (existsSync(`${partialFile}-wal`)) renameSync(`${partialFile}-wal`, `${preserveAs}-wal`);
    renameSync(partialFile, preserveAs);
  } finally {
    removeDatabase(partialFile);
  }
}

/** `carryOutbox`, where what is to be replaced can still be read; else the earlier content tells what it had to tell. */
export function tryToTransferOutbox(from: string, to: string, log: Log): void {
  if (!existsSync(from)) return;
  try {
    transferOutbox(from, to);
  } catch (error) {
    log.warn("webhook.queue_not_carried_over", { file: from, error: String(error) });
  }
}
