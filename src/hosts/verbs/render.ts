import type { DocumentGrant } from "../../authorization.ts";
import { type ChunkIterator, type ReadConnection, takeChunks } from "../../doc/cursors.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { mayDependOnDate } from "../../doc/filters/parse-filter.ts";
import { currentDay } from "../../doc/filters/compile-filter.ts";
import { isRestricted } from "../../doc/read/visibility-filter.ts";
import { sha256Hex } from "../../lib/ids.ts";

/**
 * An answer rendered by the runtime: JSON as bytes, ready to send. `tag` is the ETag value; for `unchanged` the
 * caller's copy is still valid and no data was read.
 */
export type Rendered =
  | { readonly kind: "unchanged"; readonly tag: string }
  | { readonly kind: "bytes"; readonly tag: string; readonly bytes: Uint8Array }
  /** Too large for one message: `first` now, the rest via `Documents.next`. */
  | { readonly kind: "cursor"; readonly tag: string; readonly first: Uint8Array; readonly cursor: string };

/** What a conditional read needs to answer with `unchanged`. */
export interface CacheCondition {
  /**
   * Everything the answer depends on besides the document: path, query, headers, the caller's visibility, the build.
   */
  readonly seed: string;
  /** The ETags of If-None-Match, without quotes or `W/`. */
  readonly tags: readonly string[];
}

/** Arguments of every conditional read. */
export interface ConditionalArgs {
  /** If the caller's cached copy is still valid, no data is read. Absent: the answer has an empty ETag. */
  readonly condition?: CacheCondition | undefined;
  /** The filter of the read, as in the query string: it may contain dates such as `today`. */
  readonly filter?: string | undefined;
}

/** Larger answers (in characters or bytes) are split into several messages. */
const MAX_MESSAGE_SIZE = 4_194_304;

/** Largest answer whose ETag is a hash of its bytes. */
const MAX_HASHED_BYTES = 1_048_576;

/** Exported files start streaming after this many bytes instead of being rendered completely. */
const MAX_FIRST_FILE_CHUNK = 262_144;

/** Exported files up to this size are rendered where changes run; larger ones by readers, where there are any. */
const MAX_FILE_BESIDE_CHANGES = 524_288;

/** Thrown when an answer turns out to be large and a reader should repeat the read. */
export class LargeResponse extends Error {}

/** Renders the chunks of an answer that `read` produces from its source, unless the caller's copy is still valid. */
export function renderChunks(
  document: OpenDocument,
  grant: DocumentGrant,
  conditional: ConditionalArgs,
  read: (source: ReadConnection) => ChunkIterator,
): Rendered {
  return render(document, grant, { ...conditional, maxFirstChunk: MAX_MESSAGE_SIZE, read });
}

/** As `renderChunks`, for downloads: streaming starts with a small first chunk. */
export function renderFile(
  document: OpenDocument,
  grant: DocumentGrant,
  conditional: ConditionalArgs,
  read: (source: ReadConnection) => ChunkIterator,
): Rendered {
  return render(document, grant, { ...conditional, maxFirstChunk: MAX_FIRST_FILE_CHUNK, read });
}

function render(
  document: OpenDocument,
  grant: DocumentGrant,
  {
    condition,
    filter,
    maxFirstChunk,
    read,
  }: ConditionalArgs & { maxFirstChunk: number; read: (source: ReadConnection) => ChunkIterator },
): Rendered {
  const isTaggedByContent = condition !== undefined && isRestricted(document, grant);
  const tag = condition && !isTaggedByContent ? tagOf(document, grant, { ...condition, filter }) : "";
  if (tag !== "" && condition?.tags.includes(tag)) return { kind: "unchanged", tag };
  const source = { db: document.db };
  const chunks = read(source);
  const isHandedOff = document.handsOffLargeReads;
  const { bytes, isDone } = takeChunks(
    chunks,
    isHandedOff ? Math.max(maxFirstChunk, MAX_FILE_BESIDE_CHANGES) : maxFirstChunk,
  );
  if (!isDone && isHandedOff) throw new LargeResponse();
  if (isDone) return isTaggedByContent ? withContentTag(bytes, condition) : { kind: "bytes", tag, bytes };
  return { kind: "cursor", tag, first: bytes, cursor: document.cursors.open(source, chunks) };
}

/**
 * For restricted callers the ETag is a content hash: the change counter in other ETags would reveal changes to data
 * they cannot see.
 */
function withContentTag(bytes: Uint8Array, { tags }: CacheCondition): Rendered {
  if (bytes.length > MAX_HASHED_BYTES) return { kind: "bytes", tag: "", bytes };
  const tag = sha256Hex(bytes as Uint8Array<ArrayBuffer>).slice(0, 32);
  return tags.includes(tag) ? { kind: "unchanged", tag } : { kind: "bytes", tag, bytes };
}

/** Renders a small value. */
export function renderValue(
  document: OpenDocument,
  grant: DocumentGrant,
  conditional: ConditionalArgs,
  createValue: () => unknown,
): Rendered {
  return renderChunks(document, grant, conditional, () => [JSON.stringify(createValue())].values());
}

/** Returns an ETag that changes with everything the answer depends on. */
function tagOf(
  document: OpenDocument,
  { uuid }: DocumentGrant,
  { seed, filter }: CacheCondition & { filter: string | undefined },
): string {
  const parts = [uuid, document.version, seed];
  if (mayDependOnDate(filter)) parts.push(String(currentDay(document)));
  return sha256Hex(parts.join("\n")).slice(0, 32);
}
