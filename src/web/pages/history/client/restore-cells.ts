/** Restores rows, columns and cells: says what will change, and why some values stay, before it does. */
import type { RestoreCellsBody, RestoredCells } from "../../../../wire/documents/restore.ts";
import { announce } from "../../../base/client/announce.ts";
import { api, ApiError } from "../../../base/client/api.ts";
import { formDialog } from "../../../base/client/dialog.ts";
import { type Child, find, h, nameElement, replaceChildren } from "../../../base/client/dom.ts";
import { isBusy, setBusy } from "../../../base/client/focus.ts";
import { showError } from "../../../base/client/problem.ts";
import { refreshPart } from "../../../base/client/refresh.ts";
import { t } from "../../../base/client/texts.ts";
import { showToast } from "../../../base/client/toast.ts";

type Names = Readonly<Record<string, { readonly title: string; readonly columns: Readonly<Record<string, string>> }>>;

/** What is restored, from where on the page. */
interface Restoration {
  readonly address: string;
  readonly from: string;
  readonly names: Names;
  readonly title: readonly Child[];
  readonly body: RestoreCellsBody;
}

/** Handles a click on a button with `data-do` that begins with `restore-`. */
export async function restoreCells(button: HTMLButtonElement): Promise<void> {
  if (isBusy(button)) return;
  const restoration = readButton(button);
  setBusy(button, true);
  try {
    const plan = await requestPlan(restoration, restoration.body);
    setBusy(button, false);
    await confirm(restoration, plan);
  } catch (error) {
    showError(find("#newer"), error, { canClose: true, retry: () => void restoreCells(button) });
  } finally {
    setBusy(button, false);
  }
}

function readButton(button: HTMLButtonElement): Restoration {
  const { document: doc = "", from = "", seen = "", names = "{}" } = find("#history").dataset;
  const { table = "", title: tableTitle = "" } = button.closest<HTMLElement>("[data-table]")?.dataset ?? {};
  const { row, title: rowTitle = "" } = button.closest<HTMLElement>("[data-row]")?.dataset ?? {};
  const { column, title: columnTitle = "" } = button.dataset;
  const [inRow, inColumn] = [nameElement(rowTitle), nameElement(columnTitle)];
  const titles = {
    "restore-row":
      rowTitle === "" ? [t("history.restoreRow.untitled")] : t.rich("history.restoreRow.title", { row: inRow }),
    "restore-cell": t.rich("history.restoreCell.title", { column: inColumn, row: inRow }),
    "restore-column": t.rich("history.restoreColumn.title", { column: inColumn, table: nameElement(tableTitle) }),
  };
  return {
    address: `/api/docs/${doc}/states`,
    from,
    names: JSON.parse(names) as Names,
    title: titles[button.dataset["do"] as keyof typeof titles],
    body: {
      table,
      ...(row !== undefined && { rows: [Number(row)] }),
      ...(column !== undefined && { columns: [column] }),
      unchangedSince: Number(seen),
    },
  };
}

const requestPlan = ({ address, from }: Restoration, body: RestoreCellsBody): Promise<RestoredCells> =>
  api<RestoredCells>(`${address}/${from}/restore-cells`, { method: "POST", body });

async function confirm(restoration: Restoration, first: RestoredCells): Promise<void> {
  let { body } = restoration;
  let plan = first;
  const text = h("div", { class: "plan" });
  const show = (next: RestoredCells) => {
    plan = next;
    replaceChildren(text, ...describePlan(restoration, body, plan));
  };
  const replan = async () => {
    try {
      show(await requestPlan(restoration, body));
      announce(text);
    } catch (error) {
      showError(text, error);
    }
  };
  const overwrite = h("input", { type: "checkbox", name: "overwrite" });
  const newIds = h("input", { type: "checkbox", name: "newIds" });
  for (const box of [overwrite, newIds]) {
    box.addEventListener("change", () => {
      const { unchangedSince, ...rest } = restoration.body;
      body = { ...rest, ...(!overwrite.checked && { unchangedSince }), ...(newIds.checked && { newIds: true }) };
      void replan();
    });
  }
  const choice = (input: HTMLInputElement, reason: string, label: string) =>
    first.conflicts.some((conflict) => conflict.reason === reason) && h("label", { class: "check" }, input, " ", label);
  show(first);
  await formDialog({
    title: restoration.title,
    content: [
      text,
      choice(overwrite, "changed_since", t("history.plan.overwrite")),
      choice(newIds, "id_in_use", t("history.plan.newIds")),
    ],
    action: t("history.restore"),
    async submit() {
      if (plan.counts.cells + plan.counts.restoredRows === 0) return;
      try {
        const done = await requestPlan(restoration, { ...body, planId: plan.planId });
        await finish(restoration, done);
      } catch (error) {
        const present = error instanceof ApiError ? error.details["plan"] : undefined;
        if (present) show(present as RestoredCells);
        throw error;
      }
    },
  });
}

async function finish({ address, from }: Restoration, { state }: RestoredCells): Promise<void> {
  await refreshPart("history");
  const undo = async () => {
    try {
      await api(`${address}/${state}/undo`, { method: "POST" });
      await refreshPart("history");
      showToast(t("history.plan.undone"));
    } catch (error) {
      showToast(error instanceof Error ? error.message : String(error), { problem: true });
    }
  };
  showToast(t("history.plan.restored", { n: from }), { action: { label: t("history.undo"), run: () => void undo() } });
}

/** What the plan changes, and the conflicts by reason. */
function describePlan({ from, names }: Restoration, body: RestoreCellsBody, plan: RestoredCells): Child[] {
  const { counts, columns, conflicts } = plan;
  const isEmpty = counts.cells + counts.restoredRows === 0;
  const sentences = columns.map(({ table, column, cells: count }) => {
    const named = {
      count,
      column: nameElement(names[table]?.columns[column] ?? column),
      table: nameElement(names[table]?.title ?? table),
    };
    return table !== body.table || counts.restoredRows > 0
      ? t.rich("history.plan.references", named)
      : t.rich("history.plan.cells", { ...named, n: from });
  });
  const reasons = Map.groupBy(conflicts, ({ reason }) => reason);
  const items = [
    ...(counts.restoredRows > 0 ? [[t(body.newIds ? "history.plan.rowAsNew" : "history.plan.row")]] : []),
    ...sentences,
    ...(isEmpty ? [[t("history.plan.nothing")]] : []),
    ...[...reasons].map(([reason, list]) => [conflictText(reason, list.length)]),
  ];
  return [
    h("ul", { class: "sentences" }, ...items.map((item) => h("li", {}, ...item))),
    !isEmpty && h("p", { class: "quiet" }, t("history.plan.undo")),
  ];
}

/** The keys are literals, since the build collects them. */
const CONFLICTS = {
  changed_since: "history.conflict.changed_since",
  removed_since: "history.conflict.removed_since",
  id_in_use: "history.conflict.id_in_use",
  missing_reference: "history.conflict.missing_reference",
  two_way_reference: "history.conflict.two_way_reference",
  column_changed: "history.conflict.column_changed",
  column_removed: "history.conflict.column_removed",
  table_removed: "history.conflict.table_removed",
  not_permitted: "history.conflict.not_permitted",
} as const;

const conflictText = (reason: string, count: number): string =>
  t(reason in CONFLICTS ? CONFLICTS[reason as keyof typeof CONFLICTS] : "history.conflict.other", { count });
