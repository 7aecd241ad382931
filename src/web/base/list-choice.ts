/** How the visitor left the lists of documents: as a list or a grid, and sorted by which column. */
export const SORT_COLUMNS = ["name", "workspace", "changed", "size"] as const;
export type SortColumn = (typeof SORT_COLUMNS)[number];

export interface ListChoice {
  readonly isGrid: boolean;
  /** Null for the order of the page: pinned documents first, then the last changed ones. */
  readonly sort: SortColumn | null;
  readonly isDescending: boolean;
}

/** The cookie that keeps the choice. */
export const LIST_COOKIE = "quern_documents";

/** @param text `grid.-changed`, `list.name`, `grid.`; anything else is the default */
export function parseListChoice(text: string): ListChoice {
  const [, view, minus, name] = /^(list|grid)\.(-?)(\w*)$/.exec(text) ?? [];
  const sort = SORT_COLUMNS.find((column) => column === name) ?? null;
  return { isGrid: view === "grid", sort, isDescending: sort !== null && minus === "-" };
}

export const formatListChoice = ({ isGrid, sort, isDescending }: ListChoice): string =>
  `${isGrid ? "grid" : "list"}.${sort === null ? "" : `${isDescending ? "-" : ""}${sort}`}`;

interface SortableRow {
  readonly name: string;
  readonly workspace: { readonly name: string };
  readonly updatedAt: string;
  readonly sizeBytes?: number | undefined;
}

/** Sorts by the column of the choice; equal documents keep their order. */
export function sortRows<Row extends SortableRow>(
  documents: readonly Row[],
  { sort, isDescending }: ListChoice,
  locale: string,
): readonly Row[] {
  if (sort === null) return documents;
  const { compare } = new Intl.Collator(locale, { numeric: true });
  const orders: Record<SortColumn, (a: SortableRow, b: SortableRow) => number> = {
    name: (a, b) => compare(a.name, b.name),
    workspace: (a, b) => compare(a.workspace.name, b.workspace.name),
    changed: (a, b) => a.updatedAt.localeCompare(b.updatedAt),
    size: (a, b) => (a.sizeBytes ?? 0) - (b.sizeBytes ?? 0),
  };
  const order = orders[sort];
  return documents.toSorted((a, b) => (isDescending ? order(b, a) : order(a, b)));
}
