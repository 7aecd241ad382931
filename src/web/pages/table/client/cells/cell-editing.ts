import type { RecordJson } from "../../../../base/table-data.ts";
import { announce } from "../../../../base/client/announce.ts";
import { errorContent, isAborted } from "../../../../base/client/api.ts";
import { replaceChildren, h, nameElement, newId } from "../../../../base/client/dom.ts";
import { showError } from "../../../../base/client/problem.ts";
import { t } from "../../../../base/client/texts.ts";
import type { OpenPopover } from "../../../../base/client/popover.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { watchUnsaved } from "../../../../base/client/unsaved.ts";
import { type CellPosition, nextInRange } from "../../../../base/client/grid/selection.ts";
import { commandOf } from "../../../../base/client/keys/key-table.ts";
import { NEW_ROW } from "../rows/new-row.ts";
import type { UndoManager } from "../undo-manager.ts";
import { momentValue } from "../commands/dates.ts";
import { EDITOR_KEY_GROUP, type EditorCommand } from "../commands/editor-keys.ts";
import { changeRange, selectedRange } from "../commands/range-changes.ts";
import { type CellWatch, showChangedMeanwhile, watchCell } from "./changed-meanwhile.ts";
import { countTypedCharacters, offerRestore } from "./discarded-text.ts";
import { type Column, cellValue } from "../columns/columns.ts";
import type { CellEditor, EditorContext, EditorValue } from "../editors/cell-editor.ts";
import { createEditor } from "../editors/create-editor.ts";
import { isSheetEditor, openEditorSheet } from "../editors/editor-sheet.ts";
import { emptyValue } from "../editors/parse-text.ts";
import { cellAfter, insertText } from "../editors/editor-moves.ts";
import type { GridSheet } from "../sheet.ts";
import { showUnsavedInput } from "./unsaved-input.ts";
import { writeCell } from "./write-cell.ts";

export interface CellEditingOptions {
  readonly sheet: GridSheet;
  readonly changes: UndoManager;
  /** Shows the formula of a computed cell's column. */
  readonly openFormula: (column: Column) => void;
  readonly openFiles: (column: Column, row: RecordJson) => void;
  readonly openRow: (row: number) => void;
  /** Adds a row at the end, whose cell in a column is the active one at once. */
  readonly addRow: (column: number) => void;
}

interface OpenEditor {
  readonly editor: CellEditor;
  readonly element: HTMLElement;
  readonly message: HTMLElement;
  readonly column: Column;
  readonly row: RecordJson;
  readonly isDirty: () => boolean;
  readonly stopWatching: () => void;
  readonly changedMeanwhile: CellWatch;
  /** The input that failed validation: entering it again keeps it. */
  warnedValue: string | null;
  /** Number of typed characters. */
  readonly typedCount: () => number;
  /** Whether arrow keys move the caret; else they save and move to another cell. */
  hasArrows: boolean;
}

/** Edits single cells in place. */
export class CellEditing {
  readonly #options: CellEditingOptions;
  #open: OpenEditor | undefined;
  /** Around the editor, on phones. */
  #bottomSheet: OpenPopover | undefined;

  constructor(options: CellEditingOptions) {
    this.#options = options;
    // The editor follows its row when changes of others move it.
    options.sheet.onChange(() => {
      const at = this.#open ? this.#indexOf(this.#open.row) : -1;
      if (at >= 0) options.sheet.grid.moveOverlay(at);
    });
    options.sheet.grid.element.addEventListener(
      "pointerdown",
      (event) => {
        const isInside = this.#open?.element.contains(event.target as Node) ?? false;
        if (this.#open && !isInside) this.save();
      },
      true,
    );
  }

  #indexOf(row: RecordJson): number {
    const { grid, rowPages } = this.#options.sheet;
    return row === NEW_ROW ? (grid.blankRow ?? -1) : rowPages.indexOf(row.id);
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Starts editing the active cell; `typed` is the typed text, null keeps the current value. */
  start(typed: string | null, { canWait = true } = {}): void {
    const { sheet, openFormula, openFiles, openRow } = this.#options;
    const { active } = sheet.grid.selection;
    const column = sheet.shown[active.column];
    if (!column || active.row < 0 || !this.save()) return;
    const row = active.row === sheet.grid.blankRow ? NEW_ROW : sheet.activeRow;
    if (!row) {
      if (canWait && sheet.rowPages.count > 0) void this.#startWhenLoaded(typed);
      return;
    }
    if (column.type.base === "Attachments" && (typed === null || sheet.canEdit)) {
      if (row === NEW_ROW) this.#options.addRow(active.column);
      const target = sheet.activeRow;
      return target && openFiles(column, target);
    }
    if (!sheet.canEdit) return typed === null ? openRow(active.row) : undefined;
    if (column.isFormula && !column.isEmpty) {
      if (typed === null) openFormula(column);
      return;
    }
    if (column.type.base === "Bool") {
      // Only Space toggles a checkbox.
      if (typed === null || typed === " ") void this.#toggle(column, row);
      return;
    }
    this.#openEditor(column, row, { typed, place: active });
  }

  /** Holds the keys that follow, so that they reach the editor. */
  async #startWhenLoaded(typed: string | null): Promise<void> {
    const { grid, rowPages, heldKeys } = this.#options.sheet;
    grid.reveal(grid.selection.active);
    await heldKeys.during(rowPages.whenLoaded().then(() => this.start(typed, { canWait: false })));
  }

