import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { allows, type DocumentGrant } from "../access.ts";
import { createDocumentFile } from "../doc/create.ts";
import { FORMULA_LIMITS, type FormulaLimits, type OpenDocument } from "../doc/document.ts";
import { checkMayCopyEverything } from "../doc/read/seen.ts";
import { HISTORY_LIMITS, type HistoryLimits } from "../doc/history.ts";
import { AppError, forbidden } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { randomHex } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import type { Documents } from "./documents.ts";
import { fileBytes } from "./file-bytes.ts";
import { FileThreads } from "./file-threads.ts";
import { keepAside, tryToCarryOutbox } from "./kept-file.ts";
import { OpenDocuments } from "./open-documents.ts";
import type { Verb } from "./verb.ts";
import { type VerbArgs, type VerbName, type VerbResult, verbs } from "./verbs.ts";

export interface InProcessOptions {
  /** The data folder. */
  folder: string;
  clock: Clock;
  log: Log;
  durability?: "full" | "normal";
  /** How many documents are kept open. */
  maxOpen?: number;
  /** After how long unused a document is closed. */
  idleMs?: number;
  /** How much history each document keeps. */
  history?: HistoryLimits;
  /** What the formulas of each document may use up. */
  formulas?: FormulaLimits;
  /** How many events may wait for each webhook. */
  queueEvents?: number;
  /** Called after a change that left something to be sent to webhooks. */
  onEvents?: (uuid: string) => void;
  /** Called when formulas that read the clock were computed and gave something else. */
  onRecalculated?: (uuid: string) => void;
}

const SWEEP_EVERY_MS = 2000;

/**
 * Documents in this thread. Verbs are synchronous and run when they are called, so calls for a document run in the
 * order they arrive, and none between the parts of another.
 */
export function inProcessDocuments(options: InProcessOptions): Documents {
  const { folder, clock, log, durability = "full", maxOpen = 100, idleMs = 60_000 } = options;
  const { history = HISTORY_LIMITS, formulas = FORMULA_LIMITS } = options;
  const { queueEvents, onEvents, onRecalculated } = options;
  const more = {
    ...(queueEvents !== undefined && { queueEvents }),
    ...(onEvents && { onEvents }),
    ...(onRecalculated && { onRecalculated }),
  };
  const open = new OpenDocuments({ folder, clock, log, durability, maxOpen, idleMs, history, formulas, ...more });
  const temporary = join(folder, "tmp");
  const threads = new FileThreads();
  const timer = setInterval(() => open.closeIdle(), SWEEP_EVERY_MS);
  timer.unref();
  let isClosed = false;

  /** Runs what concerns one document; what fails for reasons unknown costs the open document, not the file. */
  const withDocument = <T>(uuid: string, work: (document: OpenDocument) => T): T => {
    if (isClosed) throw new AppError("unavailable", "The server is shutting down", { retryAfterS: 5 });
    const document = open.get(uuid);
    try {
      return work(document);
    } catch (error) {
      if (!isRefusal(error)) {
        log.warn("document-reopened", { uuid, error: String(error) });
        open.close(uuid);
      }
      throw error;
    }
  };

  /** @throws AppError `forbidden` unless the caller may have all of the document */
  const copyableFile = (grant: DocumentGrant): string =>
    withDocument(grant.uuid, (document) => {
      checkAccess(document, grant, { needs: "viewers", underRules: "copies" });
      return document.path;
    });

  return {
    // Asynchronous functions, so that refusals are rejections even though everything happens at once.
    async call<V extends VerbName>(grant: DocumentGrant, name: V, args: VerbArgs<V>): Promise<VerbResult<V>> {
      const verb = verbs[name] as Verb<VerbArgs<V>, VerbResult<V>>;
      return withDocument(grant.uuid, (document) => {
        checkAccess(document, grant, verb);
        return verb.run(document, grant, args);
      });
    },
    async next(uuid, cursor) {
      // Between two portions of a large answer others have their turn.
      await new Promise(setImmediate);
      const document = open.find(uuid);
      if (!document) throw new AppError("unavailable", "The document was closed meanwhile", { retryAfterS: 1 });
      return document.cursors.next(cursor);
    },
    async release(uuid, cursor) {
      open.find(uuid)?.cursors.close(cursor);
    },
    async create(uuid) {
      await makeFolder(open.folderOf(uuid), temporary, (file) => createDocumentFile(file, { now: clock.now() }));
    },
    async importFile(uuid, from) {
      const job = (to: string) => threads.run({ kind: "import", from, to, nowMs: clock.now() });
      return makeFolder(open.folderOf(uuid), temporary, job);
    },
    stageFile: (from) => threads.run({ kind: "stage", from, to: join(temporary, `import-${randomHex(8)}`) }),
    async copy(grant, to, { asTemplate }) {
      const from = copyableFile(grant);
      const job = (file: string) => threads.run({ kind: "copy", from, to: file, options: { asTemplate } });
      return makeFolder(open.folderOf(to), temporary, job);
    },
    async exportFile(grant, { asTemplate, withoutHistory }) {
      const from = copyableFile(grant);
      const to = join(temporary, `download-${randomHex(8)}`);
      const options = { asTemplate, withoutHistory: asTemplate || withoutHistory, keepWebhooks: true, isPassing: true };
      return { path: to, stored: await threads.run({ kind: "copy", from, to, options }) };
    },
    async embed(to, contents) {
      await threads.run({ kind: "embed", to, contents });
    },
    async replace(grant, source, { keepAs }) {
      withDocument(grant.uuid, (document) => checkAccess(document, grant, { needs: "owners" }));
      const from = copyableFile(source);
      const copy = join(temporary, `replacement-${randomHex(8)}`);
      const stored = await threads.run({ kind: "copy", from, to: copy, options: { asTemplate: false } });
      putInPlace(copy, () => {
        // Who is still reading a large answer is told to try again; everybody after this finds the new content.
        open.close(grant.uuid);
        const file = open.fileOf(grant.uuid);
        if (keepAs !== undefined) keepAside(file, keepAs);
        return file;
      });
      return stored;
    },
    sizeBytes: (uuid) => fileBytes(open.fileOf(uuid)),
    async putBack(grant, earlier, { keepAs }) {
      // Not by way of the open document: it may be one that can no longer be opened.
      if (!allows(grant.role, "owners")) throw forbidden();
      putInPlace(earlier, () => {
        open.close(grant.uuid);
        const file = open.fileOf(grant.uuid);
        if (keepAs !== undefined) keepAside(file, keepAs);
        tryToCarryOutbox(file, earlier, log);
        return file;
      });
    },
    async flush(grant) {
      withDocument(grant.uuid, (document) => {
        checkAccess(document, grant, { needs: "editors", underRules: "untouched" });
        document.db.exec("pragma wal_checkpoint(passive)");
      });
    },
    async reload(grant) {
      if (!allows(grant.role, "owners")) throw forbidden();
      open.close(grant.uuid);
    },
    wasCutOff: (uuid) => existsSync(`${open.fileOf(uuid)}-wal`),
    async remove(uuid) {
      open.close(uuid);
      rmSync(open.folderOf(uuid), { recursive: true, force: true });
    },
    // In this thread, measurements are where they belong.
    measure: async () => ({ open: open.size }),
    async close() {
      if (isClosed) return;
      isClosed = true;
      clearInterval(timer);
      await threads.finish();
      open[Symbol.dispose]();
    },
  };
}

