import type { ColumnListing, RecordJson, RecordsPage, ShownColumn, TablePageData } from "../../table-data.ts";
import { count } from "../../../lib/sizes.ts";
import { patiently } from "../base/api.ts";
import { fill, find, h } from "../base/dom.ts";
import { clearProblem, showProblem } from "../base/problem.ts";
import { Grid, type GridColumn } from "../grid/grid.ts";
import type { Place } from "../grid/selection.ts";
import { drawCell } from "./cells.ts";
import { type Column, readColumns } from "./columns.ts";
import { drawHead } from "./heads.ts";
import { RowPages } from "./pages.ts";
import { Thumbnails } from "./thumbnails.ts";
import { View } from "./view.ts";

/** As the style sheet has it: higher where fingers have to meet them. */
const ROW_PX = matchMedia("(pointer: coarse)").matches ? 42 : 34;

/** What is done about a column in its head. */
export type OpenColumnMenu = (column: Column, button: HTMLElement, at?: { x: number; y: number }) => void;

/** One table on the page: its columns, the rows that are loaded, the grid that shows them, and how the person looks at it. */
export class Sheet {
  readonly docId: string;
  readonly table: string;
  readonly role: TablePageData["role"];
  readonly view: View;
  readonly grid: Grid<RecordJson>;
  readonly pages: RowPages;
  readonly thumbnails: Thumbnails;
  readonly isSummary: boolean;
  /** Set by whoever offers it. */
  openColumnMenu: OpenColumnMenu = () => {};
  /** Told which cell is the active one; set by whoever wants to know. */
  activated: (place: Place) => void = () => {};
  #data: TablePageData & { table: string };
  #columns: Column[];
  #shown: Column[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #problem = find("#sheet-problem");
  /** Rows could not be read: that is over when they come. */
  #isReadingProblem = false;
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
    this.view = new View({ docId, table, hasPosition, changed: () => this.#lookedAtOtherwise() });
    this.pages = new RowPages((offset, limit, signal) => this.#read(offset, limit, signal), {
      first,
      changed: (movedBy) => this.#rowsCame(movedBy),
      failed: (error) => {
        showProblem(this.#problem, error, { retry: () => this.refresh() });
        this.#isReadingProblem = true;
      },
    });
    this.grid = new Grid({
      host: find("#grid-host"),
      label: `Table ${table}`,
      source: this.pages,
      rowHeight: ROW_PX,
      onActivate: (place) => this.activated(place),
      onResize: (column, width, isDone) => this.#resize(column, width, isDone),
    });
    find("#grid-host").append(this.#empty);
    this.showColumns();
    this.#tellCount();
  }

  get mayEdit(): boolean {
    return this.role !== "viewers";
  }

  /** All columns that people see, in their order. */
  get columns(): readonly Column[] {
    return this.#columns;
  }

  /** Those that this person has not hidden. */
  get shown(): readonly Column[] {
    return this.#shown;
  }

  get data(): TablePageData {
    return this.#data;
  }

  /** Where the table is in the API. */
  get path(): string {
    return `/api/docs/${this.docId}/tables/${encodeURIComponent(this.table)}`;
  }

  /** Of the page of a table of this document. */
  addressOf(table: string): string {
    return `/docs/${this.docId}/tables/${encodeURIComponent(table)}`;
  }

  mayEditCells({ isFormula, isEmpty }: Column): boolean {
    return this.mayEdit && (!isFormula || isEmpty);
  }

  /** Calls back whenever rows, columns or the way they are looked at have changed. Answers what ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Removes what was said of the change before: the person goes on. What could not be read stays. */
  clearProblem(): void {
    if (!this.#isReadingProblem) clearProblem(this.#problem);
  }

  /** Rows have changed here. */
  refresh(): void {
    clearProblem(this.#problem);
    this.pages.refresh();
  }

  /** Rows have changed elsewhere: what was said of this person's doing stays. */
  async follow(): Promise<void> {
    this.pages.refresh();
    await this.pages.settled();
  }

  /** Says a refusal above the grid. */
  fail(error: unknown, retry?: () => void): void {
    showProblem(this.#problem, error, { ...(retry && { retry }), canClose: true });
    this.#isReadingProblem = false;
  }

  /** Reads the columns anew, and the rows with them. */
  async reloadColumns(): Promise<void> {
    const { columns } = await patiently<{ columns: ColumnListing[] }>(`${this.path}/columns`, {
      query: { hidden: true },
    });
    const shown = await this.#readShown(columns);
    this.#data = { ...this.#data, columns, shown };
    this.#columns = readColumns(this.#data);
    this.view.keepTo(new Set(this.#columns.map(({ id }) => id)));
    this.showColumns();
    this.refresh();
  }

  /** Draws the columns as they are looked at now. */
  showColumns(): void {
    this.#shown = this.#columns.filter(({ id }) => !this.view.isHidden(id));
    this.grid.setColumns(this.#shown.map((column) => this.#gridColumn(column)));
    this.#tell();
  }

  #gridColumn(column: Column): GridColumn<RecordJson> {
    const sort = this.view.sortOf(column.id);
    const look = { thumbnails: this.thumbnails, mayEdit: (each: Column) => this.mayEditCells(each) };
    return {
      id: column.id,
      width: this.view.widthOf(column),
      sort: sort && (sort.isDescending ? "descending" : "ascending"),
      head: (cell) =>
        drawHead(cell, column, {
          sort,
          isFiltered: Object.hasOwn(this.view.filters, column.id),
          openMenu: (button) => this.openColumnMenu(column, button),
        }),
      draw: (cell, row) => drawCell(cell, row, column, look),
    };
  }

  /** Columns of other tables that references show now and did not before. */
  async #readShown(columns: readonly ColumnListing[]): Promise<TablePageData["shown"]> {
    const known = this.#data.shown;
    const unknown = columns.map(({ fields }) => fields.visibleCol).filter((ref) => ref > 0 && !known[ref]);
    if (unknown.length === 0) return known;
    const path = `/api/docs/${this.docId}/tables/_grist_Tables_column/records`;
    const { records } = await patiently<RecordsPage>(path, { query: { filter: JSON.stringify({ id: unknown }) } });
    return { ...known, ...Object.fromEntries(records.map(({ id, fields }) => [id, fields as unknown as ShownColumn])) };
  }

  #read(offset: number, limit: number, signal: AbortSignal): Promise<RecordsPage> {
    const query = { ...this.view.query, hidden: true, total: true, limit, ...(offset > 0 && { offset }) };
    return patiently<RecordsPage>(`${this.path}/records`, { query, signal });
  }

  #rowsCame(movedBy: number): void {
    if (this.#isReadingProblem) clearProblem(this.#problem);
    if (movedBy !== 0) this.grid.shift(movedBy);
    else this.grid.changed();
    this.#tellCount();
    this.#tell();
  }

  #lookedAtOtherwise(): void {
    this.showColumns();
    this.pages.reset();
    this.grid.changed();
  }

  #resize(at: number, width: number, isDone: boolean): void {
    const column = this.#shown[at];
    if (!column) return;
    this.view.setWidth(column.id, width, { isDone });
    this.showColumns();
  }

  #tellCount(): void {
    const { count: rows, isLoaded } = this.pages;
    fill(find("#sheet-count"), isLoaded && `${count(rows, "row", "rows")}${this.view.isFiltered ? " found" : ""}`);
    this.#empty.hidden = !isLoaded || rows > 0;
    if (!this.#empty.hidden) this.#showEmpty();
  }

  /** Says why there is nothing, and what to do about it. */
  #showEmpty(): void {
    if (this.view.isFiltered) {
      const all = () => this.view.clearFilters();
      fill(
        this.#empty,
        h("p", {}, "No row has what the filter asks for."),
        h("button", { type: "button", class: "plain", onclick: all }, "Show all rows"),
      );
    } else if (this.mayEdit && !this.isSummary) {
      fill(this.#empty, h("p", {}, "No rows yet. Add one, or paste some from a spreadsheet."));
    } else fill(this.#empty, h("p", {}, "No rows yet."));
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
