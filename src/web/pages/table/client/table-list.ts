import { errorContent } from "../../../base/client/api.ts";
import { find, h, icon } from "../../../base/client/dom.ts";
import { type MenuItem, openMenu } from "../../../base/client/menu.ts";
import { refreshPart } from "../../../base/client/refresh.ts";
import { t } from "../../../base/client/texts.ts";
import { showToast } from "../../../base/client/toast.ts";
import { initTree } from "../../../base/client/tree.ts";
import type { ImportSource } from "../../../base/client/import/import-target.ts";
import type { IconName } from "../../../base/icons.ts";
import type { ListedTable, TableContext } from "./tables/table-commands.ts";

/** Adds, imports, renames, duplicates and deletes tables in the sidebar. */
export function attachTableList(context: TableContext): void {
  const { data } = context;
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
    button.addEventListener("click", () => openMenu(button, tableMenuItems(table, context)));
    find(":scope > .entry", item).append(button);
  }
  const titleButton = (command: "addTable" | "importFile", name: IconName, label: string) =>
    h(
      "button",
      {
        type: "button",
        class: "bare add",
        tabindex: -1,
        "aria-label": label,
        title: label,
        onclick: () => void runCommand(command, null, context),
      },
      icon(name),
    );
  list.prepend(
    ...(data.canChangeColumns ? [titleButton("importFile", "upload", t("import.title"))] : []),
    titleButton("addTable", "plus", t("table.add")),
  );
}

/** Shows the current tables. */
export async function refreshTableList(context: TableContext): Promise<void> {
  await refreshPart("tables");
  attachTableList(context);
  initTree(find("#tables .tree"));
}

/** Returns the commands of the current table, for its heading. */
export function currentTableItems(context: TableContext): MenuItem[] {
  const item = [...document.querySelectorAll<HTMLElement>("#tables li[data-table]")].find(
    (each) => each.dataset["table"] === context.data.table,
  );
  return item ? tableMenuItems(listedTable(item), context) : [];
}

const listedTable = ({ dataset }: HTMLElement): ListedTable => ({
  id: dataset["table"] ?? "",
  title: dataset["title"] ?? "",
  isSummary: dataset["summary"] !== undefined,
});

const tableMenuItems = (table: ListedTable, context: TableContext): MenuItem[] => {
  const run = (command: TableCommand) => () => void runCommand(command, table, context);
  const ofOwnRows: MenuItem[] = [
    { label: t("import.menu.table"), icon: "upload", run: run("importFile") },
    { label: t("table.rename.menu"), icon: "pencil", run: run("renameTable") },
    { label: t("table.duplicate.menu"), icon: "copy", run: run("duplicateTable") },
  ];
  return [
    ...(table.isSummary ? [] : ofOwnRows),
    { label: t("table.delete.menu"), icon: "trash-2", isDangerous: true, run: run("deleteTable") },
  ];
};

type TableCommand = "renameTable" | "duplicateTable" | "deleteTable" | "importFile";

/** Opens the import window: for a table, or for new ones. */
export const importFile = (context: TableContext, table: string | null, source?: ImportSource): Promise<void> =>
  withToast(async () => (await import("./tables/import-file.ts")).importFile(context, table, source));

/** Loads the commands on first use. */
function runCommand(command: TableCommand | "addTable", table: ListedTable | null, context: TableContext) {
  if (command === "importFile") return importFile(context, table?.id ?? null);
  return withToast(async () => {
    const commands = await import("./tables/table-commands.ts");
    if (command === "addTable") await commands.addTable(context);
    else if (table) await commands[command](table, context);
  });
}

async function withToast(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    showToast(errorContent(error), { problem: true });
  }
}
