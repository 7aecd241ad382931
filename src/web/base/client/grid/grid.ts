import { BlankRow } from "./blank-row.ts";
import { BodyRows, setStyleIfChanged } from "./body-rows.ts";
import { FooterRow } from "./footer-row.ts";
import { gridElements } from "./grid-elements.ts";
import type { GridOptions } from "./grid-options.ts";
import { HeaderRow } from "./header-row.ts";
import type { GridColumn, RowElement } from "./row-element.ts";
import { HEADER_ROW, type CellPosition, Selection } from "./selection.ts";
import { markRange } from "./cell-marks.ts";
import { contentWidth, setWidths } from "./cell-width.ts";
import { ColumnView } from "./column-view.ts";
import { Overlay } from "./overlay.ts";
import { RowLayout } from "./row-layout.ts";
import type { RowsView, ShownColumns } from "./rows-view.ts";
import { TabStop } from "./tab-stop.ts";

export type { RowSource } from "./grid-source.ts";
export type { GridColumn } from "./row-element.ts";
export type { CellDescription } from "./cell-marks.ts";

/** A virtualized table: of any number of rows only those in view are in the DOM. */
export class Grid<Row> implements RowsView<Row> {
  /** The scroll container. */
  readonly element: HTMLElement;
  readonly selection = new Selection();
  readonly isGrid = true;
  readonly #options: GridOptions<Row>;
  readonly #body: BodyRows<Row>;
  readonly #header: HeaderRow<Row>;
  /** Undefined while no column has a footer. */
  #footer: FooterRow<Row> | undefined;
  readonly #table: HTMLElement;
  readonly #blank = new BlankRow<Row>();
  readonly #rowLayout: RowLayout;
  readonly #columns = new ColumnView<Row>();
  readonly #overlay = new Overlay(() => this.#positionOverlay());
  #frame = 0;
  /** Width at the right edge that a panel covers. */
  #coveredWidth = 0;
  readonly #tabStop = new TabStop();

