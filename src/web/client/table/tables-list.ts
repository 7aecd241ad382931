import type { TableListing, TablePageData } from "../../table-data.ts";
import { api } from "../base/api.ts";
import { confirmDialog, field, formDialog, textIn } from "../base/dialog.ts";
import { fill, h, icon, maybe } from "../base/dom.ts";
import { openMenu } from "../base/menu.ts";
import type { Changes } from "./changes.ts";
import { leaveAfter } from "./leaving.ts";

/** Lets editors add, rename and delete tables where they are listed; on a phone the list is a choice. */
export function attachTables(data: TablePageData, changes: Changes): void {
  const nav = maybe("#tables");
  if (!nav) return;
  const mayEdit = data.role !== "viewers";
  nav.append(tableChoice(data, changes));
  if (!mayEdit) return;
  for (const link of nav.querySelectorAll<HTMLAnchorElement>("li > a")) {
    const id = link.textContent?.trim() ?? "";
    link.after(tableMenu(id, data, changes));
  }
  nav.append(
    h(
      "button",
      { type: "button", class: "plain small", onclick: () => void addTable(data, changes) },
      icon("add"),
      "Add a table",
    ),
  );
}

/** Lists the tables that there are now. */
export async function tablesChanged(data: TablePageData, changes: Changes): Promise<void> {
  const nav = maybe("#tables");
  if (!nav) return;
  const { tables } = await api<{ tables: TableListing[] }>(`/api/docs/${data.docId}/tables`);
  const entry = ({ id }: TableListing): HTMLElement => {
    const here = id === data.table ? "page" : null;
    return h(
      "li",
      {},
      h("a", { href: addressOf(data, id), "aria-current": here }, icon("table"), h("span", { class: "name" }, id)),
    );
  };
  const [own, summaries] = [0, 1].map((kind) =>
    tables.filter(({ fields }) => Math.sign(fields.summarySourceTable) === kind),
  );
  fill(nav, h("ul", {}, ...(own ?? []).map(entry)));
  if (summaries && summaries.length > 0) nav.append(h("h3", {}, "Summaries"), h("ul", {}, ...summaries.map(entry)));
  attachTables({ ...data, tables }, changes);
}

const addressOf = ({ docId }: TablePageData, table: string): string =>
  `/docs/${docId}/tables/${encodeURIComponent(table)}`;

function tableChoice(data: TablePageData, changes: Changes): HTMLElement {
  const options = data.tables.map(({ id }) => h("option", { value: id, selected: id === data.table }, id));
  const choice = h("select", { "aria-label": "Table" }, ...options);
  choice.addEventListener("change", () => location.assign(addressOf(data, choice.value)));
  const more = data.role !== "viewers" && tableMenu(data.table ?? "", data, changes, true);
  return h("div", { class: "tables-choice" }, choice, more);
}

function tableMenu(id: string, data: TablePageData, changes: Changes, canAdd = false): HTMLElement {
  const button = h(
    "button",
    { type: "button", class: "bare", "aria-label": `Menu of the table ${id}`, "aria-haspopup": "menu" },
    icon("more"),
  );
  button.addEventListener("click", () => {
    openMenu(button, [
      ...(canAdd ? [{ label: "Add a table…", icon: "add" as const, run: () => void addTable(data, changes) }] : []),
      ...(id
        ? [
            { label: "Rename…", icon: "edit" as const, run: () => void rename(id, data, changes) },
            { label: "Delete…", icon: "trash" as const, isDangerous: true, run: () => void remove(id, data, changes) },
          ]
        : []),
    ]);
  });
  return button;
}

async function addTable(data: TablePageData, changes: Changes): Promise<void> {
  await formDialog({
    title: "Add a table",
    content: [field("Name", { name: "name", required: true, maxlength: 200 })],
    action: "Add it",
    submit: (form) =>
      leaveAfter(async () => {
        const [made] = await changes.apply([["AddEmptyTable", textIn(form, "name")]]);
        return addressOf(data, (made as { table_id: string }).table_id);
      }),
  });
}

async function rename(id: string, data: TablePageData, changes: Changes): Promise<void> {
  await formDialog({
    title: `Rename ${id}`,
    content: [
      field("Name", { name: "name", value: id, required: true, maxlength: 200 }),
      h("p", { class: "hint" }, "Formulas follow. Programs know the table by its new name from then on."),
    ],
    action: "Rename it",
    submit: (form) =>
      leaveAfter(async () => {
        const [now] = await changes.apply([["RenameTable", id, textIn(form, "name")]]);
        return addressOf(data, id === data.table ? String(now) : (data.table ?? ""));
      }),
  });
}

async function remove(id: string, data: TablePageData, changes: Changes): Promise<void> {
  await confirmDialog({
    title: `Delete the table ${id}?`,
    text: "All its rows go with it. It can be taken back by Undo for as long as this window stays open.",
    action: "Delete the table",
    isDangerous: true,
    submit: () =>
      leaveAfter(async () => {
        await changes.apply([["RemoveTable", id]]);
        return id === data.table ? `/docs/${data.docId}` : location.href;
      }),
  });
}
