/** The commands of a section that shows a summary: by which columns it groups, and making it an ordinary table. */
import type { UndoManager } from "../../../pages/table/client/undo-manager.ts";
import { showUndoToast } from "../../../pages/table/client/undo-toast.ts";
import { integerOf } from "../../views/metadata-values.ts";
import { detachSection, regroupSection } from "../../views/new-section.ts";
import type { EditAction } from "../../views/page-edits.ts";
import { confirmDialog, formDialog } from "../dialog.ts";
import { h, nameElement } from "../dom.ts";
import { t } from "../texts.ts";
import { groupChoices, readColumns } from "./new-section-dialog.ts";
import { keepPageToast, pageToastText } from "./page-toasts.ts";
import { readMetadata } from "./read-pages.ts";

export interface SummarySection {
  readonly docId: string;
  /** Row id of the section. */
  readonly section: number;
  /** Row id of the summary table. */
  readonly tableRef: number;
  /** The table that it summarises. */
  readonly source: { readonly ref: number; readonly title: string };
  readonly changes: UndoManager;
  /** Whether the browser loads the page again then: the next page reports the change. */
  readonly reloads: boolean;
  /** Shows the page again, after the change and its undo. */
  readonly changed: () => Promise<void>;
  readonly showError: (error: unknown) => void;
}

/** Groups the summary of a section by other columns. */
export async function openGrouping(summary: SummarySection): Promise<void> {
  const { docId, section, tableRef, source } = summary;
  const [columns, own] = await Promise.all([
    readColumns(docId, source.ref),
    readMetadata(docId, "_grist_Tables_column", { parentId: [tableRef] }),
  ]);
  const grouped = own.map(({ fields }) => integerOf(fields["summarySourceCol"])).filter((ref) => ref > 0);
  await formDialog({
    title: t("pageList.grouping.title"),
    content: [
      h(
        "fieldset",
        { class: "choices" },
        h("legend", { class: "unseen" }, t("pageList.new.groupBy")),
        ...groupChoices(columns, grouped),
      ),
      h("p", { class: "hint" }, t("pageList.new.groupByHint")),
    ],
    action: t("pageList.grouping.action"),
    submit: async (form) => {
      const chosen = form.getAll("group").map(Number);
      // Columns that stay keep their order.
      const refs = [
        ...grouped.filter((ref) => chosen.includes(ref)),
        ...chosen.filter((ref) => !grouped.includes(ref)),
      ];
      if (refs.length === grouped.length && refs.every((ref, at) => ref === grouped[at])) return;
      await apply(regroupSection(section, refs), "grouped", summary);
    },
  });
}

/** Makes the summary an ordinary table, after saying what changes. */
export async function detachSummary(summary: SummarySection): Promise<void> {
  const { section, source } = summary;
  const table = nameElement(source.title);
  await confirmDialog({
    title: t("pageList.detach.title"),
    text: t.rich("pageList.detach.text", { table }),
    action: t("pageList.detach.action"),
    submit: () => apply(detachSection(section), "detached", summary),
  });
}

async function apply(
  actions: readonly EditAction[],
  kind: "grouped" | "detached",
  { docId, changes, changed, reloads, showError }: SummarySection,
): Promise<void> {
  await changes.apply(actions, { asTyped: false });
  const toast = { kind, name: "" };
  if (reloads) keepPageToast({ docId }, changes, toast);
  await changed();
  if (!reloads) showUndoToast(pageToastText(toast), { sheet: { showError }, changes, undone: changed });
}
