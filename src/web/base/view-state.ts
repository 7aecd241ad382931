/**
 * How a table is shown: which rows, in which order and groups, and how its columns are laid out. The address of the page holds it; what the
 * address leaves out is the default.
 */

/** A condition on rows, in the grammar of the API (docs/filtering.md). */
export type ViewFilter = Readonly<Record<string, unknown>>;

export const SORT_FLAGS = ["orderByChoice", "naturalSort", "emptyLast"] as const;
/** Options of a sort, as sections store them and the API takes them. */
export type SortFlag = (typeof SORT_FLAGS)[number];

export interface SortKey {
  readonly columnId: string;
  readonly isDescending: boolean;
  /** Exactly these options, as a section has stored them. Without them, empty cells are last in either direction. */
  readonly flags?: readonly SortFlag[];
}

export const PERIODS = ["day", "week", "month", "quarter", "year"] as const;
export type Period = (typeof PERIODS)[number];

export interface GroupKey extends Pick<SortKey, "columnId" | "isDescending"> {
  /** The period that dates are grouped by; null groups by the value itself. */
  readonly by: Period | null;
}

export const TOTALS = ["sum", "average", "minimum", "maximum", "count", "filled", "unique"] as const;
export type Total = (typeof TOTALS)[number];

/** Heights of rows, in lines. */
export const LINE_COUNTS = [1, 2, 4, 8] as const;

export interface ViewState {
  /** An empty object selects all rows. */
  readonly filter: ViewFilter;
  readonly sort: readonly SortKey[];
  /** At most three, the outermost first. */
  readonly groups: readonly GroupKey[];
  /** Text that a row has to contain; empty for none. */
  readonly find: string;
  /** By column id. */
  readonly totals: Readonly<Record<string, Total>>;
  /** Ids of columns that are not shown. */
  readonly hidden: readonly string[];
  /** Ids of columns in their order; columns that it does not name follow in the order of the table. */
  readonly order: readonly string[];
  /** Widths in pixels, by column id. */
  readonly widths: Readonly<Record<string, number>>;
  /** Number of columns at the start that do not scroll. */
  readonly frozen: number;
  /** Lines of each row. */
  readonly lines: number;
}

export const DEFAULT_VIEW: ViewState = {
  filter: {},
  sort: [],
  groups: [],
  find: "",
  totals: {},
  hidden: [],
  order: [],
  widths: {},
  frozen: 0,
  lines: 1,
};

export const MAX_GROUPS = 3;
/** Widths of columns in pixels. */
export const WIDTHS = { min: 48, max: 600 } as const;
/** More columns than this would leave no room to scroll. */
const MAX_FROZEN = 20;
const MAX_LINES = 20;
const MAX_FIND = 200;

/** The parameters of the address that belong to the view. */
export const VIEW_PARAMETERS = [
  "filter",
  "sort",
  "group",
  "find",
  "totals",
  "hide",
  "order",
  "width",
  "freeze",
  "lines",
] as const;

/** Parses the parameters of an address. Invalid values are left out. */
export function parseViewState(query: URLSearchParams): ViewState {
  const items = (name: string): string[] => (query.get(name) ?? "").split(",").filter((item) => item !== "");
  return {
    filter: parseFilter(query.get("filter") ?? ""),
    sort: parseSort(items("sort")),
    groups: parseGroups(items("group")),
    find: (query.get("find") ?? "").slice(0, MAX_FIND),
    totals: parsePairs(items("totals"), (text) => TOTALS.find((total) => total === text)),
    hidden: columnIds(items("hide")),
    order: columnIds(items("order")),
    widths: parsePairs(items("width"), (text) => parseCount(text, WIDTHS.min, WIDTHS.max)),
    frozen: parseCount(query.get("freeze") ?? "", 0, MAX_FROZEN) ?? 0,
    lines: parseCount(query.get("lines") ?? "", 1, MAX_LINES) ?? 1,
  };
}

/** Returns `query` with the parameters of `view`; other parameters stay. Defaults are left out. */
export function withViewState(query: URLSearchParams, view: ViewState): URLSearchParams {
  const result = new URLSearchParams(query);
  for (const [name, value] of Object.entries(parametersOf(view))) {
    if (value === "") result.delete(name);
    else result.set(name, value);
  }
  return result;
}

export const hasViewParameters = (query: URLSearchParams): boolean => VIEW_PARAMETERS.some((name) => query.has(name));

export type ViewParameter = (typeof VIEW_PARAMETERS)[number];

/** Returns the parameters of a view; those of defaults are empty. */
export const parametersOf = (view: ViewState): Record<ViewParameter, string> => ({
  filter: isFiltered(view) ? JSON.stringify(view.filter) : "",
  sort: view.sort.map(sortKeyText).join(","),
  group: view.groups.map((key) => sortKeyText(key) + (key.by === null ? "" : `:${key.by}`)).join(","),
  find: view.find,
  totals: pairsText(view.totals),
  hide: view.hidden.join(","),
  order: view.order.join(","),
  width: pairsText(view.widths),
  freeze: view.frozen === 0 ? "" : String(view.frozen),
  lines: view.lines === 1 ? "" : String(view.lines),
});

export const isFiltered = ({ filter }: ViewState): boolean => Object.keys(filter).length > 0;

/** The value of the API's parameter `sort`, without the order of groups. */
export const formatSort = (sort: readonly SortKey[]): string => sort.map(sortKeyText).join(",");

