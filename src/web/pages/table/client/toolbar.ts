import { replaceChildren, h, icon } from "../../../base/client/dom.ts";
import { attachMenu, type MenuEntry, type MenuItem, openMenu } from "../../../base/client/menu.ts";
import { fitTools, type FittedTool } from "../../../base/client/fit-tools.ts";
import { returnFocus } from "../../../base/client/focus.ts";
import { setPageCommands } from "../../../base/client/page-commands.ts";
import { t } from "../../../base/client/texts.ts";
import { initToolbar } from "../../../base/client/toolbar.ts";
import type { IconName } from "../../../base/icons.ts";
import type { UndoManager } from "./undo-manager.ts";
import type { RowCommands } from "./rows/row-commands.ts";
import type { Sheet } from "./sheet.ts";
import { findTool } from "./view/find-field.ts";
import { viewTools } from "./view/view-tools.ts";

export interface ToolbarOptions {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
  readonly rows: RowCommands;
  /** Null where columns are not shown as such. */
  readonly addColumn: (() => void) | null;
  /** The commands in the menu beside the name. */
  readonly items: () => MenuEntry[];
  /** The name of that menu, which viewers have, too. By default it is that of the table, for people who can edit. */
  readonly menuLabel?: string | undefined;
}

/** The toolbar above the grid: add, undo, hidden columns, download. */
export function attachToolbar(options: ToolbarOptions): void {
  const { sheet, changes, rows, addColumn, items } = options;
  const { parts } = sheet;
  const undo = button("undo-2", t("table.undo"), () => void rows.undo());
  const redo = button("redo-2", t("table.redo"), () => void rows.redo());
  const add = labelledButton("plus", t("table.tools.row"));
  add.classList.add("add-row");
  add.addEventListener("click", () => void rows.addAndEnter());
  const column = labelledButton("between-vertical-end", t("table.tools.column"));
  column.title = t("table.column.add");
  column.addEventListener("click", () => addColumn?.());
  const download = labelledButton("download", t("table.tools.download"));
  download.classList.add("wide-command");
  attachMenu(download, () => downloadItems(sheet));
  const view = viewTools(sheet);
  const more = h(
    "button",
    { type: "button", class: "bare more-tools", "aria-label": t("table.tools.more"), hidden: true },
    icon("ellipsis"),
  );
  const show = () => {
    setEnabled(undo, changes.canUndo);
    setEnabled(redo, changes.canRedo);
    view.show();
    if (!sheet.isActive) return;
    setPageCommands([
      ...(sheet.canEdit
        ? [
            { label: t("table.undo"), run: () => void rows.undo(), isDisabled: !changes.canUndo },
            { label: t("table.redo"), run: () => void rows.redo(), isDisabled: !changes.canRedo },
          ]
        : []),
      ...downloadItems(sheet).map(({ label, href }) => ({ label, href: href ?? "" })),
    ]);
  };
  const canAdd = sheet.canEdit && !sheet.isSummary;
  let fit = (): void => {};
  const search = findTool(sheet, () => fit());
  const tools: readonly FittedTool[] = [
    ...view.tools,
    ...(sheet.canEdit ? [changeTool(undo, "undo-2"), changeTool(redo, "redo-2")] : []),
    search.tool,
    {
      button: download,
      item: () => ({
        label: t("table.tools.download"),
        icon: "download",
        run: () => openMenu(more, downloadItems(sheet)),
      }),
    },
    ...(sheet.canEdit && addColumn
      ? [
          {
            button: column,
            item: () => ({ label: t("table.column.add"), icon: "between-vertical-end" as const, run: addColumn }),
          },
        ]
      : []),
    ...(canAdd ? [{ button: add, item: () => ({ label: t("table.tools.row") }), stays: true }] : []),
  ];
  const host = parts.tools;
  const buttons = tools.map((tool) => tool.button);
  const viewButtons = view.tools.map((tool) => tool.button);
  const others = buttons.filter((each) => !viewButtons.includes(each));
  replaceChildren(host, ...viewButtons, more, h("span", { class: "grow" }), ...others);
  search.tool.button.after(search.field);
  const { menuLabel } = options;
  if (sheet.canEdit || menuLabel !== undefined) {
    parts.name.after(menuButton(menuLabel ?? t("table.menu", { table: parts.name.textContent ?? "" }), items));
  }
  initToolbar(parts.toolbar, t("table.toolbar"));
  fit = fitTools(host, tools, more);
  let labels = "";
  sheet.onChange(() => {
    show();
    // Counts change the width of buttons; rows change more often.
    const now = view.tools.map(({ button: each }) => each.textContent).join("|");
    if (now !== labels) fit();
    labels = now;
  });
  show();
}

const changeTool = (control: HTMLButtonElement, name: IconName): FittedTool => ({
  button: control,
  item: () => ({ label: control.getAttribute("aria-label") ?? "", icon: name, run: () => control.click() }),
});

/** A disabled button loses the focus: it goes to the active cell. */
function setEnabled(control: HTMLButtonElement, isEnabled: boolean): void {
  const hadFocus = document.activeElement === control;
  control.disabled = !isEnabled;
  if (hadFocus && !isEnabled) returnFocus(null);
}

const button = (name: "undo-2" | "redo-2", label: string, run: () => void): HTMLButtonElement =>
  h(
    "button",
    { type: "button", class: "bare wide-command", "aria-label": label, title: label, onclick: run },
    icon(name),
  );

function menuButton(label: string, items: () => readonly MenuEntry[]): HTMLButtonElement {
  const button = h(
    "button",
    { type: "button", class: "bare", "aria-label": label, title: label },
    icon("chevron-down"),
  );
  attachMenu(button, items);
  return button;
}

/** Without the text on a phone. */
const labelledButton = (name: IconName, label: string): HTMLButtonElement =>
  h(
    "button",
    { type: "button", class: "small plain", "aria-label": label },
    icon(name),
    h("span", { class: "text" }, label),
  );

function downloadItems({ docId, table, view }: Sheet): MenuItem[] {
  const address = (form: string, filter?: string): string =>
    `/api/docs/${docId}/download/${form}?${new URLSearchParams({ tableId: table, ...(filter && { filter }) })}`;
  const { filter } = view.query;
  const filtered: MenuItem[] = [
    { label: t("table.download.filteredCsv"), icon: "download", href: address("csv", filter) },
    { label: t("table.download.filteredXlsx"), icon: "download", href: address("xlsx", filter) },
  ];
  return [
    ...(view.isFiltered ? filtered : []),
    { label: t("table.download.csv"), icon: "download", href: address("csv") },
    { label: t("table.download.xlsx"), icon: "download", href: address("xlsx") },
    { label: t("table.download.allXlsx"), icon: "download", href: `/api/docs/${docId}/download/xlsx` },
    { label: t("table.download.document"), icon: "download", href: `/api/docs/${docId}/download` },
  ];
}