/**
 * Whether the caller may ask for this at all.
 * @throws AppError `forbidden`
 */
function checkAccess(
  document: OpenDocument,
  grant: DocumentGrant,
  { needs, underRules }: Pick<Verb<never, unknown>, "needs" | "underRules">,
): void {
  if (!allows(grant.role, needs)) throw forbidden();
  if (underRules === "copies") checkMayCopyEverything(document, grant);
  else if (underRules === undefined && grant.role !== "owners" && document.hasRules) {
    throw forbidden("The document has access rules that only its owners pass here");
  }
}

/** True for an answer to the caller; anything else leaves the document in a state that nobody can vouch for. */
const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.code !== "storage" && error.code !== "damaged";

/**
 * Makes a document's folder with its file by `write`: among temporary files first, so that there is a whole one or
 * none.
 * @throws AppError `conflict` when there is one.
 */
async function makeFolder<T>(
  folder: string,
  temporaryFolder: string,
  write: (file: string) => T | Promise<T>,
): Promise<T> {
  if (existsSync(folder)) throw new AppError("conflict", "There is a document of this id already");
  const temporary = join(temporaryFolder, `document-${randomHex(8)}`);
  try {
    mkdirSync(temporary, { recursive: true });
    const result = await write(join(temporary, "document.grist"));
    mkdirSync(dirname(folder), { recursive: true });
    if (existsSync(folder)) throw new AppError("conflict", "There is a document of this id already");
    syncFolder(temporary);
    renameSync(temporary, folder);
    syncFolder(dirname(folder));
    return result;
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
}

/** Gives a finished file the name of another that is closed by then: whole before and after. */
function putInPlace(finished: string, closed: () => string): void {
  try {
    const file = closed();
    for (const suffix of ["-wal", "-shm", "-journal"]) rmSync(file + suffix, { force: true });
    renameSync(finished, file);
    syncFolder(dirname(file));
  } catch (error) {
    rmSync(finished, { force: true });
    throw error;
  }
}

/** A new name in a folder survives a power cut only when the folder itself was written out. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
