/** The commands of tables: their dialogs and changes. Each leads to the table that it concerns, where a toast reports it. */
import { confirmDialog, formDialog } from "../../../../base/client/dialog.ts";
import { fieldErrorShown, formText, inputField } from "../../../../base/client/form-field.ts";
import { h, nameElement } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { TablePageData } from "../../../../base/table-data.ts";
import { askIfTooLarge, isTooLarge, type LargeTarget, savesSnapshots } from "../all-rows/too-large.ts";
import { navigateAfter } from "../navigation.ts";
import type { UndoManager } from "../undo-manager.ts";
import { readTables, sameOrStart, sameUrl } from "./follow-tables.ts";
import { tableUrl } from "./table-url.ts";
import { keepTableToast } from "./table-toasts.ts";
import type { Sheet } from "../sheet.ts";

export interface ListedTable {
  readonly id: string;
  readonly title: string;
  readonly isSummary: boolean;
}

export interface TableContext {
  readonly data: TablePageData;
  readonly changes: UndoManager;
  /** The table of the page; missing in a document without tables. */
  readonly sheet?: Sheet;
}

const MAX_NAME_LENGTH = 200;

const nameField = (value = ""): HTMLLabelElement =>
  inputField(t("table.name"), { name: "name", value, required: true, maxlength: MAX_NAME_LENGTH, translate: "no" });

const largeTarget = ({ id }: ListedTable, data: TablePageData): LargeTarget => ({
  ...data,
  path: `/api/docs/${data.docId}/tables/${encodeURIComponent(id)}`,
});

export async function addTable({ data, changes }: TableContext): Promise<void> {
  await formDialog({
    title: t("table.add"),
    content: [nameField()],
    action: t("table.add"),
    submit: (form) =>
      navigateAfter(async () => {
        const name = formText(form, "name");
        const [made] = await changes.apply([["AddEmptyTable", name]], { changesTables: true });
        keepTableToast(changes, { docId: data.docId, kind: "added", name });
        return tableUrl(data.docId, (made as { table_id: string }).table_id);
      }),
  });
}

export async function renameTable({ id, title }: ListedTable, { data, changes }: TableContext): Promise<void> {
  await formDialog({
    title: t.rich("table.rename.title", { table: nameElement(title) }),
    content: [nameField(title), h("p", { class: "hint" }, t("table.rename.hint"))],
    action: t("table.rename.action"),
    submit: (form) =>
      navigateAfter(async () => {
        const tables = await readTables(data.docId);
        const { tableRef, rawViewSectionRef = 0 } = tables.find((table) => table.id === id)?.fields ?? {};
        const name = formText(form, "name");
        // The id follows the title. Tables without a section for it have only the id.
        const action =
          rawViewSectionRef > 0
            ? ["UpdateRecord", "_grist_Views_section", rawViewSectionRef, { title: name }]
            : ["RenameTable", id, name];
        await changes.apply([action as [string, ...unknown[]]], { changesTables: true });
        keepTableToast(changes, { docId: data.docId, kind: "renamed", name: title, newName: name });
        if (id !== data.table) return sameUrl();
        const renamed = await readTables(data.docId);
        return tableUrl(data.docId, renamed.find(({ fields }) => fields.tableRef === tableRef)?.id ?? id);
      }),
  });
}

/** Copies a table: its columns, and its records unless the user wants the structure only. */
export async function duplicateTable(table: ListedTable, { data, changes }: TableContext): Promise<void> {
  const { id, title } = table;
  const name = t("table.duplicate.copyName", { table: title }).slice(0, MAX_NAME_LENGTH);
  const withRecords = h("input", { type: "checkbox", name: "records", checked: true });
  await formDialog({
    title: t.rich("table.duplicate.title", { table: nameElement(title) }),
    content: [
      nameField(name),
      h("label", { class: "choice" }, withRecords, t("table.duplicate.records")),
      h("p", { class: "hint" }, t("table.duplicate.hint")),
    ],
    action: t("table.duplicate.action"),
    submit: async (form) => {
      const copy = formText(form, "name");
      const savesFirst = withRecords.checked ? await askIfTooLarge(largeTarget(table, data), { filter: {} }) : false;
      // Cancelling the question leads back to the dialog.
      if (savesFirst === null) throw fieldErrorShown();
      await navigateAfter(async () => {
        const options = { changesTables: true, savesFirst };
        const [made] = await changes.apply([["DuplicateTable", id, copy, withRecords.checked]], options);
        keepTableToast(changes, { docId: data.docId, kind: "duplicated", name: title, newName: copy });
        return tableUrl(data.docId, (made as { table_id: string }).table_id);
      });
    },
  });
}

/** Deletes a table. The confirmation says what its undo needs if the history cannot keep it. */
export async function deleteTable(table: ListedTable, { data, changes }: TableContext): Promise<void> {
  const { id, title } = table;
  const target = largeTarget(table, data);
  const isLarge = await isTooLarge(target, { filter: {} });
  const savesFirst = isLarge && savesSnapshots(target);
  await confirmDialog({
    title: t.rich("table.delete.title", { table: nameElement(title) }),
    text: deletionText(isLarge, savesFirst),
    action: t("table.delete.action"),
    isDangerous: true,
    submit: () =>
      navigateAfter(async () => {
        await changes.apply([["RemoveTable", id]], { changesTables: true, savesFirst });
        keepTableToast(changes, { docId: data.docId, kind: "deleted", name: title });
        return id === data.table ? tableUrl(data.docId, null) : sameOrStart(data.docId);
      }),
  });
}

function deletionText(isLarge: boolean, savesFirst: boolean): string {
  if (!isLarge) return t("table.delete.text");
  return savesFirst ? t("table.delete.textWithSnapshot") : t("table.delete.textWithoutSnapshot");
}
