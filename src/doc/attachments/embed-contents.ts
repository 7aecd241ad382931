import { readFileSync } from "node:fs";
import { Database } from "../../sqlite/database.ts";
import { hasTable } from "../migrations/stored-tables.ts";
import { type StoredContent, listStoredContents } from "./contents.ts";

/** A content as a file on disk. */
export interface ContentFile {
  readonly ident: string;
  readonly path: string;
}

/** The contents that a document's file, which nobody has open, refers to in stores. */
export function listStoredContentsOfFile(file: string): StoredContent[] {
  using db = new Database(file, { readonly: true });
  return hasTable(db, "_gristsys_Files") ? listStoredContents(db) : [];
}

/**
 * Puts contents into a document's file that nobody has open and that is worth nothing until it is complete. One of them
 * at a time is in memory.
 */
export function embedContentFiles(file: string, contents: readonly ContentFile[]): void {
  using db = new Database(file);
  db.exec("pragma synchronous = off");
  for (const { ident, path } of contents) {
    const sql = "update _gristsys_Files set data = ?, storageId = null where ident = ? and data is null";
    db.run(sql, readFileSync(path), ident);
  }
}
