import type { RecordJson } from "../../table-data.ts";
import { confirmDiscard } from "../base/dialog.ts";
import { fill, find, h, icon } from "../base/dom.ts";
import { clearProblem, showProblem } from "../base/problem.ts";
import { drawCell } from "./cells.ts";
import type { Changes } from "./changes.ts";
import { type Column, valueOf } from "./columns.ts";
import { countTyped, offerBack } from "./discarded-text.ts";
import { editorFor } from "./editing.ts";
import { openFiles } from "./files-dialog.ts";
import { readErrors } from "./formula-field.ts";
import { leavePanel, openPanel } from "./panel.ts";
import type { Sheet } from "./sheet.ts";

export interface CardOptions {
  readonly sheet: Sheet;
  readonly changes: Changes;
}

/** Shows a row with all its columns, one below the other: for long texts and small screens. */
export async function openCard(index: number, { sheet, changes }: CardOptions): Promise<void> {
  if (!(await leavePanel())) return;
  let at = index;
  let editing: string | null = null;
  /** Whether the field that is being edited holds something else than its cell. */
  let isTouched = () => false;
  const fields = h("div", { class: "card-fields" });
  const go = async (by: number) => {
    if (isTouched() && !(await confirmDiscard())) return;
    at = Math.max(0, Math.min(sheet.pages.count - 1, at + by));
    editing = null;
    sheet.grid.activate({ row: at, column: sheet.grid.selection.active.column }, { focus: false });
    show();
  };
  const before = h(
    "button",
    { type: "button", class: "bare", "aria-label": "The row before", onclick: () => void go(-1) },
    icon("ascending"),
  );
  const after = h(
    "button",
    { type: "button", class: "bare", "aria-label": "The row after", onclick: () => void go(1) },
    icon("descending"),
  );
  const show = () => {
    const row = sheet.pages.at(at);
    if (!panel.element.isConnected || editing !== null) return;
    fill(find("h2", panel.element), `Row ${at + 1}`);
    before.disabled = at === 0;
    after.disabled = at >= sheet.pages.count - 1;
    if (row) fill(fields, ...sheet.columns.map((column) => field(row, column)));
    else fill(fields, h("p", { class: "quiet" }, "This row is not there any more."));
  };
  const field = (row: RecordJson, column: Column): HTMLElement => {
    const value = h("div", { class: "cell" });
    const look = { thumbnails: sheet.thumbnails, mayEdit: (each: Column) => sheet.mayEditCells(each) };
    drawCell(value, row, column, look);
    value.removeAttribute("aria-readonly");
    const place = h("div", { class: "card-field" }, h("h3", {}, column.name), value);
    if (row.errors?.[column.id] !== undefined) void explain(place, row, { column, sheet });
    if (sheet.mayEditCells(column)) {
      const edit = h(
        "button",
        { type: "button", class: "bare edit", "aria-label": `Edit ${column.name}` },
        icon("edit"),
      );
      edit.addEventListener("click", () => change(place, row, column));
      place.append(edit);
    }
    return place;
  };
  const change = (place: HTMLElement, row: RecordJson, column: Column) => {
    if (column.type.base === "Attachments") return openFiles(column, row, { sheet, changes });
    if (column.type.base === "Bool") {
      return void send(place, { row, column, value: valueOf(row, column.id) !== true });
    }
    editing = column.id;
    isTouched = () => editing === column.id && JSON.stringify(editor.entered().value) !== before;
    const done = () => void send(place, { row, column, value: editor.entered().value });
    const editor = editorFor({ docId: sheet.docId, column, row, typed: null, settings: sheet.data.settings, done });
    const before = JSON.stringify(editor.entered().value);
    const save = h("button", { type: "button", class: "small", onclick: done }, "Save");
    const fieldNow = () => fields.children[sheet.columns.findIndex(({ ref }) => ref === column.ref)];
    const cancel = () => {
      editing = null;
      show();
      fieldNow()?.querySelector<HTMLElement>(".edit")?.focus();
    };
    const typed = countTyped(editor.element, null);
    const putBack = () => {
      const now = fieldNow();
      if (!panel.element.isConnected || editing !== null || sheet.pages.at(at)?.id !== row.id || !now) return;
      editing = column.id;
      now.replaceWith(place);
      editor.focus();
    };
    const leave = h("button", { type: "button", class: "small plain", onclick: cancel }, "Cancel");
    editor.element.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (editor.takes?.(event)) event.preventDefault();
      else if (event.key === "Escape") {
        cancel();
        offerBack(typed(), putBack);
      } else if (event.key === "Enter" && (event.ctrlKey || !(event.target instanceof HTMLTextAreaElement))) {
        event.preventDefault();
        done();
      }
    });
    fill(
      place,
      h("h3", {}, column.name),
      h("div", { class: "editor" }, editor.element),
      h("div", { class: "bar" }, save, leave),
      h("div", { class: "problem-place" }),
    );
    editor.focus();
  };
  const send = async (
    place: HTMLElement,
    { row, column, value }: { row: RecordJson; column: Column; value: unknown },
  ) => {
    const problem = place.querySelector(".problem-place") ?? place.appendChild(h("div", { class: "problem-place" }));
    clearProblem(problem);
    try {
      await changes.apply([["UpdateRecord", sheet.table, row.id, { [column.id]: value }]]);
      editing = null;
      await sheet.pages.settled();
      show();
    } catch (error) {
      showProblem(problem, error, { retry: () => void send(place, { row, column, value }) });
    }
  };
  const stop = sheet.onChange(() => show());
  const unsaved = () => (isTouched() ? "Discard your changes?" : null);
  const content = [h("div", { class: "bar card-steps" }, before, after), fields];
  const panel = openPanel(`Row ${at + 1}`, content, { onClose: stop, unsaved });
  show();
}

/** Says in plain words why a formula failed in a row. */
async function explain(
  place: HTMLElement,
  row: RecordJson,
  { column, sheet }: { column: Column; sheet: Sheet },
): Promise<void> {
  // Access rules may keep it from the person; the cell still says which error it is.
  const errors = await readErrors(sheet, column.id).catch(() => []);
  const found = errors.find((error) => error.row === row.id);
  if (!found) return;
  const line = found.line === null ? "" : ` (line ${found.line})`;
  place.append(h("p", { class: "why" }, found.message, line));
  if (found.detail) place.append(h("code", {}, found.detail));
}
