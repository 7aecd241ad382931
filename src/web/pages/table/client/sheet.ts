import type { ColumnListing, RecordJson, RecordsPage, ShownColumn, TablePageData } from "../../../base/table-data.ts";
import { apiWithRetry } from "../../../base/client/api.ts";
import { replaceChildren, find, h } from "../../../base/client/dom.ts";
import { clearError, showError } from "../../../base/client/problem.ts";
import { t } from "../../../base/client/texts.ts";
import { Grid, type GridColumn } from "../../../base/client/grid/grid.ts";
import { HeldKeys } from "../../../base/client/grid/held-keys.ts";
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
  readonly heldKeys = new HeldKeys();
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
  /** The error of the latest change, and the one of loading rows: neither replaces the other. */
  readonly #changeError = h("div", { class: "problem-place" });
  readonly #loadError = h("div", { class: "problem-place" });
  /** The row of the active cell: the selection follows it to its new position. */
  #activeRow: { index: number; readonly id: number | undefined } | null = null;
  /** Responses may arrive in another order than that of their requests. */
  #columnRequests = 0;
  #shownColumnRequest = 0;
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
    find("#sheet-problem").append(this.#loadError, this.#changeError);
    const hasPosition = columns.some(({ id }) => id === "manualSort");
    this.view = new ViewSettings({ docId, table, hasPosition, changed: () => this.#viewChanged() });
    this.rowPages = new RowPageCache((offset, limit, signal) => this.#read(offset, limit, signal), {
      first,
      changing: () => this.#trackActiveRow(),
      changed: (movedBy) => this.#rowsChanged(movedBy),
      loaded: () => clearError(this.#loadError),
      failed: (error) => this.#showLoadError(error, () => this.refresh()),
    });
    this.grid = new Grid({
      host: find("#grid-host"),
      label: t("table.grid", { table }),
      source: this.rowPages,
      rowHeight: ROW_HEIGHT_PX,
      onActivate: (place) => {
        this.#activeRow = null;
        this.#trackActiveRow();
        this.onActivate(place);
      },
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

  /** The row of the active cell; undefined while it is not loaded. */
  get activeRow(): RecordJson | undefined {
    this.#trackActiveRow();
    const { active } = this.grid.selection;
    const row = this.rowPages.rowAt(active.row);
    const id = this.#activeRow?.id;
    // It has moved to rows that are being loaded.
    const isElsewhere = id !== undefined && row?.id !== this.rowPages.idOf(id) && this.rowPages.indexOf(id) < 0;
    return isElsewhere && this.rowPages.isLoading ? undefined : row;
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
    clearError(this.#changeError);
  }

  /** Rows changed in this window. An error stays: it may belong to a later change. */
  refresh(): void {
    this.rowPages.refresh();
  }

  /** Rows changed elsewhere: messages about the user's own changes stay. */
  async refreshFromRemote(): Promise<void> {
    this.rowPages.refresh();
    await this.rowPages.whenLoaded();
  }

  /** Shows an error above the grid. */
  showError(error: unknown, retry?: () => void): void {
    showError(this.#changeError, error, { ...(retry && { retry }), canClose: true });
  }

  /** Shows an error until rows are loaded. */
  #showLoadError(error: unknown, retry: () => void): void {
    showError(this.#loadError, error, { retry });
  }

  /** Reads again, when the connection is back, what could not be read. */
  retryFailedLoad(): void {
    if (this.#loadError.hasChildNodes()) void this.reloadFromRemote();
  }

  /** Reloads columns and rows after a change elsewhere. */
  async reloadFromRemote(): Promise<void> {
    try {
      await this.reloadColumns();
    } catch (error) {
      this.#showLoadError(error, () => void this.reloadFromRemote());
    }
  }

  /** Reloads columns and rows. */
  async reloadColumns(): Promise<void> {
    const request = ++this.#columnRequests;
    const { columns } = await apiWithRetry<{ columns: ColumnListing[] }>(`${this.path}/columns`, {
      query: { hidden: true },
    });
    const shown = await this.#readShown(columns);
    if (request < this.#shownColumnRequest) return;
    this.#shownColumnRequest = request;
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

  #rowsChanged(movedBy: number): void {
    if (movedBy !== 0) this.grid.shift(movedBy);
    this.#followActiveRow();
    this.grid.rowsChanged();
    this.#renderCount();
    this.#notifyListeners();
  }

  #trackActiveRow(): void {
    const { row: index } = this.grid.selection.active;
    // Otherwise the row is still the active one, even if it is not loaded now.
    if (this.#activeRow?.index !== index) this.#activeRow = { index, id: this.rowPages.rowAt(index)?.id };
  }

  #followActiveRow(): void {
    if (this.#activeRow?.id === undefined) return;
    const index = this.rowPages.indexOf(this.#activeRow.id);
    const { row } = this.grid.selection.active;
    if (index >= 0 && index !== row) this.grid.moveSelection(index - row);
    this.#activeRow.index = this.grid.selection.active.row;
  }

  #viewChanged(): void {
    this.#activeRow = null;
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
    const { count, isLoaded } = this.rowPages;
    const text = t(this.view.isFiltered ? "table.countFound" : "table.count", { count });
    replaceChildren(find("#sheet-count"), isLoaded && text);
    this.#empty.hidden = !isLoaded || count > 0;
    if (!this.#empty.hidden) this.#renderEmptyState();
  }

  /** Shows the empty state and its action. */
  #renderEmptyState(): void {
    if (this.view.isFiltered) {
      const all = () => this.view.clearFilters();
      replaceChildren(
        this.#empty,
        h("p", {}, t("table.empty.filtered")),
        h("button", { type: "button", class: "plain", onclick: all }, t("table.empty.clearFilters")),
      );
    } else if (this.canEdit && !this.isSummary) {
      replaceChildren(this.#empty, h("p", {}, t("table.empty.editor")));
    } else replaceChildren(this.#empty, h("p", {}, t("table.empty")));
  }

  #notifyListeners(): void {
    for (const listener of this.#listeners) listener();
  }
}
