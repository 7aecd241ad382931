import { existsSync } from "node:fs";
import { Database } from "../sqlite/database.ts";
import { openUnchanged } from "../sqlite/open-unchanged.ts";
import { readCommitCount } from "../sqlite/wal/commit-count.ts";
import { OpenDocument, type OpenDocumentOptions } from "./document.ts";
import { upgradeDocumentFile } from "./import-document.ts";
import { type DocumentVersions, isOutdated, LATEST_VERSIONS, readVersions } from "./migrations/migrate.ts";
import { prepareForLog } from "./prepare-for-log.ts";

export interface OpenFileOptions extends OpenDocumentOptions {
  /** Called after the file was upgraded. */
  readonly onUpgraded?: (upgrade: { from: DocumentVersions; to: DocumentVersions }) => void;
}

/** Opening may wait this long for a lock of another process. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens a document's file, upgrading it first if an older version wrote it.
 * @throws AppError `damaged` when it cannot be read or upgraded, `storage` when the disk fails
 */
export function openDocumentFile(path: string, { onUpgraded, ...options }: OpenFileOptions = {}): OpenDocument {
  const isLogged = options.onCommit !== undefined;
  const from = isLogged && !existsSync(`${path}-journal`) ? inspectDocumentFile(path) : readFileVersions(path);
  if (!isOutdated(from)) return new OpenDocument(path, options);
  const former = isLogged ? readCommitCount(path) : null;
  upgradeDocumentFile(path, {
    ...options,
    ...(isLogged && { prepare: (copy: string) => prepareForLog(copy, { seq: (former?.seq ?? 0) + 1 }) }),
  });
  onUpgraded?.({ from, to: LATEST_VERSIONS });
  const document = new OpenDocument(path, options);
  document.commitLog?.reportReplaced();
  return document;
}

/**
 * Returns the versions of a document's file, changing nothing in its folder. For processes that have no document open:
 * closing the file drops their locks on it.
 * @throws AppError `damaged` when it cannot be read
 */
export function inspectDocumentFile(path: string): DocumentVersions {
  using db = openUnchanged(path);
  return readVersions(db);
}

/**
 * Reads the versions before the file enters WAL mode, so that an outdated file is kept as it was. Not read-only: after
 * a power failure SQLite rolls back with the journal.
 */
function readFileVersions(path: string): DocumentVersions {
  using db = new Database(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
  return readVersions(db);
}
