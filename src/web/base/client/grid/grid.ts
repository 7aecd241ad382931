import { h } from "../dom.ts";
import { HeaderRow } from "./header-row.ts";
import { type GridColumn, RowElement, type RowRenderOptions } from "./row-element.ts";
import { contains, HEADER_ROW, type CellPosition, Selection } from "./selection.ts";
import { ColumnLayout, RowLayout } from "./layout.ts";

export type { GridColumn } from "./row-element.ts";

/** The source of rows. */
export interface RowSource<Row> {
  readonly count: number;
  /** Undefined while it is not loaded. */
  rowAt(index: number): Row | undefined;
  /** Called whenever the rows in view change. */
  requestRows(first: number, last: number): void;
}

export interface GridOptions<Row> {
  readonly host: HTMLElement;
  readonly label: string;
  readonly source: RowSource<Row>;
  readonly rowHeight: number;
  readonly onActivate?: (place: CellPosition) => void;
  readonly onResize?: (column: number, width: number, isDone: boolean) => void;
}

const ROW_HEADER_PX = 52;
/** Rows rendered ahead of scrolling (overscan); none while scrolling too fast for them to be of use. */
const OVERSCAN_ROWS = 6;

/** A virtualized table: of any number of rows only those in view are in the DOM. */
export class Grid<Row> {
  /** The scroll container. */
  readonly element: HTMLElement;
  readonly selection = new Selection();
  readonly #options: GridOptions<Row>;
  /** Cells contain data. */
  readonly #body = h("div", { class: "body", role: "rowgroup", translate: "no" });
  readonly #header: HeaderRow<Row>;
  /** Contains rows only, as `role="grid"` requires. */
  readonly #table: HTMLElement;
  readonly #rows = new Map<number, RowElement<Row>>();
  readonly #recycled: RowElement<Row>[] = [];
  readonly #rowLayout: RowLayout;
  #renderOptions: RowRenderOptions<Row> = {
    columns: [],
    columnLayout: new ColumnLayout(),
    visibleColumns: [],
    headerWidth: ROW_HEADER_PX,
  };
  #overlay: { element: HTMLElement; place: CellPosition } | undefined;
  /** An overlay grows with its content, such as a message. */
  readonly #overlaySize = new ResizeObserver(() => this.#positionOverlay());
  #frame = 0;
  /** The first row in view at the last rendering. */
  #firstDrawn = 0;
  /** The one cell in the tab order (roving tabindex). */
  #tabStop: HTMLElement | undefined;

  constructor(options: GridOptions<Row>) {
    this.#options = options;
    this.#rowLayout = new RowLayout(options.rowHeight);
    this.#header = new HeaderRow((column, width, isDone) => options.onResize?.(column, width, isDone));
    const headGroup = h("div", { role: "rowgroup", class: "head-group" }, this.#header.element);
    this.#table = h(
      "div",
      { role: "grid", "aria-label": options.label, "aria-multiselectable": "true" },
      headGroup,
      this.#body,
    );
    this.element = h("div", { class: "grid" }, this.#table);
    options.host.append(this.element);
    this.element.addEventListener("scroll", () => this.#scheduleDraw(), { passive: true });
    new ResizeObserver(() => this.#draw()).observe(this.element);
  }

  get columns(): readonly GridColumn<Row>[] {
    return this.#renderOptions.columns;
  }

  /** Sets the columns, or changes how they are shown. */
  setColumns(columns: readonly GridColumn<Row>[]): void {
    const columnLayout = new ColumnLayout();
    columnLayout.set(columns.map(({ width }) => width));
    this.#renderOptions = { columns, columnLayout, visibleColumns: [], headerWidth: ROW_HEADER_PX };
    this.#table.setAttribute("aria-colcount", String(columns.length + 1));
    this.#clampSelection(0);
    this.#draw();
  }

  /** The rows of the source have changed, or their number. */
  rowsChanged(): void {
    this.#scheduleDraw();
  }

  /** Rows were inserted or deleted above those in view; keeps the rows in view in place. */
  shift(by: number): void {
    this.#rowLayout.count = this.#options.source.count;
    this.#body.style.height = `${this.#rowLayout.height}px`;
    this.element.scrollTop = this.#rowLayout.scrollTopAfterShift(this.element.scrollTop, by);
    this.#clampSelection(by);
    this.#draw();
  }

  /** The selection follows its rows to their new positions. */
  moveSelection(by: number): void {
    this.selection.shift(by, { rows: this.#options.source.count, columns: this.columns.length });
    this.#scheduleDraw();
  }

  /** The rows in view. */
  get rowsInView(): { first: number; last: number } {
    return this.#rowLayout.visibleRows(this.element.scrollTop);
  }

  get hasFocus(): boolean {
    return this.element.contains(document.activeElement);
  }

  /** Makes a cell the active one and scrolls it into view. */
  activate(target: CellPosition, { focus = true, extend = false } = {}): void {
    const position = this.#clamp(target);
    if (extend) this.selection.extend(position);
    else this.selection.move(position);
    this.reveal(position);
    this.#paintSelection();
    if (focus) this.focus();
    this.#options.onActivate?.(position);
  }

  /** Shows the current selection. */
  selectionChanged(): void {
    this.#scheduleDraw();
  }

  focus(): void {
    this.#draw();
    this.#tabStop?.focus({ preventScroll: true });
  }

  reveal({ row, column }: CellPosition): void {
    const { element } = this;
    const { columnLayout, headerWidth } = this.#renderOptions;
    // A row that was just added needs its height before it can be scrolled to.
    if (this.#rowLayout.count !== this.#options.source.count) this.#draw();
    if (row !== HEADER_ROW) {
      const top = this.#rowLayout.scrollTo(row, element.scrollTop);
      if (top !== element.scrollTop) element.scrollTop = top;
    }
    const left = columnLayout.scrollTo(column, element.scrollLeft, element.clientWidth - headerWidth);
    if (left !== element.scrollLeft) element.scrollLeft = left;
    this.#draw();
  }

  /** Returns the element of a cell or column header; undefined when it is not rendered. */
  elementAt({ row, column }: CellPosition): HTMLElement | undefined {
    return row === HEADER_ROW ? this.#header.cells.get(column) : this.#rows.get(row)?.cells.get(column);
  }

  /** Returns the cell of an event; column -1 is the row header. */
  positionOf(target: EventTarget | null): CellPosition | undefined {
    if (!(target instanceof Element)) return undefined;
    const cell = target.closest<HTMLElement>("[role=gridcell], [role=rowheader], [role=columnheader]");
    const row = cell?.closest<HTMLElement>("[role=row]");
    if (!cell || !row || !this.element.contains(row)) return undefined;
    const index = Number(row.getAttribute("aria-rowindex")) - 2;
    return { row: index, column: Number(cell.getAttribute("aria-colindex")) - 2 };
  }

  /** Places an element over a cell, which it then follows. */
  showOverlay(place: CellPosition, element: HTMLElement): void {
    this.hideOverlay();
    this.#overlay = { place, element };
    this.element.append(element);
    this.#overlaySize.observe(element);
    this.#draw();
  }

  /** The overlay and the selection follow their row to its new position. */
  moveOverlay(row: number): void {
    if (!this.#overlay || this.#overlay.place.row === row) return;
    const place = { row, column: this.#overlay.place.column };
    this.#overlay = { ...this.#overlay, place };
    this.selection.move(place);
    this.#scheduleDraw();
  }

  hideOverlay(): void {
    this.#overlaySize.disconnect();
    this.#overlay?.element.remove();
    this.#overlay = undefined;
  }

  #clamp({ row, column }: CellPosition): CellPosition {
    return {
      row: row === HEADER_ROW ? HEADER_ROW : Math.max(0, Math.min(row, this.#options.source.count - 1)),
      column: Math.max(0, Math.min(column, this.columns.length - 1)),
    };
  }

  #clampSelection(by: number): void {
    this.selection.shift(by, { rows: this.#options.source.count, columns: this.columns.length });
    if (!this.#overlay || by === 0) return;
    const { place, element } = this.#overlay;
    this.#overlay = { element, place: { ...place, row: place.row + by } };
  }

  #scheduleDraw(): void {
    this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const { element } = this;
    const { source } = this.#options;
    const { columnLayout, headerWidth, columns } = this.#renderOptions;
    // All layout reads come before all writes: otherwise each read forces a reflow.
    const { scrollTop, scrollLeft, clientWidth, clientHeight } = element;
    this.#rowLayout.viewport = Math.max(0, clientHeight - this.#header.element.offsetHeight);
    if (this.#rowLayout.count !== source.count) {
      this.#rowLayout.count = source.count;
      this.#table.setAttribute("aria-rowcount", String(source.count + 1));
      this.#clampSelection(0);
    }
    // Its element may be removed, and keys pressed before the next one has the focus would be lost.
    const hasFocus = this.#tabStop !== undefined && this.#tabStop === document.activeElement;
    const rows = this.#rowLayout.visibleRows(scrollTop);
    const { first, last } = columnLayout.visibleColumns(scrollLeft, clientWidth - headerWidth);
    setStyleIfChanged(this.#body, "height", `${this.#rowLayout.height}px`);
    for (const each of [this.#body, this.#header.element])
      setStyleIfChanged(each, "width", `${headerWidth + columnLayout.width}px`);
    this.#showColumns(Math.max(0, first - 1), Math.min(columns.length - 1, last + 1));
    this.#header.draw(this.#renderOptions);
    if (source.count > 0) source.requestRows(rows.first, rows.last);
    this.#drawRows(rows, scrollTop);
    this.#paintSelection();
    if (hasFocus && this.#tabStop !== document.activeElement) this.#tabStop?.focus({ preventScroll: true });
    this.#positionOverlay();
  }

  #showColumns(first: number, last: number): void {
    const visibleColumns = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
    const { column } = this.selection.active;
    // The active cell stays rendered, or the focus would be lost.
    if (column < this.columns.length && !visibleColumns.includes(column)) {
      if (column < first) visibleColumns.unshift(column);
      else visibleColumns.push(column);
    }
    const before = this.#renderOptions.visibleColumns;
    if (visibleColumns.length === before.length && visibleColumns.every((at, place) => at === before[place])) return;
    this.#renderOptions = { ...this.#renderOptions, visibleColumns };
  }

  #drawRows({ first, last }: { first: number; last: number }, scrollTop: number): void {
    const { source } = this.#options;
    const isFastScroll = Math.abs(first - this.#firstDrawn) > last - first;
    this.#firstDrawn = first;
    const overscan = isFastScroll ? 0 : OVERSCAN_ROWS;
    // They are rendered when scrolling slows down.
    if (isFastScroll) this.#scheduleDraw();
    const from = Math.max(0, first - overscan);
    const to = Math.min(source.count - 1, last + overscan);
    const active = this.selection.active.row;
    const drawnIndexes = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
    if (active >= 0 && active < source.count) {
      if (active < from) drawnIndexes.unshift(active);
      else if (active > to) drawnIndexes.push(active);
    }
    const isDrawn = new Set(drawnIndexes);
    for (const [index, row] of this.#rows) {
      if (isDrawn.has(index)) continue;
      row.element.remove();
      this.#rows.delete(index);
      this.#recycled.push(row);
    }
    let next: ChildNode | null = this.#body.firstChild;
    for (const index of drawnIndexes) {
      let row = this.#rows.get(index);
      if (!row) this.#rows.set(index, (row = this.#recycled.pop() ?? new RowElement<Row>()));
      row.draw(index, source.rowAt(index), this.#renderOptions);
      setStyleIfChanged(row.element, "transform", `translateY(${this.#rowLayout.topOf(index, scrollTop)}px)`);
      if (next === row.element) next = next.nextSibling;
      else this.#body.insertBefore(row.element, next);
    }
  }

  /** Marks the selection, and makes the active cell the one in the tab order. */
  #paintSelection(): void {
    const { selection } = this;
    const area = selection.range(this.columns.length);
    const isMore = !selection.isSingle;
    for (const [index, row] of this.#rows) {
      const isRowChosen = selection.isRows && index >= area.top && index <= area.bottom;
      row.element.classList.toggle("chosen", isRowChosen);
      for (const [column, cell] of row.cells) {
        const isChosen = isMore && contains(area, { row: index, column });
        cell.classList.toggle("chosen", isChosen);
        if (cell.ariaSelected !== String(isChosen)) cell.ariaSelected = String(isChosen);
      }
    }
    const active = this.elementAt(selection.active);
    if (active === this.#tabStop) {
      active?.classList.add("active");
      return;
    }
    if (this.#tabStop) this.#tabStop.tabIndex = -1;
    this.#tabStop?.classList.remove("active");
    if (active) active.tabIndex = 0;
    active?.classList.add("active");
    this.#tabStop = active;
  }

  #positionOverlay(): void {
    if (!this.#overlay) return;
    const { element, place } = this.#overlay;
    const { columnLayout, headerWidth } = this.#renderOptions;
    const { scrollTop, scrollLeft, clientWidth } = this.element;
    const head = this.#header.element.offsetHeight;
    const row = head + this.#rowLayout.topOf(place.row, scrollTop);
    const bottom = row + this.#options.rowHeight;
    const end = head + scrollTop + this.#rowLayout.viewport;
    element.style.minWidth = `${columnLayout.widthOf(place.column)}px`;
    const { offsetHeight: height, offsetWidth: width } = element;
    // An overlay without room below its row is placed above it, one without room to the right ends at the right edge.
    const top = row + height > end && bottom - height > scrollTop + head ? bottom - height : row;
    const left = headerWidth + columnLayout.leftOf(place.column);
    const maxLeft = scrollLeft + Math.max(0, clientWidth - width);
    element.style.transform = `translate(${Math.min(left, maxLeft)}px, ${top}px)`;
  }
}

/** Assigning an equal value still invalidates the style. */
function setStyleIfChanged(element: HTMLElement, name: "height" | "width" | "transform", value: string): void {
  if (element.style[name] !== value) element.style[name] = value;
}
