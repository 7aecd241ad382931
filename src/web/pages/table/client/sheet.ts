import type { RawSection, RecordJson, RecordsPage, TablePageData } from "../../../base/table-data.ts";
import { apiWithRetry } from "../../../base/client/api.ts";
import { t } from "../../../base/client/texts.ts";
import type { Grid } from "../../../base/client/grid/grid.ts";
import type { ImportSource } from "../../../base/client/import/import-target.ts";
import { showStyle } from "../../../base/client/grid/rows-style.ts";
import { HeldKeys } from "../../../base/client/grid/held-keys.ts";
import type { GridOptions } from "../../../base/client/grid/grid-options.ts";
import type { RowsView } from "../../../base/client/grid/rows-view.ts";
import type { DrawGroup } from "../../../base/client/grid/group-rows.ts";
import type { CellPosition } from "../../../base/client/grid/selection.ts";
import type { LargeTarget } from "./all-rows/too-large.ts";
import type { StyleRule } from "./cells/conditional-styles.ts";
import { describeCell } from "./cells/describe-cell.ts";
import { type Column, readColumns } from "./columns/columns.ts";
import { gridColumn } from "./columns/grid-column.ts";
import { GROUP_HEIGHT_PX, rowHeight } from "./rows/row-heights.ts";
import { ActiveRow } from "./rows/active-row.ts";
import { type HeldRow, withoutRow } from "./rows/held-row.ts";
import { HeldRows } from "./rows/held-rows.ts";
import { RowPageCache } from "./rows/row-page-cache.ts";
import { RowCount } from "./rows/row-count.ts";
import { ErrorDetails } from "./cells/error-words.ts";
import { Grouping } from "./groups/grouping.ts";
import { MarkdownTexts } from "./cells/markdown-texts.ts";
import { readTableContent, rowRulesOf } from "./table-metadata.ts";
import type { SheetParts } from "./sheet-parts.ts";
import { SheetProblems } from "./sheet-problems.ts";
import type { ReadContent, SheetSetup } from "./sheet-setup.ts";
import { Totals } from "./totals/totals.ts";
import { Thumbnails } from "./cells/thumbnails.ts";
import { NO_LINK, type SectionLink } from "../../../base/views/section-link.ts";
import { orderColumns } from "../../../base/view-state.ts";
import { FilterFields } from "./view/filter-fields.ts";
import type { FilterTarget } from "./view/filter-target.ts";
import { ReferenceLabels } from "./view/reference-labels.ts";
import { ViewSettings } from "./view/view-settings.ts";

/** Commands of a column header. */
export type OpenColumnMenu = (column: Column, button: HTMLElement, at?: { x: number; y: number }) => void;

/** A sheet whose rows are shown in a grid. */
export type GridSheet = Sheet<Grid<RecordJson>>;

