import { rmSync } from "node:fs";
import { join } from "node:path";
import { OldDocument } from "../doc/old-document.ts";

/** The versions of `writeOutdatedDocument`. */
export const OUTDATED = { storage: 8, schema: 40 } as const;

/** Replaces a document's file by one of an older version, with a table `Stock`. Returns its path. */
export function writeOutdatedDocument(data: string, uuid: string, rows = 3): string {
  const path = join(data, "docs", uuid, "document.grist");
  rmSync(path, { force: true });
  using old = new OldDocument(path, OUTDATED);
  const columns = [
    { id: "manualSort", type: "ManualSortPos", sql: "NUMERIC DEFAULT 1e999" },
    { id: "Item", type: "Text", sql: `TEXT DEFAULT ""` },
  ];
  const items = Array.from({ length: rows }, (_, at) => ({ manualSort: at + 1, Item: `item ${at + 1}` }));
  old.table("Stock", columns, items);
  return path;
}
