/** A field of the panel of a row: the value, which becomes its editor while it has the focus. */
import type { CellValue } from "../../../../../values/cell.ts";
import type { RecordJson } from "../../../../base/table-data.ts";
import { announce } from "../../../../base/client/announce.ts";
import { englishElement, h, newId, replaceChildren } from "../../../../base/client/dom.ts";
import { clearError, showError } from "../../../../base/client/problem.ts";
import { t } from "../../../../base/client/texts.ts";
import { watchUnsaved } from "../../../../base/client/unsaved.ts";
import { drawCell } from "../cells/cell-renderers.ts";
import { type CellWatch, showChangedMeanwhile, watchCell } from "../cells/changed-meanwhile.ts";
import { countTypedCharacters, offerRestore } from "../cells/discarded-text.ts";
import { showUnsavedInput } from "../cells/unsaved-input.ts";
import { writeCell } from "../cells/write-cell.ts";
import { type Column, cellValue } from "../columns/columns.ts";
import { fetchCellErrors, formulaErrorText } from "../columns/formula-errors.ts";
import type { CellEditor, EditorValue } from "../editors/cell-editor.ts";
import { createEditor } from "../editors/create-editor.ts";
import { isSheetEditor, openEditorSheet } from "../editors/editor-sheet.ts";
import { emptyValue } from "../editors/parse-text.ts";
import type { Sheet } from "../sheet.ts";
import type { UndoManager } from "../undo-manager.ts";
import { hasHit } from "../view/find-hits.ts";
import { fileGallery } from "./file-gallery.ts";

export interface RowFieldContext {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
  /** Moves the focus to the next field. */
  readonly focusNext: (field: RowField) => void;
  /** Scrolls the fields. */
  readonly scroller: () => HTMLElement;
  /** On a card, one of many: its label is no heading, Enter leaves it, and errors of formulas are a few words. */
  readonly isOnCard?: boolean;
}

interface Editing {
  readonly editor: CellEditor;
  readonly place: HTMLElement;
  readonly row: RecordJson;
  /** The value that it began with, as JSON. */
  readonly before: string;
  readonly typedCount: () => number;
  readonly endSheet: () => void;
  readonly stopWatching: () => void;
  readonly changedMeanwhile: CellWatch;
}

export class RowField {
  readonly element: HTMLElement;
  readonly column: Column;
  readonly #context: RowFieldContext;
  readonly #value: HTMLElement;
  readonly #problem = h("div", { class: "problem-place", translate: "yes" });
  readonly #labelId = newId("field");
  #row: RecordJson | undefined;
  #editing: Editing | null = null;
  /** The focus comes back to the value without editing it. */
  #isResting = false;
  #shownErrorOf: RecordJson | undefined;

