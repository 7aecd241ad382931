import { formDialog } from "../../../../base/client/dialog.ts";
import { h } from "../../../../base/client/dom.ts";
import { fieldErrorShown } from "../../../../base/client/form-field.ts";
import { t } from "../../../../base/client/texts.ts";
import { askIfLarge } from "../all-rows/ask-if-large.ts";
import type { UndoManager } from "../undo-manager.ts";
import {
  type Cells,
  findInvalidCells,
  type PasteOptions,
  pasteActions,
  type PastePlan,
  planPaste,
} from "./paste-plan.ts";
import type { Sheet } from "../sheet.ts";
import { showUndoToast } from "../undo-toast.ts";
import { parseTsv } from "./tsv.ts";

const MAX_PREVIEW_ROWS = 12;

export interface PasteTarget {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
  /** Shows the preview also when the values fit. */
  readonly asks?: boolean;
}

/** Longer texts are imported as a file: with a preview, and as one request of any size. */
const MAX_PASTED_LENGTH = 4_000_000;

/** Pastes the text of the clipboard. */
export function pasteText(text: string, target: PasteTarget): void {
  if (text.length > MAX_PASTED_LENGTH && !target.sheet.isSummary)
    return target.sheet.onImport({ file: new File([text], `${t("import.pasted")}.tsv`) });
  if (text !== "" && target.sheet.shown.length > 0) pasteCells(parseTsv(text), target);
}

/** Pastes fitting values immediately; otherwise shows a preview first. */
export function pasteCells(pasted: Cells, { sheet, changes, asks = false }: PasteTarget): void {
  const plan = planPaste(pasted, sheet);
  /** Resolves to false when the user cancels a large change. */
  const applyPaste = async (choices: PasteOptions): Promise<boolean> => {
    const { actions, replaced } = await pasteActions(plan, { sheet, ...choices });
    if (actions.length === 0) return true;
    const savesFirst = await askIfLarge(sheet, actions, replaced);
    if (savesFirst === null) return false;
    await changes.apply(actions, { savesFirst });
    const undone = () => sheet.reloadColumns();
    showUndoToast(pastedMessage(plan.cells), { sheet, changes, undone });
    // Columns may be created, or get their type from the pasted values.
    if (choices.withColumns || plan.targets.some((column) => column?.isEmpty)) await sheet.reloadColumns();
    return true;
  };
  const misfits = findInvalidCells(plan, sheet);
  const skipped = plan.targets.filter((target) => target === null).length - plan.extraColumns;
  const isNew = sheet.rowPages.count === 0 && !sheet.view.isFiltered;
  // In the blank row, pasting adds rows.
  const isComplete = (plan.added === 0 || plan.top === sheet.grid.blankRow) && plan.extraColumns === 0;
  const fits = misfits.size === 0 && skipped === 0 && (isNew || isComplete);
  if (fits && !asks) {
    applyPaste({ asNew: false, withColumns: isNew }).catch((error: unknown) => sheet.showError(error));
    return;
  }
  const asNew = h("input", { type: "checkbox", name: "new" });
  const withColumns = h("input", { type: "checkbox", name: "columns", checked: true });
  void formDialog({
    title: t("table.paste"),
    wide: true,
    content: [
      h("p", {}, summary(plan)),
      skipped > 0 && h("p", { class: "note warning" }, t("table.paste.skipped", { count: skipped })),
      misfits.size > 0 && h("p", { class: "note warning" }, t("table.paste.invalid", { count: misfits.size })),
      preview(plan, misfits),
      plan.extraColumns > 0 && h("label", {}, withColumns, t("table.paste.addColumns", { count: plan.extraColumns })),
      !sheet.isSummary && plan.changed > 0 && h("label", {}, asNew, t("table.paste.asNew")),
    ],
    action: t("table.paste"),
    submit: async () => {
      const choices = { asNew: asNew.checked, withColumns: plan.extraColumns > 0 && withColumns.checked };
      // Cancelling the question leads back to the preview.
      if (!(await applyPaste(choices))) throw fieldErrorShown();
    },
  });
}

const pastedMessage = (cells: Cells): string => {
  const count = cells.reduce((sum, row) => sum + row.length, 0);
  return t("table.paste.done", { count });
};

function summary({ changed, added, top }: PastePlan): string {
  const changedText = t("table.paste.changed", { count: changed, row: top + 1 });
  const addedText = t("table.paste.added", { count: added });
  if (changed > 0 && added > 0) {
    return t("table.paste.changedAndAdded", { changed: changedText, added: addedText });
  }
  if (changed > 0) return changedText;
  return added > 0 ? addedText : t("table.paste.nothing");
}

function preview({ cells, targets, changed, extraColumns }: PastePlan, misfits: ReadonlySet<string>): HTMLElement {
  const isNew = (at: number) => at >= targets.length - extraColumns;
  const heads = targets.map((column, at) =>
    h(
      "th",
      { scope: "col", class: column ? null : "left-out", translate: column ? "no" : null },
      column?.name ?? (isNew(at) ? t("table.paste.newColumn") : t("table.paste.skippedColumn")),
    ),
  );
  const rows = cells
    .slice(0, MAX_PREVIEW_ROWS)
    .map((row, r) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, r < changed ? t("table.paste.changedRow") : t("table.paste.newRow")),
        ...targets.map((column, c) =>
          h(
            "td",
            { class: column ? (misfits.has(`${r},${c}`) ? "stray" : null) : "left-out", translate: "no" },
            row[c] ?? "",
          ),
        ),
      ),
    );
  const more = cells.length - rows.length;
  return h(
    "div",
    { class: "table-box paste-preview", tabindex: 0, role: "region", "aria-label": t("table.paste.preview") },
    h("table", {}, h("thead", {}, h("tr", {}, h("th", {}), ...heads)), h("tbody", {}, ...rows)),
    more > 0 && h("p", { class: "quiet" }, t("table.paste.more", { count: more })),
  );
}
