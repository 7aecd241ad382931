/** The panel of a row: all fields, edited in place, for long texts and small screens. */
import type { RecordJson } from "../../../../base/table-data.ts";
import { find, h, icon, nameElement, replaceChildren } from "../../../../base/client/dom.ts";
import { attachMenu } from "../../../../base/client/menu.ts";
import { closePanel, openSidePanel } from "../../../../base/client/panel.ts";
import { t } from "../../../../base/client/texts.ts";
import type { SectionData } from "../../../../base/views/section-data.ts";
import { isTouch } from "../editors/date-editor.ts";
import { readRecord } from "../rows/read-record.ts";
import type { Sheet } from "../sheet.ts";
import type { UndoManager } from "../undo-manager.ts";
import { linkToRow, noteOpenRow } from "./row-address.ts";
import { PanelFields, readRecordCard } from "./record-card.ts";
import { RowField } from "./row-field.ts";
import { rowLinkItems } from "./row-links.ts";

export interface RowPanelOptions {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
  /** Commands on the active row. */
  readonly rows: { duplicate(): Promise<void>; remove(): Promise<void> };
  /** Editing begins in the active column. */
  readonly isByKeys?: boolean;
}

/** A row and its position in the view; the number of rows where the view does not show it. */
export interface RowPlace {
  /** Null if the row is not loaded yet. */
  readonly id: number | null;
  readonly index: number;
}

/** Shows the row at an index. It follows the row when that moves, and the next ones by its buttons and keys. */
export async function openRowPanel(index: number, options: RowPanelOptions): Promise<void> {
  const { sheet } = options;
  const { column } = sheet.grid.selection.active;
  if (!(await closePanel())) return;
  const id = sheet.rowPages.rowAt(index)?.id ?? null;
  const place = { id, index };
  const card = await readRecordCard(sheet);
  new RowPanel(place, { ...options, card }).open(options.isByKeys && !isTouch() ? column : -1);
}

/** Shows a row, also one that the view does not show. */
export async function openRowPanelOf(place: RowPlace, options: RowPanelOptions): Promise<void> {
  if (!(await closePanel())) return;
  new RowPanel(place, { ...options, card: await readRecordCard(options.sheet) }).open(-1);
}

class RowPanel {
  readonly #options: RowPanelOptions;
  readonly #list = h("div", { class: "card-fields" });
  readonly #columns: PanelFields;
  readonly #more = h("button", { type: "button", class: "plain small", hidden: true });
  /** Whether fields are shown that the record card hides. */
  #showsHidden = false;
  readonly #position = h("p", { class: "card-position quiet" });
  readonly #previous = stepButton(t("table.row.previous"), "arrow-up", "Alt+PageUp");
  readonly #next = stepButton(t("table.row.next"), "arrow-down", "Alt+PageDown");
  #index: number;
  #id: number | null;
  #fields: readonly RowField[] = [];
  #element: HTMLElement | undefined;
  /** The row, where the view does not show it. */
  #elsewhere: RecordJson | null = null;

  constructor({ id, index }: RowPlace, options: RowPanelOptions & { readonly card: SectionData | null }) {
    this.#options = options;
    this.#columns = new PanelFields(options.sheet, options.card);
    this.#index = index;
    this.#id = id;
  }

