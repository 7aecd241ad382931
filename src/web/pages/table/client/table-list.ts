import type { TableListing, TablePageData } from "../../../base/table-data.ts";
import { api } from "../../../base/client/api.ts";
import { confirmDialog, formDialog } from "../../../base/client/dialog.ts";
import { formText, inputField } from "../../../base/client/form-field.ts";
import { find, h, icon, nameElement } from "../../../base/client/dom.ts";
import { type MenuItem, openMenu } from "../../../base/client/menu.ts";
import { refreshPart } from "../../../base/client/refresh.ts";
import { t } from "../../../base/client/texts.ts";
import { initTree } from "../../../base/client/tree.ts";
import type { UndoManager } from "./undo-manager.ts";
import { navigateAfter } from "./navigation.ts";

/** Adds, renames and deletes tables in the sidebar. */
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
      onclick: () => void addTable(data, changes),
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

interface ListedTable {
  readonly id: string;
  readonly title: string;
  readonly isSummary: boolean;
}

const listedTable = ({ dataset }: HTMLElement): ListedTable => ({
  id: dataset["table"] ?? "",
  title: dataset["title"] ?? "",
  isSummary: dataset["summary"] !== undefined,
});

const tableMenuItems = (table: ListedTable, data: TablePageData, changes: UndoManager): MenuItem[] => [
  ...(table.isSummary
    ? []
    : [{ label: t("table.rename.menu"), icon: "pencil" as const, run: () => void rename(table, data, changes) }]),
  {
    label: t("table.delete.menu"),
    icon: "trash-2",
    isDangerous: true,
    run: () => void remove(table, data, changes),
  },
];

const tableUrl = ({ docId }: TablePageData, table: string): string =>
  `/docs/${docId}/tables/${encodeURIComponent(table)}`;

async function addTable(data: TablePageData, changes: UndoManager): Promise<void> {
  await formDialog({
    title: t("table.add"),
    content: [inputField(t("table.name"), { name: "name", required: true, maxlength: 200 })],
    action: t("table.add"),
    submit: (form) =>
      navigateAfter(async () => {
        const [made] = await changes.apply([["AddEmptyTable", formText(form, "name")]]);
        return tableUrl(data, (made as { table_id: string }).table_id);
      }),
  });
}

async function rename({ id, title }: ListedTable, data: TablePageData, changes: UndoManager): Promise<void> {
  await formDialog({
    title: t.rich("table.rename.title", { table: nameElement(title) }),
    content: [
      inputField(t("table.name"), { name: "name", value: title, required: true, maxlength: 200 }),
      h("p", { class: "hint" }, t("table.rename.hint")),
    ],
    action: t("table.rename.action"),
    submit: (form) =>
      navigateAfter(async () => {
        const { tables } = await api<TablesReply>(`/api/docs/${data.docId}/tables`);
        const { tableRef, rawViewSectionRef = 0 } = tables.find((table) => table.id === id)?.fields ?? {};
        const name = formText(form, "name");
        // The id follows the title. Tables without a section for it have only the id.
        await changes.apply([
          rawViewSectionRef > 0
            ? ["UpdateRecord", "_grist_Views_section", rawViewSectionRef, { title: name }]
            : ["RenameTable", id, name],
        ]);
        if (id !== data.table) return location.href;
        const renamed = await api<TablesReply>(`/api/docs/${data.docId}/tables`);
        return tableUrl(data, renamed.tables.find(({ fields }) => fields.tableRef === tableRef)?.id ?? id);
      }),
  });
}

interface TablesReply {
  readonly tables: readonly TableListing[];
}

async function remove({ id, title }: ListedTable, data: TablePageData, changes: UndoManager): Promise<void> {
  await confirmDialog({
    title: t.rich("table.delete.title", { table: nameElement(title) }),
    text: t("table.delete.text"),
    action: t("table.delete.action"),
    isDangerous: true,
    submit: () =>
      navigateAfter(async () => {
        await changes.apply([["RemoveTable", id]]);
        return id === data.table ? `/docs/${data.docId}` : location.href;
      }),
  });
}
