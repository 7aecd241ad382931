import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { allows } from "../authorization.ts";
import type { FormulaLimits } from "../doc/document.ts";
import { syncToDisk } from "../doc/file-copy.ts";
import { AppError, forbidden } from "../errors.ts";
import type { Clock } from "../lib/time/clock.ts";
import { randomHex } from "../lib/ids.ts";
import type { Log } from "../lib/observability/log.ts";
import type { Documents } from "./documents.ts";
import { documentFile, documentFileSize, documentFolder } from "./files/document-files.ts";
import { FileWorkerPool } from "./threads/file-worker-pool.ts";
import { preserveFile, tryToTransferOutbox } from "./files/preserve-file.ts";
import type { DocumentRuntime } from "./document-runtime.ts";

export interface StoredDocumentsConfig {
  /** The data folder; each document has its own folder below `docs/`. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Runs verbs on open documents. */
  readonly runtime: DocumentRuntime;
  /** Limits for the formulas of imported documents. */
  readonly formulas?: FormulaLimits | undefined;
  /** Maximum unpacked size of a compressed file, in bytes. */
  readonly maxUnpackedBytes?: number | undefined;
}

/** Default for the unpacked size of uploads. */
const MAX_UNPACKED_BYTES = 1024 ** 3;

/** The documents of a data folder: verbs run in the runtime, jobs on whole files in file workers. */
export function createStoredDocuments(options: StoredDocumentsConfig): Documents {
  const { folder, clock, log, runtime, formulas, maxUnpackedBytes: maxBytes = MAX_UNPACKED_BYTES } = options;
  const temporaryFolder = join(folder, "tmp");
  const fileWorkers = new FileWorkerPool({ log, jobTimeMs: formulas?.jobTimeMs });
  const folderOf = (uuid: string) => documentFolder(folder, uuid);
  const fileOf = (uuid: string) => documentFile(folder, uuid);
  let isClosed = false;
  return {
    call: runtime.call,
    next: runtime.next,
    release: runtime.release,
    async create(uuid) {
      await createDocumentFolder(folderOf(uuid), temporaryFolder, runtime.createFile);
    },
    async importFile(uuid, from) {
      const job = (to: string) => fileWorkers.run({ kind: "import", from, to, formulas });
      return createDocumentFolder(folderOf(uuid), temporaryFolder, job);
    },
    async createFromTables(uuid, file) {
      const job = (to: string) => fileWorkers.run({ kind: "fill", file, to, nowMs: clock.now() });
      return createDocumentFolder(folderOf(uuid), temporaryFolder, job);
    },
    previewTables: (file) =>
      fileWorkers.run({ kind: "preview", file, to: join(temporaryFolder, `preview-${randomHex(8)}`) }),
    stageFile: (from, choices) =>
      fileWorkers.run({ kind: "stage", from, choices, to: join(temporaryFolder, `import-${randomHex(8)}`), maxBytes }),
    async copy(grant, to, { asTemplate }) {
      const from = await runtime.call(grant, "document.file", null);
      const job = (file: string) => fileWorkers.run({ kind: "copy", from, to: file, options: { asTemplate } });
      return createDocumentFolder(folderOf(to), temporaryFolder, job);
    },
    async exportFile(grant, { asTemplate, withoutHistory }) {
      const from = await runtime.call(grant, "document.file", null);
      const to = join(temporaryFolder, `download-${randomHex(8)}`);
      const options = { asTemplate, withoutHistory: asTemplate || withoutHistory, keepWebhooks: true, isPassing: true };
      return { path: to, stored: await fileWorkers.run({ kind: "copy", from, to, options }) };
    },
    async embed(to, contents) {
      await fileWorkers.run({ kind: "embed", to, contents });
    },
    async replace(grant, source, { keepAs }) {
      await runtime.call(grant, "document.mayReplace", null);
      const from = await runtime.call(source, "document.file", null);
      const copy = join(temporaryFolder, `replacement-${randomHex(8)}`);
      const stored = await fileWorkers.run({ kind: "copy", from, to: copy, options: { asTemplate: false } });
      // Clients that are reading a large answer get a retryable error; all later requests see the new content.
      await runtime.whileClosed(grant.uuid, () =>
        replaceFile(copy, fileOf(grant.uuid), (file) => {
          if (keepAs !== undefined) preserveFile(file, keepAs);
        }),
      );
      return stored;
    },
    async restoreContent(grant, earlier, { keepAs }) {
      // Does not use the open document: it may no longer be possible to open it.
      if (!allows(grant.role, "owners")) throw forbidden();
      await runtime.whileClosed(grant.uuid, () =>
        replaceFile(earlier, fileOf(grant.uuid), (file) => {
          if (keepAs !== undefined) preserveFile(file, keepAs);
          tryToTransferOutbox(file, earlier, log);
        }),
      );
    },
    async flush(grant) {
      await runtime.call(grant, "document.flush", null);
    },
    async reload(grant) {
      if (!allows(grant.role, "owners")) throw forbidden();
      await runtime.whileClosed(grant.uuid, () => undefined);
    },
    sizeBytes: (uuid) => documentFileSize(fileOf(uuid)),
    measure: runtime.measure,
    hasUncleanShutdown: (uuid) => existsSync(`${fileOf(uuid)}-wal`),
    remove: (uuid) => runtime.whileClosed(uuid, () => rmSync(folderOf(uuid), { recursive: true, force: true })),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await fileWorkers.close();
      await runtime.close();
    },
  };
}

/**
 * Creates a document's folder with the file that `write` produces. The folder is built among the temporary files and
 * renamed, so that it is complete or missing.
 * @throws AppError `conflict` when it already exists
 */
async function createDocumentFolder<T>(
  folder: string,
  temporaryFolder: string,
  write: (file: string) => Promise<T>,
): Promise<T> {
  if (existsSync(folder)) throw new AppError("conflict", "A document with this id already exists");
  const temporary = join(temporaryFolder, `document-${randomHex(8)}`);
  try {
    mkdirSync(temporary, { recursive: true });
    const result = await write(join(temporary, "document.grist"));
    mkdirSync(dirname(folder), { recursive: true });
    if (existsSync(folder)) throw new AppError("conflict", "A document with this id already exists");
    // A rename survives a power failure only when the folder itself was synced to disk.
    syncToDisk(temporary);
    renameSync(temporary, folder);
    syncToDisk(dirname(folder));
    return result;
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
}

/** Atomically replaces a closed file with a finished one. */
function replaceFile(finished: string, file: string, before: (file: string) => void): void {
  try {
    before(file);
    for (const suffix of ["-wal", "-shm", "-journal"]) rmSync(file + suffix, { force: true });
    renameSync(finished, file);
    syncToDisk(dirname(file));
  } catch (error) {
    rmSync(finished, { force: true });
    throw error;
  }
}
