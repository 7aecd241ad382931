import type { DocumentGrant } from "../access.ts";
import { type Pieces, type Source, takePieces } from "../doc/cursors.ts";
import type { OpenDocument } from "../doc/document.ts";
import { isNarrowed } from "../doc/read/seen.ts";
import { sha256Hex } from "../lib/ids.ts";
import type { Condition, Rendered } from "./rendered.ts";

/** What every reading verb may be given. */
export interface Conditional {
  /** When the caller's copy is still good, nothing is read. Absent: the answer gets an empty tag. */
  readonly condition?: Condition | undefined;
}

/** Answers above this many characters or bytes are given in several messages. */
const MAX_MESSAGE = 4_194_304;

/** The longest answer that gets a tag made from its bytes. */
const MAX_HASHED = 1_048_576;

/** A file is not waited for so long: it is read bit by bit from the beginning. */
const MAX_FIRST_OF_FILE = 262_144;

/** Renders the pieces of an answer that `read` makes, reading from its source, unless the caller has them already. */
export function renderPieces(
  document: OpenDocument,
  grant: DocumentGrant,
  conditional: Conditional,
  read: (source: Source) => Pieces,
): Rendered {
  return render(document, grant, { ...conditional, most: MAX_MESSAGE, read });
}

/** As `renderPieces`, for what is made to be kept as a file: little of it is made before it is on its way. */
export function renderFile(
  document: OpenDocument,
  grant: DocumentGrant,
  conditional: Conditional,
  read: (source: Source) => Pieces,
): Rendered {
  return render(document, grant, { ...conditional, most: MAX_FIRST_OF_FILE, read });
}

function render(
  document: OpenDocument,
  grant: DocumentGrant,
  { condition, most, read }: Conditional & { most: number; read: (source: Source) => Pieces },
): Rendered {
  const isByBytes = condition !== undefined && isNarrowed(document, grant);
  const tag = condition && !isByBytes ? tagOf(document, grant, condition) : "";
  if (tag !== "" && condition?.tags.includes(tag)) return { kind: "unchanged", tag };
  const source = { db: document.db };
  const pieces = read(source);
  const { bytes, isDone } = takePieces(pieces, most);
  if (isDone) return isByBytes ? taggedByBytes(bytes, condition) : { kind: "bytes", tag, bytes };
  return { kind: "cursor", tag, first: bytes, cursor: document.cursors.open(source, pieces) };
}

/**
 * For callers from whom something is hidden: the change counter in other tags would tell them of changes that they do
 * not see.
 */
function taggedByBytes(bytes: Uint8Array, { tags }: Condition): Rendered {
  if (bytes.length > MAX_HASHED) return { kind: "bytes", tag: "", bytes };
  const tag = sha256Hex(bytes as Uint8Array<ArrayBuffer>).slice(0, 32);
  return tags.includes(tag) ? { kind: "unchanged", tag } : { kind: "bytes", tag, bytes };
}

/** Renders a value that is small. */
export function renderValue(
  document: OpenDocument,
  grant: DocumentGrant,
  conditional: Conditional,
  make: () => unknown,
): Rendered {
  return renderPieces(document, grant, conditional, () => [JSON.stringify(make())].values());
}

/** A text that changes with anything that the answer depends on. */
const tagOf = (document: OpenDocument, grant: DocumentGrant, condition: Condition): string =>
  sha256Hex(`${grant.uuid}\n${document.version}\n${condition.seed}`).slice(0, 32);
