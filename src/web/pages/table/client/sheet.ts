import type { ColumnListing, RecordJson, RecordsPage, ShownColumn, TablePageData } from "../../../base/table-data.ts";
import { formatCount } from "../../../../lib/text/formatting.ts";
import { apiWithRetry } from "../../../base/client/api.ts";
import { replaceChildren, find, h } from "../../../base/client/dom.ts";
import { clearError, showError } from "../../../base/client/problem.ts";
import { Grid, type GridColumn } from "../../../base/client/grid/grid.ts";
import type { CellPosition } from "../../../base/client/grid/selection.ts";
import { drawCell } from "./cells/cell-renderers.ts";
import { type Column, readColumns } from "./columns/columns.ts";
import { drawHeader } from "./columns/column-headers.ts";
import { RowPageCache } from "./rows/row-page-cache.ts";
import { Thumbnails } from "./cells/thumbnails.ts";
import { ViewSettings } from "./view-settings.ts";

/** As in the style sheet: higher for touch. */
const ROW_HEIGHT_PX = matchMedia("(pointer: coarse)").matches ? 42 : 34;

/** Commands of a column header. */
export type OpenColumnMenu = (column: Column, button: HTMLElement, at?: { x: number; y: number }) => void;

/** One table on the page: its columns, the loaded rows, the grid, and the view settings. */
export class Sheet {
  readonly docId: string;
  readonly table: string;
  readonly role: TablePageData["role"];
  readonly view: ViewSettings;
  readonly grid: Grid<RecordJson>;
  readonly rowPages: RowPageCache;
  readonly thumbnails: Thumbnails;
  readonly isSummary: boolean;
  /** Set by the module that implements it. */
  onOpenColumnMenu: OpenColumnMenu = () => {};
  /** Called when the active cell changes; set by its consumer. */
  onActivate: (place: CellPosition) => void = () => {};
  #data: TablePageData & { table: string };
  #columns: Column[];
  #shown: Column[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #errorContainer = find("#sheet-problem");
  /** Loading rows failed: cleared when rows arrive. */
  #isLoadError = false;
  readonly #empty = h("div", { class: "grid-empty", role: "status", hidden: true });

