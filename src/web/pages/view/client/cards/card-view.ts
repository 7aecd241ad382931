/** Cards in place of a grid: of any number only those in view are in the DOM. */
import type { GridOptions } from "../../../../base/client/grid/grid-options.ts";
import type { RowsView } from "../../../../base/client/grid/rows-view.ts";
import { type CellPosition, Selection } from "../../../../base/client/grid/selection.ts";
import { h } from "../../../../base/client/dom.ts";
import type { RecordJson } from "../../../../base/table-data.ts";
import { NEW_ROW } from "../../../table/client/rows/new-row.ts";
import type { Card } from "./card.ts";
import type { CardShape } from "./card-columns.ts";
import { CardSet } from "./card-set.ts";
import { LineLayout } from "./line-layout.ts";

/** As in the style sheet. */
const MIN_WIDTH_PX = 320;
const GAP_PX = 12;
const EDGES_PX = 2;
/** Until the first cards are drawn. */
const ESTIMATE_PX = 240;
const MAX_SCREENS = 2;
/** A reflow changes heights, which changes what is in view. */
const MAX_PASSES = 4;

export interface CardSource {
  readonly createCard: () => Card;
  readonly shape: () => CardShape;
  /** The id under which a row is stored; a row that is being added has another one until then. */
  readonly idOf: (id: number) => number;
  /** Whether a row that is not at its place may still exist. */
  readonly mayReturn: (row: RecordJson) => boolean;
}

export class CardView implements RowsView<RecordJson> {
  readonly element: HTMLElement;
  readonly selection = new Selection();
  readonly isGrid = false;
  readonly isSingle: boolean;
  readonly #options: GridOptions<RecordJson>;
  readonly #list: HTMLElement;
  readonly #layout = new LineLayout(ESTIMATE_PX);
  readonly #cards = new CardSet(() => this.#scheduleDraw());
  #source: CardSource | undefined;
  #shape: CardShape | undefined;
  #width = 0;
  #perLine = 1;
  #frame = 0;
  #columnCount = 1;
  /** The fields of the next card that becomes the active one are entered. */
  #isEntering = false;

