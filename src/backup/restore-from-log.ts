import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type LocalContentsOptions, restoreContents } from "../cluster/contents/local-contents.ts";
import { openLogContents } from "../cluster/contents/open-contents.ts";
import { openLogForReading } from "../cluster/restore/open-log.ts";
import { restoreDocumentFile, type RestorePoint } from "../cluster/restore/restore-document.ts";
import type { Connection } from "../cluster/postgres/connection.ts";
import { AppError, invalid } from "../errors.ts";
import type { StoreId } from "../files/attachment-store.ts";
import { partsOfLoggedContents } from "../files/attachment-stores.ts";
import type { BucketObjects, BucketSettings } from "../files/bucket-objects.ts";
import { FOLDER_STORE } from "../files/folder-store.ts";
import { prepareRestoredHome, removeDocumentsFromCopy, type NamedDocument } from "../home/home-copy.ts";
import { checkFile } from "../hosts/files/check-file.ts";
import { listStoredContentsInFile } from "../hosts/files/stored-contents.ts";
import { type Clock, isoTime } from "../lib/time/clock.ts";
import { fsyncPath } from "./compression.ts";
import type { RestoredDocument } from "./restore-backup.ts";
import { restoreIntoFolder } from "./restore-folder.ts";

/** The home database is a document of this name in the log. */
const HOME = "home";

export interface LogRestoreOptions {
  /** URL of the log. */
  readonly url: string;
  /** The data folder: missing or empty. */
  readonly folder: string;
  /** The moment to restore, in milliseconds since the epoch; null for the last acknowledged write. */
  readonly atMs: number | null;
  /** Where attachments are stored; null if they are in PostgreSQL only. */
  readonly bucket: BucketSettings | null;
  /** False for a trial beside the running server: no webhooks are called. */
  readonly withWebhooks: boolean;
  readonly clock: Clock;
  /** Called for each document after it was checked. */
  readonly onDocument?: (document: RestoredDocument) => void;
}

export interface LogRestoreReport {
  readonly at: string;
  readonly documents: readonly RestoredDocument[];
  /** Documents that home names and the log does not have at that moment; left out of the restored home. */
  readonly dropped: readonly NamedDocument[];
}

/**
 * Restores home and all documents from the log, each at its last commit at the same time of PostgreSQL's clock. Never writes
 * to the log.
 * @throws AppError `conflict` when the folder is not empty; `notFound` when the log does not reach back to that moment;
 * `damaged`, `storage`, `log.…`. The folder is then unchanged.
 */
export async function restoreFromLog(options: LogRestoreOptions): Promise<LogRestoreReport> {
  const { folder } = options;
  await using log = await openLogForReading(options.url);
  const atMs = options.atMs ?? log.nowMs;
  requireNotFuture(atMs, log.nowMs);
  await using contents = await openContents(options);
  const { connection } = log;
  return await restoreIntoFolder(folder, (work) => assembleFolder(options, { connection, contents, atMs, work }));
}

interface Assembly {
  readonly connection: Connection;
  readonly contents: RestoredContents;
  readonly atMs: number;
  readonly work: string;
}

async function assembleFolder(options: LogRestoreOptions, assembly: Assembly): Promise<LogRestoreReport> {
  const { clock, withWebhooks, onDocument } = options;
  const { connection, contents, atMs, work } = assembly;
  const home = join(work, "home.sqlite");
  const restored = await restoreDocumentFile(connection, { doc: HOME, path: home, point: { atMs } });
  if (restored.kind === "missing") throw new AppError("notFound", `the log has no content at ${isoTime(atMs)}`);
  const listed = prepareRestoredHome(home, { nowMs: clock.now(), withWebhooks, source: { logAt: isoTime(atMs) } });
  const documents: RestoredDocument[] = [];
  const dropped: NamedDocument[] = [];
  for (const { uuid, name } of listed) {
    const file = await restoreOne(assembly, uuid);
    if (file === null) dropped.push({ uuid, name });
    else {
      const document = { uuid, name, problems: await restoreAttachments(contents, uuid, file) };
      documents.push(document);
      onDocument?.(document);
    }
  }
  removeDocumentsFromCopy(
    home,
    dropped.map(({ uuid }) => uuid),
  );
  await fsyncPath(home);
  return { at: isoTime(atMs), documents, dropped };
}

