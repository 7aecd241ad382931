import type { TablePageData } from "../../../base/table-data.ts";
import { errorContent } from "../../../base/client/api.ts";
import { find, h, icon } from "../../../base/client/dom.ts";
import { type MenuItem, openMenu } from "../../../base/client/menu.ts";
import { refreshPart } from "../../../base/client/refresh.ts";
import { t } from "../../../base/client/texts.ts";
import { showToast } from "../../../base/client/toast.ts";
import { initTree } from "../../../base/client/tree.ts";
import type { ListedTable, TableContext } from "./tables/table-commands.ts";
import type { UndoManager } from "./undo-manager.ts";

/** Adds, renames, duplicates and deletes tables in the sidebar. */
export function attachTableList(data: TablePageData, changes: UndoManager): void {
  if (data.role === "viewers") return;
  const list = find("#tables");
  for (const item of list.querySelectorAll<HTMLElement>("li[data-table]")) {
    const table = listedTable(item);
    const button = h(
      "button",
      {
        type: "button",
        class: "bare",
        tabindex: -1,
        "data-menu": "table",
        "aria-label": t("table.menu", { table: table.title }),
        "aria-haspopup": "menu",
      },
      icon("ellipsis"),
    );
    button.addEventListener("click", () => openMenu(button, tableMenuItems(table, data, changes)));
    find(":scope > .entry", item).append(button);
  }
  const add = h(
    "button",
    {
      type: "button",
      class: "bare add",
      tabindex: -1,
      "aria-label": t("table.add"),
      title: t("table.add"),
      onclick: () => void runCommand("addTable", null, { data, changes }),
    },
    icon("plus"),
  );
  find(".sidebar-title", list).after(add);
}

/** Shows the current tables. */
export async function refreshTableList(data: TablePageData, changes: UndoManager): Promise<void> {
  await refreshPart("tables");
  attachTableList(data, changes);
  initTree(find("#tables > ul"));
}

/** Returns the commands of the current table, for its heading. */
export function currentTableItems(data: TablePageData & { table: string }, changes: UndoManager): MenuItem[] {
  const item = [...document.querySelectorAll<HTMLElement>("#tables li[data-table]")].find(
    (each) => each.dataset["table"] === data.table,
  );
  return item ? tableMenuItems(listedTable(item), data, changes) : [];
}

const listedTable = ({ dataset }: HTMLElement): ListedTable => ({
  id: dataset["table"] ?? "",
  title: dataset["title"] ?? "",
  isSummary: dataset["summary"] !== undefined,
});

const tableMenuItems = (table: ListedTable, data: TablePageData, changes: UndoManager): MenuItem[] => {
  const run = (command: TableCommand) => () => void runCommand(command, table, { data, changes });
  const ofOwnRows: MenuItem[] = [
    { label: t("table.rename.menu"), icon: "pencil", run: run("renameTable") },
    { label: t("table.duplicate.menu"), icon: "copy", run: run("duplicateTable") },
  ];
  return [
    ...(table.isSummary ? [] : ofOwnRows),
    { label: t("table.delete.menu"), icon: "trash-2", isDangerous: true, run: run("deleteTable") },
  ];
};

type TableCommand = "renameTable" | "duplicateTable" | "deleteTable";

/** Loads the commands on first use. */
async function runCommand(command: TableCommand | "addTable", table: ListedTable | null, context: TableContext) {
  try {
    const commands = await import("./tables/table-commands.ts");
    if (command === "addTable") await commands.addTable(context);
    else if (table) await commands[command](table, context);
  } catch (error) {
    showToast(errorContent(error), { problem: true });
  }
}
