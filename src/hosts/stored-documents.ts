import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { allows } from "../authorization.ts";
import type { ChangeCount } from "../doc/change-counter.ts";
import type { FormulaLimits } from "../doc/document.ts";
import { prepareForLog } from "../doc/prepare-for-log.ts";
import { syncToDisk } from "../lib/sync-to-disk.ts";
import { AppError, forbidden } from "../errors.ts";
import type { Clock } from "../lib/time/clock.ts";
import { temporaryName } from "../lib/temporary-names.ts";
import type { Log } from "../lib/observability/log.ts";
import type { TemporarySpace } from "../lib/temporary-space.ts";
import type { Documents } from "./documents.ts";
import {
  documentFile,
  documentFileSize,
  documentFolder,
  logFileSize,
  removeUnfinished,
} from "./files/document-files.ts";
import { PastStates, type PastStatesOptions } from "./past/past-states.ts";
import { FileWorkerPool } from "./threads/file-worker-pool.ts";
import { checkState, newestStateOf } from "../doc/history/newest-state.ts";
import { keepFile, preserveFile, tryToCarryJobs, tryToTransferOutbox } from "./files/preserve-file.ts";
import type { DocumentRuntime } from "./document-runtime.ts";

/** In log mode: what happens when a document gets a file other than by commits of its open connection. */
export interface FileReplacements {
  /** Returns the number of the new content: after all commits of the document. Called while nothing has it open. */
  nextSeq(uuid: string): number;
  /** Called when the document has the new file; the answer waits. If it is rejected for a new document, that is removed. */
  onFileReplaced(uuid: string, count: ChangeCount): Promise<void>;
}

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
  /** Limits the size of temporary files. */
  readonly temporary?: TemporarySpace | undefined;
  /** Options of the readers of past states; see `PastStatesOptions`. */
  readonly past: Pick<PastStatesOptions, "runtimeOptions" | "hangMs" | "snapshots" | "keepMs">;
  /** Present in log mode. */
  readonly replacements?: FileReplacements | undefined;
}

/** Default for the unpacked size of uploads. */
const MAX_UNPACKED_BYTES = 1024 ** 3;