  constructor(options: GridOptions<Row>) {
    this.#options = options;
    this.#rowLayout = new RowLayout(options.rowHeight);
    this.#header = new HeaderRow(options, (column) => this.contentWidth(column));
    this.#body = new BodyRows(options.drawGroup ?? (() => {}));
    ({ element: this.element, table: this.#table } = gridElements(options.label, {
      head: [this.#header.element, this.#body.groups.sticky],
      body: this.#body.element,
    }));
    options.host.append(this.element);
    this.element.addEventListener("scroll", () => this.#scheduleDraw(), { passive: true });
    new ResizeObserver(() => this.#draw()).observe(this.element);
  }

  get columns(): readonly GridColumn<Row>[] {
    return this.#columns.renderOptions.columns;
  }

  /** Sets the columns, or changes how they are shown. Columns are frozen as far as there is room. */
  setColumns(columns: readonly GridColumn<Row>[], options: Partial<ShownColumns<Row>> = {}): void {
    this.#setRowHeight(options.rowHeight ?? this.#rowLayout.rowHeight);
    this.#columns.set(columns, options);
    this.#table.setAttribute("aria-colcount", String(columns.length + 1));
    this.#showFooter(columns.some(({ drawFooter }) => drawFooter !== undefined));
    this.#showRowCount();
    this.#clampSelection(0);
    this.#draw();
  }

  /** Sets the height of all rows; the first row in view stays the first. */
  #setRowHeight(px: number): void {
    if (px === this.#rowLayout.rowHeight) return;
    const { first } = this.rowsInView;
    this.#rowLayout.rowHeight = px;
    this.#draw();
    this.element.scrollTop = this.#rowLayout.scrollTopOf(first);
  }

  #showFooter(isShown: boolean): void {
    if (isShown === (this.#footer !== undefined)) return;
    this.#footer?.group.remove();
    this.#footer = isShown ? new FooterRow() : undefined;
    if (this.#footer) this.#table.append(this.#footer.group);
    this.element.classList.toggle("has-footer", isShown);
  }

  /** Number of rows and group rows, without the blank row. */
  get #lineCount(): number {
    const { count, geometry } = this.#options.source;
    return geometry ? geometry.lineCount + count - geometry.rowCount : count;
  }

  /** The position of the blank row, after the last row; null without one. */
  get blankRow(): number | null {
    return this.#options.hasBlankRow?.() ? this.#options.source.count : null;
  }

  /** The last position that can be the active one; -1, the column header, in a grid without rows. */
  get lastRow(): number {
    return this.blankRow ?? this.#options.source.count - 1;
  }

  /** Counts the column headers, the blank row and the footer, too. */
  #showRowCount(): void {
    const count = this.#lineCount + (this.blankRow === null ? 1 : 2) + (this.#footer ? 1 : 0);
    this.#table.setAttribute("aria-rowcount", String(count));
  }

  /** The rows of the source have changed, or their number. */
  rowsChanged(): void {
    this.#scheduleDraw();
  }

  /** Rows were inserted or deleted above those in view; keeps the rows in view in place. */
  shift(by: number): void {
    const { source } = this.#options;
    const { scrollTop } = this.element;
    const before = this.#rowLayout.geometry;
    const { first } = this.#rowLayout.visibleRows(scrollTop);
    this.#updateLayout();
    this.#body.element.style.height = `${this.#rowLayout.height}px`;
    const { geometry } = this.#rowLayout;
    const isGrouped = before && geometry && first >= 0;
    this.element.scrollTop = isGrouped
      ? scrollTop + geometry.topOf(first + by) - before.topOf(first)
      : this.#rowLayout.scrollTopAfterShift(scrollTop, by);
    this.#showRowCount();
    if (by !== 0 || source.count > 0) this.#clampSelection(by);
    this.#draw();
  }

  #updateLayout(): void {
    const { count, geometry = null } = this.#options.source;
    this.#rowLayout.count = count;
    this.#rowLayout.geometry = geometry;
  }

  /** The selection follows its rows to their new positions. */
  moveSelection(by: number): void {
    this.selection.shift(by, { rows: this.lastRow + 1, columns: this.columns.length, blankRow: this.blankRow });
    this.#scheduleDraw();
  }

  /** The rows in view. */
  get rowsInView(): { first: number; last: number } {
    return this.#rowLayout.visibleRows(this.element.scrollTop);
  }

  /** Sets the width at the right edge that a panel covers: cells are scrolled into view beside it. */
  setCoveredWidth(width: number): void {
    if (width === this.#coveredWidth) return;
    this.#coveredWidth = width;
    this.#draw();
  }

  /** Returns the column one screen to the right of another one, or to its left; at least the next one. */
  columnOneScreenFrom(column: number, step: 1 | -1): number {
    const { columnLayout } = this.#columns.renderOptions;
    return columnLayout.columnFrom(column, step * Math.max(0, this.#columnsViewport - columnLayout.frozenWidth));
  }

  get hasFocus(): boolean {
    return this.element.contains(document.activeElement);
  }

  /** Makes a cell the active one and scrolls it into view. */
  activate(target: CellPosition, { focus = true, extend = false } = {}): void {
    const position = this.#clamp(target, extend ? this.#options.source.count - 1 : this.lastRow);
    if (extend) this.selection.extend(position);
    else this.selection.move(position);
    this.selection.noteBlank(this.blankRow);
    this.reveal(position);
    this.#paintSelection();
    if (focus) this.focus();
    this.#options.onActivate?.(position);
  }

  /** Makes a cell of the selected range the active one, which stays selected. */
  activateWithin(position: CellPosition): void {
    this.selection.moveWithin(position);
    this.reveal(position);
    this.#paintSelection();
    this.focus();
    this.#options.onActivate?.(position);
  }

  /** Shows the current selection. */
  selectionChanged(): void {
    this.#scheduleDraw();
  }

  focus(): void {
    this.#draw();
    this.#tabStop.focus();
  }

  reveal({ row, column }: CellPosition): void {
    const { element } = this;
    const { columnLayout } = this.#columns.renderOptions;
    // A row that was just added needs its height before it can be scrolled to.
    if (this.#rowLayout.count !== this.#options.source.count) this.#draw();
    if (row === this.blankRow) {
      const top = this.#rowLayout.height + this.#rowLayout.rowHeight - this.#rowLayout.viewport;
      if (top > element.scrollTop) element.scrollTop = top;
    } else if (row !== HEADER_ROW) {
      const covered = (this.#rowLayout.geometry?.groupsOf(row).length ?? 0) * this.#rowLayout.groupHeight;
      const top = this.#rowLayout.scrollTo(row, element.scrollTop, covered);
      if (top !== element.scrollTop) element.scrollTop = top;
    }
    const left = columnLayout.scrollTo(column, element.scrollLeft, this.#columnsViewport);
    if (left !== element.scrollLeft) element.scrollLeft = left;
    this.#draw();
  }

  /** Scrolls a group row into view, below those of the groups that contain it. Returns its button. */
  revealGroup(key: string): HTMLElement | undefined {
    const shown = this.#options.source.geometry?.find(key);
    if (!shown) return undefined;
    this.#draw();
    const view = { scrollTop: this.element.scrollTop, covered: shown.group.level * this.#rowLayout.groupHeight };
    const top = this.#rowLayout.scrollToOffset(shown.top, this.#rowLayout.groupHeight, view);
    if (top !== this.element.scrollTop) this.element.scrollTop = top;
    this.#draw();
    return this.#body.groups.buttonOf(key);
  }

  /** The key of the group whose row contains an element; undefined outside of group rows. */
  groupKeyOf(target: EventTarget | null): string | undefined {
    return this.#body.groups.keyOf(target);
  }

  /** Returns the element of a cell or column header; undefined when it is not rendered. */
  elementAt({ row, column }: CellPosition): HTMLElement | undefined {
    const line = row === this.blankRow ? this.#blank : this.#body.rows.get(row);
    return (row === HEADER_ROW ? this.#header : line)?.cells.get(column);
  }

  /** Returns a row that is rendered. */
  renderedRow(row: number): RowElement<Row> | undefined {
    return this.#body.rows.get(row);
  }

  /** Returns the width that the rendered content of a column needs in one line. */
  contentWidth(column: number): number {
    const lines = [this.#header, ...(this.#footer ? [this.#footer] : []), ...this.#body.rows.values()];
    return contentWidth(
      this.element,
      lines.flatMap(({ cells }) => cells.get(column) ?? []),
    );
  }

  /** Scrolls the footer's cell of a column into view; undefined without a footer. */
  revealFooter(column: number): HTMLElement | undefined {
    this.reveal({ row: HEADER_ROW, column });
    return this.#footer?.cells.get(column);
  }

  /** Returns the column of an event in the footer; undefined outside of it. */
  footerColumnOf(target: EventTarget | null): number | undefined {
    return this.#footer?.columnOf(target);
  }

  /** Returns the cell of an event; column -1 is the row header. */
  positionOf(target: EventTarget | null): CellPosition | undefined {
    if (!(target instanceof Element)) return undefined;
    const cell = target.closest<HTMLElement>("[role=gridcell], [role=rowheader], [role=columnheader]");
    const row = cell?.closest<HTMLElement>("[role=row]");
    if (!cell || !row || !this.element.contains(row)) return undefined;
    const isBlank = row === this.#blank.element;
    const index = row === this.#header.element ? HEADER_ROW : isBlank ? this.blankRow : this.#body.indexOf(row);
    return index === undefined || index === null
      ? undefined
      : { row: index, column: Number(cell.getAttribute("aria-colindex")) - 2 };
  }

  /** Places an element over a cell, which it then follows. */
  showOverlay(place: CellPosition, element: HTMLElement): void {
    this.hideOverlay();
    this.element.append(element);
    this.#overlay.show(place, element);
    this.#draw();
  }

  /** The overlay and the selection follow their row to its new position. */
  moveOverlay(row: number): void {
    const { place } = this.#overlay;
    if (!place || place.row === row) return;
    this.#overlay.moveTo({ row, column: place.column });
    this.selection.move({ row, column: place.column });
    this.#scheduleDraw();
  }

  hideOverlay(): void {
    this.#overlay.hide();
  }

  /** Width in which columns are visible. */
  get #columnsViewport(): number {
    return Math.max(0, this.element.clientWidth - this.#columns.renderOptions.headerWidth - this.#coveredWidth);
  }

  #clamp({ row, column }: CellPosition, last: number): CellPosition {
    return {
      row: row === HEADER_ROW ? HEADER_ROW : Math.max(0, Math.min(row, last)),
      column: Math.max(0, Math.min(column, this.columns.length - 1)),
    };
  }

  #clampSelection(by: number): void {
    this.selection.shift(by, { rows: this.lastRow + 1, columns: this.columns.length, blankRow: this.blankRow });
    const { place } = this.#overlay;
    if (place && place.row !== HEADER_ROW && by !== 0) this.#overlay.moveTo({ ...place, row: place.row + by });
  }

  #scheduleDraw(): void {
    this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const { element } = this;
    const { source } = this.#options;
    // All layout reads come before all writes: otherwise each read forces a reflow.
    const { scrollTop, scrollLeft, clientWidth, clientHeight } = element;
    const footerHeight = this.#footer?.element.offsetHeight ?? 0;
    this.#rowLayout.viewport = Math.max(0, clientHeight - this.#header.element.offsetHeight - footerHeight);
    if (this.#rowLayout.count !== source.count || this.#rowLayout.geometry !== (source.geometry ?? null)) {
      this.#updateLayout();
      this.#showRowCount();
      this.#clampSelection(0);
    }
    // Its element may be removed, and keys pressed before the next one has the focus would be lost.
    const wasTabStop = this.#tabStop.hasFocus;
    const hadFocus = this.hasFocus;
    const rows = this.#rowLayout.visibleRows(scrollTop);
    this.#columns.fit(clientWidth);
    const { headerWidth } = this.#columns.renderOptions;
    this.#columns.render(scrollLeft, clientWidth - headerWidth, this.selection.active.column);
    const { renderOptions } = this.#columns;
    setStyleIfChanged(this.#body.element, "height", `${this.#rowLayout.height}px`);
    this.#setWidths();
    this.#header.draw(renderOptions);
    this.#drawBlank();
    this.#footer?.draw(renderOptions, this.#lineCount + (this.blankRow === null ? 2 : 3));
    const { row: activeRow } = this.selection.active;
    if (source.count > 0 && rows.last >= rows.first) source.requestRows(rows.first, rows.last, activeRow);
    const drawing = { source, layout: this.#rowLayout, renderOptions, scrollTop };
    if (this.#body.draw({ ...drawing, inView: rows, activeRow })) this.#scheduleDraw();
    this.#paintSelection();
    const isLost = wasTabStop ? !this.#tabStop.hasFocus : hadFocus && !this.hasFocus;
    if (isLost) this.#tabStop.focus();
    this.#positionOverlay();
  }

  #drawBlank(): void {
    const isShown = this.blankRow !== null;
    if (isShown) this.#blank.draw(this.#columns.renderOptions, this.#lineCount + 2);
    if (isShown === this.#blank.group.isConnected) return;
    if (isShown) this.#body.element.after(this.#blank.group);
    else this.#blank.group.remove();
    this.element.classList.toggle("has-blank", isShown);
    this.#showRowCount();
  }

  #setWidths(): void {
    const lines = [this.#body.element, this.#header.element, this.#blank.element];
    setWidths(this.element, this.#footer ? [...lines, this.#footer.element] : lines, {
      ...this.#columns.renderOptions,
      coveredWidth: this.#coveredWidth,
    });
  }

  /** Marks the selection, and makes the active cell the one in the tab order. */
  #paintSelection(): void {
    const { selection } = this;
    const { active: place } = selection;
    markRange(this.#body.rows, selection, this.columns.length);
    const [firstGroup] = this.#rowLayout.geometry?.groups ?? [];
    // While all groups are folded, the first one can be reached; without rows, the column header.
    const group = firstGroup && this.#body.groups.buttonOf(firstGroup.group.key);
    const active = this.elementAt(place) ?? group ?? this.elementAt({ ...place, row: HEADER_ROW });
    const isCell = active?.role === "gridcell";
    selection.noteBlank(this.blankRow);
    this.#tabStop.move(active, isCell ? this.#options.describeCell(place) : undefined);
    this.#options.onSelection?.();
  }

  #positionOverlay(): void {
    if (this.#overlay.place)
      this.#overlay.draw({
        element: this.element,
        headHeight: this.#header.element.offsetHeight,
        layout: this.#rowLayout,
        renderOptions: this.#columns.renderOptions,
        blankRow: this.blankRow,
      });
  }
}
