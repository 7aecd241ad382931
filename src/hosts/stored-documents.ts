import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { allows } from "../access.ts";
import type { FormulaLimits } from "../doc/document.ts";
import { syncToDisk } from "../doc/file-copy.ts";
import { AppError, forbidden } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { randomHex } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import type { Documents } from "./documents.ts";
import { documentFile, documentFolder } from "./document-files.ts";
import { fileBytes } from "./file-bytes.ts";
import { FileThreads } from "./file-threads.ts";
import { keepAside, tryToCarryOutbox } from "./kept-file.ts";
import type { Host } from "./host.ts";

export interface StoredDocumentsOptions {
  /** The data folder; each document has one of its own below `docs/`. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Where the documents are open. */
  readonly host: Host;
  /** Limits of the formulas of a document that is imported. */
  readonly formulas?: FormulaLimits | undefined;
  /** What a packed file may unpack to, in bytes. */
  readonly maxUnpackedBytes?: number | undefined;
}

/** What uploads may have by default. */
const MAX_UNPACKED_BYTES = 1024 ** 3;

/** The documents of a data folder: what is asked of them goes to the host, work on whole files to threads of its own. */
export function storeDocuments(options: StoredDocumentsOptions): Documents {
  const { folder, clock, log, host, formulas, maxUnpackedBytes: maxBytes = MAX_UNPACKED_BYTES } = options;
  const temporary = join(folder, "tmp");
  const threads = new FileThreads({ log, jobTimeMs: formulas?.jobTimeMs });
  const folderOf = (uuid: string) => documentFolder(folder, uuid);
  const fileOf = (uuid: string) => documentFile(folder, uuid);
  let isClosed = false;
  return {
    call: host.call,
    next: host.next,
    release: host.release,
    async create(uuid) {
      await makeFolder(folderOf(uuid), temporary, host.makeFile);
    },
    async importFile(uuid, from) {
      const job = (to: string) => threads.run({ kind: "import", from, to, formulas });
      return makeFolder(folderOf(uuid), temporary, job);
    },
    async createOfTables(uuid, file) {
      const job = (to: string) => threads.run({ kind: "fill", file, to, nowMs: clock.now() });
      return makeFolder(folderOf(uuid), temporary, job);
    },
    previewTables: (file) => threads.run({ kind: "preview", file, to: join(temporary, `preview-${randomHex(8)}`) }),
    stageFile: (from, choices) =>
      threads.run({ kind: "stage", from, choices, to: join(temporary, `import-${randomHex(8)}`), maxBytes }),
    async copy(grant, to, { asTemplate }) {
      const from = await host.call(grant, "document.file", null);
      const job = (file: string) => threads.run({ kind: "copy", from, to: file, options: { asTemplate } });
      return makeFolder(folderOf(to), temporary, job);
    },
    async exportFile(grant, { asTemplate, withoutHistory }) {
      const from = await host.call(grant, "document.file", null);
      const to = join(temporary, `download-${randomHex(8)}`);
      const options = { asTemplate, withoutHistory: asTemplate || withoutHistory, keepWebhooks: true, isPassing: true };
      return { path: to, stored: await threads.run({ kind: "copy", from, to, options }) };
    },
    async embed(to, contents) {
      await threads.run({ kind: "embed", to, contents });
    },
    async replace(grant, source, { keepAs }) {
      await host.call(grant, "document.mayReplace", null);
      const from = await host.call(source, "document.file", null);
      const copy = join(temporary, `replacement-${randomHex(8)}`);
      const stored = await threads.run({ kind: "copy", from, to: copy, options: { asTemplate: false } });
      // Who is still reading a large answer is told to try again; everybody after this finds the new content.
      await host.whileClosed(grant.uuid, () =>
        putInPlace(copy, fileOf(grant.uuid), (file) => {
          if (keepAs !== undefined) keepAside(file, keepAs);
        }),
      );
      return stored;
    },
    async putBack(grant, earlier, { keepAs }) {
      // Not by way of the open document: it may be one that can no longer be opened.
      if (!allows(grant.role, "owners")) throw forbidden();
      await host.whileClosed(grant.uuid, () =>
        putInPlace(earlier, fileOf(grant.uuid), (file) => {
          if (keepAs !== undefined) keepAside(file, keepAs);
          tryToCarryOutbox(file, earlier, log);
        }),
      );
    },
    async flush(grant) {
      await host.call(grant, "document.flush", null);
    },
    async reload(grant) {
      if (!allows(grant.role, "owners")) throw forbidden();
      await host.whileClosed(grant.uuid, () => undefined);
    },
    sizeBytes: (uuid) => fileBytes(fileOf(uuid)),
    measure: host.measure,
    wasCutOff: (uuid) => existsSync(`${fileOf(uuid)}-wal`),
    remove: (uuid) => host.whileClosed(uuid, () => rmSync(folderOf(uuid), { recursive: true, force: true })),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await threads.finish();
      await host.close();
    },
  };
}

/**
 * Makes a document's folder with its file by `write`: among temporary files first, so that there is a whole one or
 * none.
 * @throws AppError `conflict` when there is one.
 */
async function makeFolder<T>(folder: string, temporaryFolder: string, write: (file: string) => Promise<T>): Promise<T> {
  if (existsSync(folder)) throw new AppError("conflict", "There is a document of this id already");
  const temporary = join(temporaryFolder, `document-${randomHex(8)}`);
  try {
    mkdirSync(temporary, { recursive: true });
    const result = await write(join(temporary, "document.grist"));
    mkdirSync(dirname(folder), { recursive: true });
    if (existsSync(folder)) throw new AppError("conflict", "There is a document of this id already");
    // A new name in a folder survives a power cut only when the folder itself was written out.
    syncToDisk(temporary);
    renameSync(temporary, folder);
    syncToDisk(dirname(folder));
    return result;
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
}

/** Gives a finished file the name of another one that is closed: whole before and after. */
function putInPlace(finished: string, file: string, before: (file: string) => void): void {
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