/** Returns the path of the restored file; null if the log does not have the document at that moment. */
async function restoreOne({ connection, atMs, work }: Assembly, uuid: string): Promise<string | null> {
  const folder = join(work, "docs", uuid);
  await mkdir(folder, { mode: 0o700 });
  const path = join(folder, "document.grist");
  const restored = await restoreDocumentFile(connection, { doc: uuid, path, point: { atMs } });
  if (restored.kind === "missing") {
    await rm(folder, { recursive: true });
    return null;
  }
  return path;
}

/** The contents of attachments in the log, and where a server without a log expects them. */
interface RestoredContents extends LocalContentsOptions<StoreId>, AsyncDisposable {
  readonly bucket: BucketObjects | null;
}

async function openContents({ url, bucket }: Pick<LogRestoreOptions, "url" | "bucket">): Promise<RestoredContents> {
  const parts = partsOfLoggedContents(bucket);
  const { storeIds: ids, isContentName, objects } = parts;
  const opened = await openLogContents<StoreId>(url, parts);
  return {
    contents: opened.contents,
    ids,
    isContentName,
    bucket: objects,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** Restores the attachments that a restored document refers to, and returns the problems of the document. */
async function restoreAttachments(contents: RestoredContents, uuid: string, file: string): Promise<readonly string[]> {
  const referenced = listStoredContentsInFile(file);
  const folder = dirname(file);
  const missing = new Set(await restoreContents(contents, { doc: uuid, referenced, folder, bucket: contents.bucket }));
  await fsyncPath(folder);
  // Those beside the file are found by checking it.
  const isUnchecked = ({ ident, storageId }: { ident: string; storageId: string }) =>
    storageId !== FOLDER_STORE && missing.has(ident);
  return [
    ...checkFile(file).problems,
    ...referenced.filter(isUnchecked).map(({ ident }) => `The content ${ident} of an attachment is not in the log.`),
  ];
}

export interface DocumentRestoreOptions {
  readonly url: string;
  readonly bucket: BucketSettings | null;
  /** Missing; receives `document.grist` and, if the document has attachments outside of its file, `attachments/`. */
  readonly folder: string;
  readonly doc: string;
  /** Null for the last acknowledged write. */
  readonly point: RestorePoint | null;
}

export interface DocumentRestoreReport {
  readonly doc: string;
  readonly seq: number;
  readonly file: string;
  /** Problems found by `quern doc check`. */
  readonly problems: readonly string[];
}

/**
 * Restores one document into a folder of its own, beside the live one. Never writes to the log.
 * @throws AppError as `restoreFromLog`
 */
export async function restoreDocumentFromLog(options: DocumentRestoreOptions): Promise<DocumentRestoreReport> {
  const { folder, doc } = options;
  if (existsSync(folder)) throw new AppError("conflict", `${folder} exists; choose another folder`);
  await using log = await openLogForReading(options.url);
  const { connection } = log;
  const point = options.point ?? { atMs: log.nowMs };
  if ("atMs" in point) requireNotFuture(point.atMs, log.nowMs);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const path = join(folder, "document.grist");
    const restored = await restoreDocumentFile(connection, { doc, path, point });
    if (restored.kind === "missing") {
      const moment = "seq" in point ? `commit ${point.seq}` : isoTime(point.atMs);
      throw new AppError("notFound", `the log has no content of document ${doc} at ${moment}`);
    }
    const { seq } = restored;
    if (doc === HOME) return { doc, seq, file: path, problems: [] };
    await using contents = await openContents(options);
    return { doc, seq, file: path, problems: await restoreAttachments(contents, doc, path) };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** A mistyped year would silently restore the last write. */
function requireNotFuture(atMs: number, nowMs: number): void {
  if (atMs > nowMs) throw invalid(`${isoTime(atMs)} is in the future of PostgreSQL, where it is ${isoTime(nowMs)}`);
}
