import { formDialog } from "../../../../base/client/dialog.ts";
import { formText, inputField, selectField } from "../../../../base/client/form-field.ts";
import { find, h } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { UndoManager, UserAction } from "../undo-manager.ts";
import type { Column } from "./columns.ts";
import { COLUMN_TYPES } from "./column-headers.ts";
import { type ColumnPosition, placeInView, storedPosition } from "./column-position.ts";
import { duplicateNameHint } from "./duplicate-name-hint.ts";
import type { NewReference } from "./new-reference.ts";
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
  let created: number | undefined;
  const types = [
    // A summary has no data of its own.
    ...COLUMN_TYPES.filter(({ base }) => base !== "Any" && !sheet.isSummary).map(({ base, name }) => ({
      value: base,
      label: name,
    })),
    { value: FORMULA, label: t("table.column.formula") },
  ];
  const name = inputField(t("table.column.name"), { name: "label", required: true, maxlength: 1000 });
  const kind = selectField(t("table.column.type"), { name: "type", value: sheet.isSummary ? FORMULA : "Text" }, types);
  const details = h("div", {});
  let reference: NewReference | null = null;
  kind.addEventListener("change", ({ target }) => {
    const isReference = (target as HTMLSelectElement).value.startsWith("Ref");
    details.hidden = !isReference;
    if (isReference && !reference) void showReference();
  });
  const showReference = async () => {
    const { newReference } = await import("./new-reference.ts");
    if (reference) return;
    reference = newReference(sheet, otherTable(sheet));
    details.append(reference.element);
  };
  const isDone = await formDialog({
    title: t("table.column.add"),
    content: [name, duplicateNameHint(find<HTMLInputElement>("input", name), { sheet }), kind, details],
    action: t("table.column.add"),
    submit: async (form) => {
      const [label, type] = [formText(form, "label"), formText(form, "type")];
      const isReference = type.startsWith("Ref");
      const fields = columnFields(type, sheet, isReference ? reference?.target() : undefined);
      const input = { ...fields, ...storedPosition(place, sheet) };
      const reverse = isReference ? (reference?.reverse() ?? null) : null;
      const [answer] = await changes.apply(newColumnActions(sheet, { label, input, reverse }));
      created = (answer as { colRef: number }).colRef;
      await sheet.reloadColumns();
      const added = sheet.columns.find(({ ref }) => ref === created);
      if (added) placeInView(added.id, place, sheet);
    },
  });
  const column = sheet.columns.find(({ ref }) => ref === created);
  if (!isDone || !column) return;
  sheet.grid.activate({ row: sheet.grid.selection.active.row, column: sheet.shown.indexOf(column) });
  const hasMore = column.isFormula || ["Choice", "ChoiceList", "Ref", "RefList"].includes(column.type.base);
  if (hasMore) openPanel(column, true);
}

interface NewColumn {
  readonly label: string;
  readonly input: Record<string, unknown>;
  /** The label of the reverse column; null for none. */
  readonly reverse: string | null;
}

function newColumnActions({ table, data }: Sheet, { label, input, reverse }: NewColumn): UserAction[] {
  if (reverse === null) return [["AddVisibleColumn", table, label, { label, ...input }]];
  // The server makes the id from the label. Its reverse column needs an id that is known before.
  const taken = new Set(data.columns.map(({ id }) => id.toLowerCase()));
  let id = "Reference";
  for (let number = 2; taken.has(id.toLowerCase()); number++) id = `Reference${number}`;
  return [
    ["AddVisibleColumn", table, id, input],
    ["AddReverseColumn", table, id, reverse || null],
    ["ModifyColumn", table, id, { label }],
  ];
}

/** The first table of the document other than this one, if there is one. */
function otherTable({ data, table }: Sheet): string {
  const [other] = data.tables.toSorted((a, b) => Number(a.id === table) - Number(b.id === table));
  return other?.id ?? table;
}

/** References need a table; the time zone is the document's. */
function columnFields(type: string, sheet: Sheet, target = otherTable(sheet)): Record<string, unknown> {
  if (type === FORMULA) return { type: "Any", isFormula: true, formula: "None" };
  const argument = type === "DateTime" ? sheet.data.settings.timezone : type.startsWith("Ref") ? target : "";
  return { type: argument ? `${type}:${argument}` : type, isFormula: false };
}