  /**
   * Commits the input: the cell shows it immediately while it is sent. On failure the editor opens again. Returns false
   * when validation fails and the user must confirm.
   * @param isKept false if the caller sends the input
   * @param asks whether the user must confirm; only input that can be kept is kept without
   */
  save({ isKept = true, asks = true }: { isKept?: boolean; asks?: boolean } = {}): boolean {
    const editor = this.#open;
    if (!editor) return true;
    const entered = editor.editor.value();
    const { value, warning, isRefused = false } = entered;
    const key = JSON.stringify(value);
    if (warning !== null && (isRefused || (asks && editor.warnedValue !== key))) {
      editor.warnedValue = key;
      const how = this.#bottomSheet ? t("table.edit.keepDone") : t("table.edit.keep");
      const keep = [h("br"), h("span", { class: "quiet" }, how)];
      const text = h("p", {}, ...warning(), ...(isRefused ? [] : keep));
      replaceChildren(editor.message, text);
      announce(text.innerText);
      editor.editor.focus();
      return false;
    }
    const isEmpty = editor.row === NEW_ROW && (value === "" || value === emptyValue(editor.column));
    if (!isKept || isEmpty || key === JSON.stringify(cellValue(editor.row, editor.column.id))) {
      this.cancel();
      return true;
    }
    this.#close();
    void this.#send(editor, entered);
    return true;
  }

  /** Cancels editing. */
  cancel(): void {
    this.#open?.stopWatching();
    this.#close();
  }

  #close(): void {
    if (!this.#open) return;
    const { grid } = this.#options.sheet;
    this.#open = undefined;
    grid.hideOverlay();
    this.#bottomSheet?.close(false);
    this.#bottomSheet = undefined;
    grid.focus();
  }

