/** How a table is shown now. A store keeps it: the address of the page, or a section of the document. */
import { rowsQuery, type RowsQuery } from "../../../../base/view-query.ts";
import {
  DEFAULT_VIEW,
  isFiltered,
  renameColumns,
  retainColumns,
  type SortKey,
  type ViewFilter,
  type ViewState,
  WIDTHS,
} from "../../../../base/view-state.ts";
import { ROW_PARAMETER } from "../../../../base/views/row-address.ts";
import type { RowsStyle } from "../../../../base/client/grid/rows-view.ts";
import type { RecordJson, TablePageData } from "../../../../base/table-data.ts";
import type { Column } from "../columns/columns.ts";
import type { ShownField } from "./shown-field.ts";
import type { ViewSaving } from "./view-saving.ts";
import type { ViewStore } from "./view-store.ts";

export interface ViewSettingsOptions {
  readonly store: ViewStore;
  /** What a search in the table depends on. */
  readonly data: () => Pick<TablePageData, "columns" | "settings">;
  /** Called after a change, with whether it affects rows or columns only. */
  readonly changed: (what: "rows" | "columns") => void;
}

export class ViewSettings {
  readonly #options: ViewSettingsOptions;
  #state: ViewState;
  #linkFilter: ViewFilter | null = null;

  constructor(options: ViewSettingsOptions) {
    this.#options = options;
    this.#state = options.store.state;
    options.store.onChange((state) => this.#apply(state));
  }

  get state(): ViewState {
    return this.#state;
  }

  /** How rows are drawn; undefined for the usual way. */
  get rowsStyle(): RowsStyle<RecordJson> | undefined {
    const { style } = this.#options.store;
    if (!style) return undefined;
    const { rowNumbers, ...lines } = style;
    const numberOf = rowNumbers === "rowId" ? ({ id }: RecordJson) => (id > 0 ? String(id) : "") : null;
    return { ...lines, hasNumbers: rowNumbers !== "hidden", numberOf };
  }

  /** Returns the field of a shown column in its section; null on the page of a table. */
  fieldOf(colRef: number): ShownField | null {
    return this.#options.store.fieldOf?.(colRef) ?? null;
  }

  /** The parameter of the address that names the open row. */
  get rowParameter(): string {
    return this.#options.store.rowParameter ?? ROW_PARAMETER;
  }

  get saving(): ViewSaving | undefined {
    return this.#options.store.saving;
  }

  get sort(): readonly SortKey[] {
    return this.#state.sort;
  }

  /** The query parameters of the API. */
  get query(): RowsQuery {
    const { filter } = this.#state;
    const linked = this.#linkFilter;
    const both = linked && isFiltered(this.#state) ? { and: [filter, linked] } : (linked ?? filter);
    return rowsQuery({ ...this.#state, filter: both }, this.#options.data());
  }

  /** Selects the rows that the selected row of another section leads to; null for all rows. */
  get linkFilter(): ViewFilter | null {
    return this.#linkFilter;
  }

  setLinkFilter(filter: ViewFilter | null): void {
    if (JSON.stringify(filter) === JSON.stringify(this.#linkFilter)) return;
    this.#linkFilter = filter;
    this.#options.changed("rows");
  }

  /** Whether a filter or a search selects the rows. */
  get isFiltered(): boolean {
    return isFiltered(this.#state) || this.#state.find !== "";
  }

  /** Changes parts of the view. Back reverts the change, unless it `replaces` the previous one. */
  update(part: Partial<ViewState>, { replaces = false }: { replaces?: boolean } = {}): void {
    const next = { ...this.#state, ...part };
    this.#options.store.update(next, { replaces });
    this.#apply(next);
  }

  #apply(next: ViewState): void {
    const before = this.#state;
    this.#state = next;
    // A search is about the columns that are shown.
    const keys = ({ filter, sort, groups, find, hidden }: ViewState): string =>
      JSON.stringify([filter, sort, groups, find, find === "" ? [] : hidden]);
    this.#options.changed(keys(before) === keys(next) ? "columns" : "rows");
  }

  sortOf(columnId: string): SortKey | undefined {
    return this.sort.find((key) => key.columnId === columnId);
  }

  setSort(sort: readonly SortKey[]): void {
    this.update({ sort });
  }

  /** Conditions on single columns that all have to be met, by column id; those in `and`, `or` and `not` are not among them. */
  get columnFilters(): Readonly<Record<string, unknown>> {
    const { and: _and, or: _or, not: _not, ...filters } = this.#state.filter;
    return filters;
  }

  /** Undefined removes the filter of a column. */
  setFilter(columnId: string, condition: unknown): void {
    const { [columnId]: _before, ...others } = this.#state.filter;
    this.update({ filter: condition === undefined ? others : { ...others, [columnId]: condition } });
  }

  clearFilters(): void {
    this.update({ filter: {}, find: "" });
  }

  /** Removes all that narrows, orders or groups the rows. */
  clear(): void {
    const { filter, sort, groups, find } = DEFAULT_VIEW;
    this.update({ filter, sort, groups, find });
  }

  isHidden(columnId: string): boolean {
    return this.#state.hidden.includes(columnId);
  }

  widthOf(column: Column): number {
    return this.#state.widths[column.id] ?? defaultWidth(column);
  }

  /** While the width is being dragged, only the page follows. */
  setWidth(columnId: string, width: number, { isDone }: { isDone: boolean }): void {
    const widths = { ...this.#state.widths, [columnId]: clampWidth(width) };
    if (isDone) this.update({ widths }, { replaces: true });
    else this.#apply({ ...this.#state, widths });
  }

  /** Follows columns whose ids have changed, and drops settings of columns that do not exist. */
  followColumns(before: readonly Column[], now: readonly Column[]): void {
    const idOf = new Map(now.map(({ ref, id }) => [ref, id]));
    const renamed = new Map(before.map(({ ref, id }) => [id, idOf.get(ref) ?? id]));
    const retained = retainColumns(renameColumns(this.#state, renamed), new Set(idOf.values()));
    if (JSON.stringify(retained) !== JSON.stringify(this.#state)) this.update(retained, { replaces: true });
  }
}

const clampWidth = (width: number): number => Math.max(WIDTHS.min, Math.min(WIDTHS.max, Math.round(width)));

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
