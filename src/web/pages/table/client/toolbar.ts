import { replaceChildren, find, h, icon } from "../../../base/client/dom.ts";
import { attachMenu, type MenuItem } from "../../../base/client/menu.ts";
import type { UndoManager } from "./undo-manager.ts";
import type { RowCommands } from "./rows/row-commands.ts";
import type { Sheet } from "./sheet.ts";

export interface ToolbarOptions {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
  readonly rows: RowCommands;
  readonly addColumn: () => void;
}

/** The toolbar above the grid: add, undo, hidden columns, download, and the active filters. */
export function attachToolbar(options: ToolbarOptions): void {
  const { sheet, changes, rows, addColumn } = options;
  const undo = button("undo", "Undo", () => void rows.undo());
  const redo = button("redo", "Redo", () => void rows.redo());
  const add = h("button", { type: "button", class: "small", onclick: () => void rows.add() }, icon("add"), "Row");
  const column = h(
    "button",
    { type: "button", class: "small plain", "aria-label": "Column", title: "Add column", onclick: addColumn },
    icon("addColumn"),
    h("span", { class: "text" }, "Column"),
  );
  const hidden = h(
    "button",
    { type: "button", class: "small plain", "aria-label": "Hidden" },
    icon("hide"),
    h("span", { class: "text" }, "Hidden"),
  );
  attachMenu(hidden, () => hiddenColumnItems(sheet));
  const download = h(
    "button",
    { type: "button", class: "small plain", "aria-label": "Download" },
    icon("download"),
    h("span", { class: "text" }, "Download"),
  );
  attachMenu(download, () => downloadItems(sheet));
  const show = () => {
    undo.disabled = !changes.canUndo;
    redo.disabled = !changes.canRedo;
    hidden.hidden = sheet.columns.length === sheet.shown.length;
    renderView(sheet);
  };
  const canAdd = sheet.canEdit && !sheet.isSummary;
  replaceChildren(
    find("#sheet-tools"),
    sheet.canEdit && undo,
    sheet.canEdit && redo,
    hidden,
    download,
    canAdd && column,
    canAdd && add,
  );
  sheet.onChange(show);
  show();
}

const button = (name: "undo" | "redo", label: string, run: () => void): HTMLButtonElement =>
  h("button", { type: "button", class: "bare", "aria-label": label, title: label, onclick: run }, icon(name));

const hiddenColumnItems = (sheet: Sheet): MenuItem[] =>
  sheet.columns
    .filter(({ id }) => sheet.view.isHidden(id))
    .map(({ id, name }) => ({
      label: `Show ${name}`,
      run() {
        sheet.view.setHidden(id, false);
        sheet.showColumns();
      },
    }));

function downloadItems({ docId, table }: Sheet): MenuItem[] {
  const query = new URLSearchParams({ tableId: table });
  const address = (form: string): string => `/api/docs/${docId}/download/${form}?${query}`;
  return [
    { label: "This table as CSV", icon: "download", href: address("csv") },
    { label: "This table as XLSX", icon: "download", href: address("xlsx") },
    { label: "All tables as XLSX", icon: "download", href: `/api/docs/${docId}/download/xlsx` },
    { label: "The document (SQLite)", icon: "download", href: `/api/docs/${docId}/download` },
  ];
}

/** Chips of the active sort and filters, each with a remove button. */
function renderView(sheet: Sheet): void {
  const { view } = sheet;
  const labelOf = (id: string): string => sheet.columns.find((column) => column.id === id)?.name ?? id;
  const sorts = view.sort.map(({ columnId, isDescending }) =>
    chip(`${labelOf(columnId)}, ${isDescending ? "descending" : "ascending"}`, {
      name: isDescending ? "descending" : "ascending",
      remove: () => view.setSort(view.sort.filter((key) => key.columnId !== columnId)),
    }),
  );
  const filters = Object.entries(view.filters).map(([id, allowed]) =>
    chip(`${labelOf(id)}: ${allowed.length === 1 ? "1 value" : `${allowed.length} values`}`, {
      name: "filter",
      remove: () => view.setFilter(id, undefined),
    }),
  );
  replaceChildren(find("#sheet-view"), ...sorts, ...filters);
}

const chip = (
  text: string,
  { name, remove }: { name: "ascending" | "descending" | "filter"; remove: () => void },
): HTMLElement =>
  h(
    "span",
    { class: "chip" },
    icon(name),
    h("span", { class: "text" }, text),
    h("button", { type: "button", class: "bare", "aria-label": `Remove: ${text}`, onclick: remove }, icon("close")),
  );
