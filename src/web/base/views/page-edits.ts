/** The actions of edits of the list of pages. Each edit is one bundle, and writes only what the format names for it. */
import { type PageItem, type PageNode, pageTree } from "./page-list.ts";

export type EditAction = readonly [name: string, ...args: unknown[]];

export interface PageOrder {
  /** All pages in their order: moved pages take those along that are below them and not shown. */
  readonly all: readonly PageItem[];
  /** The pages that the reader sees. */
  readonly shown: readonly PageItem[];
}

export interface PageTarget {
  /** The shown page that follows, by its row id; null for the end. */
  readonly before: number | null;
  /** At most one level below the page before. */
  readonly indentation: number;
}

const VIEWS = "_grist_Views";
const PAGES = "_grist_Pages";

/** The table keeps its name. */
export const renamePage = (view: number, name: string): EditAction[] => [["UpdateRecord", VIEWS, view, { name }]];

/** @param tables ids of the tables that are deleted with the page */
export const removePage = (view: number, tables: readonly string[] = []): EditAction[] => [
  ["RemoveRecord", VIEWS, view],
  ...tables.map((table): EditAction => ["RemoveTable", table]),
];

/** Moves a page with the pages below it. Returns no action when it stays where it is. */
export function movePage(order: PageOrder, ref: number, target: PageTarget): EditAction[] {
  const moved = subtree(order.all, ref);
  const [page] = moved;
  if (!page || moved.some((each) => each.ref === target.before)) return [];
  const { highest } = allowedIndentation(order, ref, target.before);
  const indentation = Math.min(highest, Math.max(0, target.indentation));
  const change = indentation - page.indentation;
  const columns: Record<string, (number | null)[]> = {};
  if (change !== 0) columns["indentation"] = moved.map((each) => Math.max(0, each.indentation + change));
  if (target.before !== followingPage(order, ref)) {
    // A position that is taken means: before the page that has it. Null is the end.
    const position = order.all.find((each) => each.ref === target.before)?.position ?? Number.POSITIVE_INFINITY;
    columns["pagePos"] = moved.map(() => (Number.isFinite(position) ? position : null));
  }
  return updatePages(
    moved.map((each) => each.ref),
    columns,
  );
}

/** Returns the indentations of a dropped page that leave the pages after it where they are in the tree. */
export function allowedIndentation(
  order: PageOrder,
  ref: number,
  before: number | null,
): { readonly lowest: number; readonly highest: number } {
  const moved = new Set(subtree(order.all, ref).map((each) => each.ref));
  const others = order.shown.filter((each) => !moved.has(each.ref));
  const at = before === null ? others.length : others.findIndex((each) => each.ref === before);
  const previous = others[at - 1];
  const highest = previous ? previous.indentation + 1 : 0;
  return { highest, lowest: Math.min(highest, others[at]?.indentation ?? 0) };
}

/** Where the commands of a page lead; null for an unavailable command. */
export interface PageTargets {
  readonly up: PageTarget | null;
  readonly down: PageTarget | null;
  readonly indent: PageTarget | null;
  readonly outdent: PageTarget | null;
}

/**
 * Returns the targets of the commands. Up and down change places with the page of the same parent; indenting makes a page
 * the last child of the one before it. Outdenting keeps the order: the pages that follow below the same parent are then
 * below this page.
 */
export function pageTargets(order: PageOrder, ref: number): PageTargets {
  const found = locate(pageTree(order.shown), ref, null);
  if (!found) return { up: null, down: null, indent: null, outdent: null };
  const { page, parent, siblings } = found;
  const at = siblings.indexOf(page);
  const previous = siblings[at - 1];
  const next = siblings[at + 1];
  const { indentation } = page;
  const following = followingPage(order, ref);
  return {
    up: previous ? { before: previous.ref, indentation } : null,
    down: next ? { before: followingPage(order, next.ref), indentation } : null,
    indent: previous ? { before: following, indentation: previous.indentation + 1 } : null,
    outdent: parent ? { before: following, indentation: parent.indentation } : null,
  };
}

interface Location {
  readonly page: PageNode;
  readonly parent: PageNode | null;
  readonly siblings: readonly PageNode[];
}

function locate(siblings: readonly PageNode[], ref: number, parent: PageNode | null): Location | null {
  for (const page of siblings) {
    const found = page.ref === ref ? { page, parent, siblings } : locate(page.children, ref, page);
    if (found) return found;
  }
  return null;
}

/** Returns a page and the pages below it. */
function subtree(pages: readonly PageItem[], ref: number): PageItem[] {
  const at = pages.findIndex((each) => each.ref === ref);
  const page = pages[at];
  if (!page) return [];
  const end = pages.findIndex((each, index) => index > at && each.indentation <= page.indentation);
  return pages.slice(at, end < 0 ? undefined : end);
}

/** Returns the shown page after a page and those below it; null at the end. */
function followingPage({ shown }: PageOrder, ref: number): number | null {
  const last = subtree(shown, ref).at(-1);
  return last ? (shown[shown.indexOf(last) + 1]?.ref ?? null) : null;
}

function updatePages(refs: readonly number[], columns: Readonly<Record<string, (number | null)[]>>): EditAction[] {
  if (Object.keys(columns).length === 0) return [];
  if (refs.length > 1) return [["BulkUpdateRecord", PAGES, refs, columns]];
  const values = Object.fromEntries(Object.entries(columns).map(([name, [value]]) => [name, value]));
  return [["UpdateRecord", PAGES, refs[0], values]];
}

export interface ShownTable {
  readonly id: string;
  /** Row id of the table. */
  readonly ref: number;
  /** Above 0 for summaries. */
  readonly sourceRef: number;
}

/** Returns the tables that only this page shows. Summaries are deleted with their last section anyway. */
export function tablesOnlyOn<T extends ShownTable>(
  view: number,
  sections: readonly { readonly view: number; readonly tableRef: number }[],
  tables: readonly T[],
): T[] {
  const elsewhere = new Set(sections.filter((each) => each.view > 0 && each.view !== view).map((s) => s.tableRef));
  const here = new Set(sections.filter((each) => each.view === view).map((s) => s.tableRef));
  return tables.filter(({ ref, sourceRef }) => sourceRef === 0 && here.has(ref) && !elsewhere.has(ref));
}