/** A table on a page: its columns, the loaded rows, the grid or cards that show them, and the view settings. */
export class Sheet<View extends RowsView<RecordJson> = RowsView<RecordJson>> {
  readonly parts: SheetParts;
  readonly docId: string;
  readonly table: string;
  readonly role: TablePageData["role"];
  readonly view: ViewSettings;
  readonly grid: View;
  readonly rowPages: RowPageCache;
  /** The columns that filters can be about, and the texts of rows in filters. */
  readonly fields: FilterFields;
  readonly labels: ReferenceLabels;
  readonly heldKeys = new HeldKeys();
  readonly thumbnails: Thumbnails;
  readonly totals: Totals;
  readonly errorDetails: ErrorDetails;
  readonly markdown: MarkdownTexts;
  readonly grouping: Grouping;
  readonly held: HeldRows;
  readonly isSummary: boolean;
  /** Set by the module that implements it. */
  onOpenColumnMenu: OpenColumnMenu = () => {};
  onOpenFind: () => void = () => {};
  /** Opens the import window for the table; set by its consumer. */
  onImport: (source?: ImportSource) => void = () => {};
  onOpenFilter: (target: FilterTarget) => void = () => {};
  /** Called when the active cell changes; set by its consumer. */
  onActivate: (place: CellPosition) => void = () => {};
  /** Opens the popover of groups; set by the module that implements it. */
  onOpenGroups: () => void = () => {};
  /** Renders group rows; set by the module that implements it. */
  onDrawGroup: DrawGroup<RecordJson> = () => {};
  /** Called whenever the selection is drawn; set by its consumer. */
  onSelection: () => void = () => {};
  /** Conditional styles of rows. */
  rowRules: readonly StyleRule[];
  #data: TablePageData & { table: string };
  #columns: Column[];
  #shown: Column[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #dataListeners = new Set<() => void>();
  readonly #problems: SheetProblems;
  readonly #isActive: () => boolean;
  readonly #readContent: () => Promise<ReadContent>;
  #link = NO_LINK;
  readonly #activeRow: ActiveRow;
  /** Responses may arrive in another order than that of their requests. */
  #columnRequests = 0;
  #shownColumnRequest = 0;
  readonly #count: RowCount;
  #geometry: RowPageCache["geometry"] = null;

