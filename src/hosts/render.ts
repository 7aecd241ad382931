import type { DocumentGrant } from "../authorization.ts";
import { type ChunkIterator, type ReadConnection, takeChunks } from "../doc/cursors.ts";
import type { OpenDocument } from "../doc/document.ts";
import { isRestricted } from "../doc/read/visibility-filter.ts";
import { sha256Hex } from "../lib/ids.ts";
import type { CacheCondition, Rendered } from "./rendered.ts";

/** What every reading verb may be given. */
export interface ConditionalArgs {
  /** When the caller's copy is still good, nothing is read. Absent: the answer gets an empty tag. */
  readonly condition?: CacheCondition | undefined;
}

/** Answers above this many characters or bytes are given in several messages. */
const MAX_MESSAGE_SIZE = 4_194_304;

/** The longest answer that gets a tag made from its bytes. */
const MAX_HASHED_BYTES = 1_048_576;

/** A file is not waited for so long: it is read bit by bit from the beginning. */
const MAX_FIRST_FILE_CHUNK = 262_144;

/** Renders the pieces of an answer that `read` makes, reading from its source, unless the caller has them already. */
export function renderChunks(
  document: OpenDocument,
  grant: DocumentGrant,
  conditional: ConditionalArgs,
  read: (source: ReadConnection) => ChunkIterator,
): Rendered {
  return render(document, grant, { ...conditional, maxFirstChunk: MAX_MESSAGE_SIZE, read });
}

/** As `renderPieces`, for what is made to be kept as a file: little of it is made before it is on its way. */
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
    maxFirstChunk,
    read,
  }: ConditionalArgs & { maxFirstChunk: number; read: (source: ReadConnection) => ChunkIterator },
): Rendered {
  const isTaggedByContent = condition !== undefined && isRestricted(document, grant);
  const tag = condition && !isTaggedByContent ? tagOf(document, grant, condition) : "";
  if (tag !== "" && condition?.tags.includes(tag)) return { kind: "unchanged", tag };
  const source = { db: document.db };
  const chunks = read(source);
  const { bytes, isDone } = takeChunks(chunks, maxFirstChunk);
  if (isDone) return isTaggedByContent ? withContentTag(bytes, condition) : { kind: "bytes", tag, bytes };
  return { kind: "cursor", tag, first: bytes, cursor: document.cursors.open(source, chunks) };
}

/**
 * For callers from whom something is hidden: the change counter in other tags would tell them of changes that they do
 * not see.
 */
function withContentTag(bytes: Uint8Array, { tags }: CacheCondition): Rendered {
  if (bytes.length > MAX_HASHED_BYTES) return { kind: "bytes", tag: "", bytes };
  const tag = sha256Hex(bytes as Uint8Array<ArrayBuffer>).slice(0, 32);
  return tags.includes(tag) ? { kind: "unchanged", tag } : { kind: "bytes", tag, bytes };
}

/** Renders a value that is small. */
export function renderValue(
  document: OpenDocument,
  grant: DocumentGrant,
  conditional: ConditionalArgs,
  createValue: () => unknown,
): Rendered {
  return renderChunks(document, grant, conditional, () => [JSON.stringify(createValue())].values());
}

/** A text that changes with anything that the answer depends on. */
const tagOf = (document: OpenDocument, grant: DocumentGrant, condition: CacheCondition): string =>
  sha256Hex(`${grant.uuid}\n${document.version}\n${condition.seed}`).slice(0, 32);