const sortKeyText = ({ columnId, isDescending, flags }: SortKey): string =>
  `${isDescending ? "-" : ""}${columnId}${flags ? `:${flags.join(";")}` : ""}`;

const pairsText = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([id, value]) => `${id}:${value}`)
    .join(",");

function parseFilter(text: string): ViewFilter {
  try {
    const value: unknown = JSON.parse(text || "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as ViewFilter) : {};
  } catch {
    return {};
  }
}

const firstOfEach = <T extends { columnId: string }>(keys: readonly T[]): T[] =>
  keys.filter(({ columnId }, at) => keys.findIndex((key) => key.columnId === columnId) === at);

const parseSort = (items: readonly string[]): SortKey[] =>
  firstOfEach(
    items.flatMap((item) => {
      const [, sign, columnId, flags] = /^(-?)(\w+)(?::([\w;]*))?$/.exec(item) ?? [];
      if (columnId === undefined) return [];
      return [{ columnId, isDescending: sign === "-", ...(flags !== undefined && { flags: sortFlags(flags) }) }];
    }),
  );

/** Returns the options that a text separates by semicolons, without unknown ones. */
export const sortFlags = (text: string): SortFlag[] => {
  const names = text.split(";");
  return SORT_FLAGS.filter((flag) => names.includes(flag));
};

const parseGroups = (items: readonly string[]): GroupKey[] =>
  firstOfEach(
    items.flatMap((item) => {
      const [, sign, columnId, by] = /^(-?)(\w+)(?::(\w+))?$/.exec(item) ?? [];
      if (columnId === undefined) return [];
      return [{ columnId, isDescending: sign === "-", by: PERIODS.find((period) => period === by) ?? null }];
    }),
  ).slice(0, MAX_GROUPS);

const columnIds = (items: readonly string[]): string[] => [...new Set(items.filter((item) => /^\w+$/.test(item)))];

const parsePairs = <T>(items: readonly string[], parse: (text: string) => T | undefined): Record<string, T> =>
  Object.fromEntries(
    items.flatMap((item) => {
      const [, columnId, text] = /^(\w+):(\w+)$/.exec(item) ?? [];
      const value = text === undefined ? undefined : parse(text);
      return columnId === undefined || value === undefined ? [] : [[columnId, value] as const];
    }),
  );

function parseCount(text: string, min: number, max: number): number | undefined {
  if (!/^\d{1,6}$/.test(text)) return undefined;
  return Math.max(min, Math.min(max, Number(text)));
}

/** Returns `view` for columns of which some were renamed, by their former ids. */
export function renameColumns(view: ViewState, renamed: ReadonlyMap<string, string>): ViewState {
  const follow = (id: string): string => renamed.get(id) ?? id;
  const keys = <T>(values: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(values).map(([id, value]) => [follow(id), value]));
  return {
    ...view,
    filter: mapFilterColumns(view.filter, follow) ?? {},
    sort: view.sort.map((key) => ({ ...key, columnId: follow(key.columnId) })),
    groups: view.groups.map((key) => ({ ...key, columnId: follow(key.columnId) })),
    totals: keys(view.totals),
    hidden: view.hidden.map(follow),
    order: view.order.map(follow),
    widths: keys(view.widths),
  };
}

/** Returns `view` without what belongs to columns that do not exist. */
export function retainColumns(view: ViewState, exists: ReadonlySet<string>): ViewState {
  const has = (id: string): boolean => id === "id" || exists.has(id);
  const keys = <T>(values: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(values).filter(([id]) => has(id)));
  return {
    ...view,
    filter: mapFilterColumns(view.filter, (id) => (has(id) ? id : null)) ?? {},
    sort: view.sort.filter(({ columnId }) => has(columnId)),
    groups: view.groups.filter(({ columnId }) => has(columnId)),
    totals: keys(view.totals),
    hidden: view.hidden.filter(has),
    order: view.order.filter(has),
    widths: keys(view.widths),
  };
}

/** Renames the columns of a filter, or removes conditions on those for which `follow` returns null. Null: nothing is left. */
export function mapFilterColumns(filter: ViewFilter, follow: (id: string) => string | null): ViewFilter | null {
  const entries = Object.entries(filter).flatMap(([key, value]): [string, unknown][] => {
    if ((key === "and" || key === "or") && Array.isArray(value)) {
      const parts = value.flatMap((part) => mapFilterColumns(asFilter(part), follow) ?? []);
      return parts.length > 0 ? [[key, parts]] : [];
    }
    if (key === "not") {
      const part = mapFilterColumns(asFilter(value), follow);
      return part ? [[key, part]] : [];
    }
    const [first = "", ...path] = key.split(".");
    const id = follow(first);
    return id === null ? [] : [[[id, ...path].join("."), value]];
  });
  return entries.length > 0 ? (Object.fromEntries(entries) as ViewFilter) : null;
}

const asFilter = (value: unknown): ViewFilter =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as ViewFilter) : {};

/** Returns columns in an order of ids; columns that it does not name follow. */
export function orderColumns<T extends { readonly id: string }>(columns: readonly T[], order: readonly string[]): T[] {
  if (order.length === 0) return [...columns];
  const place = new Map(order.map((id, at) => [id, at]));
  return columns.toSorted((a, b) => (place.get(a.id) ?? order.length) - (place.get(b.id) ?? order.length));
}