  constructor(column: Column, context: RowFieldContext) {
    this.column = column;
    this.#context = context;
    this.#value = this.#createValue();
    this.element = h(
      "div",
      { class: "card-field" },
      h(context.isOnCard ? "div" : "h3", { id: this.#labelId, class: "field-label", translate: "no" }, column.name),
      this.#value,
      this.#problem,
    );
  }

  get #canEdit(): boolean {
    return this.#context.sheet.canEditCells(this.column);
  }

  #createValue(): HTMLElement {
    const isText = this.#canEdit && this.column.type.base !== "Bool" && this.column.type.base !== "Attachments";
    const value = h("div", {
      class: isText ? "cell field-value" : "cell",
      translate: "no",
      ...(isText && { tabindex: 0, role: "group", "aria-labelledby": this.#labelId }),
    });
    if (!isText) return value;
    value.addEventListener("focus", () => !this.#isResting && this.#start(null));
    value.addEventListener("click", (event) => {
      if (!(event.target instanceof Element && event.target.closest("a"))) this.#start(null);
    });
    value.addEventListener("keydown", (event) => {
      if (event.target !== value || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Delete" || event.key === "Backspace") {
        event.preventDefault();
        void this.#send({ value: emptyValue(this.column), warning: null }, this.#row);
        return;
      }
      const isTyped = event.key.length === 1 && event.key !== " ";
      if (event.key !== "Enter" && event.key !== "F2" && !isTyped) return;
      event.preventDefault();
      this.#start(isTyped ? event.key : null);
    });
    return value;
  }

  /** True while its input differs from the cell. */
  get isDirty(): boolean {
    const editing = this.#editing;
    return editing !== null && JSON.stringify(editing.editor.value().value) !== editing.before;
  }

  get hasFocus(): boolean {
    return this.element.contains(document.activeElement);
  }

  /** Whether an editor is open. */
  get isEditing(): boolean {
    return this.#editing !== null;
  }

  /** Ends editing without saving. */
  discard(): void {
    this.#endEditing();
  }

  /** The row no longer exists: the input can be copied. */
  showLostInput(): void {
    const editing = this.isDirty ? this.#editing : null;
    this.#endEditing();
    const unsaved = editing && { element: editing.place, stopWatching: () => {} };
    if (unsaved) showUnsavedInput(unsaved, { title: t("table.edit.gone.title"), error: null });
  }

  /** Whether Tab reaches the field. */
  setReachable(isReachable: boolean): void {
    for (const control of this.element.querySelectorAll<HTMLElement>("[tabindex], input, textarea, button, a"))
      control.tabIndex = isReachable ? 0 : -1;
  }

  /** Gives the focus to the field; editable ones are edited at once. */
  focus(): boolean {
    const target = this.#editing ? null : this.element.querySelector<HTMLElement>("[tabindex], input, button, a");
    if (this.#editing) this.#editing.editor.focus();
    else target?.focus();
    return this.hasFocus;
  }

  /** Shows the cell of a row, unless it is edited. */
  show(row: RecordJson): void {
    const { rowPages } = this.#context.sheet;
    // A row that was just added gets the id under which it is stored.
    const isOther = this.#row === undefined || rowPages.idOf(this.#row.id) !== rowPages.idOf(row.id);
    this.#row = row;
    if (isOther) {
      this.#endEditing();
      clearError(this.#problem);
    }
    if (!this.#editing) this.#draw(row);
  }

  #draw(row: RecordJson): void {
    const { sheet } = this.#context;
    const { base } = this.column.type;
    if (base === "Attachments")
      return replaceChildren(this.#value, fileGallery(this.column, row, { ...this.#context, canEdit: this.#canEdit }));
    if (base === "Bool" && this.#canEdit) return this.#drawSwitch(row);
    // Of the row that it showed before.
    this.#value.className = this.#value.hasAttribute("tabindex") ? "cell field-value" : "cell";
    this.#value.removeAttribute("title");
    drawCell(this.#value, row, this.column, {
      thumbnails: sheet.thumbnails,
      errors: sheet.errorDetails,
      rowRules: sheet.rowRules,
      markdown: { texts: sheet.markdown, isInline: false },
      canEdit: (each: Column) => sheet.canEditCells(each),
    });
    if (hasHit(row, this.column, sheet.view.state.find)) this.#value.classList.add("hit");
    this.#value.removeAttribute("aria-readonly");
    const isFailed = row.errors?.[this.column.id] !== undefined;
    if (isFailed && !this.#context.isOnCard && this.#shownErrorOf !== row) void this.#explainError(row);
    this.#shownErrorOf = row;
  }

  #drawSwitch(row: RecordJson): void {
    const isOn = cellValue(row, this.column.id) === true;
    let box = this.#value.querySelector<HTMLInputElement>("input");
    if (!box) {
      box = h("input", { type: "checkbox", "aria-labelledby": this.#labelId });
      const input = box;
      input.addEventListener("change", () => void this.#send({ value: input.checked, warning: null }, this.#row));
      replaceChildren(this.#value, h("label", { class: "field-box" }, box));
    }
    box.checked = isOn;
  }

  #start(typedCount: string | null): void {
    const row = this.#row;
    if (this.#editing || !row || !this.#canEdit) return;
    const { sheet, scroller } = this.#context;
    const editor = createEditor({
      docId: sheet.docId,
      column: this.column,
      row,
      typedCount,
      settings: sheet.data.settings,
      tables: sheet.data.tables,
      canChangeColumns: sheet.data.canChangeColumns,
      onDone: () => void this.#goOn(),
    });
    const place = h("div", { class: "editor" }, editor.element);
    let endSheet = () => {};
    if (isSheetEditor(editor)) {
      const sheetPopover = openEditorSheet({
        column: this.column,
        content: place,
        anchor: () => this.element,
        opener: this.#value,
        scroller: scroller(),
        leave: (how) => (how === "back" ? this.#cancel() : void this.leave()),
      });
      endSheet = () => this.#resting(() => sheetPopover.close(false));
    } else {
      this.#value.replaceWith(place);
      place.addEventListener("focusout", (event) => {
        const isInside = event.relatedTarget instanceof Node && place.contains(event.relatedTarget);
        // The window itself may have lost the focus.
        if (!isInside && document.hasFocus()) void this.leave();
      });
    }
    const before = typedCount === null ? editor.value().value : cellValue(row, this.column.id);
    const typed = countTypedCharacters(editor.element, typedCount);
    const stopWatching = watchUnsaved(() => this.isDirty);
    this.#editing = {
      editor,
      place,
      row,
      before: JSON.stringify(before),
      typedCount: typed,
      endSheet,
      stopWatching,
      changedMeanwhile: watchCell(row, this.column, this.#context),
    };
    place.addEventListener("keydown", (event) => this.#handleKey(event));
    editor.focus();
  }

  #handleKey(event: KeyboardEvent): void {
    const { editor, typedCount } = this.#editing ?? {};
    if (!editor) return;
    const isText = event.target instanceof HTMLTextAreaElement && this.column.type.base === "Text";
    // In the panel, which is for long texts, Enter begins a line; on cards, as in a grid, only with Shift.
    const isNewline = isText && !event.ctrlKey && (event.shiftKey || !this.#context.isOnCard);
    if (editor.takes?.(event)) event.preventDefault();
    else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      const typed = typedCount?.() ?? 0;
      const { value } = editor.value();
      this.#cancel();
      offerRestore(typed, () => this.#restore(value));
    } else if (event.key === "Enter" && !isNewline) {
      event.preventDefault();
      void this.#goOn();
    }
  }

  /** Edits again what was discarded. */
  #restore(value: CellValue): void {
    if (!this.element.isConnected || this.isDirty) return;
    this.#endEditing();
    this.#start(typeof value === "string" ? value : null);
  }

  #cancel(): void {
    const { row } = this.#editing ?? {};
    this.#endEditing();
    clearError(this.#problem);
    if (row) this.#draw(this.#row ?? row);
    this.#resting(() => this.#value.focus());
  }

  #resting(move: () => void): void {
    this.#isResting = true;
    move();
    this.#isResting = false;
  }

  #endEditing(): void {
    const editing = this.#editing;
    if (!editing) return;
    this.#editing = null;
    editing.stopWatching();
    editing.endSheet();
    if (editing.place.isConnected && this.element.contains(editing.place)) editing.place.replaceWith(this.#value);
  }

  /** Saves the input. Resolves to false when it is refused, and stays in the editor. */
  async leave(): Promise<boolean> {
    const editing = this.#editing;
    if (!editing) return true;
    await editing.editor.pendingSearch?.();
    if (this.#editing !== editing) return true;
    const entered = editing.editor.value();
    if (entered.isRefused) {
      const text = h("p", { class: "field-problem" }, ...(entered.warning?.() ?? []));
      replaceChildren(this.#problem, text);
      announce(text);
      return false;
    }
    const isChanged = JSON.stringify(entered.value) !== editing.before;
    this.#endEditing();
    this.#draw(this.#row ?? editing.row);
    if (isChanged) void this.#send(entered, editing.row, editing.changedMeanwhile(this.#row));
    return true;
  }

  async #goOn(): Promise<void> {
    if (await this.leave()) this.#context.focusNext(this);
  }

  /** @param meanwhile what another user entered while the field was edited */
  async #send(entered: EditorValue, row: RecordJson | undefined, meanwhile: string | null = null): Promise<void> {
    if (!row) return;
    const { sheet, changes } = this.#context;
    const { value, before, shown = {} } = entered;
    clearError(this.#problem);
    this.element.setAttribute("aria-busy", "true");
    const stopWatching = watchUnsaved(() => true);
    try {
      await writeCell({ row, column: this.column, value, shown, before }, { sheet, changes });
      showChangedMeanwhile(meanwhile, this.#context);
      if (this.column.isEmpty || before) await sheet.reloadColumns();
    } catch (error) {
      showError(this.#problem, error, { retry: () => void this.#send(entered, row) });
      if (this.#row?.id === row.id) this.#draw(this.#row);
    } finally {
      stopWatching();
      this.element.removeAttribute("aria-busy");
    }
  }

  /** Shows in plain words why a formula failed in the row. */
  async #explainError(row: RecordJson): Promise<void> {
    // Access rules may hide the details.
    const errors = await fetchCellErrors(this.#context.sheet, this.column.id).catch(() => []);
    if (this.#row !== row) return;
    const found = errors.find((error) => error.row === row.id);
    const text = formulaErrorText(found?.error ?? row.errors?.[this.column.id] ?? "Error");
    const { line = null, detail = null } = found ?? {};
    replaceChildren(
      this.#problem,
      h("p", { class: "why" }, line === null ? text : t("table.cell.errorAtLine", { text, line })),
      detail !== null && h("code", {}, englishElement(detail)),
    );
  }
}
