import { count } from "../../../lib/sizes.ts";
import { formDialog } from "../base/dialog.ts";
import { h } from "../base/dom.ts";
import { toast } from "../base/toast.ts";
import type { Changes, UserAction } from "./changes.ts";
import type { Column } from "./columns.ts";
import { readText } from "./editors/text-editor.ts";
import { readRange } from "./rows.ts";
import type { Sheet } from "./sheet.ts";

const MAX_PREVIEW = 12;

interface Plan {
  /** The columns that the pasted ones go to; null where there is none, or none that could be typed into. */
  readonly targets: readonly (Column | null)[];
  readonly top: number;
  /** Rows that are there are changed so far. */
  readonly changed: number;
  readonly added: number;
}

/** Shows what would come of a paste, and does it. A single cell that fits needs no question. */
export function openPaste(
  cells: readonly (readonly string[])[],
  { sheet, changes }: { sheet: Sheet; changes: Changes },
): void {
  const plan = planFor(cells, sheet);
  const run = async (asNew: boolean) => {
    const actions = await actionsFor(cells, { sheet, plan, asNew });
    if (actions.length > 0) await changes.apply(actions);
    toast(`${count(cells.length, "row", "rows")} pasted.`, {
      action: { label: "Undo", run: () => void changes.undo().catch((error: unknown) => sheet.fail(error)) },
    });
  };
  const misfits = findMisfits(cells, plan, sheet);
  const isSingle = cells.length === 1 && cells[0]?.length === 1 && plan.added === 0 && misfits.size === 0;
  if (isSingle) {
    run(false).catch((error: unknown) => sheet.fail(error));
    return;
  }
  const canAdd = !sheet.isSummary;
  const asNew = h("input", { type: "checkbox", name: "new" });
  const skipped = plan.targets.filter((target) => target === null).length;
  void formDialog({
    title: "Paste",
    wide: true,
    content: [
      h("p", {}, summary(plan)),
      skipped > 0 &&
        h(
          "p",
          { class: "note warning" },
          `${count(skipped, "column has", "columns have")} no place here and will be left out.`,
        ),
      misfits.size > 0 &&
        h(
          "p",
          { class: "note warning" },
          `${count(misfits.size, "cell does", "cells do")} not fit the column and would be kept as text.`,
        ),
      preview(cells, plan, misfits),
      canAdd && plan.changed > 0 && h("label", {}, asNew, "Add all of it as new rows, and leave those that are there"),
    ],
    action: "Paste",
    submit: () => run(asNew.checked),
  });
}

function planFor(cells: readonly (readonly string[])[], sheet: Sheet): Plan {
  const { active } = sheet.grid.selection;
  const width = Math.max(...cells.map((row) => row.length));
  const targets = Array.from({ length: width }, (_, at) => {
    const column = sheet.shown[active.column + at];
    return column && sheet.mayEditCells(column) && column.type.base !== "Attachments" ? column : null;
  });
  const top = Math.max(0, active.row);
  const changed = Math.max(0, Math.min(cells.length, sheet.pages.count - top));
  return { targets, top, changed, added: sheet.isSummary ? 0 : cells.length - changed };
}

function summary({ changed, added, top }: Plan): string {
  const parts = [
    changed > 0 && `${count(changed, "row is", "rows are")} changed, from row ${top + 1} on`,
    added > 0 && `${count(added, "row is", "rows are")} added`,
  ].filter((part) => part !== false);
  return `${parts.join("; ") || "Nothing is changed"}.`;
}

/** Cells that do not fit, by their place: `row,column`. */
function findMisfits(cells: readonly (readonly string[])[], { targets }: Plan, sheet: Sheet): Set<string> {
  const { settings } = sheet.data;
  const found = new Set<string>();
  for (const [r, row] of cells.entries()) {
    for (const [c, text] of row.entries()) {
      const column = targets[c];
      // Whether there is such a record is known to the server alone.
      if (!column || column.displayId !== null) continue;
      if (readText(text, { column, settings }).misfit !== null) found.add(`${r},${c}`);
    }
  }
  return found;
}

function preview(
  cells: readonly (readonly string[])[],
  { targets, changed }: Plan,
  misfits: ReadonlySet<string>,
): HTMLElement {
  const heads = targets.map((column) =>
    h("th", { scope: "col", class: column ? null : "left-out" }, column?.label ?? "left out"),
  );
  const rows = cells
    .slice(0, MAX_PREVIEW)
    .map((row, r) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, r < changed ? "changed" : "new"),
        ...targets.map((column, c) =>
          h("td", { class: column ? (misfits.has(`${r},${c}`) ? "stray" : null) : "left-out" }, row[c] ?? ""),
        ),
      ),
    );
  const more = cells.length - rows.length;
  return h(
    "div",
    { class: "table-box paste-preview", tabindex: 0, role: "region", "aria-label": "What is pasted" },
    h("table", {}, h("thead", {}, h("tr", {}, h("th", {}), ...heads)), h("tbody", {}, ...rows)),
    more > 0 && h("p", { class: "quiet" }, `and ${count(more, "row", "rows")} more`),
  );
}

interface PasteOptions {
  readonly sheet: Sheet;
  readonly plan: Plan;
  readonly asNew: boolean;
}

async function actionsFor(
  cells: readonly (readonly string[])[],
  { sheet, plan, asNew }: PasteOptions,
): Promise<UserAction[]> {
  const changed = asNew ? 0 : plan.changed;
  const valuesOf = (from: number, to: number): Record<string, unknown[]> =>
    Object.fromEntries(
      plan.targets.flatMap((column, c) =>
        column ? [[column.id, cells.slice(from, to).map((row) => row[c] ?? "")]] : [],
      ),
    );
  const actions: UserAction[] = [];
  if (changed > 0) {
    const rows = await readRange(sheet, plan.top, plan.top + changed - 1);
    actions.push(["BulkUpdateRecord", sheet.table, rows.map(({ id }) => id), valuesOf(0, rows.length)]);
  }
  const added = cells.length - changed;
  if (added > 0 && !sheet.isSummary) {
    actions.push([
      "BulkAddRecord",
      sheet.table,
      Array.from({ length: added }, () => null),
      valuesOf(changed, cells.length),
    ]);
  }
  return actions;
}
