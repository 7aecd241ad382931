/** Imports a file into the document: as new tables, or into an existing one. */
import { api } from "../../../../base/client/api.ts";
import { nameElement } from "../../../../base/client/dom.ts";
import type {
  ImportDone,
  ImportSource,
  ImportTarget,
  RunningImport,
  TargetColumn,
} from "../../../../base/client/import/import-target.ts";
import { openImportWindow } from "../../../../base/client/import/import-window.ts";
import { t } from "../../../../base/client/texts.ts";
import type { ColumnListing } from "../../../../base/table-data.ts";
import { askBeforeLarge } from "../all-rows/too-large.ts";
import { navigateAfter } from "../navigation.ts";
import type { Applied } from "../undo-manager.ts";
import { showUndoToast } from "../undo-toast.ts";
import { tableUrl } from "./table-url.ts";
import type { TableContext } from "./table-commands.ts";
import { keepTableToast } from "./table-toasts.ts";

/** Opens the import window. @param table the table that it begins with; null for new ones */
export function importFile(context: TableContext, table: string | null, source?: ImportSource): void {
  const { docId, tables, canChangeColumns, settings, maxUploadBytes } = context.data;
  const path = `/api/docs/${docId}`;
  const ownTables = tables.filter(({ sourceRef }) => sourceRef === 0);
  const target: ImportTarget = {
    path,
    maxBytes: maxUploadBytes,
    document: {
      tables: ownTables,
      // Without the right to add tables, an existing one is changed.
      table: table ?? (canChangeColumns ? null : (ownTables[0]?.id ?? null)),
      canAddTables: canChangeColumns,
      settings,
      columnsOf: (id) => readTargetColumns(path, id),
    },
    run: (planned) => run(planned, context),
  };
  openImportWindow(target, source);
}

/** Formulas compute their values, and files are not in a text. */
async function readTargetColumns(path: string, table: string): Promise<TargetColumn[]> {
  const { columns } = await api<{ columns: ColumnListing[] }>(`${path}/tables/${encodeURIComponent(table)}/columns`);
  return columns
    .filter(({ fields }) => !(fields.isFormula && fields.formula !== "") && fields.type !== "Attachments")
    .map(({ id, fields: { label, type } }) => ({ id, label: label || id, type }));
}

interface Imported extends Applied {
  readonly tables: readonly { readonly id: string; readonly name: string }[];
}

async function run(planned: RunningImport, { data, changes, sheet }: TableContext): Promise<ImportDone | null | false> {
  const { table, rows, body, query } = planned;
  const { size } = planned.report;
  const isLarge = size !== undefined && size.bytes > size.keptBytes;
  const savesFirst = isLarge ? await askBeforeLarge({ ...data, path: "" }, size.cells) : false;
  if (savesFirst === null) return false;
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  parameters.set("change", "true");
  const path = `/api/docs/${data.docId}/import?${parameters.toString()}`;
  const titleOf = (id: string) => data.tables.find((each) => each.id === id)?.title ?? id;
  if (sheet && table === sheet.table) {
    await changes.send<Imported>(path, body, { savesFirst });
    planned.saved();
    const name = nameElement(titleOf(table));
    const undone = () => sheet.reloadColumns();
    // The rows are imported: a failure to show them must not offer the import again.
    await sheet.reloadColumns().catch((error: unknown) => sheet.showError(error));
    showUndoToast(t.rich("table.imported", { table: name, count: rows }), { sheet, changes, undone });
    return null;
  }
  await navigateAfter(async () => {
    const changesTables = table === null;
    const { tables } = await changes.send<Imported>(path, body, { savesFirst, changesTables });
    planned.saved();
    const id = table ?? tables[0]?.id ?? null;
    keepTableToast(changes, { docId: data.docId, kind: "imported", name: id === null ? "" : titleOf(id), rows });
    return tableUrl(data.docId, id);
  });
  return null;
}
