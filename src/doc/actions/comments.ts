import { quote } from "../../sqlite/quote.ts";
import type { Change } from "./change.ts";
import { metadataIds, removeMetadata } from "./metadata.ts";
import { IN_IDS } from "./row-storage.ts";

const COMMENTS = "_grist_Cells";

/** Removes the comments on removed rows of a table, with their replies. */
export function removeLostComments(change: Change, table: string): void {
  const info = change.schema.tableById.get(table);
  if (!info) return;
  const sql = `select id from ${COMMENTS} where tableRef = ? and rowId not in (select id from ${quote(table)})`;
  removeComments(change, metadataIds(change, sql, info.ref));
}

/** Removes comments with their replies, recursively. */
export function removeComments(change: Change, ids: readonly number[]): void {
  const removed = new Set(ids);
  for (let found = ids; found.length > 0;) {
    const sql = `select id from ${COMMENTS} where parentId ${IN_IDS}`;
    found = metadataIds(change, sql, JSON.stringify(found)).filter((id) => !removed.has(id));
    for (const id of found) removed.add(id);
  }
  removeMetadata(change, COMMENTS, [...removed]);
}
