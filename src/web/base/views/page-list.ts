/**
 * The pages of a document, as its metadata lists them: `_grist_Pages` has their order and depth, `_grist_Views` their
 * names.
 */
import type { RecordJson } from "../table-data.ts";
import { integerOf, jsonObject, textOf } from "./metadata-values.ts";

export interface PageItem {
  /** Row id in `_grist_Pages`. */
  readonly ref: number;
  /** Row id in `_grist_Views`: the number in the page's address. */
  readonly view: number;
  readonly name: string;
  /** Depth in the tree, as stored. */
  readonly indentation: number;
  readonly position: number;
  /** Whether its children are folded at first. */
  readonly isFolded: boolean;
  /** Row id of the share of its published forms; 0 for none. */
  readonly shareRef: number;
}

/** A page with the pages below it. */
export interface PageNode extends PageItem {
  readonly children: readonly PageNode[];
}

export interface PageListSource {
  readonly pages: readonly RecordJson[];
  readonly views: readonly RecordJson[];
  /** The tables that the reader sees, by the views made for them. */
  readonly tables: readonly { readonly id: string; readonly primaryView: number }[];
}

/** Pages that the established server made for its own tours. */
const TOURS: ReadonlySet<string> = new Set(["GristDocTour", "GristDocTutorial"]);
const HIDDEN_TABLE = /^GristHidden_/;

/** Returns all pages in their order, also the ones that are not shown. */
export function readPageItems({ pages, views }: Pick<PageListSource, "pages" | "views">): PageItem[] {
  const names = new Map(views.map(({ id, fields }) => [id, textOf(fields["name"])]));
  return pages
    .map(({ id, fields }) => ({
      ref: id,
      view: integerOf(fields["viewRef"]),
      name: names.get(integerOf(fields["viewRef"])) ?? "",
      indentation: Math.max(0, integerOf(fields["indentation"])),
      position: typeof fields["pagePos"] === "number" ? fields["pagePos"] : Number.POSITIVE_INFINITY,
      isFolded: jsonObject(fields["options"])["collapsed"] === true,
      shareRef: integerOf(fields["shareRef"]),
    }))
    .toSorted((a, b) => (a.position === b.position ? a.ref - b.ref : a.position - b.position));
}

/**
 * Returns the pages that are shown, in their order. Pages without a name are those of which the reader sees nothing, or
 * which have none.
 */
export function shownPages(source: PageListSource): PageItem[] {
  const hidden = new Set(source.tables.filter(({ id }) => HIDDEN_TABLE.test(id)).map(({ primaryView }) => primaryView));
  return readPageItems(source).filter(
    ({ name, view }) => name.trim() !== "" && !TOURS.has(name) && !(view > 0 && hidden.has(view)),
  );
}

/** Levels of the tree. Rendering more would exhaust the stack, on every page of the document. */
const MAX_LEVELS = 30;

/** Returns pages as a tree: each is below the nearest page before it that is less indented, or in the last level. */
export function pageTree(items: readonly PageItem[]): PageNode[] {
  const roots: PageNode[] = [];
  const path: { indentation: number; children: PageNode[] }[] = [];
  for (const item of items) {
    while (path.length >= MAX_LEVELS || (path.at(-1)?.indentation ?? -1) >= item.indentation) path.pop();
    const children: PageNode[] = [];
    (path.at(-1)?.children ?? roots).push({ ...item, children });
    path.push({ indentation: item.indentation, children });
  }
  return roots;
}
