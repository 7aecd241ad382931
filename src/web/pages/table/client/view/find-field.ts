/** The search in the table: a field in the toolbar that narrows the rows, and moves between the cells found. */
import { h, icon } from "../../../../base/client/dom.ts";
import type { FittedTool } from "../../../../base/client/fit-tools.ts";
import { t } from "../../../../base/client/texts.ts";
import type { Sheet } from "../sheet.ts";
import { hasHit } from "./find-hits.ts";

/** Typing does not send a request for each character. */
const DELAY_MS = 300;

export interface FindTool {
  readonly tool: FittedTool;
  /** In the place of the button while it is open. */
  readonly field: HTMLElement;
}

/** @param resized called when the field opens or closes */
export function findTool(sheet: Sheet, resized: () => void): FindTool {
  const { view, grid } = sheet;
  const button = h(
    "button",
    { type: "button", class: "bare", "aria-label": t("table.find"), "aria-keyshortcuts": "Control+F" },
    icon("search"),
  );
  const input = h("input", { type: "search", "aria-label": t("table.find.label"), autocomplete: "off" });
  const field = h("div", { class: "search find-field", hidden: true }, input, icon("search"));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const apply = (): void => {
    clearTimeout(timer);
    const find = input.value.trim();
    // A search is one step of the browser's history, whatever is typed.
    if (find !== view.state.find) view.update({ find }, { replaces: find !== "" && view.state.find !== "" });
  };
  const setOpen = (isOpen: boolean): void => {
    field.hidden = !isOpen;
    button.hidden = isOpen;
    field.parentElement?.classList.toggle("finding", isOpen);
    resized();
  };
  const open = (): void => {
    input.value = view.state.find;
    setOpen(true);
    input.focus();
    input.select();
  };
  sheet.onOpenFind = open;
  button.addEventListener("click", open);
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(apply, DELAY_MS);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      apply();
      moveToHit(sheet, event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      event.preventDefault();
      apply();
      setOpen(false);
      grid.focus();
    }
    // The toolbar moves between its controls by these keys.
    if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) event.stopPropagation();
  });
  input.addEventListener("blur", () => {
    apply();
    if (view.state.find === "" && !field.hidden) setOpen(false);
  });
  document.addEventListener("keydown", (event) => {
    const isShortcut = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key === "f";
    // Pressed again, the browser searches.
    if (!isShortcut || !sheet.isActive || document.activeElement === input || document.querySelector("dialog:modal"))
      return;
    event.preventDefault();
    open();
  });
  sheet.onChange(() => {
    // It was changed elsewhere, such as by its chip.
    if (document.activeElement !== input) input.value = view.state.find;
    if (view.state.find === "" && !field.hidden && document.activeElement !== input) setOpen(false);
  });
  return { tool: { button, item: () => ({ label: t("table.find"), icon: "search", run: open }) }, field };
}

/** Makes the next cell with the text the active one; the focus stays in the field. */
function moveToHit({ view, grid, shown, rowPages }: Sheet, step: 1 | -1): void {
  const { find } = view.state;
  const { count } = rowPages;
  if (find === "" || count === 0 || shown.length === 0) return;
  const { active } = grid.selection;
  const cells = count * shown.length;
  const start = Math.max(0, active.row) * shown.length + active.column;
  const current = rowPages.rowAt(active.row);
  const column = shown[active.column];
  // The first search begins at the active cell itself.
  const isAtHit = current !== undefined && column !== undefined && active.row >= 0 && hasHit(current, column, find);
  for (let moved = isAtHit ? 1 : 0; moved < cells; moved++) {
    const at = (((start + step * moved) % cells) + cells) % cells;
    const place = { row: Math.floor(at / shown.length), column: at % shown.length };
    const row = rowPages.rowAt(place.row);
    const each = shown[place.column];
    // Rows that are not loaded have a hit in some column, since all rows of the search have one.
    if (row !== undefined && each !== undefined && !hasHit(row, each, find)) continue;
    grid.activate(place, { focus: false });
    return;
  }
}
