import type { Database, SqlValue } from "../../sqlite/database.ts";

/** The location of a content: in the document's file, in the store of that name, or missing: a row without bytes. */
export type ContentLocation =
  | { readonly kind: "embedded"; readonly sizeBytes: number }
  | { readonly kind: "store"; readonly storageId: string }
  | { readonly kind: "missing" };

/** A content to be stored in the document's file. */
export interface EmbeddedContent {
  /** SHA-1 of the bytes in hex, with the file extension. */
  readonly ident: string;
  readonly bytes: Uint8Array;
}

/** A content that was uploaded to a store. */
export interface StoredContent {
  readonly ident: string;
  readonly storageId: string;
}

/** Returns the locations of contents in the given order; null for unknown ones. */
export function contentLocations(db: Database, idents: readonly string[]): (ContentLocation | null)[] {
  return idents.map((ident) => {
    const [row] = db.values("select octet_length(data), storageId from _gristsys_Files where ident = ?", ident);
    return row ? contentLocationOf(row[0] ?? null, row[1] ?? null) : null;
  });
}

/** Returns the location from the columns `octet_length(data)` and `storageId`. */
export function contentLocationOf(size: SqlValue, storageId: SqlValue): ContentLocation {
  if (typeof size === "number") return { kind: "embedded", sizeBytes: size };
  return typeof storageId === "string" && storageId !== "" ? { kind: "store", storageId } : { kind: "missing" };
}

/** Returns the bytes, or a range of them, of a content in the document's file; null when it is not there. */
export function readEmbedded(
  db: Database,
  ident: string,
  { start, end }: { start: number; end: number } = { start: 0, end: Number.MAX_SAFE_INTEGER },
): Uint8Array | null {
  const row = db.get<{ bytes: Uint8Array | null }>(
    "select substr(cast(data as blob), ?, ?) as bytes from _gristsys_Files where ident = ? and data is not null",
    start + 1,
    end - start,
    ident,
  );
  return row && (row.bytes ?? new Uint8Array(0));
}

/**
 * Stores contents in the document's file. Existing ones stay; contents that were in a store are in the file from now on.
 */
export function storeEmbedded(db: Database, contents: readonly EmbeddedContent[]): void {
  for (const { ident, bytes } of contents) {
    db.run(
      `insert into _gristsys_Files (ident, data) values (?, ?)
       on conflict (ident) do update set data = excluded.data, storageId = null where data is null`,
      ident,
      bytes,
    );
  }
}

/** A content that was uploaded to a store again. */
export interface ReuploadedContent extends StoredContent {
  /** The store that the document names for it and that has lost it; null when it names none. */
  readonly missingFrom: string | null;
}

/** Records that contents were uploaded to a store. A known other location takes precedence. */
export function recordStored(db: Database, contents: readonly ReuploadedContent[]): void {
  for (const { ident, storageId, missingFrom } of contents) {
    db.run(
      `insert into _gristsys_Files (ident, storageId) values (?, ?)
       on conflict (ident) do update set storageId = excluded.storageId
       where data is null and coalesce(storageId, '') in ('', ?)`,
      ident,
      storageId,
      missingFrom,
    );
  }
}

/** Records that a content was moved to a store, and deletes its bytes from the document's file. */
export function recordMoved(db: Database, { ident, storageId }: StoredContent): void {
  db.run(
    `insert into _gristsys_Files (ident, storageId) values (?, ?)
     on conflict (ident) do update set data = null, storageId = excluded.storageId`,
    ident,
    storageId,
  );
}

/** Returns all contents in stores. */
export const listStoredContents = (db: Database): StoredContent[] =>
  db.all<StoredContent>("select ident, storageId from _gristsys_Files where data is null and storageId <> ''");
