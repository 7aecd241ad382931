import type { TableListing, TablePageData } from "../../../base/table-data.ts";
import { api } from "../../../base/client/api.ts";
import { confirmDialog, inputField, formDialog, formText } from "../../../base/client/dialog.ts";
import { replaceChildren, h, icon, findOptional, nameElement } from "../../../base/client/dom.ts";
import { openMenu } from "../../../base/client/menu.ts";
import { t } from "../../../base/client/texts.ts";
import type { UndoManager } from "./undo-manager.ts";
import { navigateAfter } from "./navigation.ts";

/** Adds, renames and deletes tables in their list; on a phone the list is a select. */
export function attachTableList(data: TablePageData, changes: UndoManager): void {
  const nav = findOptional("#tables");
  if (!nav) return;
  const mayEdit = data.role !== "viewers";
  nav.append(tableSelect(data, changes));
  if (!mayEdit) return;
  for (const link of nav.querySelectorAll<HTMLAnchorElement>("li > a")) {
    const id = link.textContent?.trim() ?? "";
    link.after(tableMenuButton(id, data, changes));
  }
  nav.append(
    h(
      "button",
      { type: "button", class: "plain small", onclick: () => void addTable(data, changes) },
      icon("add"),
      t("table.add"),
    ),
  );
}

/** Renders the current tables. */
export async function refreshTableList(data: TablePageData, changes: UndoManager): Promise<void> {
  const nav = findOptional("#tables");
  if (!nav) return;
  const { tables } = await api<{ tables: TableListing[] }>(`/api/docs/${data.docId}/tables`);
  const entry = ({ id }: TableListing): HTMLElement => {
    const here = id === data.table ? "page" : null;
    return h(
      "li",
      {},
      h(
        "a",
        { href: tableUrl(data, id), "aria-current": here },
        icon("table"),
        h("span", { class: "name", translate: "no" }, id),
      ),
    );
  };
  const [own, summaries] = [0, 1].map((kind) =>
    tables.filter(({ fields }) => Math.sign(fields.summarySourceTable) === kind),
  );
  replaceChildren(nav, h("ul", {}, ...(own ?? []).map(entry)));
  if (summaries && summaries.length > 0)
    nav.append(h("h3", {}, t("table.summaries")), h("ul", {}, ...summaries.map(entry)));
  attachTableList({ ...data, tables }, changes);
}

const tableUrl = ({ docId }: TablePageData, table: string): string =>
  `/docs/${docId}/tables/${encodeURIComponent(table)}`;

function tableSelect(data: TablePageData, changes: UndoManager): HTMLElement {
  const options = data.tables.map(({ id }) =>
    h("option", { value: id, selected: id === data.table, translate: "no" }, id),
  );
  const choice = h("select", { "aria-label": t("table.choice") }, ...options);
  choice.addEventListener("change", () => location.assign(tableUrl(data, choice.value)));
  const more = data.role !== "viewers" && tableMenuButton(data.table ?? "", data, changes, true);
  return h("div", { class: "tables-choice" }, choice, more);
}

function tableMenuButton(id: string, data: TablePageData, changes: UndoManager, canAdd = false): HTMLElement {
  const button = h(
    "button",
    { type: "button", class: "bare", "aria-label": t("table.menu", { table: id }), "aria-haspopup": "menu" },
    icon("more"),
  );
  button.addEventListener("click", () => {
    openMenu(button, [
      ...(canAdd
        ? [{ label: t("table.add.menu"), icon: "add" as const, run: () => void addTable(data, changes) }]
        : []),
      ...(id
        ? [
            { label: t("table.rename.menu"), icon: "edit" as const, run: () => void rename(id, data, changes) },
            {
              label: t("table.delete.menu"),
              icon: "trash" as const,
              isDangerous: true,
              run: () => void remove(id, data, changes),
            },
          ]
        : []),
    ]);
  });
  return button;
}

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

async function rename(id: string, data: TablePageData, changes: UndoManager): Promise<void> {
  await formDialog({
    title: t.rich("table.rename.title", { table: nameElement(id) }),
    content: [
      inputField(t("table.name"), { name: "name", value: id, required: true, maxlength: 200 }),
      h("p", { class: "hint" }, t("table.rename.hint")),
    ],
    action: t("table.rename.action"),
    submit: (form) =>
      navigateAfter(async () => {
        const [now] = await changes.apply([["RenameTable", id, formText(form, "name")]]);
        return tableUrl(data, id === data.table ? String(now) : (data.table ?? ""));
      }),
  });
}

async function remove(id: string, data: TablePageData, changes: UndoManager): Promise<void> {
  await confirmDialog({
    title: t.rich("table.delete.title", { table: nameElement(id) }),
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
