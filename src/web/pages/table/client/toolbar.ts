import { replaceChildren, find, h, icon, nameElement, type Child } from "../../../base/client/dom.ts";
import { attachMenu, type MenuItem } from "../../../base/client/menu.ts";
import { t } from "../../../base/client/texts.ts";
import type { IconName } from "../../../base/icons.ts";
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
  const undo = button("undo", t("table.undo"), () => void rows.undo());
  const redo = button("redo", t("table.redo"), () => void rows.redo());
  const add = h(
    "button",
    { type: "button", class: "small", onclick: () => void rows.addAndEnter() },
    icon("add"),
    t("table.tools.row"),
  );
  const column = labelledButton("addColumn", t("table.tools.column"));
  column.title = t("table.column.add");
  column.addEventListener("click", addColumn);
  const hidden = labelledButton("hide", t("table.tools.hidden"));
  attachMenu(hidden, () => hiddenColumnItems(sheet));
  const download = labelledButton("download", t("table.tools.download"));
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

/** Without the text on a phone. */
const labelledButton = (name: IconName, label: string): HTMLButtonElement =>
  h(
    "button",
    { type: "button", class: "small plain", "aria-label": label },
    icon(name),
    h("span", { class: "text" }, label),
  );

const hiddenColumnItems = (sheet: Sheet): MenuItem[] =>
  sheet.columns
    .filter(({ id }) => sheet.view.isHidden(id))
    .map(({ id, name }) => ({
      label: t.rich("table.tools.show", { column: nameElement(name) }),
      run() {
        sheet.view.setHidden(id, false);
        sheet.showColumns();
      },
    }));

function downloadItems({ docId, table }: Sheet): MenuItem[] {
  const query = new URLSearchParams({ tableId: table });
  const address = (form: string): string => `/api/docs/${docId}/download/${form}?${query}`;
  return [
    { label: t("table.download.csv"), icon: "download", href: address("csv") },
    { label: t("table.download.xlsx"), icon: "download", href: address("xlsx") },
    { label: t("table.download.allXlsx"), icon: "download", href: `/api/docs/${docId}/download/xlsx` },
    { label: t("table.download.document"), icon: "download", href: `/api/docs/${docId}/download` },
  ];
}

/** Chips of the active sort and filters, each with a remove button. */
function renderView(sheet: Sheet): void {
  const { view } = sheet;
  const labelOf = (id: string): string => sheet.columns.find((column) => column.id === id)?.name ?? id;
  const sorts = view.sort.map(({ columnId, isDescending }) => {
    const column = labelOf(columnId);
    const key = isDescending ? "table.view.descending" : "table.view.ascending";
    return chip(t.rich(key, { column: nameElement(column) }), {
      name: isDescending ? "descending" : "ascending",
      label: t(key, { column }),
      remove: () => view.setSort(view.sort.filter((each) => each.columnId !== columnId)),
    });
  });
  const filters = Object.entries(view.filters).map(([id, { length: count }]) => {
    const column = labelOf(id);
    return chip(t.rich("table.view.filter", { count, column: nameElement(column) }), {
      name: "filter",
      label: t("table.view.filter", { count, column }),
      remove: () => view.setFilter(id, undefined),
    });
  });
  replaceChildren(find("#sheet-view"), ...sorts, ...filters);
}

const chip = (
  content: readonly Child[],
  { name, label, remove }: { name: IconName; label: string; remove: () => void },
): HTMLElement =>
  h(
    "span",
    { class: "chip" },
    icon(name),
    h("span", { class: "text" }, ...content),
    h(
      "button",
      {
        type: "button",
        class: "bare",
        "aria-label": t("table.view.remove", { setting: label }),
        onclick: remove,
      },
      icon("close"),
    ),
  );
