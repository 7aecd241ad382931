/** The rows of a view as a query of the API: the same for the first rows, which the server renders, and for rows that scripts request. */
import { findFilter, type FindOptions } from "./find-filter.ts";
import { withBlanksLast } from "./table-data.ts";
import { formatSort, isFiltered, type SortKey, type ViewState } from "./view-state.ts";

export interface RowsQuery {
  readonly sort?: string;
  readonly filter?: string;
}

/** The columns decide what a search means; those with positions have an order that people can change. */
export function rowsQuery(view: ViewState, options: Omit<FindOptions, "hidden">): RowsQuery {
  const hasPosition = options.columns.some(({ id }) => id === "manualSort");
  const sort =
    withBlanksLast(formatSort(byShownColumns(view.sort, options.columns))) || (hasPosition ? "manualSort" : "");
  const found = view.find === "" ? null : findFilter(view.find, { ...options, hidden: view.hidden });
  const filter = found && isFiltered(view) ? { and: [view.filter, found] } : (found ?? view.filter);
  return { ...(sort && { sort }), ...(Object.keys(filter).length > 0 && { filter: JSON.stringify(filter) }) };
}

/** References are in the order of their texts, which another column has. */
function byShownColumns(sort: readonly SortKey[], columns: FindOptions["columns"]): SortKey[] {
  return sort.map((key) => {
    const display = columns.find(({ id }) => id === key.columnId)?.fields.displayCol ?? 0;
    const shown = display > 0 ? columns.find(({ fields }) => fields.colRef === display) : undefined;
    return shown ? { ...key, columnId: shown.id } : key;
  });
}
