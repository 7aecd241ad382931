import { h } from "../base/dom.ts";
import { HeadElement } from "./head-element.ts";
import { type GridColumn, RowElement, type RowLook } from "./row-element.ts";
import { contains, HEAD, type Place, Selection } from "./selection.ts";
import { ColumnSpace, RowSpace } from "./space.ts";

export type { GridColumn } from "./row-element.ts";

/** Where rows come from. */
export interface RowSource<Row> {
  readonly count: number;
  /** Undefined while it is not loaded. */
  at(index: number): Row | undefined;
  /** Told whenever other rows come into view. */
  want(first: number, last: number): void;
}

export interface GridOptions<Row> {
  readonly host: HTMLElement;
  readonly label: string;
  readonly source: RowSource<Row>;
  readonly rowHeight: number;
  readonly onActivate?: (place: Place) => void;
  readonly onResize?: (column: number, width: number, isDone: boolean) => void;
}

const ROW_HEAD_PX = 52;
/** Rows that are drawn before they come into view; while one scrolls so fast that none of them would stay, none. */
const AHEAD = 6;

/** A table of any number of rows of which only those in view are on the page. */
export class Grid<Row> {
  /** What scrolls. */
  readonly element: HTMLElement;
  readonly selection = new Selection();
  readonly #options: GridOptions<Row>;
  readonly #body = h("div", { class: "body", role: "rowgroup" });
  readonly #head: HeadElement<Row>;
  /** Holds nothing but rows, as screen readers expect it of a grid. */
  readonly #table: HTMLElement;
  readonly #rows = new Map<number, RowElement<Row>>();
  readonly #spare: RowElement<Row>[] = [];
  readonly #space: RowSpace;
  #look: RowLook<Row> = { columns: [], space: new ColumnSpace(), shown: [], headWidth: ROW_HEAD_PX };
  #overlay: { element: HTMLElement; place: Place } | undefined;
  #frame = 0;
  /** The row that was in view first when rows were drawn last. */
  #first = 0;
  /** The one cell that the tabulator key leads to. */
  #tabStop: HTMLElement | undefined;

