import { expect } from "bun:test";
import { join } from "node:path";
import { checkDocumentFile } from "../../../src/doc/check-document.ts";
import { importDocumentFile } from "../../../src/doc/import-document.ts";
import { Database } from "../../../src/sqlite/database.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { OldDocument } from "../old-document.ts";

/**
 * Writes an old document, imports it, checks the result, and opens it. A document of the first version has the first
 * storage version too, all others have the current one.
 */
export function imported(
  version: "first" | number | { storage: number; schema: number | "first" },
  write: (old: OldDocument) => void,
): Database {
  const folder = tempFolder();
  const from = join(folder, "old.grist");
  const to = join(folder, "new.grist");
  {
    using old = new OldDocument(from, versions(version));
    write(old);
  }
  importDocumentFile(from, to);
  expect(checkDocumentFile(to).problems).toEqual([]);
  return new Database(to, { readonly: true });
}

function versions(version: Parameters<typeof imported>[0]): { storage: number; schema: number | "first" } {
  if (typeof version === "object") return version;
  return { storage: version === "first" ? 1 : 9, schema: version };
}

/** Adds a view. */
export const addView = (old: OldDocument, name: string): number => old.add("_grist_Views", { name, type: "raw_data" });

/** Adds a section, by default a list. */
export const addSection = (
  old: OldDocument,
  tableRef: number,
  parentId: number,
  more: Record<string, string | number> = {},
): number => old.add("_grist_Views_section", { tableRef, parentId, parentKey: "record", ...more });
