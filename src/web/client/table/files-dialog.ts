import type { RecordJson } from "../../table-data.ts";
import { sizeText } from "../../../lib/sizes.ts";
import { openDialog } from "../base/dialog.ts";
import { fill, h, icon } from "../base/dom.ts";
import { clearProblem, showProblem } from "../base/problem.ts";
import { upload } from "../base/upload.ts";
import type { Changes } from "./changes.ts";
import { type Column, itemsOf, valueOf } from "./columns.ts";
import type { Sheet } from "./sheet.ts";

export interface FilesOptions {
  readonly sheet: Sheet;
  readonly changes: Changes;
}

/** Shows the files in a cell; who may edit adds some and takes some away. */
export function openFiles(column: Column, row: RecordJson, { sheet, changes }: FilesOptions): void {
  let ids = itemsOf(valueOf(row, column.id)).map(Number);
  const mayEdit = sheet.mayEditCells(column);
  const list = h("ul", { class: "file-list" });
  const problem = h("div", { class: "problem-place" });
  const progress = h("progress", { max: 1, value: 0, hidden: true, "aria-label": "Upload" });
  const work = new AbortController();
  const put = async (next: readonly number[]) => {
    await changes.apply([
      ["UpdateRecord", sheet.table, row.id, { [column.id]: next.length > 0 ? ["L", ...next] : null }],
    ]);
    ids = [...next];
    show();
  };
  const show = () => {
    fill(list, ...ids.map((id) => entry(id)));
    if (ids.length === 0) fill(list, h("li", { class: "quiet" }, "No files yet."));
  };
  const entry = (id: number): HTMLElement => {
    const standing = { rowId: row.id, colId: column.id };
    const link = h(
      "a",
      { href: sheet.thumbnails.address(id, standing, { inline: false }), download: "" },
      `File ${id}`,
    );
    const size = h("span", { class: "quiet" });
    const tell = async () => {
      const file = await sheet.thumbnails.file(id);
      if (file) fill(link, file.name);
      if (file) fill(size, sizeText(file.sizeBytes));
    };
    void tell();
    const remove = () =>
      void put(ids.filter((each) => each !== id)).catch((error: unknown) => showProblem(problem, error));
    return h(
      "li",
      {},
      sheet.thumbnails.make(id, standing),
      h("span", { class: "about" }, link, size),
      mayEdit &&
        h(
          "button",
          { type: "button", class: "bare", "aria-label": "Take the file away", onclick: remove },
          icon("trash"),
        ),
    );
  };
  const add = async (files: readonly File[]) => {
    clearProblem(problem);
    progress.hidden = false;
    try {
      const form = new FormData();
      for (const file of files) form.append("upload", file);
      const onProgress = (sent: number, total: number | null) => (progress.value = total ? sent / total : 0);
      const options = { onProgress, signal: work.signal };
      await put([...ids, ...(await upload<number[]>(`/api/docs/${sheet.docId}/attachments`, form, options))]);
    } catch (error) {
      showProblem(problem, error, { retry: () => void add(files) });
    } finally {
      progress.hidden = true;
    }
  };
  const input = h("input", { type: "file", multiple: true, "aria-label": "Add files" });
  input.addEventListener("change", () => {
    const files = [...(input.files ?? [])];
    input.value = "";
    if (files.length > 0) void add(files);
  });
  const place = h(
    "div",
    { class: "files-place" },
    list,
    mayEdit && h("label", {}, "Add files", input),
    progress,
    problem,
  );
  place.addEventListener("dragover", (event) => event.preventDefault());
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    if (mayEdit && files.length > 0) void add(files);
  });
  show();
  openDialog({ title: `${column.name}, row ${row.id}`, content: [place], onClose: () => work.abort() });
}
