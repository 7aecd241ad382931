import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { FOLDER_STORE } from "../files/folder-store.ts";
import { isIdent } from "../files/attachment-store.ts";
import type { Database } from "../sqlite/database.ts";
import { contentLocationOf } from "./attachments/contents.ts";
import { hasColumn, hasTable } from "./migrations/stored-tables.ts";

/** The file beside a document whose contents are in the replicated log. */
const LOG_NOTE = "log-state";

/**
 * Returns a sentence for each attachment whose content is missing or has another size than recorded. Contents in
 * buckets and in the replicated log are not checked.
 * @param folder the folder of the document's file
 */
export function findMissingContents(db: Database, folder: string): string[] {
  if (!hasTable(db, "_grist_Attachments") || !hasTable(db, "_gristsys_Files")) return [];
  const store = hasColumn(db, "_gristsys_Files", "storageId") ? "f.storageId" : "null";
  const found = db.values(
    `select a.id, a.fileIdent, a.fileSize, octet_length(f.data), ${store}
     from _grist_Attachments a left join _gristsys_Files f on f.ident = a.fileIdent order by a.id`,
  );
  const isLogged = existsSync(join(folder, LOG_NOTE));
  const problems: string[] = [];
  for (const [id, ident, sizeBytes, insideBytes = null, storageId = null] of found) {
    // A row without a content id has no content to check.
    if (ident === null || ident === "") continue;
    const place = contentLocationOf(insideBytes, storageId);
    if (place.kind === "store" && (place.storageId !== FOLDER_STORE || isLogged)) continue;
    const actual =
      place.kind === "embedded" ? place.sizeBytes : place.kind === "store" ? sizeBeside(folder, ident) : null;
    if (actual === null) problems.push(`Attachment ${String(id)}: its content is missing.`);
    else if (Number(sizeBytes) > 0 && actual !== sizeBytes) {
      problems.push(`Attachment ${String(id)}: its content has ${actual} bytes instead of ${String(sizeBytes)}.`);
    }
  }
  return problems;
}

function sizeBeside(folder: string, ident: unknown): number | null {
  if (typeof ident !== "string" || !isIdent(ident)) return null;
  const path = join(folder, "attachments", encodeURIComponent(ident));
  return existsSync(path) ? statSync(path).size : null;
}