  /** @param createView creates the grid, or the cards */
  constructor(
    { parts, data, store, isActive = () => true, ...setup }: SheetSetup,
    createView: (options: GridOptions<RecordJson>) => View,
  ) {
    this.parts = parts;
    this.#data = data;
    this.#isActive = isActive;
    this.#readContent = setup.readContent ?? (() => readTableContent({ ...this.#data }));
    this.#problems = new SheetProblems(parts.problem);
    const { docId, table, role, first } = data;
    this.docId = docId;
    this.table = table;
    this.role = role;
    this.isSummary = (data.tables.find(({ id }) => id === table)?.sourceRef ?? 0) > 0;
    this.#columns = readColumns(data);
    this.rowRules = rowRulesOf(this.#data);
    this.thumbnails = new Thumbnails(docId, table);
    this.errorDetails = new ErrorDetails({ docId, table }, () => this.showColumns());
    this.markdown = new MarkdownTexts(docId, () => this.showColumns());
    this.view = new ViewSettings({ store, data: () => this.#data, changed: (what) => this.#viewChanged(what) });
    const loaded = (): void => this.#notifyListeners();
    this.fields = new FilterFields({ docId, table, data: () => this.#data, columns: () => this.columns, loaded });
    this.labels = new ReferenceLabels(docId, this.fields, loaded);
    this.totals = new Totals(this);
    this.grouping = new Grouping({
      path: this.path,
      view: this.view,
      heights: () => ({ row: rowHeight(this.view.state.lines), group: GROUP_HEIGHT_PX }),
      columns: () => this.#columns,
      held: () => this.rowPages.held,
      storedId: (id) => this.rowPages.idOf(id),
      changed: () => this.#groupsChanged(),
    });
    this.rowPages = new RowPageCache((offset, limit, options) => this.readRows(offset, limit, options), {
      first: this.grouping.geometry === null ? first : null,
      geometry: () => this.grouping.geometry,
      changing: () => this.#activeRow.track(),
      changed: (movedBy) => this.#rowsChanged(movedBy),
      loaded: () => this.#problems.clearLoadError(),
      failed: (error) => this.#showLoadError(error, () => this.refresh()),
    });
    this.grid = createView({
      host: parts.gridHost,
      label: t("table.grid", { table: parts.name.textContent ?? table }),
      source: this.rowPages,
      rowHeight: rowHeight(this.view.state.lines),
      hasBlankRow: () => this.canAddRows && this.rowPages.isLoaded && this.#shown.length > 0,
      drawGroup: (cell, shown, look) => this.onDrawGroup(cell, shown, look),
      describeCell: (place) => describeCell(this, place, parts.cellStatus.id),
      onActivate: (place) => {
        this.#activeRow.forget();
        this.#activeRow.track();
        this.onActivate(place);
      },
      onSelection: () => {
        this.onSelection();
        this.held.check();
      },
      onResize: (column, width, isDone) => this.resize(column, width, { isDone }),
      onFitWidth: (column, width) => this.resize(column, width),
    });
    this.#activeRow = new ActiveRow(this.grid, this.rowPages);
    this.held = new HeldRows(this);
    this.#count = new RowCount(this, () => this.#countAll());
    this.showColumns();
    this.#count.render();
  }

  get canEdit(): boolean {
    return this.role !== "viewers";
  }

  /** Whether keys of the page are for this sheet. */
  get isActive(): boolean {
    return this.#isActive();
  }

  /** Keys and commands of the page are for this sheet from now on. */
  activated(): void {
    this.#notifyListeners();
  }

  get canAddRows(): boolean {
    return this.canEdit && !this.isSummary && this.#link.missing === null;
  }

  /** All visible columns, in the order of the view. */
  get columns(): readonly Column[] {
    return orderColumns(this.#columns, this.view.state.order);
  }

  /** Columns that the user has not hidden. */
  get shown(): readonly Column[] {
    return this.#shown;
  }

  get section(): RawSection | null {
    return this.#data.section;
  }

  get data(): TablePageData {
    return this.#data;
  }

  /** The table's path in the API. */
  get path(): string {
    return `/api/docs/${this.docId}/tables/${encodeURIComponent(this.table)}`;
  }

  /** What a change that the history does not keep is about. */
  get large(): LargeTarget {
    return { ...this.#data, path: this.path };
  }

  /** The row of the active cell; undefined while it is not loaded. */
  get activeRow(): RecordJson | undefined {
    return this.#activeRow.row;
  }

  canEditCells({ isFormula, isEmpty }: Column): boolean {
    return this.canEdit && (!isFormula || isEmpty);
  }

  /** Subscribes to changes of rows, columns and view settings. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Subscribes to changes of the stored rows, and of the filter that selects them. */
  onDataChange(listener: () => void): void {
    this.#dataListeners.add(listener);
  }

  /** Removes messages about the user's previous change. Loading errors stay. */
  clearError(): void {
    this.#problems.clearChangeError();
  }

  /** Rows changed in this window. An error stays: it may belong to a later change. */
  refresh(): void {
    this.#dataChanged();
    this.rowPages.refresh();
    void this.held.refresh({ isOwn: true });
  }

  /** Rows changed elsewhere: messages about the user's own changes stay. */
  async refreshFromRemote(): Promise<void> {
    this.#dataChanged();
    this.rowPages.refresh();
    void this.held.refresh({ isOwn: false });
    await this.rowPages.whenLoaded();
  }

  /** Shows an error above the grid. */
  showError(error: unknown, retry?: () => void): void {
    this.#problems.showChangeError(error, retry);
  }

  /** Shows an error until rows are loaded. */
  #showLoadError(error: unknown, retry: () => void): void {
    this.#count.showLoading(false);
    this.#problems.showLoadError(error, retry);
  }

  /** Reads again, when the connection is back, what could not be read. */
  retryFailedLoad(): void {
    if (this.#problems.hasLoadError) void this.reloadFromRemote();
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
    const content = await this.#readContent();
    if (request < this.#shownColumnRequest) return;
    this.#shownColumnRequest = request;
    this.setContent(content);
    this.refresh();
  }

  /** Shows other columns. */
  setContent(content: ReadContent): void {
    this.#data = { ...this.#data, ...content };
    const before = this.#columns;
    this.#columns = readColumns(this.#data);
    this.rowRules = rowRulesOf(this.#data);
    this.view.followColumns(before, this.#columns);
    this.showColumns();
  }

  /** What the selected row of another section makes of this one. */
  get link(): SectionLink {
    return this.#link;
  }

  setLink(link: SectionLink): void {
    const isOther = JSON.stringify(link.filter) !== JSON.stringify(this.#link.filter);
    this.#link = link;
    if (isOther) this.grid.selection.move({ row: 0, column: this.grid.selection.active.column });
    this.view.setLinkFilter(link.filter);
    this.#count.render();
    this.grid.rowsChanged();
  }

  /** Renders the columns with the current view settings. */
  showColumns(): void {
    this.#shown = this.columns.filter(({ id }) => !this.view.isHidden(id));
    const { state, rowsStyle } = this.view;
    const { element } = this.grid;
    const height = rowHeight(state.lines);
    if (element.style.getPropertyValue("--row") !== `${height}px`) {
      element.style.setProperty("--row", `${height}px`);
      element.classList.toggle("tall", state.lines > 1);
      this.grouping.layOut();
    }
    const columns = this.#shown.map((column) => gridColumn(this, column));
    const style = showStyle(element, rowsStyle);
    this.grid.setColumns(columns, { frozen: state.frozen, rowHeight: height, style });
    this.#notifyListeners();
  }

  /** The number of rows without the filter of the view. */
  async #countAll(): Promise<number> {
    const { linkFilter: filter } = this.view;
    return (await this.#read(0, 1, { fields: "id", ...(filter && { filter: JSON.stringify(filter) }) })).total;
  }

  #read(
    offset: number,
    limit: number,
    { signal, ...view }: { signal?: AbortSignal; sort?: string; filter?: string; fields?: string },
  ): Promise<RecordsPage> {
    const query = { ...view, hidden: true, total: true, limit, ...(offset > 0 && { offset }) };
    return apiWithRetry<RecordsPage>(`${this.path}/records`, { query, signal });
  }

  /** Rows are read in the order of their groups, and wait for the groups that they are shown in. */
  async readRows(
    offset: number,
    limit: number,
    { signal, held }: { signal?: AbortSignal; held: HeldRow | null },
  ): Promise<RecordsPage> {
    const { sort, filter } = this.view.query;
    const groupSort = await this.grouping.ready();
    const both = [groupSort, sort].filter((each) => each).join(",");
    const heldId = held ? this.rowPages.idOf(held.id) : 0;
    const selected = heldId > 0 ? withoutRow(filter, heldId) : filter;
    const query = { ...(selected && { filter: selected }), ...(both && { sort: both }) };
    return this.#read(offset, limit, { ...query, ...(signal && { signal }) });
  }

  /** Rows that are being read bring the groups with them. */
  #groupsChanged(): void {
    if (!this.rowPages.isLoading) this.rowPages.geometryChanged();
    this.grid.rowsChanged();
  }

  #rowsChanged(movedBy: number): void {
    if (movedBy !== 0 || this.rowPages.geometry !== this.#geometry) this.grid.shift(movedBy);
    this.#geometry = this.rowPages.geometry;
    this.#activeRow.follow();
    this.grid.rowsChanged();
    this.#count.render();
    this.#notifyListeners();
  }

  #viewChanged(what: "rows" | "columns"): void {
    this.showColumns();
    if (what === "columns") return this.grouping.updateTotals();
    this.#activeRow.forget();
    this.grid.selection.noteBlank(null);
    this.held.forget();
    this.#dataChanged({ isOther: true });
    this.rowPages.reset();
    this.#count.showLoading(true);
    this.grid.rowsChanged();
  }

  /** Sets the width of a shown column. */
  resize(at: number, width: number, { isDone = true } = {}): void {
    const column = this.#shown[at];
    if (column) this.view.setWidth(column.id, width, { isDone });
  }

  #dataChanged({ isOther = false } = {}): void {
    this.grouping.invalidate({ isOther });
    this.#count.invalidate();
    for (const listener of this.#dataListeners) listener();
  }

  #notifyListeners(): void {
    for (const listener of this.#listeners) listener();
  }
}
