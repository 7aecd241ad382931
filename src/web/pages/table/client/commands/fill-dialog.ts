/** Fill series: at once where the selected cells say how it goes on, otherwise with a step to choose. */
import type { CellRange } from "../../../../base/client/grid/selection.ts";
import { formDialog } from "../../../../base/client/dialog.ts";
import { h, replaceChildren } from "../../../../base/client/dom.ts";
import { fieldErrorShown } from "../../../../base/client/form-field.ts";
import { t } from "../../../../base/client/texts.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { askIfLarge } from "../all-rows/ask-if-large.ts";
import { type Column, cellValue } from "../columns/columns.ts";
import { readRange } from "../rows/read-range.ts";
import { showUndoToast } from "../undo-toast.ts";
import { applyFill, cellCount, type FillContext, fillType, isFilled, MAX_FILLED_CELLS } from "./fill.ts";
import { fillValues, seriesOf, steppedSeries } from "./fill-series.ts";

const SHOWN_VALUES = 5;

/** Fills the rows of a range below its first ones. */
export async function fillSeries(range: CellRange, context: FillContext): Promise<void> {
  const { sheet } = context;
  if (cellCount(range) > MAX_FILLED_CELLS) {
    showToast(t("table.fill.tooLarge", { max: MAX_FILLED_CELLS }), { problem: true });
    return;
  }
  const columns = sheet.shown.slice(range.left, range.right + 1).filter((column) => isFilled(sheet, column));
  const [column] = columns;
  if (!column) return;
  try {
    const rows = await readRange(sheet, range.top, range.bottom);
    const values = rows.map((row) => cellValue(row, column.id));
    const blank = values.findIndex((value) => value === null || value === "");
    const isClear = blank > 0 && values.slice(blank).every((value) => value === null || value === "");
    const given = values.slice(0, blank);
    if (isClear && (given.length > 1 || typeof given[0] === "string") && seriesOf(given, fillType(column))) {
      const bottom = range.top + blank - 1;
      const source = { ...range, bottom };
      return await applyFill({ source, target: { ...range, top: bottom + 1 }, isSwitched: false }, context);
    }
    if (!steppedSeries(values[0], 1, fillType(column))) return void showToast(t("table.fill.noStart"));
    await askForStep(range, { ...context, columns });
  } catch (error) {
    sheet.showError(error, () => void fillSeries(range, context));
  }
}

/** Continues the first row with a step. Columns that do not begin with a number or a date are left alone. */
async function askForStep(
  { top, bottom }: CellRange,
  { sheet, changes, columns }: FillContext & { readonly columns: readonly Column[] },
): Promise<void> {
  const [first] = await readRange(sheet, top, top);
  const [column] = columns;
  if (!first || !column) return;
  const isDate = column.type.base === "Date" || column.type.base === "DateTime";
  const steps = column.type.base === "Int" ? "1" : "any";
  const step = h("input", { type: "number", name: "step", step: steps, value: "1", required: true });
  const preview = h("span", { class: "fill-preview", translate: "no" });
  const seriesWith = (each: Column) => steppedSeries(cellValue(first, each.id), step.valueAsNumber, fillType(each));
  const show = () => {
    const start = cellValue(first, column.id);
    const series = Number.isNaN(step.valueAsNumber) ? null : seriesWith(column);
    const shown = Math.min(SHOWN_VALUES, bottom - top);
    const values = series ? [start, ...fillValues([start], shown, series)] : [];
    const texts = values.map((value) => column.text({ id: 0, fields: { [column.id]: value } })).join(", ");
    replaceChildren(preview, bottom - top > shown ? t("table.fill.more", { values: texts }) : texts);
  };
  step.addEventListener("input", show);
  show();
  let count = 0;
  const isDone = await formDialog({
    title: t("table.fill.title"),
    content: [
      h("label", {}, isDate ? t("table.fill.stepInDays") : t("table.fill.step"), step),
      h("p", {}, t("table.fill.preview"), " ", preview),
    ],
    action: t("table.fill.action", { count: bottom - top }),
    submit: async () => {
      const rows = await readRange(sheet, top + 1, bottom);
      const filled = columns.flatMap((each) => {
        const series = seriesWith(each);
        return series ? [[each.id, fillValues([], rows.length, series)] as const] : [];
      });
      count = filled.length * rows.length;
      const action = ["BulkUpdateRecord", sheet.table, rows.map(({ id }) => id), Object.fromEntries(filled)] as const;
      const savesFirst = await askIfLarge(sheet, [action], { rows, columns });
      // Cancelling the question leads back to the dialog.
      if (savesFirst === null) throw fieldErrorShown();
      await changes.apply([action], { asTyped: false, savesFirst });
    },
  });
  if (isDone) showUndoToast(t("table.change.filled", { count }), { sheet, changes });
}
