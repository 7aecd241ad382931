import type { DocumentGrant } from "../access.ts";
import { type Pieces, type Source, takePieces } from "../doc/cursors.ts";
import type { OpenDocument } from "../doc/document.ts";
import { sha256Hex } from "../lib/ids.ts";
import type { Condition, Rendered } from "./rendered.ts";

/** What every reading verb may be given. */
export interface Conditional {
  /** When the caller's copy is still good, nothing is read. Absent: the answer gets an empty tag. */
  readonly condition?: Condition | undefined;
}

/** Answers above this many characters or bytes are given in several messages. */
const MAX_MESSAGE = 4_194_304;

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
  const tag = condition ? tagOf(document, grant, condition) : "";
  if (condition?.tags.includes(tag)) return { kind: "unchanged", tag };
  const source = { db: document.db };
  const pieces = read(source);
  const { bytes, isDone } = takePieces(pieces, most);
  if (isDone) return { kind: "bytes", tag, bytes };
  return { kind: "cursor", tag, first: bytes, cursor: document.cursors.open(source, pieces) };
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
