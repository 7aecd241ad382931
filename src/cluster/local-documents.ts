/** The files of home and the documents, as the log uses them. */
import { renameSync, rmSync } from "node:fs";
import type { HeldDocumentFile } from "./log/base-writer.ts";
import type { LoggedCommit } from "./log/document-log.ts";
import { readInOwnProcess } from "./log/file-reader.ts";
import type { LocalDocuments } from "./log/local-documents.ts";
import { documentFiles, homeFiles } from "./log-folder.ts";
import type { ContentCount } from "./protocol/log-types.ts";

/** The name of the home database in the log. */
export const HOME = "home";

/** The home database in log mode; see `home/home-log.ts`. */
export interface LoggedHome {
  readonly count: ContentCount;
  collect(): readonly LoggedCommit[];
  beginBase(): { readonly count: ContentCount; readonly path: string; readonly bytes: number } | null;
  endBase(): boolean;
}

/** The home database, once it is open. */
export interface HomeConnection {
  readonly log: LoggedHome;
  /** Closes the file, calls `work`, and opens it again. */
  replaceContent(work: (path: string) => void): void;
  /** Makes a replica writable, or read-only again. */
  setWritable(isWritable: boolean): void;
  /** Returns the version of the schema. */
  version(): number;
  /** The versions that this program can work with. */
  readonly usable: { readonly oldest: number; readonly latest: number };
  /** Migrates to the latest version. */
  migrate(): void;
  /** The id of the installation that it belongs to. */
  readonly installationId: { find(): string | null; set(id: string): void };
}

/** The threads that have documents open; see `hosts/document-runtime.ts`. */
export interface LoggedRuntime {
  beginBase(uuid: string): Promise<{ readonly count: ContentCount; readonly path: string; readonly bytes: number }>;
  endBase(uuid: string): Promise<boolean>;
  whileClosed<T>(uuid: string, work: () => T): Promise<T>;
}

/** Where the files are. */
export interface LocalFiles extends Pick<LocalDocuments, "recover"> {
  readonly homeFile: string;
  readonly fileOf: (uuid: string) => string;
}

/** What has the files open; null before that, and when it is closed. */
export interface OpenFiles {
  readonly home: HomeConnection | null;
  readonly runtime: LoggedRuntime | null;
}

export interface LocalDocumentsOptions {
  readonly open: () => OpenFiles | null;
  /** Called when this server no longer owns home, before its file is used. */
  readonly onHomeStopped: (options: { readonly isComplete: boolean }) => void;
  /** Reports the commits of home that were not reported yet. */
  readonly collectHome: () => void;
}

/** Returns the files of home and the documents. */
export function localDocuments(
  { fileOf, homeFile, recover }: LocalFiles,
  { open, onHomeStopped, collectHome }: LocalDocumentsOptions,
): LocalDocuments {
  const home = () => open()?.home ?? null;
  return {
    files: (doc) => (doc === HOME ? homeFiles(homeFile) : documentFiles(fileOf(doc))),
    recover,
    async beginBase(doc): Promise<HeldDocumentFile> {
      const runtime = open()?.runtime;
      const held = doc === HOME ? home()?.log.beginBase() : await runtime?.beginBase(doc);
      if (!held) throw new Error(`The file of ${doc} cannot be copied now`);
      const { count, bytes, path } = held;
      return { count, bytes, read: () => readInOwnProcess(path) };
    },
    async endBase(doc) {
      if (doc === HOME) return home()?.log.endBase() ?? false;
      return (await open()?.runtime?.endBase(doc)) ?? false;
    },
    async whileClosed(doc, work) {
      const runtime = doc === HOME ? null : open()?.runtime;
      if (runtime) await runtime.whileClosed(doc, work);
      else work();
    },
    collect(doc) {
      if (doc === HOME) collectHome();
    },
    stopped(doc, options) {
      if (doc === HOME) onHomeStopped(options);
    },
    keptOpen(doc) {
      const connection = doc === HOME ? home() : null;
      return (
        connection && {
          count: connection.log.count,
          replace: (finished, setAside) =>
            connection.replaceContent((path) => {
              setAside();
              replaceFile(finished, path);
            }),
        }
      );
    },
  };
}

/** Moves a finished file in place of a closed one. */
function replaceFile(finished: string, path: string): void {
  for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
  renameSync(finished, path);
}