/** The documents of a data folder: verbs run in the runtime, jobs on whole files in file workers. */
export function createStoredDocuments(options: StoredDocumentsConfig): Documents {
  const { folder, clock, log, runtime, formulas, maxUnpackedBytes: maxBytes = MAX_UNPACKED_BYTES } = options;
  const { replacements } = options;
  const temporaryFolder = join(folder, "tmp");
  const fileWorkers = new FileWorkerPool({ log, jobTimeMs: formulas?.jobTimeMs, temporary: options.temporary });
  const past = new PastStates({ ...options.past, runtime, log, fileWorkers, temporary: options.temporary });
  const folderOf = (uuid: string) => documentFolder(folder, uuid);
  const fileOf = (uuid: string) => documentFile(folder, uuid);
  let isClosed = false;
  /** Prepares a finished file that a document is about to get; returns its count in log mode. */
  const prepare = (uuid: string, file: string): ChangeCount | undefined =>
    replacements && prepareForLog(file, { seq: replacements.nextSeq(uuid) });
  const create = async <T>(uuid: string, write: (file: string) => Promise<T>): Promise<T> => {
    let count: ChangeCount | undefined;
    const writeFile = async (file: string): Promise<T> => {
      const written = await write(file);
      count = prepare(uuid, file);
      return written;
    };
    const ended = () => fileWorkers.ended();
    const result = await createDocumentFolder({ folder: folderOf(uuid), temporaryFolder, ended }, writeFile);
    if (!replacements || !count) return result;
    try {
      await replacements.onFileReplaced(uuid, count);
      return result;
    } catch (error) {
      await remove(uuid);
      throw error;
    }
  };
  const replaceContent = async (uuid: string, finished: string, before: (file: string) => void): Promise<void> => {
    // Clients that are reading a large answer get a retryable error; all later requests see the new content.
    const count = await runtime.whileClosed(uuid, () =>
      replaceFile(finished, fileOf(uuid), (file) => {
        before(file);
        tryToCarryJobs(file, finished, { nowMs: clock.now(), log });
        return prepare(uuid, finished);
      }),
    );
    past.forget(uuid);
    if (count) await replacements?.onFileReplaced(uuid, count);
  };
  const remove = async (uuid: string): Promise<void> => {
    await runtime.whileClosed(uuid, () => rmSync(folderOf(uuid), { recursive: true, force: true }));
    past.forget(uuid);
  };
  return {
    call: runtime.call,
    callAt: (grant, at, call) => past.call(grant, at, call),
    withFileAt: (grant, at, use) => past.withFile(grant, at, use),
    next: (uuid, cursor) => past.readersOf(cursor)?.next(cursor) ?? runtime.next(uuid, cursor),
    release: (uuid, cursor) => past.readersOf(cursor)?.release(cursor) ?? runtime.release(uuid, cursor),
    released: runtime.released,
    async create(uuid) {
      await create(uuid, runtime.createFile);
    },
    async createFromTemplate(uuid, name) {
      await create(uuid, (to) => fileWorkers.run({ kind: "template", name, to, nowMs: clock.now() }));
    },
    async importFile(uuid, from, control) {
      return create(uuid, (to) => fileWorkers.run({ kind: "import", from, to, formulas }, control));
    },
    async createFromTables(uuid, file, control) {
      return create(uuid, (to) => fileWorkers.run({ kind: "fill", file, to, nowMs: clock.now() }, control));
    },
    previewTables: (file, control) =>
      fileWorkers.run({ kind: "preview", file, to: join(temporaryFolder, temporaryName("preview")) }, control),
    async previewImport(grant, args, control) {
      // Checks the access, and opens the document: an older version is then upgraded.
      const checkAccess = () => runtime.call(grant, "tables.import", { ...args, dryRun: true });
      await checkAccess();
      const to = join(temporaryFolder, temporaryName("dry-run"));
      const job = { kind: "previewImport", from: fileOf(grant.uuid), to, grant, args, formulas } as const;
      const report = await fileWorkers.run(job, control);
      // Its answer waits until the content that the copy has may be shown.
      await checkAccess();
      return report;
    },
    stageFile: (from, choices, control) =>
      fileWorkers.run(
        { kind: "stage", from, choices, to: join(temporaryFolder, temporaryName("import")), maxBytes },
        control,
      ),
    async copy(grant, to, { asTemplate }) {
      const from = await runtime.call(grant, "document.file", null);
      const job = (file: string) => fileWorkers.run({ kind: "copy", from, to: file, options: { asTemplate } });
      const stored = await create(to, job);
      await runtime.released(grant);
      return stored;
    },
    async exportFile(grant, { asTemplate, withoutHistory }) {
      const from = await runtime.call(grant, "document.file", null);
      const to = join(temporaryFolder, temporaryName("download"));
      const options = { asTemplate, withoutHistory: asTemplate || withoutHistory, keepWebhooks: true, isPassing: true };
      const stored = await fileWorkers.run({ kind: "copy", from, to, options });
      await runtime.released(grant);
      return { path: to, stored };
    },
    async embed(to, contents) {
      await fileWorkers.run({ kind: "embed", to, contents });
    },
    async replace(grant, source, { keepAs }) {
      await runtime.call(grant, "document.mayReplace", null);
      const from = await runtime.call(source, "document.file", null);
      const copy = join(temporaryFolder, temporaryName("replacement"));
      const stored = await fileWorkers.run({ kind: "copy", from, to: copy, options: { asTemplate: false } });
      await replaceContent(grant.uuid, copy, (file) => {
        if (keepAs !== undefined) preserveFile(file, keepAs);
      });
      return stored;
    },
    async keepContent(grant, pathOf) {
      if (!allows(grant.role, "owners")) throw forbidden();
      return runtime.whileClosed(grant.uuid, () => {
        const keepAs = pathOf();
        // Marks the commit that a snapshot of the log is of.
        if (keepAs === undefined) replacements?.nextSeq(grant.uuid);
        else keepFile(fileOf(grant.uuid), keepAs);
        return newestStateOf(fileOf(grant.uuid)) ?? { n: 0, h: "" };
      });
    },
    async restoreContent(grant, earlier, { keepAs, ifState }) {
      // Does not use the open document: it may no longer be possible to open it.
      if (!allows(grant.role, "owners")) throw forbidden();
      await replaceContent(grant.uuid, earlier, (file) => {
        if (ifState !== undefined) checkState(file, ifState);
        if (keepAs !== undefined) preserveFile(file, keepAs);
        tryToTransferOutbox(file, earlier, log);
      });
    },
    async flush(grant) {
      await runtime.call(grant, "document.flush", null);
    },
    async reload(grant) {
      if (!allows(grant.role, "owners")) throw forbidden();
      // The file may have been replaced by hand.
      const count = await runtime.whileClosed(grant.uuid, () => prepare(grant.uuid, fileOf(grant.uuid)));
      if (count) await replacements?.onFileReplaced(grant.uuid, count);
    },
    sizeBytes: (uuid) => documentFileSize(fileOf(uuid)),
    measure: runtime.measure,
    // In log mode the log exists always.
    hasUncleanShutdown: (uuid) => (replacements ? logFileSize(fileOf(uuid)) > 0 : existsSync(`${fileOf(uuid)}-wal`)),
    remove,
    async close() {
      if (isClosed) return;
      isClosed = true;
      await fileWorkers.close();
      await past.close();
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
  { folder, temporaryFolder, ended }: { folder: string; temporaryFolder: string; ended: () => Promise<void> },
  write: (file: string) => Promise<T>,
): Promise<T> {
  if (existsSync(folder)) throw new AppError("conflict", "A document with this id already exists");
  const temporary = join(temporaryFolder, temporaryName("document"));
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
    removeUnfinished(temporary, ended);
    throw error;
  }
}

/** Atomically replaces a closed file with a finished one. */
function replaceFile<T>(finished: string, file: string, before: (file: string) => T): T {
  try {
    const result = before(file);
    for (const suffix of ["-wal", "-shm", "-journal"]) rmSync(file + suffix, { force: true });
    renameSync(finished, file);
    syncToDisk(dirname(file));
    return result;
  } catch (error) {
    rmSync(finished, { force: true });
    throw error;
  }
}
