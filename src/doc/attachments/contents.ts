import type { Database, SqlValue } from "../../sqlite/database.ts";

/** Where a content is: in the document's file, in a store of that name, or lost: a row of it is there, no bytes. */
export type ContentLocation =
  | { readonly kind: "inside"; readonly sizeBytes: number }
  | { readonly kind: "store"; readonly storageId: string }
  | { readonly kind: "lost" };

/** A content that goes into the document's file. */
export interface EmbeddedContent {
  /** SHA-1 of the bytes as hex, and the ending of the name. */
  readonly ident: string;
  readonly bytes: Uint8Array;
}

/** A content that was put into a store. */
export interface StoredContent {
  readonly ident: string;
  readonly storageId: string;
}

/** Where contents are, in the order asked for; null for those that the document does not know. */
export function contentLocations(db: Database, idents: readonly string[]): (ContentLocation | null)[] {
  return idents.map((ident) => {
    const [row] = db.values("select octet_length(data), storageId from _gristsys_Files where ident = ?", ident);
    return row ? contentLocationOf(row[0] ?? null, row[1] ?? null) : null;
  });
}

/** By the columns `octet_length(data)` and `storageId`. */
export function contentLocationOf(size: SqlValue, storageId: SqlValue): ContentLocation {
  if (typeof size === "number") return { kind: "inside", sizeBytes: size };
  return typeof storageId === "string" && storageId !== "" ? { kind: "store", storageId } : { kind: "lost" };
}

/** The bytes, or a part of them, of a content in the document's file; null when it is not there. */
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

/** Puts contents into the document's file. What is there stays; what was elsewhere is in the file from now on. */
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

/** A content that was put into a store anew. */
export interface ReuploadedContent extends StoredContent {
  /** The store that the document names for it and that has lost it; null when it names none. */
  readonly missingFrom: string | null;
}

/** Notes that contents were put into a store. Where the document knows of another place that has them, that holds. */
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

/** Notes that a content is in a store from now on, and gives up what the document's file has of it. */
export function recordMoved(db: Database, { ident, storageId }: StoredContent): void {
  db.run(
    `insert into _gristsys_Files (ident, storageId) values (?, ?)
     on conflict (ident) do update set data = null, storageId = excluded.storageId`,
    ident,
    storageId,
  );
}

/** All contents that are in stores. */
export const listStoredContents = (db: Database): StoredContent[] =>
  db.all<StoredContent>("select ident, storageId from _gristsys_Files where data is null and storageId <> ''");
