import type { RecordJson } from "../../../../base/table-data.ts";
import { announce } from "../../../../base/client/announce.ts";
import { confirmDiscard } from "../../../../base/client/dialog.ts";
import { englishElement, replaceChildren, find, h, icon } from "../../../../base/client/dom.ts";
import { clearError, showError } from "../../../../base/client/problem.ts";
import { t } from "../../../../base/client/texts.ts";
import { drawCell } from "../cells/cell-renderers.ts";
import type { UndoManager } from "../undo-manager.ts";
import { type Column, cellValue } from "../columns/columns.ts";
import { countTypedCharacters, offerRestore } from "../cells/discarded-text.ts";
import type { EditorValue } from "../editors/cell-editor.ts";
import { createEditor } from "../editors/create-editor.ts";
import { isSheetEditor, openEditorSheet } from "../editors/editor-sheet.ts";
import { openFilesDialog } from "../cells/files-dialog.ts";
import { fetchCellErrors, formulaErrorText } from "../columns/formula-errors.ts";
import { closePanel, openSidePanel } from "../../../../base/client/panel.ts";
import type { Sheet } from "../sheet.ts";

export interface RowCardOptions {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
}

/** Shows a row with all columns in the side panel, for long texts and small screens. */
export async function openRowCard(index: number, { sheet, changes }: RowCardOptions): Promise<void> {
  if (!(await closePanel())) return;
  let at = index;
  let editing: string | null = null;
  /** Whether the edited field differs from its cell. */
  let isDirty = () => false;
  const fields = h("div", { class: "card-fields" });
  const title = () => t("table.row.title", { number: at + 1 });
  const showRow = async (by: number) => {
    if (at + by < 0 || at + by >= sheet.rowPages.count) return;
    if (isDirty() && !(await confirmDiscard())) return;
    at += by;
    editing = null;
    sheet.grid.activate({ row: at, column: sheet.grid.selection.active.column }, { focus: false });
    show();
  };
  const before = h(
    "button",
    { type: "button", class: "bare", "aria-label": t("table.row.previous"), onclick: () => void showRow(-1) },
    icon("arrow-up"),
  );
  const after = h(
    "button",
    { type: "button", class: "bare", "aria-label": t("table.row.next"), onclick: () => void showRow(1) },
    icon("arrow-down"),
  );
  const show = () => {
    const row = sheet.rowPages.rowAt(at);
    if (!panel.element.isConnected || editing !== null) return;
    replaceChildren(find("h2", panel.element), title());
    // Not disabled: that would remove the focus from it.
    before.setAttribute("aria-disabled", String(at === 0));
    after.setAttribute("aria-disabled", String(at >= sheet.rowPages.count - 1));
    const focused = [...fields.children].findIndex((each) => each.contains(document.activeElement));
    if (row) replaceChildren(fields, ...sheet.columns.map((column) => field(row, column)));
    else replaceChildren(fields, h("p", { class: "quiet" }, t("table.row.gone")));
    if (focused >= 0) (fields.children[focused]?.querySelector<HTMLElement>(".edit") ?? after).focus();
  };
  const field = (row: RecordJson, column: Column): HTMLElement => {
    const value = h("div", { class: "cell", translate: "no" });
    const look = {
      thumbnails: sheet.thumbnails,
      errors: sheet.errorDetails,
      rowRules: sheet.rowRules,
      markdown: { texts: sheet.markdown, isInline: false },
      canEdit: (each: Column) => sheet.canEditCells(each),
    };
    drawCell(value, row, column, look);
    value.removeAttribute("aria-readonly");
    const container = h("div", { class: "card-field" }, h("h3", { translate: "no" }, column.name), value);
    if (row.errors?.[column.id] !== undefined) void explainError(container, row, { column, sheet });
    if (sheet.canEditCells(column)) {
      const edit = h(
        "button",
        { type: "button", class: "bare edit", "aria-label": t("table.row.edit", { column: column.name }) },
        icon("pencil"),
      );
      edit.addEventListener("click", () => change(container, row, column));
      container.append(edit);
    }
    return container;
  };
  const change = (container: HTMLElement, row: RecordJson, column: Column) => {
    if (column.type.base === "Attachments") return openFilesDialog(column, row, { sheet, changes });
    if (column.type.base === "Bool") {
      return void send(container, { row, column, value: cellValue(row, column.id) !== true });
    }
    editing = column.id;
    isDirty = () => editing === column.id && JSON.stringify(editor.value().value) !== before;
    const onDone = () => {
      const entered = editor.value();
      if (!entered.isRefused) {
        endSheet();
        void send(container, { row, column, ...entered });
        return;
      }
      const text = h("p", { class: "field-problem" }, ...(entered.warning?.() ?? []));
      replaceChildren(problems, text);
      announce(text);
      editor.focus();
    };
    const editor = createEditor({
      docId: sheet.docId,
      column,
      row,
      typedCount: null,
      settings: sheet.data.settings,
      tables: sheet.data.tables,
      canChangeColumns: sheet.data.canChangeColumns,
      onDone,
    });
    const before = JSON.stringify(editor.value().value);
    const save = h("button", { type: "button", class: "small", onclick: onDone }, t("table.save"));
    const fieldNow = () => fields.children[sheet.columns.findIndex(({ ref }) => ref === column.ref)];
    const cancel = () => {
      endSheet();
      editing = null;
      show();
      fieldNow()?.querySelector<HTMLElement>(".edit")?.focus();
    };
    const typedCount = countTypedCharacters(editor.element, null);
    const restoreInput = () => {
      const now = fieldNow();
      if (!panel.element.isConnected || editing !== null || sheet.rowPages.rowAt(at)?.id !== row.id || !now) return;
      editing = column.id;
      now.replaceWith(container);
      editor.focus();
    };
    const leave = h("button", { type: "button", class: "small plain", onclick: cancel }, t("base.cancel"));
    editor.element.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (editor.takes?.(event)) event.preventDefault();
      else if (event.key === "Escape") {
        cancel();
        offerRestore(typedCount(), restoreInput);
      } else if (event.key === "Enter" && (event.ctrlKey || !(event.target instanceof HTMLTextAreaElement))) {
        event.preventDefault();
        onDone();
      }
    });
    const problems = h("div", { class: "problem-place" });
    const element = h("div", { class: "editor" }, editor.element);
    let endSheet = () => {};
    if (isSheetEditor(editor)) {
      const { close } = openEditorSheet({
        column,
        content: h("div", {}, element, problems),
        anchor: () => container,
        opener: container.querySelector<HTMLElement>(".edit"),
        scroller: panel.element,
        leave: (how) => (how === "back" ? cancel() : onDone()),
      });
      endSheet = () => close(false);
    } else {
      const buttons = h("div", { class: "bar" }, save, leave);
      replaceChildren(container, h("h3", { translate: "no" }, column.name), element, buttons, problems);
    }
    editor.focus();
  };
  const send = async (
    container: HTMLElement,
    { row, column, value, before }: Pick<EditorValue, "before"> & { row: RecordJson; column: Column; value: unknown },
  ) => {
    const problem =
      container.querySelector(".problem-place") ?? container.appendChild(h("div", { class: "problem-place" }));
    clearError(problem);
    try {
      const update = ["UpdateRecord", sheet.table, row.id, { [column.id]: value }] as const;
      await changes.apply([...(before?.(column) ?? []), update]);
      editing = null;
      if (before) await sheet.reloadColumns();
      await sheet.rowPages.whenLoaded();
      show();
    } catch (error) {
      showError(problem, error, { retry: () => void send(container, { row, column, value, before }) });
    }
  };
  const stop = sheet.onChange(() => show());
  const unsaved = () => (isDirty() ? t("base.discard.title") : null);
  const content = [h("div", { class: "bar card-steps" }, before, after), fields];
  const panel = openSidePanel(title(), content, { onClose: stop, unsaved });
  show();
}

/** Shows in plain words why a formula failed in a row. */
async function explainError(
  container: HTMLElement,
  row: RecordJson,
  { column, sheet }: { column: Column; sheet: Sheet },
): Promise<void> {
  // Access rules may hide the details.
  const errors = await fetchCellErrors(sheet, column.id).catch(() => []);
  const found = errors.find((error) => error.row === row.id);
  const name = row.errors?.[column.id] ?? "Error";
  if (!found) return container.append(h("p", { class: "why" }, formulaErrorText(name)));
  const { line, detail } = found;
  const text = formulaErrorText(found.error);
  container.append(h("p", { class: "why" }, line === null ? text : t("table.cell.errorAtLine", { text, line })));
  if (detail) container.append(h("code", {}, englishElement(detail)));
}