  open(column: number): void {
    const { sheet } = this.#options;
    const wide = h(
      "button",
      { type: "button", class: "bare wide-toggle", "aria-pressed": "false", "aria-label": t("table.row.wide") },
      icon("maximize-2"),
    );
    const menu = h("button", { type: "button", class: "bare", "aria-label": t("table.row.menu") }, icon("ellipsis"));
    attachMenu(menu, () => this.#menuItems());
    const steps = h("div", { class: "bar card-steps" }, this.#position, this.#previous, this.#next, wide, menu);
    const stop = sheet.onChange(() => this.#show());
    const note = () => this.#noteRow();
    addEventListener("popstate", note);
    this.#more.addEventListener("click", () => this.#showHidden());
    const panel = openSidePanel(this.#title(), [steps, this.#list, this.#more], {
      onClose: () => {
        stop();
        for (const field of this.#fields) field.discard();
        removeEventListener("popstate", note);
        noteOpenRow(sheet, null);
      },
      unsaved: () => (this.#fields.some((field) => field.isDirty) ? t("base.discard.title") : null),
    });
    this.#element = panel.element;
    panel.element.classList.add("row-panel");
    this.#previous.addEventListener("click", () => void this.#step(-1));
    this.#next.addEventListener("click", () => void this.#step(1));
    wide.addEventListener("click", () => {
      const isWide = panel.element.classList.toggle("is-wide");
      wide.setAttribute("aria-pressed", String(isWide));
      dispatchEvent(new Event("resize"));
    });
    panel.element.addEventListener("keydown", (event) => {
      if (!event.altKey || (event.key !== "PageUp" && event.key !== "PageDown")) return;
      event.preventDefault();
      void this.#step(event.key === "PageUp" ? -1 : 1);
    });
    this.#show();
    const { ref } = sheet.shown[column] ?? {};
    this.#fields.find((field) => field.column.ref === ref)?.focus();
  }

  #showHidden(): void {
    const { length } = this.#fields;
    this.#showsHidden = true;
    this.#show();
    // The button is gone.
    this.#fields.slice(length).some((field) => field.focus());
  }

  /** The text of the first column, or the number. */
  #title() {
    const [first] = this.#options.sheet.shown;
    const row = this.#row ?? this.#elsewhere;
    const text = first && row ? first.text(row).trim() : "";
    return text === "" ? t("table.row.title", { number: this.#index + 1 }) : [nameElement(text)];
  }

  get #row(): RecordJson | undefined {
    const row = this.#options.sheet.rowPages.rowAt(this.#index);
    return this.#id === null || row?.id === this.#options.sheet.rowPages.idOf(this.#id) ? row : undefined;
  }

  /** Rows move when they are sorted again, or when others are added before them. */
  #follow(): void {
    const { rowPages } = this.#options.sheet;
    if (this.#id === null) {
      this.#id = rowPages.rowAt(this.#index)?.id ?? null;
      return;
    }
    const index = rowPages.indexOf(this.#id);
    if (index >= 0) this.#index = index;
  }

  #show(): void {
    const { sheet } = this.#options;
    const element = this.#element;
    if (!element?.isConnected) return;
    this.#follow();
    const row = this.#row;
    const { count } = sheet.rowPages;
    if (row) this.#elsewhere = null;
    this.#showTitle(element);
    this.#noteRow();
    replaceChildren(this.#position, t("table.row.position", { number: this.#index + 1, count }));
    // Not disabled: that would remove the focus from it.
    this.#previous.setAttribute("aria-disabled", String(this.#index === 0));
    this.#next.setAttribute("aria-disabled", String(this.#index >= count - 1));
    const isElsewhere = !row && (this.#index >= count || sheet.rowPages.rowAt(this.#index) !== undefined);
    this.#list.setAttribute("aria-busy", String(!row && !isElsewhere));
    if (row) this.#showFields(row);
    else if (isElsewhere) void this.#showElsewhere();
  }

  /** Rows that are not stored yet have no address. */
  #noteRow(): void {
    const id = this.#storedId;
    if (id !== null && id > 0) noteOpenRow(this.#options.sheet, id);
  }

  #showTitle(panel: HTMLElement): void {
    const title = this.#title();
    replaceChildren(find("h2", panel), ...(typeof title === "string" ? [title] : title));
  }

  /** Null until the row is loaded. */
  get #storedId(): number | null {
    return this.#id === null ? null : this.#options.sheet.rowPages.idOf(this.#id);
  }

  /** Shows a row that is not among the loaded ones: it has moved, the filter leaves it out, or it was deleted. */
  async #showElsewhere(): Promise<void> {
    const { sheet } = this.#options;
    const id = this.#storedId ?? 0;
    replaceChildren(this.#position, t("table.row.notShown"));
    try {
      const record = await readRecord(sheet.path, { id: [id] });
      if (this.#row || (this.#storedId ?? 0) !== id) return;
      this.#elsewhere = record ?? null;
      if (this.#element) this.#showTitle(this.#element);
      if (record) this.#showFields(record);
      else this.#showGone();
    } catch (error) {
      sheet.showError(error);
    }
  }

  #showGone(): void {
    this.#fields = [];
    this.#more.hidden = true;
    replaceChildren(this.#position, "");
    replaceChildren(this.#list, h("p", { class: "quiet" }, t("table.row.gone")));
  }

  #showFields(row: RecordJson): void {
    const { sheet, changes } = this.#options;
    const { shown, hidden } = this.#columns.columns;
    const columns = this.#showsHidden ? [...shown, ...hidden] : shown;
    this.#more.hidden = this.#showsHidden || hidden.length === 0;
    replaceChildren(this.#more, t("table.row.showHidden", { count: hidden.length }));
    const isSame =
      this.#fields.length === columns.length && columns.every((column, at) => this.#fields[at]?.column === column);
    // Fields with input stay until they are left.
    if (!isSame && !this.#fields.some((field) => field.isDirty)) {
      const at = this.#fields.findIndex((field) => field.hasFocus);
      const ref = this.#fields[at]?.column.ref;
      const context = {
        sheet,
        changes,
        focusNext: (field: RowField) => this.#focusAfter(field),
        scroller: () => this.#element ?? this.#list,
      };
      this.#fields = columns.map((column) => new RowField(column, context));
      replaceChildren(this.#list, ...this.#fields.map((field) => field.element));
      for (const field of this.#fields) field.show(row);
      if (at >= 0) (this.#fields.find((field) => field.column.ref === ref) ?? this.#fields[0])?.focus();
      return;
    }
    for (const field of this.#fields) field.show(row);
  }

  #focusAfter(field: RowField): void {
    const at = this.#fields.indexOf(field);
    const isFocused = this.#fields.slice(at + 1).some((each) => each.focus());
    if (!isFocused) this.#next.focus();
  }

  async #step(by: number): Promise<void> {
    const { sheet } = this.#options;
    for (const field of this.#fields) if (!(await field.leave())) return;
    const next = this.#index + by;
    if (next < 0 || next >= sheet.rowPages.count) return;
    const focused = this.#fields.findIndex((field) => field.hasFocus);
    this.#index = next;
    this.#id = sheet.rowPages.rowAt(next)?.id ?? null;
    this.#elsewhere = null;
    sheet.grid.activate({ row: next, column: sheet.grid.selection.active.column }, { focus: false });
    this.#show();
    if (focused >= 0) this.#fields[focused]?.focus();
  }

  #menuItems() {
    const { sheet, rows } = this.#options;
    const onRow = (run: () => Promise<void>) => () => {
      sheet.grid.activate({ row: this.#index, column: sheet.grid.selection.active.column }, { focus: false });
      void run();
    };
    return [
      ...rowLinkItems({
        docId: sheet.docId,
        table: sheet.table,
        id: this.#storedId,
        address: () => linkToRow(sheet, this.#storedId),
      }),
      ...(sheet.canAddRows
        ? [
            {
              label: t("table.row.duplicate", { count: 1 }),
              icon: "copy" as const,
              run: onRow(() => rows.duplicate()),
              startsGroup: true,
            },
            {
              label: t("table.row.delete", { count: 1 }),
              icon: "trash-2" as const,
              isDangerous: true,
              run: onRow(() => rows.remove()),
            },
          ]
        : []),
    ];
  }
}

function stepButton(label: string, name: "arrow-up" | "arrow-down", keys: string): HTMLElement {
  return h("button", { type: "button", class: "bare", "aria-label": label, "aria-keyshortcuts": keys }, icon(name));
}
