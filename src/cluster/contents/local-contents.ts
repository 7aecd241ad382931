import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../errors.ts";
import { randomHex } from "../../lib/ids.ts";
import type { Log } from "../../lib/observability/log.ts";
import type { ContentBytes } from "./content-types.ts";
import { type LogContents, plainObjectName } from "./log-contents.ts";
import type { ContentBucket } from "./content-types.ts";

/** The contents in the log that moving and restoring need. */
export interface LocalContentsOptions<Id extends string> {
  readonly contents: LogContents<Id>;
  readonly ids: { readonly own: Id; readonly bucket: Id };
  readonly isContentName: (name: string) => boolean;
}

/**
 * Moves the contents in the folders beside all documents into the log, each file after it was read back. Idempotent: after
 * a crash, call it again.
 * @param options.folder the data folder
 * @returns the number of moved contents
 * @throws AppError `log.unavailable`, or `damaged` if the log has other bytes under the name of a file
 */
export async function moveLocalContents<Id extends string>({
  folder,
  contents,
  ids,
  isContentName,
  log,
}: LocalContentsOptions<Id> & { readonly folder: string; readonly log: Log }): Promise<number> {
  let moved = 0;
  for (const doc of await namesIn(join(folder, "docs"))) {
    const local = join(folder, "docs", doc, "attachments");
    const store = contents.storeOf(doc, ids.own);
    const names = await namesIn(local);
    for (const name of names) {
      const ident = decode(name);
      const path = join(local, name);
      if (!isContentName(ident)) continue;
      await store.put(ident, { path, sizeBytes: (await stat(path)).size });
      const [here, there] = [await sha1Of(createReadStream(path)), await sha1OfContent(await store.read(ident))];
      // A damaged file does not replace a content that the log has.
      if (here !== there && (there === null || !ident.startsWith(there))) {
        throw new AppError("damaged", `The attachment ${path} differs from the content of that name in the log`);
      }
      await rm(path);
      moved++;
    }
    if (names.length > 0) await rmdir(local).catch(() => {});
  }
  if (moved > 0) log.info("attachments.moved_to_log", { contents: moved });
  return moved;
}

/** A content that a document refers to in a store. */
export interface ReferencedContent {
  readonly ident: string;
  /** The id of the store. */
  readonly storageId: string;
}

/**
 * Writes the contents that a restored document refers to where a server without a log expects them: in a folder beside
 * the document, or in the bucket.
 * @param options.folder the document's folder, with its `attachments`
 * @param options.bucket where users have stored attachments; null if that is not configured
 * @returns the contents that the log does not have
 */
export async function restoreContents<Id extends string>(
  { contents, ids, isContentName }: LocalContentsOptions<Id>,
  {
    doc,
    referenced,
    folder,
    bucket,
  }: {
    readonly doc: string;
    readonly referenced: Iterable<ReferencedContent>;
    readonly folder: string;
    readonly bucket: ContentBucket | null;
  },
): Promise<string[]> {
  const missing: string[] = [];
  const local = join(folder, "attachments");
  await mkdir(local, { recursive: true, mode: 0o700 });
  for (const { ident, storageId } of referenced) {
    const id = [ids.own, ids.bucket].find((known) => known === storageId);
    if (id === undefined || !isContentName(ident)) {
      missing.push(ident);
      continue;
    }
    const path = join(local, encodeURIComponent(ident));
    const object = plainObjectName(doc, ident);
    if (id === ids.bucket && bucket && (await bucket.size(object)) !== null) continue;
    const sizeBytes = await fetchTo(path, await contents.storeOf(doc, id).read(ident));
    if (sizeBytes === null) missing.push(ident);
    else if (id === ids.bucket) {
      await bucket?.put(object, { path, sizeBytes });
      await rm(path);
      if (!bucket) missing.push(ident);
    }
  }
  const handle = await open(local, "r");
  await handle.sync();
  await handle.close();
  await rmdir(local).catch(() => {});
  return missing;
}

/** Writes a content to a file, which is either complete or missing. Returns its size; null without a content. */
export async function fetchTo(path: string, content: ContentBytes | null): Promise<number | null> {
  if (!content) return null;
  const partialPath = `${path}.${randomHex(4)}.part`;
  try {
    const file = await open(partialPath, "wx", 0o600);
    let sizeBytes = 0;
    try {
      for await (const bytes of toIterable(content)) {
        await file.writeFile(bytes);
        sizeBytes += bytes.length;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partialPath, path);
    return sizeBytes;
  } finally {
    await rm(partialPath, { force: true });
  }
}

const toIterable = (content: ContentBytes): AsyncIterable<Uint8Array> | Iterable<Uint8Array> =>
  content instanceof Uint8Array ? [content] : content;

const sha1OfContent = async (content: ContentBytes | null): Promise<string | null> =>
  content && sha1Of(toIterable(content));

async function sha1Of(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha1");
  for await (const part of bytes) hash.update(part);
  return hash.digest("hex");
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