  constructor(data: TablePageData & { table: string }) {
    this.#data = data;
    const { docId, table, role, columns, first } = data;
    this.docId = docId;
    this.table = table;
    this.role = role;
    this.isSummary = (data.tables.find(({ id }) => id === table)?.fields.summarySourceTable ?? 0) > 0;
    this.#columns = readColumns(data);
    this.thumbnails = new Thumbnails(docId, table);
    const hasPosition = columns.some(({ id }) => id === "manualSort");
    this.view = new ViewSettings({ docId, table, hasPosition, changed: () => this.#viewChanged() });
    this.rowPages = new RowPageCache((offset, limit, signal) => this.#read(offset, limit, signal), {
      first,
      changed: (movedBy) => this.#rowsLoaded(movedBy),
      failed: (error) => {
        showError(this.#errorContainer, error, { retry: () => this.refresh() });
        this.#isLoadError = true;
      },
    });
    this.grid = new Grid({
      host: find("#grid-host"),
      label: `Table ${table}`,
      source: this.rowPages,
      rowHeight: ROW_HEIGHT_PX,
      onActivate: (place) => this.onActivate(place),
      onResize: (column, width, isDone) => this.#resize(column, width, isDone),
    });
    find("#grid-host").append(this.#empty);
    this.showColumns();
    this.#renderCount();
  }

  get canEdit(): boolean {
    return this.role !== "viewers";
  }

  /** All visible columns, in order. */
  get columns(): readonly Column[] {
    return this.#columns;
  }

  /** Columns that the user has not hidden. */
  get shown(): readonly Column[] {
    return this.#shown;
  }

  get data(): TablePageData {
    return this.#data;
  }

  /** The table's path in the API. */
  get path(): string {
    return `/api/docs/${this.docId}/tables/${encodeURIComponent(this.table)}`;
  }

  /** The URL of a table's page in this document. */
  tableUrl(table: string): string {
    return `/docs/${this.docId}/tables/${encodeURIComponent(table)}`;
  }

  canEditCells({ isFormula, isEmpty }: Column): boolean {
    return this.canEdit && (!isFormula || isEmpty);
  }

  /** Subscribes to changes of rows, columns and view settings. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Removes messages about the user's previous change. Loading errors stay. */
  clearError(): void {
    if (!this.#isLoadError) clearError(this.#errorContainer);
  }

  /** Rows changed in this window. */
  refresh(): void {
    clearError(this.#errorContainer);
    this.rowPages.refresh();
  }

  /** Rows changed elsewhere: messages about the user's own changes stay. */
  async refreshFromRemote(): Promise<void> {
    this.rowPages.refresh();
    await this.rowPages.whenLoaded();
  }

  /** Shows an error above the grid. */
  showError(error: unknown, retry?: () => void): void {
    showError(this.#errorContainer, error, { ...(retry && { retry }), canClose: true });
    this.#isLoadError = false;
  }

  /** Reloads columns and rows. */
  async reloadColumns(): Promise<void> {
    const { columns } = await apiWithRetry<{ columns: ColumnListing[] }>(`${this.path}/columns`, {
      query: { hidden: true },
    });
    const shown = await this.#readShown(columns);
    this.#data = { ...this.#data, columns, shown };
    this.#columns = readColumns(this.#data);
    this.view.retainColumns(new Set(this.#columns.map(({ id }) => id)));
    this.showColumns();
    this.refresh();
  }

  /** Renders the columns with the current view settings. */
  showColumns(): void {
    this.#shown = this.#columns.filter(({ id }) => !this.view.isHidden(id));
    this.grid.setColumns(this.#shown.map((column) => this.#gridColumn(column)));
    this.#notifyListeners();
  }

  #gridColumn(column: Column): GridColumn<RecordJson> {
    const sort = this.view.sortOf(column.id);
    const look = { thumbnails: this.thumbnails, canEdit: (each: Column) => this.canEditCells(each) };
    return {
      id: column.id,
      width: this.view.widthOf(column),
      sort: sort && (sort.isDescending ? "descending" : "ascending"),
      drawHeader: (cell) =>
        drawHeader(cell, column, {
          sort,
          isFiltered: Object.hasOwn(this.view.filters, column.id),
          openMenu: (button) => this.onOpenColumnMenu(column, button),
        }),
      drawCell: (cell, row) => drawCell(cell, row, column, look),
    };
  }

  /** Returns newly needed display columns of references. */
  async #readShown(columns: readonly ColumnListing[]): Promise<TablePageData["shown"]> {
    const known = this.#data.shown;
    const unknown = columns.map(({ fields }) => fields.visibleCol).filter((ref) => ref > 0 && !known[ref]);
    if (unknown.length === 0) return known;
    const path = `/api/docs/${this.docId}/tables/_grist_Tables_column/records`;
    const { records } = await apiWithRetry<RecordsPage>(path, { query: { filter: JSON.stringify({ id: unknown }) } });
    return { ...known, ...Object.fromEntries(records.map(({ id, fields }) => [id, fields as unknown as ShownColumn])) };
  }

  #read(offset: number, limit: number, signal: AbortSignal): Promise<RecordsPage> {
    const query = { ...this.view.query, hidden: true, total: true, limit, ...(offset > 0 && { offset }) };
    return apiWithRetry<RecordsPage>(`${this.path}/records`, { query, signal });
  }

  #rowsLoaded(movedBy: number): void {
    if (this.#isLoadError) clearError(this.#errorContainer);
    if (movedBy !== 0) this.grid.shift(movedBy);
    else this.grid.rowsChanged();
    this.#renderCount();
    this.#notifyListeners();
  }

  #viewChanged(): void {
    this.showColumns();
    this.rowPages.reset();
    this.grid.rowsChanged();
  }

  #resize(at: number, width: number, isDone: boolean): void {
    const column = this.#shown[at];
    if (!column) return;
    this.view.setWidth(column.id, width, { isDone });
    this.showColumns();
  }

  #renderCount(): void {
    const { count: rows, isLoaded } = this.rowPages;
    replaceChildren(
      find("#sheet-count"),
      isLoaded && `${formatCount(rows, "row", "rows")}${this.view.isFiltered ? " found" : ""}`,
    );
    this.#empty.hidden = !isLoaded || rows > 0;
    if (!this.#empty.hidden) this.#renderEmptyState();
  }

  /** Shows the empty state and its action. */
  #renderEmptyState(): void {
    if (this.view.isFiltered) {
      const all = () => this.view.clearFilters();
      replaceChildren(
        this.#empty,
        h("p", {}, "No rows match the filter."),
        h("button", { type: "button", class: "plain", onclick: all }, "Clear filters"),
      );
    } else if (this.canEdit && !this.isSummary) {
      replaceChildren(this.#empty, h("p", {}, "No rows yet. Add one, or paste rows from a spreadsheet."));
    } else replaceChildren(this.#empty, h("p", {}, "No rows yet."));
  }

  #notifyListeners(): void {
    for (const listener of this.#listeners) listener();
  }
}
