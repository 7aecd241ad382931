import { existsSync, linkSync, mkdirSync, renameSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { copyDatabase, removeDatabase } from "../../doc/file-copy.ts";
import { carryJobs } from "../../doc/jobs/carry-jobs.ts";
import { transferOutbox } from "../../doc/webhooks/carry-outbox.ts";
import type { Log } from "../../lib/observability/log.ts";
import { incrementCounter } from "../../lib/observability/measurements.ts";
import { syncToDisk } from "../../lib/sync-to-disk.ts";

/**
 * Hard-links a document's file, which this process does not have open, to a second path, creating the folder if
 * necessary, so that replacing the original leaves it intact. Does nothing when the file does not exist.
 */
export function preserveFile(file: string, preserveAs: string): void {
  if (!existsSync(file)) return;
  const folder = makeFolderOf(preserveAs);
  // A concurrent reader prevents the log from being checkpointed into the file.
  if (existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0) copyPreserved(file, preserveAs);
  else {
    try {
      linkSync(file, preserveAs);
    } catch {
      // Not every file system supports hard links.
      copyPreserved(file, preserveAs);
    }
  }
  syncToDisk(folder);
}

/** Copies a document's file, which this process does not have open, to a second path, creating the folder if necessary. */
export function keepFile(file: string, keepAs: string): void {
  const folder = makeFolderOf(keepAs);
  copyPreserved(file, keepAs);
  syncToDisk(folder);
}

function makeFolderOf(path: string): string {
  const folder = dirname(path);
  if (!existsSync(folder)) {
    mkdirSync(folder, { mode: 0o700 });
    syncToDisk(dirname(folder));
  }
  return folder;
}

/** Copies to a temporary name first, so that the result is complete or missing. */
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

/** As `transferOutbox`, if the replaced file is readable; otherwise the earlier version's own events are delivered. */
export function tryToTransferOutbox(from: string, to: string, log: Log): void {
  if (!existsSync(from)) return;
  try {
    transferOutbox(from, to);
  } catch (error) {
    log.warn("webhook.queue_not_carried_over", { file: from, error: String(error) });
  }
}

/** As `carryJobs`, if the replaced file is readable; otherwise the document has no jobs afterwards. */
export function tryToCarryJobs(from: string, to: string, { nowMs, log }: { nowMs: number; log: Log }): void {
  if (!existsSync(from)) return;
  try {
    for (const { id, owner } of carryJobs(from, to, nowMs)) {
      incrementCounter("jobsEnded");
      log.warn("job.refused", { document: basename(dirname(from)), job: id, user: owner, code: "document.replaced" });
    }
  } catch (error) {
    log.warn("job.not_carried_over", { file: from, error: String(error) });
  }
}
