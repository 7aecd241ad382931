import type { RecordJson } from "../../../../base/table-data.ts";
import { openDialog } from "../../../../base/client/dialog.ts";
import { type Attributes, replaceChildren, h, icon, nameElement } from "../../../../base/client/dom.ts";
import { clearError, showError } from "../../../../base/client/problem.ts";
import { t } from "../../../../base/client/texts.ts";
import { upload } from "../../../../base/client/upload.ts";
import { formatSize } from "../../../../base/sizes.ts";
import { isTouch } from "../editors/date-editor.ts";
import type { UndoManager } from "../undo-manager.ts";
import { type Column, listItems, cellValue } from "../columns/columns.ts";
import type { Sheet } from "../sheet.ts";

export interface FilesDialogOptions {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
}

/** Shows the attachments of a cell; editors can add and remove them. */
export function openFilesDialog(column: Column, row: RecordJson, { sheet, changes }: FilesDialogOptions): void {
  let ids = listItems(cellValue(row, column.id)).map(Number);
  const canEdit = sheet.canEditCells(column);
  const list = h("ul", { class: "file-list" });
  const problem = h("div", { class: "problem-place" });
  const progress = h("progress", { max: 1, value: 0, hidden: true, "aria-label": t("table.files.upload") });
  const abort = new AbortController();
  const saveFiles = async (next: readonly number[]) => {
    await changes.apply([
      ["UpdateRecord", sheet.table, row.id, { [column.id]: next.length > 0 ? ["L", ...next] : null }],
    ]);
    ids = [...next];
    show();
  };
  const show = () => {
    replaceChildren(list, ...ids.map((id) => entry(id)));
    if (ids.length === 0) replaceChildren(list, h("li", { class: "quiet" }, t("table.files.empty")));
  };
  const entry = (id: number): HTMLElement => {
    const cell = { rowId: sheet.rowPages.idOf(row.id), colId: column.id };
    const href = sheet.thumbnails.fileUrl(id, cell, { inline: false });
    const link = h("a", { href, download: "" }, t("table.files.noName", { id: String(id) }));
    const size = h("span", { class: "quiet" });
    const showSize = async () => {
      const file = await sheet.thumbnails.file(id);
      if (!file) return;
      replaceChildren(link, nameElement(file.name));
      replaceChildren(size, formatSize(t, file.sizeBytes));
    };
    void showSize();
    const remove = () =>
      void saveFiles(ids.filter((each) => each !== id)).catch((error: unknown) => showError(problem, error));
    return h(
      "li",
      {},
      sheet.thumbnails.createElement(id, cell),
      h("span", { class: "about" }, link, size),
      canEdit &&
        h(
          "button",
          { type: "button", class: "bare", "aria-label": t("table.files.remove"), onclick: remove },
          icon("trash-2"),
        ),
    );
  };
  const add = async (files: readonly File[]) => {
    clearError(problem);
    progress.hidden = false;
    try {
      const form = new FormData();
      for (const file of files) form.append("upload", file);
      const onProgress = (sent: number, total: number | null) => (progress.value = total ? sent / total : 0);
      const options = { onProgress, signal: abort.signal };
      await saveFiles([...ids, ...(await upload<number[]>(`/api/docs/${sheet.docId}/attachments`, form, options))]);
    } catch (error) {
      showError(problem, error, { retry: () => void add(files) });
    } finally {
      progress.hidden = true;
    }
  };
  const fileInput = (attributes: Attributes) => {
    const input = h("input", { type: "file", ...attributes });
    input.addEventListener("change", () => {
      const files = [...(input.files ?? [])];
      input.value = "";
      if (files.length > 0) void add(files);
    });
    return input;
  };
  // The browser opens the camera where there is one.
  const camera = () => fileInput({ accept: "image/*", capture: "environment", "aria-label": t("table.files.photo") });
  const place = h(
    "div",
    { class: "files-place" },
    list,
    canEdit && h("label", {}, t("table.files.add"), fileInput({ multiple: true, "aria-label": t("table.files.add") })),
    canEdit && isTouch() && h("label", {}, t("table.files.photo"), camera()),
    progress,
    problem,
  );
  place.addEventListener("dragover", (event) => event.preventDefault());
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    if (canEdit && files.length > 0) void add(files);
  });
  show();
  const title = t.rich("table.files.title", { column: nameElement(column.name), row: String(row.id) });
  openDialog({ title, content: [place], onClose: () => abort.abort() });
}
