import { nameElement } from "../../../../base/client/dom.ts";
import { HEADER_ROW } from "../../../../base/client/grid/selection.ts";
import { t } from "../../../../base/client/texts.ts";
import { askIfTooLarge } from "../all-rows/too-large.ts";
import type { Sheet } from "../sheet.ts";
import type { UndoManager, UserAction } from "../undo-manager.ts";
import { showUndoToast } from "../undo-toast.ts";
import { placeInView, storedPosition } from "./column-position.ts";
import type { Column } from "./columns.ts";

/** Adds a copy of a column to its right: type, options, formula, values and description. */
export async function duplicateColumn(
  column: Column,
  { sheet, changes }: { sheet: Sheet; changes: UndoManager },
): Promise<void> {
  const place = { column, side: "right" } as const;
  const label = freeName(column.label, new Set(sheet.columns.map((each) => each.label)));
  const id = freeId(column.id, new Set(sheet.data.columns.map((each) => each.id.toLowerCase())));
  try {
    const savesFirst = await askIfTooLarge(sheet.large, { filter: {}, columns: [column.id] });
    if (savesFirst === null) return;
    const actions = duplicateActions(column, { sheet, id, label, position: storedPosition(place, sheet) });
    await changes.apply(actions, { savesFirst });
    await sheet.reloadColumns();
  } catch (error) {
    sheet.showError(error, () => void duplicateColumn(column, { sheet, changes }));
    return;
  }
  placeInView(id, place, sheet);
  const at = sheet.shown.findIndex((each) => each.id === id);
  if (at >= 0) sheet.grid.activate({ row: HEADER_ROW, column: at });
  const names = { column: nameElement(column.name), copy: nameElement(label) };
  showUndoToast(t.rich("table.column.duplicated", names), { sheet, changes, undone: () => sheet.reloadColumns() });
}

function freeName(label: string, taken: ReadonlySet<string>): string {
  const first = t("table.column.copyName", { column: label });
  if (!taken.has(first)) return first;
  for (let number = 2; ; number++) {
    const name = t("table.column.copyNameNumbered", { column: label, number });
    if (!taken.has(name)) return name;
  }
}

/** Ids do not differ by case alone. */
function freeId(id: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const free = `${id}_copy${number === 1 ? "" : number}`;
    if (!taken.has(free.toLowerCase())) return free;
  }
}

interface Duplicate {
  readonly sheet: Sheet;
  readonly id: string;
  readonly label: string;
  readonly position: Record<string, unknown>;
}

function duplicateActions(column: Column, { sheet, id, label, position }: Duplicate): UserAction[] {
  const { table, data } = sheet;
  const fields = data.columns.find((each) => each.id === column.id)?.fields;
  const type = column.type.text;
  const widgetOptions = fields?.widgetOptions ?? "";
  const { isFormula, formula, description } = column;
  const own = isFormula ? { isFormula, formula, visibleCol: column.visibleRef } : { isFormula };
  const actions: UserAction[] = [["AddVisibleColumn", table, id, { label, type, widgetOptions, ...own, ...position }]];
  const shows = data.columns.find(({ fields: { colRef } }) => colRef === fields?.displayCol)?.fields.formula;
  if (!isFormula) actions.push(["CopyFromColumn", table, column.id, id, null]);
  else if (shows?.startsWith(`$${column.id}.`))
    actions.push(["SetDisplayFormula", table, null, id, shows.replace(`$${column.id}.`, `$${id}.`)]);
  // The formula that fills new cells of a data column.
  const fill = !isFormula && formula !== "";
  const more = {
    ...(fill && { formula, recalcWhen: fields?.recalcWhen ?? 0, recalcDeps: fields?.recalcDeps ?? null }),
    ...(description !== "" && { description }),
  };
  if (Object.keys(more).length > 0) actions.push(["ModifyColumn", table, id, more]);
  return actions;
}
