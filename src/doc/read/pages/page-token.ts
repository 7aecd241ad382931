import { createHash } from "node:crypto";
import { AppError } from "../../../errors.ts";
import { openSealedText, sealText } from "../../../lib/sealed-text.ts";
import type { SqlValue } from "../../../sqlite/database.ts";

/** The last row of a page. */
export interface PageEnd {
  readonly id: number;
  /** The cells that decide about the order, as the caller sees them; null if they are too long for a token. */
  readonly cells: readonly SqlValue[] | null;
  /** A hash of the cells, in place of long ones. */
  readonly hash: string;
}

export interface TokenOptions {
  /** A secret of the installation for this caller and document. */
  readonly key: Uint8Array;
  /** Everything that must be the same for all pages. */
  readonly subject: string;
  readonly nowMs: number;
}

const LIFETIME_MS = 24 * 3_600_000;
/** Longer cells are replaced by their hash: a token has to fit into a URL. */
const MAX_CELLS_LENGTH = 2000;

type EncodedCell = null | string | number | readonly [kind: "bytes" | "number" | "integer", text: string];
type Content = readonly [issuedMs: number, id: number, hash: string, cells: readonly EncodedCell[] | null];

/** Returns the end of a page with these cells. */
export function pageEnd(id: number, cells: readonly SqlValue[]): PageEnd {
  const text = JSON.stringify(cells.map(encodeCell));
  const hash = createHash("sha256").update(text).digest("base64url");
  return { id, cells: text.length > MAX_CELLS_LENGTH ? null : cells, hash };
}

/** Encrypts the end of a page for the client, which can neither read nor change it. */
export function sealPageEnd({ id, cells, hash }: PageEnd, { key, subject, nowMs }: TokenOptions): string {
  const content: Content = [nowMs, id, hash, cells?.map(encodeCell) ?? null];
  return sealText(JSON.stringify(content), { key, purpose: subject });
}

/** Decrypts the end of a page. @throws AppError `cursor.invalid` for any other token, and for an expired one */
export function openPageEnd(token: string, { key, subject, nowMs }: TokenOptions): PageEnd {
  const text = openSealedText(token, { key, purpose: subject });
  if (text === null) throw invalidCursor();
  const [issuedMs, id, hash, cells] = JSON.parse(text) as Content;
  if (nowMs - issuedMs > LIFETIME_MS) throw invalidCursor();
  return { id, hash, cells: cells?.map(decodeCell) ?? null };
}

export const invalidCursor = (): AppError =>
  new AppError(
    "cursor.invalid",
    "cursor is not valid for this request, or older than 24 hours; start with the first page",
  );

function encodeCell(cell: SqlValue): EncodedCell {
  if (cell instanceof Uint8Array) return ["bytes", cell.toHex()];
  if (typeof cell === "bigint") return ["integer", String(cell)];
  if (typeof cell === "number") return Number.isFinite(cell) ? cell : ["number", String(cell)];
  return cell;
}

function decodeCell(cell: EncodedCell): SqlValue {
  if (cell === null || typeof cell !== "object") return cell;
  const [kind, text] = cell;
  switch (kind) {
    case "bytes":
      return Uint8Array.fromHex(text);
    case "integer":
      return BigInt(text);
    case "number":
      return Number(text);
    default:
      return kind satisfies never;
  }
}