  constructor(options: GridOptions<Row>) {
    this.#options = options;
    this.#space = new RowSpace(options.rowHeight);
    this.#head = new HeadElement((column, width, isDone) => options.onResize?.(column, width, isDone));
    const headGroup = h("div", { role: "rowgroup", class: "head-group" }, this.#head.element);
    this.#table = h(
      "div",
      { role: "grid", "aria-label": options.label, "aria-multiselectable": "true" },
      headGroup,
      this.#body,
    );
    this.element = h("div", { class: "grid" }, this.#table);
    options.host.append(this.element);
    this.element.addEventListener("scroll", () => this.#drawSoon(), { passive: true });
    new ResizeObserver(() => this.#draw()).observe(this.element);
  }

  get columns(): readonly GridColumn<Row>[] {
    return this.#look.columns;
  }

  /** Shows other columns, or the same ones in another way. */
  setColumns(columns: readonly GridColumn<Row>[]): void {
    const space = new ColumnSpace();
    space.set(columns.map(({ width }) => width));
    this.#look = { columns, space, shown: [], headWidth: ROW_HEAD_PX };
    this.#table.setAttribute("aria-colcount", String(columns.length + 1));
    this.#keepSelectionInside(0);
    this.#draw();
  }

  /** Rows of the source are other ones than before, or there are more or fewer. */
  changed(): void {
    this.#drawSoon();
  }

  /** So many rows came in above those in view, or went: what is in view stays there. */
  shift(by: number): void {
    this.#space.count = this.#options.source.count;
    this.#body.style.height = `${this.#space.height}px`;
    this.element.scrollTop = this.#space.shifted(this.element.scrollTop, by);
    this.#keepSelectionInside(by);
    this.#draw();
  }

  /** The rows in view. */
  get rowsInView(): { first: number; last: number } {
    return this.#space.rowsAt(this.element.scrollTop);
  }

  get hasFocus(): boolean {
    return this.element.contains(document.activeElement);
  }

  /** Makes a cell the active one and brings it into view. */
  activate(to: Place, { focus = true, extend = false } = {}): void {
    const place = this.#inside(to);
    if (extend) this.selection.extend(place);
    else this.selection.move(place);
    this.reveal(place);
    this.#paint();
    if (focus) this.focus();
    this.#options.onActivate?.(place);
  }

  /** Shows what is chosen now. */
  selectionChanged(): void {
    this.#drawSoon();
  }

  focus(): void {
    this.#draw();
    this.#tabStop?.focus({ preventScroll: true });
  }

  reveal({ row, column }: Place): void {
    const { element } = this;
    const { space, headWidth } = this.#look;
    if (row !== HEAD) {
      const top = this.#space.scrollTo(row, element.scrollTop);
      if (top !== element.scrollTop) element.scrollTop = top;
    }
    const left = space.scrollTo(column, element.scrollLeft, element.clientWidth - headWidth);
    if (left !== element.scrollLeft) element.scrollLeft = left;
    this.#draw();
  }

  /** The element of a cell or of a column's head; undefined when it is not on the page. */
  elementAt({ row, column }: Place): HTMLElement | undefined {
    return row === HEAD ? this.#head.cells.get(column) : this.#rows.get(row)?.cells.get(column);
  }

  /** What an event happened on; the column is -1 for the head of a row. */
  placeOf(target: EventTarget | null): Place | undefined {
    if (!(target instanceof Element)) return undefined;
    const cell = target.closest<HTMLElement>("[role=gridcell], [role=rowheader], [role=columnheader]");
    const row = cell?.closest<HTMLElement>("[role=row]");
    if (!cell || !row || !this.element.contains(row)) return undefined;
    const index = Number(row.getAttribute("aria-rowindex")) - 2;
    return { row: index, column: Number(cell.getAttribute("aria-colindex")) - 2 };
  }

  /** Puts an element over a cell, which it then follows. */
  cover(place: Place, element: HTMLElement): void {
    this.uncover();
    this.#overlay = { place, element };
    this.element.append(element);
    this.#draw();
  }

  /** What covers a cell goes along with its row to another place; so does the selection. */
  moveCover(row: number): void {
    if (!this.#overlay || this.#overlay.place.row === row) return;
    const place = { row, column: this.#overlay.place.column };
    this.#overlay = { ...this.#overlay, place };
    this.selection.move(place);
    this.#drawSoon();
  }

  uncover(): void {
    this.#overlay?.element.remove();
    this.#overlay = undefined;
  }

  #inside({ row, column }: Place): Place {
    return {
      row: row === HEAD ? HEAD : Math.max(0, Math.min(row, this.#options.source.count - 1)),
      column: Math.max(0, Math.min(column, this.columns.length - 1)),
    };
  }

  #keepSelectionInside(by: number): void {
    this.selection.shift(by, { rows: this.#options.source.count, columns: this.columns.length });
    if (!this.#overlay || by === 0) return;
    const { place, element } = this.#overlay;
    this.#overlay = { element, place: { ...place, row: place.row + by } };
  }

  #drawSoon(): void {
    this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const { element } = this;
    const { source } = this.#options;
    const { space, headWidth, columns } = this.#look;
    // All that is asked of the layout comes before all that changes it: otherwise it is made anew for each question.
    const { scrollTop, scrollLeft, clientWidth, clientHeight } = element;
    this.#space.viewport = Math.max(0, clientHeight - this.#head.element.offsetHeight);
    if (this.#space.count !== source.count) {
      this.#space.count = source.count;
      this.#table.setAttribute("aria-rowcount", String(source.count + 1));
      this.#keepSelectionInside(0);
    }
    const rows = this.#space.rowsAt(scrollTop);
    const { first, last } = space.columnsAt(scrollLeft, clientWidth - headWidth);
    setStyle(this.#body, "height", `${this.#space.height}px`);
    for (const each of [this.#body, this.#head.element]) setStyle(each, "width", `${headWidth + space.width}px`);
    this.#showColumns(Math.max(0, first - 1), Math.min(columns.length - 1, last + 1));
    this.#head.draw(this.#look);
    if (source.count > 0) source.want(rows.first, rows.last);
    this.#drawRows(rows, scrollTop);
    this.#paint();
    this.#placeOverlay();
  }

  #showColumns(first: number, last: number): void {
    const shown = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
    const { column } = this.selection.active;
    // The active cell stays on the page, or the focus would be lost.
    if (column < this.columns.length && !shown.includes(column)) {
      if (column < first) shown.unshift(column);
      else shown.push(column);
    }
    const before = this.#look.shown;
    if (shown.length === before.length && shown.every((at, place) => at === before[place])) return;
    this.#look = { ...this.#look, shown };
  }

  #drawRows({ first, last }: { first: number; last: number }, scrollTop: number): void {
    const { source } = this.#options;
    const isFast = Math.abs(first - this.#first) > last - first;
    this.#first = first;
    const ahead = isFast ? 0 : AHEAD;
    // They are drawn when it gets slower.
    if (isFast) this.#drawSoon();
    const from = Math.max(0, first - ahead);
    const to = Math.min(source.count - 1, last + ahead);
    const active = this.selection.active.row;
    const wanted = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
    if (active >= 0 && active < source.count) {
      if (active < from) wanted.unshift(active);
      else if (active > to) wanted.push(active);
    }
    const isWanted = new Set(wanted);
    for (const [index, row] of this.#rows) {
      if (isWanted.has(index)) continue;
      row.element.remove();
      this.#rows.delete(index);
      this.#spare.push(row);
    }
    let next: ChildNode | null = this.#body.firstChild;
    for (const index of wanted) {
      let row = this.#rows.get(index);
      if (!row) this.#rows.set(index, (row = this.#spare.pop() ?? new RowElement<Row>()));
      row.draw(index, source.at(index), this.#look);
      setStyle(row.element, "transform", `translateY(${this.#space.topOf(index, scrollTop)}px)`);
      if (next === row.element) next = next.nextSibling;
      else this.#body.insertBefore(row.element, next);
    }
  }

  /** Marks what is chosen, and lets the tabulator key lead to the active cell. */
  #paint(): void {
    const { selection } = this;
    const area = selection.area(this.columns.length);
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

  #placeOverlay(): void {
    if (!this.#overlay) return;
    const { element, place } = this.#overlay;
    const { space, headWidth } = this.#look;
    const { scrollTop } = this.element;
    const head = this.#head.element.offsetHeight;
    const row = head + this.#space.topOf(place.row, scrollTop);
    const bottom = row + this.#options.rowHeight;
    const end = head + scrollTop + this.#space.viewport;
    const { offsetHeight: height } = element;
    // What has no room below its row stands above it.
    const top = row + height > end && bottom - height > scrollTop + head ? bottom - height : row;
    element.style.transform = `translate(${headWidth + space.leftOf(place.column)}px, ${top}px)`;
    element.style.minWidth = `${space.widthOf(place.column)}px`;
  }
}

/** Browsers take writing the same again for a change. */
function setStyle(element: HTMLElement, name: "height" | "width" | "transform", value: string): void {
  if (element.style[name] !== value) element.style[name] = value;
}
