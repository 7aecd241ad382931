import { quote } from "../../sqlite/quote.ts";
import { isList } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import type { UserAction } from "../actions/apply-user-actions.ts";
import type { OpenDocument } from "../document.ts";
import type { StoredContent } from "./contents.ts";

/** A column of attachments. */
export interface AttachmentColumn {
  readonly table: string;
  readonly column: string;
}

/** How long an unused attachment is retained. */
export const EXPIRY_MS = 7 * 24 * 3_600_000;

/** Returns the columns of type Attachments of all tables, including formulas. */
export const attachmentColumns = ({ schema }: OpenDocument): AttachmentColumn[] =>
  schema.tables.flatMap(({ id: table, isStored, columns }) =>
    columns
      .filter((column) => isStored && column.isStored && columnType(column.type).base === "Attachments")
      .map(({ id: column }) => ({ table, column })),
  );

/** Returns the ids of attachments that any cell contains. */
export function usedAttachments(document: OpenDocument): Set<number> {
  const used = new Set<number>();
  const type = columnType("Attachments");
  for (const { table, column } of attachmentColumns(document)) {
    const [from, cell] = [quote(table), quote(column)];
    // Lists are stored as JSON; other values only need decoding when they are marshalled, as in old files.
    const listed = document.db.values(
      `select distinct item.value from ${from} t, json_each(
         case when typeof(t.${cell}) = 'text' and t.${cell} like '[%' and json_valid(t.${cell}) then t.${cell} else '[]' end
       ) item`,
    );
    for (const [id] of listed) if (typeof id === "number") used.add(id);
    for (const [stored = null] of document.db.values(`select ${cell} from ${from} where typeof(${cell}) = 'blob'`)) {
      const value = type.decode(stored);
      if (isList(value)) for (const id of value.slice(1)) if (typeof id === "number") used.add(id);
    }
  }
  return used;
}

/**
 * Returns the actions that record which attachments are unused and since when, and which are in use again; empty when
 * nothing changed.
 */
export function markUnusedActions(document: OpenDocument, nowMs: number): UserAction[] {
  const used = usedAttachments(document);
  const unused: number[] = [];
  const usedAgain: number[] = [];
  for (const [id, deleted] of document.db.values("select id, timeDeleted from _grist_Attachments order by id")) {
    const isMarked = typeof deleted === "number" && deleted !== 0;
    if (!used.has(Number(id)) && !isMarked) unused.push(Number(id));
    if (used.has(Number(id)) && isMarked) usedAgain.push(Number(id));
  }
  return [...markAction(unused, Math.floor(nowMs / 1000)), ...markAction(usedAgain, null)];
}

const markAction = (ids: number[], time: number | null): UserAction[] =>
  ids.length === 0 ? [] : [["BulkUpdateRecord", "_grist_Attachments", ids, { timeDeleted: ids.map(() => time) }]];

/**
 * Cheap check whether attachments may have to be marked as unused or removed after expiry.
 * @param isChanged whether the document changed since the last check
 */
export function mayHaveExpired({ db, schema }: OpenDocument, nowMs: number, isChanged: boolean): boolean {
  if (!schema.stored.has("_grist_attachments")) return false;
  const expired = isChanged ? "1" : `timeDeleted > 0 and timeDeleted <= ${Math.floor((nowMs - EXPIRY_MS) / 1000)}`;
  return db.values(`select 1 from _grist_Attachments where ${expired} limit 1`).length > 0;
}

/**
 * Returns the actions that remove attachments marked as unused; empty when there are none.
 * @param beforeMs only those marked before this time
 */
export function removeUnusedActions({ db }: OpenDocument, beforeMs: number): UserAction[] {
  const ids = db
    .values("select id from _grist_Attachments where timeDeleted > 0 and timeDeleted <= ? order by id", beforeMs / 1000)
    .map(([id]) => Number(id));
  return ids.length === 0 ? [] : [["BulkRemoveRecord", "_grist_Attachments", ids]];
}

/** Deletes contents without an attachment. Returns those in stores, which must be deleted there. */
export function removeUnreferencedContents({ db }: OpenDocument): StoredContent[] {
  const unreferenced = "ident not in (select fileIdent from _grist_Attachments where fileIdent is not null)";
  const stored = db.all<StoredContent>(
    `select ident, storageId from _gristsys_Files where data is null and storageId <> '' and ${unreferenced}`,
  );
  db.run(`delete from _gristsys_Files where ${unreferenced}`);
  return stored;
}
