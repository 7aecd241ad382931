import { withBlanksLast } from "../../../base/table-data.ts";
import type { Column } from "./columns/columns.ts";

/**
 * View settings of a table: sort and filter are in the URL, so that they can be shared; hidden columns and widths are
 * stored in the browser.
 */

export interface SortKey {
  readonly columnId: string;
  readonly isDescending: boolean;
}

/** Allowed values by column, in the form of the API. */
export type Filters = Readonly<Record<string, readonly unknown[]>>;

interface StoredView {
  hidden: string[];
  widths: Record<string, number>;
}

export class ViewSettings {
  readonly #key: string;
  #sort: readonly SortKey[];
  #filters: Filters;
  #stored: StoredView;
  readonly #hasPosition: boolean;
  readonly #onChange: () => void;

  constructor({
    docId,
    table,
    hasPosition,
    changed,
  }: {
    docId: string;
    table: string;
    hasPosition: boolean;
    changed: () => void;
  }) {
    this.#key = `quern.table.${docId}.${table}`;
    this.#hasPosition = hasPosition;
    this.#onChange = changed;
    const query = new URLSearchParams(location.search);
    this.#sort = parseSort(query.get("sort") ?? "");
    this.#filters = parseFilters(query.get("filter") ?? "");
    this.#stored = readStoredView(this.#key);
  }

  get sort(): readonly SortKey[] {
    return this.#sort;
  }

  get filters(): Filters {
    return this.#filters;
  }

  /** The query parameters of the API. */
  get query(): { sort?: string; filter?: string } {
    const sort = withBlanksLast(formatSort(this.#sort)) || (this.#hasPosition ? "manualSort" : "");
    return { ...(sort && { sort }), ...(this.isFiltered && { filter: JSON.stringify(this.#filters) }) };
  }

  get isFiltered(): boolean {
    return Object.keys(this.#filters).length > 0;
  }

  sortOf(columnId: string): SortKey | undefined {
    return this.#sort.find((key) => key.columnId === columnId);
  }

  setSort(sort: readonly SortKey[]): void {
    this.#sort = sort;
    this.#updateUrl();
  }

  /** Undefined removes the filter of a column. */
  setFilter(columnId: string, allowed: readonly unknown[] | undefined): void {
    const { [columnId]: _before, ...others } = this.#filters;
    this.#filters = allowed === undefined ? others : { ...others, [columnId]: allowed };
    this.#updateUrl();
  }

  clearFilters(): void {
    this.#filters = {};
    this.#updateUrl();
  }

  isHidden(columnId: string): boolean {
    return this.#stored.hidden.includes(columnId);
  }

  setHidden(columnId: string, isHidden: boolean): void {
    const others = this.#stored.hidden.filter((id) => id !== columnId);
    this.#stored.hidden = isHidden ? [...others, columnId] : others;
    this.#store();
  }

  widthOf(column: Column): number {
    return this.#stored.widths[column.id] ?? defaultWidth(column);
  }

  setWidth(columnId: string, width: number, { isDone }: { isDone: boolean }): void {
    this.#stored.widths[columnId] = Math.round(width);
    if (isDone) this.#store();
  }

  /** Handles a changed column id. */
  renameColumn(from: string, to: string): void {
    const follow = (id: string): string => (id === from ? to : id);
    this.#stored.hidden = this.#stored.hidden.map(follow);
    this.#stored.widths = Object.fromEntries(
      Object.entries(this.#stored.widths).map(([id, width]) => [follow(id), width]),
    );
    this.#store();
    this.#sort = this.#sort.map((key) => ({ ...key, columnId: follow(key.columnId) }));
    this.#filters = Object.fromEntries(Object.entries(this.#filters).map(([id, allowed]) => [follow(id), allowed]));
    this.#updateUrl();
  }

  /** Drops settings of columns that do not exist. */
  retainColumns(columnIds: ReadonlySet<string>): void {
    const sort = this.#sort.filter(({ columnId }) => columnIds.has(columnId) || columnId === "id");
    const filters = Object.entries(this.#filters).filter(([id]) => columnIds.has(id) || id === "id");
    if (sort.length === this.#sort.length && filters.length === Object.keys(this.#filters).length) return;
    this.#sort = sort;
    this.#filters = Object.fromEntries(filters);
    this.#updateUrl();
  }

  #updateUrl(): void {
    const query = new URLSearchParams(location.search);
    const put = (name: string, value: string) => (value ? query.set(name, value) : query.delete(name));
    put("sort", formatSort(this.#sort));
    put("filter", this.isFiltered ? JSON.stringify(this.#filters) : "");
    const text = query.toString();
    history.replaceState(history.state, "", text ? `?${text}` : location.pathname);
    this.#onChange();
  }

  #store(): void {
    try {
      localStorage.setItem(this.#key, JSON.stringify(this.#stored));
    } catch {
      // Without storage, all columns are shown.
    }
  }
}

const formatSort = (sort: readonly SortKey[]): string =>
  sort.map(({ columnId, isDescending }) => `${isDescending ? "-" : ""}${columnId}`).join(",");

const parseSort = (text: string): SortKey[] =>
  text
    .split(",")
    .map((part) => /^(-?)(\w+)$/.exec(part))
    .flatMap((found) => (found ? [{ columnId: found[2] ?? "", isDescending: found[1] === "-" }] : []));

function parseFilters(text: string): Filters {
  try {
    const value: unknown = JSON.parse(text || "{}");
    if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
    return Object.fromEntries(
      Object.entries(value).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1])),
    );
  } catch {
    return {};
  }
}

function readStoredView(key: string): StoredView {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<StoredView> | null;
    return {
      hidden: Array.isArray(stored?.hidden) ? stored.hidden : [],
      widths: typeof stored?.widths === "object" && stored.widths !== null ? stored.widths : {},
    };
  } catch {
    return { hidden: [], widths: {} };
  }
}

const DEFAULT_WIDTHS: Readonly<Record<string, number>> = {
  Bool: 96,
  Int: 112,
  Numeric: 128,
  Date: 128,
  DateTime: 184,
  Choice: 136,
};

function defaultWidth({ label, type }: Column): number {
  // Width of the name with its icons.
  return Math.min(320, Math.max(DEFAULT_WIDTHS[type.base] ?? 176, label.length * 8 + 64));
}
