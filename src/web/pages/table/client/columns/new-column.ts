import { formDialog } from "../../../../base/client/dialog.ts";
import { formText, inputField, selectField } from "../../../../base/client/form-field.ts";
import { find } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { UndoManager } from "../undo-manager.ts";
import type { Column } from "./columns.ts";
import { COLUMN_TYPES } from "./column-headers.ts";
import { type ColumnPosition, placeInView, storedPosition } from "./column-position.ts";
import { duplicateNameHint } from "./duplicate-name-hint.ts";
import type { Sheet } from "../sheet.ts";

export interface NewColumnOptions {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
  readonly openPanel: (column: Column, isNew: boolean) => void;
  /** Beside which column it goes; after the last one by default. */
  readonly place?: ColumnPosition | undefined;
}

const FORMULA = "formula";

/** Asks for name and type of a new column; further options are edited in the side panel. */
export async function openNewColumnDialog({ sheet, changes, openPanel, place }: NewColumnOptions): Promise<void> {
  let created: string | undefined;
  const types = [
    ...COLUMN_TYPES.filter(({ base }) => base !== "Any").map(({ base, name }) => ({ value: base, label: name })),
    { value: FORMULA, label: t("table.column.formula") },
  ];
  const name = inputField(t("table.column.name"), { name: "label", required: true, maxlength: 1000 });
  const isDone = await formDialog({
    title: t("table.column.add"),
    content: [
      name,
      duplicateNameHint(find<HTMLInputElement>("input", name), { sheet }),
      selectField(t("table.column.type"), { name: "type", value: "Text" }, types),
    ],
    action: t("table.column.add"),
    submit: async (form) => {
      const [label, type] = [formText(form, "label"), formText(form, "type")];
      const { table } = sheet;
      const [answer] = await changes.apply([
        ["AddVisibleColumn", table, label, { label, ...columnFields(type, sheet), ...storedPosition(place, sheet) }],
      ]);
      created = (answer as { colId: string }).colId;
      await sheet.reloadColumns();
      if (created !== undefined) placeInView(created, place, sheet);
    },
  });
  const column = sheet.columns.find(({ id }) => id === created);
  if (!isDone || !column) return;
  sheet.grid.activate({ row: sheet.grid.selection.active.row, column: sheet.shown.indexOf(column) });
  const hasMore = column.isFormula || ["Choice", "ChoiceList", "Ref", "RefList"].includes(column.type.base);
  if (hasMore) openPanel(column, true);
}

/** References need a table; the time zone is the document's. */
function columnFields(type: string, sheet: Sheet): Record<string, unknown> {
  if (type === FORMULA) return { type: "Any", isFormula: true, formula: "None" };
  const [other] = sheet.data.tables.toSorted((a, b) => Number(a.id === sheet.table) - Number(b.id === sheet.table));
  const argument =
    type === "DateTime" ? sheet.data.settings.timezone : type.startsWith("Ref") ? (other?.id ?? sheet.table) : "";
  return { type: argument ? `${type}:${argument}` : type, isFormula: false };
}