  constructor(options: GridOptions<RecordJson>, { isSingle }: { readonly isSingle: boolean }) {
    this.#options = options;
    this.isSingle = isSingle;
    this.#list = h("div", {
      class: "card-list",
      role: "list",
      "aria-label": options.label,
      // Cards contain data.
      translate: "no",
    });
    this.element = h("div", { class: isSingle ? "cards single" : "cards" }, this.#list);
    options.host.append(this.element);
    this.element.addEventListener("scroll", () => this.#scheduleDraw(), { passive: true });
    this.#list.addEventListener("focusin", (event) => this.#followFocus(event));
    this.#list.addEventListener("focusout", (event) => {
      const left = this.#cards.cardOf(event.target);
      if (left && !(event.relatedTarget instanceof Node && left.element.contains(event.relatedTarget)))
        left.setReachable(false);
    });
  }

  /** Cards are drawn from now on. */
  start(source: CardSource): void {
    this.#source = source;
    this.#shape = source.shape();
    new ResizeObserver(() => this.#draw()).observe(this.element);
    this.#draw();
  }

  /** Number of cards side by side. */
  get perLine(): number {
    return this.#perLine;
  }

  /** Number of cards in a window full. */
  get perScreen(): number {
    const { first, last } = this.#layout.visibleLines(this.element.scrollTop);
    return this.isSingle ? 1 : Math.max(1, last - first) * this.#perLine;
  }

  /** In a list, new cards are added below all others; a single card is entered in its place. */
  get blankRow(): number | null {
    return this.isSingle && this.#options.hasBlankRow?.() ? this.#options.source.count : null;
  }

  /** The last position that can be the active one. */
  get lastRow(): number {
    return this.blankRow ?? Math.max(0, this.#options.source.count - 1);
  }

  get hasFocus(): boolean {
    return this.element.contains(document.activeElement);
  }

  get active(): Card | undefined {
    return this.#cards.at(this.selection.active.row);
  }

  cardOf(target: EventTarget | null): Card | undefined {
    return this.#cards.cardOf(target);
  }

  setColumns(columns: readonly unknown[]): void {
    this.#columnCount = columns.length;
    if (!this.#source) return;
    this.#shape = this.#source.shape();
    this.#scheduleDraw();
  }

  rowsChanged(): void {
    this.#scheduleDraw();
  }

  selectionChanged(): void {
    this.#scheduleDraw();
  }

  shift(by: number): void {
    const { element } = this;
    const top = this.#layout.viewTop(element.scrollTop);
    const line = this.#layout.lineAt(top);
    const within = top - this.#layout.offsetOf(line);
    this.moveSelection(by);
    if (by === 0) return;
    this.#layout.reset();
    this.#updateLines();
    const moved = Math.max(0, Math.floor((line * this.#perLine + by) / this.#perLine));
    element.scrollTop = this.#layout.scrollTopOf(this.#layout.offsetOf(moved) + within);
    this.#draw();
  }

  moveSelection(by: number): void {
    const { blankRow } = this;
    this.selection.shift(by, { rows: this.lastRow + 1, columns: this.#columnCount, blankRow });
    this.#scheduleDraw();
  }

  activate({ row, column }: CellPosition, { focus = true }: { focus?: boolean } = {}): void {
    const place = { row: Math.max(0, Math.min(row, this.lastRow)), column: Math.max(0, column) };
    this.selection.move(place);
    this.selection.noteBlank(this.blankRow);
    this.reveal(place);
    this.#options.onActivate?.(place);
    const isEntering = this.#isEntering;
    this.#isEntering = false;
    if (isEntering && this.active?.focusField()) return;
    if (focus) this.focus();
  }

  enterNext(): void {
    this.#isEntering = true;
  }

  reveal({ row }: CellPosition): void {
    if (row < 0) return;
    this.#draw();
    if (this.isSingle) return;
    const line = Math.floor(row / this.#perLine);
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const top = this.#layout.scrollTo(line, this.element.scrollTop);
      if (Math.abs(top - this.element.scrollTop) < 1) return;
      this.element.scrollTop = top;
      // Its height is known once it is drawn.
      this.#draw();
    }
  }

  focus(): void {
    this.#draw();
    const { active } = this;
    if (active && !active.hasFocus) active.element.focus({ preventScroll: true });
  }

  /** Whatever gets the focus is part of the active card. */
  #followFocus({ target }: FocusEvent): void {
    const card = this.#cards.cardOf(target);
    if (!card || card.index < 0) return;
    if (target !== card.element) card.setReachable(true);
    const field = card.fields.findIndex(({ element }) => target instanceof Node && element.contains(target));
    const place = { row: card.index, column: Math.max(0, field) };
    const { active } = this.selection;
    if (active.row === place.row && (field < 0 || active.column === place.column)) return;
    this.selection.move(place);
    this.#options.onActivate?.(place);
    this.#scheduleDraw();
  }

  #scheduleDraw(): void {
    this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const source = this.#source;
    const shape = this.#shape;
    if (!source || !shape || this.element.clientHeight === 0) return;
    const hadFocus = this.hasFocus;
    // Rows may have been deleted.
    if (this.selection.active.row > this.lastRow)
      this.selection.shift(0, { rows: this.lastRow + 1, columns: this.#columnCount, blankRow: this.blankRow });
    this.#updateLines();
    let isMoved = true;
    for (let pass = 0; isMoved && pass < MAX_PASSES; pass++) {
      this.#drawCards(source, shape);
      isMoved = !this.isSingle && this.#measure();
    }
    if (isMoved) this.#scheduleDraw();
    this.#paint();
    // The card that had it may be gone.
    if (hadFocus && !this.hasFocus) this.active?.element.focus({ preventScroll: true });
  }

  /** Cards side by side are as many as there is room for. The first one in view stays there. */
  #updateLines(): void {
    const { clientWidth, clientHeight } = this.element;
    const width = this.#list.clientWidth || clientWidth;
    const { source } = this.#options;
    // Without a limit, a mistake in a style sheet would draw all cards.
    this.#layout.viewport = Math.min(clientHeight, MAX_SCREENS * window.innerHeight);
    if (!this.isSingle && width !== this.#width) {
      const first = this.#layout.lineAt(this.#layout.viewTop(this.element.scrollTop)) * this.#perLine;
      this.#width = width;
      this.#perLine = Math.max(1, Math.floor((width + GAP_PX) / (MIN_WIDTH_PX + GAP_PX)));
      this.#list.style.setProperty("--per-line", String(this.#perLine));
      this.#layout.reset();
      this.#layout.count = Math.ceil(source.count / this.#perLine);
      if (first > 0)
        this.element.scrollTop = this.#layout.scrollTopOf(this.#layout.offsetOf(Math.floor(first / this.#perLine)));
    }
    this.#layout.count = Math.ceil(source.count / this.#perLine);
  }

  #drawCards({ createCard, idOf, mayReturn }: CardSource, shape: CardShape): void {
    const { source } = this.#options;
    const indexes = this.isSingle ? this.#singleIndex() : this.#indexesInView();
    const [first, last] = [indexes.at(0), indexes.at(-1)];
    if (source.count > 0 && first !== undefined && last !== undefined)
      source.requestRows(
        Math.min(first, source.count - 1),
        Math.min(last, source.count - 1),
        this.selection.active.row,
      );
    const { row: active } = this.selection.active;
    if (!this.isSingle && active >= 0 && active < source.count) {
      // Stays drawn, or the focus would be lost.
      if (first === undefined || active < first) indexes.unshift(active);
      else if (last !== undefined && active > last) indexes.push(active);
    }
    const count = Math.max(source.count, this.lastRow + 1);
    const shown = indexes.map((index) => ({ index, row: this.#rowAt(index), count, shape }));
    this.#cards.draw(shown, { list: this.#list, createCard, idOf, mayReturn });
    if (!this.isSingle) this.#place();
  }

  #rowAt(index: number): RecordJson | undefined {
    return index === this.blankRow ? NEW_ROW : this.#options.source.rowAt(index);
  }

  #singleIndex(): number[] {
    const index = Math.max(0, this.selection.active.row);
    return index < this.#options.source.count || index === this.blankRow ? [index] : [];
  }

  /** With a line ahead of scrolling in both directions. */
  #indexesInView(): number[] {
    const { first, last } = this.#layout.visibleLines(this.element.scrollTop);
    const from = Math.max(0, first - 1) * this.#perLine;
    const to = Math.min(this.#options.source.count, (last + 2) * this.#perLine);
    return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
  }

  #place(): void {
    const { scrollTop } = this.element;
    setStyle(this.#list, "height", `${this.#layout.height}px`);
    for (const card of this.#cards.shown) {
      const line = Math.floor(card.index / this.#perLine);
      setStyle(card.element, "--at", String(card.index % this.#perLine));
      setStyle(card.element, "transform", `translateY(${Math.round(this.#layout.topOf(line, scrollTop))}px)`);
      setStyle(card.element, "min-height", `${Math.round(this.#layout.heightOf(line)) - GAP_PX}px`);
    }
  }

  /** Notes the heights of the lines that are drawn. Those in view stay in place when lines above them change. */
  #measure(): boolean {
    const heights = new Map<number, number>();
    for (const card of this.#cards.shown) {
      if (!card.row) continue;
      const line = Math.floor(card.index / this.#perLine);
      const height = card.body.offsetHeight + EDGES_PX + GAP_PX;
      heights.set(line, Math.max(height, heights.get(line) ?? 0));
    }
    const top = this.#layout.viewTop(this.element.scrollTop);
    const first = this.#layout.lineAt(top);
    const before = this.#layout.offsetOf(first);
    if (!this.#layout.measure(heights)) return false;
    const moved = this.#layout.offsetOf(first) - before;
    setStyle(this.#list, "height", `${this.#layout.height}px`);
    if (Math.abs(moved) >= 1 && this.element.scrollTop > 0)
      this.element.scrollTop = this.#layout.scrollTopOf(top + moved);
    return true;
  }

  /** The active card is the one in the tab order. */
  #paint(): void {
    const { active } = this;
    for (const card of this.#cards.shown) {
      card.element.classList.toggle("active", card === active);
      const tabIndex = card === active ? 0 : -1;
      if (card.element.tabIndex !== tabIndex) card.element.tabIndex = tabIndex;
    }
    this.selection.noteBlank(this.blankRow);
    this.#options.onSelection?.();
  }
}

/** Assigning an equal value still invalidates the style. */
function setStyle({ style }: HTMLElement, name: string, value: string): void {
  if (style.getPropertyValue(name) !== value) style.setProperty(name, value);
}
