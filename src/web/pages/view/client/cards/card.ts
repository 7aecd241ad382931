/** A card: a record with its fields in the layout of the section, edited where they are. */
import { h, icon, replaceChildren } from "../../../../base/client/dom.ts";
import { attachMenu, type MenuEntry } from "../../../../base/client/menu.ts";
import { t } from "../../../../base/client/texts.ts";
import type { RecordJson } from "../../../../base/table-data.ts";
import type { LayoutBox } from "../../../../base/views/box-layout.ts";
import { RowField } from "../../../table/client/row-panel/row-field.ts";
import type { Sheet } from "../../../table/client/sheet.ts";
import type { UndoManager } from "../../../table/client/undo-manager.ts";
import type { CardShape } from "./card-columns.ts";

export interface CardContext {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
  /** Scrolls the cards. */
  readonly scroller: () => HTMLElement;
  readonly menuItems: (card: Card) => readonly MenuEntry[];
}

export interface ShownCard {
  readonly index: number;
  /** Undefined while it is not loaded. */
  readonly row: RecordJson | undefined;
  /** Number of all cards. */
  readonly count: number;
  readonly shape: CardShape;
}

/** Longer texts of a first field do not help to tell cards apart. */
const MAX_LABEL_LENGTH = 100;

export class Card {
  readonly element: HTMLElement;
  /** As high as the fields need. */
  readonly body = h("div", { class: "card-body" });
  readonly #context: CardContext;
  readonly #menu: HTMLElement;
  #index = -1;
  #row: RecordJson | undefined;
  #shape: CardShape | undefined;
  #fields: readonly RowField[] = [];
  #isReachable = false;

  constructor(context: CardContext) {
    this.#context = context;
    this.#menu = h(
      "button",
      {
        type: "button",
        class: "bare card-menu",
        tabindex: -1,
        "aria-label": t("cards.menu"),
        title: t("cards.menu"),
        translate: "yes",
      },
      icon("ellipsis"),
    );
    attachMenu(this.#menu, () => context.menuItems(this));
    this.element = h("div", { class: "record-card", role: "listitem", tabindex: -1 }, this.body, this.#menu);
  }

  get index(): number {
    return this.#index;
  }

  get row(): RecordJson | undefined {
    return this.#row;
  }

  get fields(): readonly RowField[] {
    return this.#fields;
  }

  get hasFocus(): boolean {
    return this.element.contains(document.activeElement);
  }

  /** Whether one of its fields is being edited. */
  get isEditing(): boolean {
    return this.#fields.some((field) => field.isEditing);
  }

  show({ index, row, count, shape }: ShownCard): void {
    const isNew = row !== undefined && row.id === 0;
    this.#index = index;
    setAttribute(this.element, "aria-posinset", String(index + 1));
    setAttribute(this.element, "aria-setsize", String(count));
    const isDrawn = this.#row === row && this.#shape?.version === shape.version;
    this.#row = row;
    if (isDrawn) return;
    this.element.classList.toggle("unread", !row);
    setAttribute(this.element, "aria-busy", String(!row));
    this.#menu.hidden = !row || isNew;
    const focused = this.#showShape(shape);
    if (!row) return;
    for (const field of this.#fields) field.show(row);
    if (focused !== undefined && !this.focusField(focused)) this.element.focus();
    setAttribute(this.element, "aria-label", isNew ? t("cards.new") : this.title);
    this.#applyReachable();
  }

  /** The text of the first field that has one, or the number of the row. */
  get title(): string {
    const row = this.#row;
    const texts = row ? this.#fields.map(({ column }) => column.text(row).trim()) : [];
    const text = texts.find((each) => each !== "") ?? t("table.row.title", { number: this.#index + 1 });
    return text.slice(0, MAX_LABEL_LENGTH);
  }

  /** Returns the column of the field that had the focus, if fields were made again. */
  #showShape(shape: CardShape): number | undefined {
    const isSame = this.#shape?.root === shape.root;
    // Fields with input stay until they are left.
    if (isSame || (this.#shape && this.#fields.some((field) => field.isDirty))) {
      if (isSame) this.#shape = shape;
      return undefined;
    }
    this.#shape = shape;
    const { sheet, changes, scroller } = this.#context;
    const context = {
      sheet,
      changes,
      scroller,
      isOnCard: true,
      focusNext: (field: RowField) => this.#focusAfter(field),
    } as const;
    const focused = this.#fields.find((field) => field.hasFocus)?.column.ref;
    const fields: RowField[] = [];
    const draw = ({ leaf, children = [], size }: LayoutBox, isRow: boolean): HTMLElement | null => {
      if (leaf === undefined) {
        const boxes = children.map((child) => draw(child, !isRow));
        const box = h("div", { class: isRow ? "card-row" : "card-column" }, ...boxes);
        box.style.setProperty("--share", String(size));
        return box;
      }
      const column = shape.columns.get(leaf);
      if (!column) return null;
      const field = new RowField(column, context);
      field.element.style.setProperty("--share", String(size));
      fields.push(field);
      return field.element;
    };
    replaceChildren(this.body, draw(shape.root, false));
    this.#fields = fields;
    return focused;
  }

  /** Gives the focus to the field of a column, or to the first one that takes it. */
  focusField(columnRef?: number): boolean {
    this.setReachable(true);
    const [first] = this.#fields.filter(({ column }) => columnRef === undefined || column.ref === columnRef);
    if (columnRef !== undefined && first) return first.focus();
    const editable = this.#fields.filter(({ column }) => this.#context.sheet.canEditCells(column));
    return [...editable, ...this.#fields].some((field) => field.focus());
  }

  #focusAfter(field: RowField): void {
    const next = this.#fields.slice(this.#fields.indexOf(field) + 1);
    if (!next.some((each) => each.focus())) this.element.focus();
  }

  /** Whether Tab reaches the fields: those of one card at most, or there would be hundreds of stops. */
  setReachable(isReachable: boolean): void {
    if (this.#isReachable === isReachable) return;
    this.#isReachable = isReachable;
    this.#applyReachable();
  }

  #applyReachable(): void {
    for (const field of this.#fields) field.setReachable(this.#isReachable);
    this.#menu.tabIndex = this.#isReachable ? 0 : -1;
  }

  /** Saves what is entered. Resolves to false when it is refused, and stays in the editor. */
  async leave(): Promise<boolean> {
    for (const field of this.#fields) if (!(await field.leave())) return false;
    return true;
  }

  /** The row no longer exists. */
  end(): void {
    for (const field of this.#fields) field.showLostInput();
    this.element.remove();
  }
}

/** Screen readers repeat attributes that are set again. */
function setAttribute(element: HTMLElement, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}
