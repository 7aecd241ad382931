/** Undo and redo of changes of tables: the window shows the page or the table that they concern. */
import type { TableListing } from "../../../../base/table-data.ts";
import { api } from "../../../../base/client/api.ts";
import { readMetadata } from "../../../../base/client/pages/read-pages.ts";
import { navigateAfter } from "../navigation.ts";
import { shownView } from "../shown-view.ts";
import { tableUrl, viewUrl } from "./table-url.ts";

interface TablesReply {
  readonly tables: readonly TableListing[];
}

/** The page as it is: a fragment would keep it from loading again. */
export const sameUrl = (): string => `${location.pathname}${location.search}`;

/** @throws Failure */
export const readTables = async (docId: string): Promise<readonly TableListing[]> =>
  (await api<TablesReply>(`/api/docs/${docId}/tables`)).tables;

/**
 * Returns the page of the document that is shown, or the start of the document if a change has deleted that page.
 * @throws Failure
 */
export const sameOrStart = async (docId: string): Promise<string> =>
  shownView() === null ? sameUrl() : ((await firstPage(docId, [shownView()])) ?? tableUrl(docId, null));

/** Where a change of tables was made. */
interface TablesPlace {
  /** The current table; null on a page of the document, and in one without tables. */
  readonly table: string | null;
  /** The page of the document on which the change was made; null elsewhere. */
  readonly view: number | null;
}

/**
 * Reverts a change of tables, and shows what it restored: the page on which it was made, or the table. Otherwise the
 * current page loads again, that of a table under its new name. Where there is none any more, the document is shown from
 * its start.
 * @throws Failure
 */
export async function followTables(docId: string, { table, view }: TablesPlace, revert: () => Promise<void>) {
  await navigateAfter(async () => {
    const before = await readTables(docId);
    await revert();
    const after = await readTables(docId);
    const known = new Set(before.map(({ fields }) => fields.tableRef));
    const restored = after.find(({ fields }) => !known.has(fields.tableRef) && fields.summarySourceTable === 0);
    if (restored) return (await firstPage(docId, [view])) ?? tableUrl(docId, restored.id);
    const ref = before.find(({ id }) => id === table)?.fields.tableRef;
    const current = table === null ? undefined : after.find(({ fields }) => fields.tableRef === ref);
    if (current) return current.id === table ? sameUrl() : tableUrl(docId, current.id);
    return (await firstPage(docId, [shownView(), view])) ?? tableUrl(docId, null);
  });
}

/** Returns the address of the first of some pages that exists; null without one. */
async function firstPage(docId: string, views: readonly (number | null)[]): Promise<string | null> {
  const wanted = views.filter((view) => view !== null);
  const found = await readMetadata(docId, "_grist_Views", { id: wanted });
  const view = wanted.find((each) => found.some(({ id }) => id === each));
  return view === undefined ? null : view === shownView() ? sameUrl() : viewUrl(docId, view);
}
