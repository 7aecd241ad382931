/** The status line while all rows of the view are selected, loaded or not. */
import { announce } from "../../../../base/client/announce.ts";
import { h, replaceChildren } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { changeAllRows, openEditAllRows } from "../on-first-use.ts";
import type { Sheet } from "../sheet.ts";
import type { UndoManager } from "../undo-manager.ts";

export function attachAllRows(sheet: Sheet, changes: UndoManager): void {
  const host = h("span", { class: "all-rows", hidden: true });
  sheet.parts.range.after(host);
  const text = h("span", {});
  // The buttons go with the selection: the focus returns to the table.
  const command = (label: string, run: () => void) => {
    const focusAndRun = () => {
      sheet.grid.focus();
      run();
    };
    return h("button", { type: "button", class: "small plain", onclick: focusAndRun }, label);
  };
  const options = { sheet, changes };
  host.append(
    text,
    ...(sheet.canEdit ? [command(t("table.all.edit"), () => void openEditAllRows(options))] : []),
    ...(sheet.canEdit && !sheet.isSummary
      ? [
          command(t("table.all.duplicate"), () => void changeAllRows("duplicate", options)),
          command(t("table.all.delete"), () => void changeAllRows("delete", options)),
        ]
      : []),
  );
  let shown = "";
  const show = () => {
    const { selection } = sheet.grid;
    const count = sheet.rowPages.totalCount;
    const isShown = selection.isAll && selection.isRows && count > 0;
    const now = isShown ? t("table.all.selected", { count }) : "";
    // The selection is drawn with every scrolling.
    if (now === shown) return;
    if (shown === "") announce(now);
    shown = now;
    host.hidden = !isShown;
    replaceChildren(text, now);
  };
  const { onSelection } = sheet;
  sheet.onSelection = () => {
    onSelection();
    show();
  };
  sheet.onChange(show);
  selectByCorner(sheet);
}

/** A click on the corner selects all rows, as does Ctrl+A. */
function selectByCorner({ grid, rowPages }: Sheet): void {
  grid.element.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element) || !target.closest(".corner")) return;
    grid.selection.selectAll(rowPages.count);
    grid.selectionChanged();
    grid.focus();
  });
}