  async #send(open: OpenEditor, { value, shown, before }: EditorValue): Promise<void> {
    const { sheet, changes } = this.#options;
    const { column, row } = open;
    const meanwhile = open.changedMeanwhile(sheet.rowPages.rowAt(this.#indexOf(row)));
    try {
      await writeCell({ row, column, value, shown: shown ?? {}, before }, { sheet, changes });
      open.stopWatching();
      showChangedMeanwhile(meanwhile, this.#options);
      if (column.isEmpty || before) await sheet.reloadColumns();
    } catch (error) {
      this.#showRefusal(open, error);
    }
  }

  /** Reopens an editor with its input and the error. */
  #showRefusal(open: OpenEditor, error: unknown): void {
    const again = () => {
      if (!this.save()) return;
      if (!this.#reopen(open)) {
        const title = t.rich("table.edit.refused.title", { column: nameElement(open.column.name) });
        return showUnsavedInput(open, { title, error });
      }
      showError(open.message, error, { retry: () => this.save() });
    };
    if (!this.#open) return again();
    // Does not take the focus from another editor.
    const text = t.rich("table.edit.refused", {
      column: nameElement(open.column.name),
      error: h("span", {}, ...errorContent(error)),
    });
    showToast(text, { problem: true, action: { label: t("table.edit.refused.show"), run: again } });
  }

  /** Places a closed editor over its cell again; false when the cell is no longer shown. */
  #reopen(open: OpenEditor): boolean {
    const { grid, shown } = this.#options.sheet;
    const place = { row: this.#indexOf(open.row), column: shown.findIndex(({ ref }) => ref === open.column.ref) };
    if (place.row < 0 || place.column < 0) return false;
    grid.activate(place, { focus: false });
    this.#open = open;
    this.#place(open, place);
    return true;
  }

  #place(open: OpenEditor, place: CellPosition): void {
    const { grid } = this.#options.sheet;
    if (isSheetEditor(open.editor)) {
      this.#bottomSheet = openEditorSheet({
        column: open.column,
        content: open.element,
        anchor: () => grid.elementAt(place),
        scroller: grid.element,
        leave: (how, target) => this.#leaveSheet(open, how, target),
      });
    } else grid.showOverlay(place, open.element);
    open.editor.focus();
  }

  #leaveSheet(open: OpenEditor, how: "done" | "back" | "outside", target: Node | null): void {
    if (how === "back") return this.#discard(open);
    // The grid saves at each press.
    if (how === "outside") return void (this.#options.sheet.grid.element.contains(target) || this.save());
    const search = open.editor.pendingSearch?.();
    if (search) void search.then(() => this.#saveAndMove("stay"));
    else this.#saveAndMove("stay");
  }

  /** Cancels editing, and offers to restore longer input. */
  #discard(open: OpenEditor): void {
    this.cancel();
    offerRestore(open.typedCount(), () => {
      if (!this.save()) return;
      const isShown = this.#reopen({ ...open, stopWatching: watchUnsaved(open.isDirty) });
      if (!isShown) showUnsavedInput(open, { title: t("table.edit.gone.title"), error: null });
    });
  }

  async #toggle(column: Column, row: RecordJson): Promise<void> {
    const stopWatching = watchUnsaved(() => true);
    try {
      const value = cellValue(row, column.id) !== true;
      await writeCell({ row, column, value, shown: { [column.id]: value } }, this.#options);
    } catch (error) {
      if (!isAborted(error)) showToast(errorContent(error), { problem: true });
    } finally {
      stopWatching();
    }
  }

  #openEditor(
    column: Column,
    row: RecordJson,
    { typed: typedCount, place }: { typed: string | null; place: CellPosition },
  ): void {
    const { sheet } = this.#options;
    const context: EditorContext = {
      docId: sheet.docId,
      column,
      row,
      typedCount,
      settings: sheet.data.settings,
      tables: sheet.data.tables,
      canChangeColumns: sheet.data.canChangeColumns,
      onDone: () => this.#saveAndMove("stay"),
    };
    const editor = createEditor(context);
    const message = h("div", { class: "editor-message", id: newId("message") });
    const element = h("div", { class: "editor" }, editor.element, message);
    const before = JSON.stringify(editor.value().value);
    const isDirty = () => JSON.stringify(editor.value().value) !== before;
    // The validation message applied to the previous text.
    element.addEventListener("input", () => {
      replaceChildren(message);
      if (this.#open) this.#open.warnedValue = null;
    });
    this.#open = {
      editor,
      element,
      message,
      column,
      row,
      stopWatching: watchUnsaved(isDirty),
      changedMeanwhile: watchCell(row, column, this.#options),
      warnedValue: null,
      typedCount: countTypedCharacters(element, typedCount),
      isDirty,
      hasArrows: typedCount === null,
    };
    element.addEventListener("keydown", (event) => this.#handleKey(event));
    element.addEventListener("pointerdown", (event) => event.stopPropagation());
    sheet.grid.reveal(place);
    this.#place(this.#open, place);
  }

  #handleKey(event: KeyboardEvent): void {
    event.stopPropagation();
    const open = this.#open;
    if (!open || event.isComposing) return;
    const search = event.key === "Enter" || event.key === "Tab" ? open.editor.pendingSearch?.() : null;
    if (search) {
      event.preventDefault();
      void this.#options.sheet.heldKeys.during(search.then(() => this.#handleKey(event)));
      return;
    }
    if (open.editor.takes?.(event)) return event.preventDefault();
    const command = commandOf(EDITOR_KEY_GROUP.keys, event, open.hasArrows ? "caret" : "typing");
    if (command && this.#run(command, open, event)) event.preventDefault();
  }

  /** Returns false for keys that the field handles itself. */
  #run(command: EditorCommand, open: OpenEditor, event: KeyboardEvent): boolean {
    if (command === "newLine") return event.altKey && insertText(event.target, "\n");
    if (command === "insertToday") return this.#insertMoment("today", open, event.target);
    if (command === "insertNow") return this.#insertMoment("now", open, event.target);
    if (command === "discard") this.#discard(open);
    else if (command === "switchArrows") open.hasArrows = !open.hasArrows;
    else if (command === "saveIntoRange") this.#saveIntoRange(open);
    else this.#saveAndMove(command);
    return true;
  }

  /** Inserts today's date, or the current time, as the column shows it. */
  #insertMoment(moment: "today" | "now", { column, row }: OpenEditor, field: EventTarget | null): boolean {
    const { settings } = this.#options.sheet.data;
    const value = momentValue(moment, { column, settings, nowS: Date.now() / 1000 });
    if (value === undefined) return false;
    return insertText(field, column.text({ id: row.id, fields: { [column.id]: value } }));
  }

  /** Saves the input into all selected cells of columns of the same type, or into the cell, which stays the active one. */
  #saveIntoRange({ column, editor }: OpenEditor): void {
    const { sheet, changes } = this.#options;
    const range = sheet.grid.selection.isSingle ? null : selectedRange(sheet);
    const { value, before } = editor.value();
    if (!range) {
      this.save();
      return;
    }
    if (!this.save({ isKept: false })) return;
    void changeRange(
      {
        range,
        takes: ({ type }) => type.text === column.type.text,
        values: (_, rows) => rows.map(() => value),
        before,
        asTyped: true,
        message: (count) => t("table.change.filled", { count }),
      },
      { sheet, changes },
    );
  }

  #saveAndMove(command: Exclude<EditorCommand, "newLine" | "discard" | "switchArrows"> | "stay"): void {
    const { grid, shown } = this.#options.sheet;
    const isTab = command === "saveNext" || command === "savePrevious";
    if (!this.save({ asks: !isTab || !this.#open?.editor.keepsTextOnTab })) return;
    const { active } = grid.selection;
    if (!grid.selection.isSingle && command !== "stay") {
      const range = grid.selection.range(shown.length);
      const step = command === "savePrevious" ? "left" : command === "saveNext" ? "right" : "down";
      return grid.activateWithin(nextInRange(range, active, step));
    }
    grid.activate(cellAfter(command, active, { rows: grid.lastRow + 1, columns: shown.length }));
  }
}
