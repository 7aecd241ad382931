/** Undo and redo of changes of tables: the page leads to the table that they concern. */
import type { TableListing } from "../../../../base/table-data.ts";
import { api } from "../../../../base/client/api.ts";
import { navigateAfter } from "../navigation.ts";
import { tableUrl } from "./table-url.ts";

interface TablesReply {
  readonly tables: readonly TableListing[];
}

/** The page as it is: a fragment would keep it from loading again. */
export const sameUrl = (): string => `${location.pathname}${location.search}`;

/** @throws Failure */
export const readTables = async (docId: string): Promise<readonly TableListing[]> =>
  (await api<TablesReply>(`/api/docs/${docId}/tables`)).tables;

/**
 * Reverts a change of tables, and shows the table that it restored. Otherwise the page of the current table loads again,
 * under its new name; without it, the first table is shown.
 * @param table the current table; null in a document without tables
 * @throws Failure
 */
export async function followTables(docId: string, table: string | null, revert: () => Promise<void>): Promise<void> {
  await navigateAfter(async () => {
    const before = await readTables(docId);
    await revert();
    const after = await readTables(docId);
    const known = new Set(before.map(({ fields }) => fields.tableRef));
    const restored = after.find(({ fields }) => !known.has(fields.tableRef) && fields.summarySourceTable === 0);
    if (restored) return tableUrl(docId, restored.id);
    const ref = before.find(({ id }) => id === table)?.fields.tableRef;
    const current = after.find(({ fields }) => fields.tableRef === ref);
    return current?.id === table ? sameUrl() : tableUrl(docId, current?.id ?? null);
  });
}
