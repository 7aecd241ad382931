import { readFileSync } from "node:fs";
import { Database } from "../../sqlite/database.ts";
import { hasTable } from "../migrations/stored-tables.ts";
import { type StoredContent, listStoredContents } from "./contents.ts";

/** A content in a file on disk. */
export interface ContentFile {
  readonly ident: string;
  readonly path: string;
}

/** Returns the contents in stores that a closed document file refers to. */
export function listStoredContentsOfFile(file: string): StoredContent[] {
  using db = new Database(file, { readonly: true });
  return hasTable(db, "_gristsys_Files") ? listStoredContents(db) : [];
}

/**
 * Stores contents in a closed document file that is still incomplete, so that durability is not needed yet. Holds one
 * content in memory at a time.
 */
export function embedContentFiles(file: string, contents: readonly ContentFile[]): void {
  using db = new Database(file);
  db.exec("pragma synchronous = off");
  for (const { ident, path } of contents) {
    const sql = "update _gristsys_Files set data = ?, storageId = null where ident = ? and data is null";
    db.run(sql, readFileSync(path), ident);
  }
}
