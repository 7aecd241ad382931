import { announce } from "../../../../base/client/announce.ts";
import { h, nameElement, newId, replaceChildren } from "../../../../base/client/dom.ts";
import { HEADER_ROW } from "../../../../base/client/grid/selection.ts";
import { clearError, showError } from "../../../../base/client/problem.ts";
import { t } from "../../../../base/client/texts.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { watchUnsaved } from "../../../../base/client/unsaved.ts";
import type { GridSheet } from "../sheet.ts";
import type { UndoManager } from "../undo-manager.ts";
import { showUndoToast } from "../undo-toast.ts";
import type { Column } from "./columns.ts";
import { duplicateNameHint } from "./duplicate-name-hint.ts";

/** Shows a field over the header of a column that renames it: Enter and leaving save, Escape restores. */
export function renameColumn(opened: Column, { sheet, changes }: { sheet: GridSheet; changes: UndoManager }): void {
  let column = opened;
  let at = sheet.shown.findIndex(({ ref }) => ref === column.ref);
  if (at < 0) return;
  const { grid } = sheet;
  const label = t("table.column.nameOf", { column: column.name });
  const input = h("input", {
    type: "text",
    value: column.label,
    "aria-label": label,
    autocomplete: "off",
    maxlength: 1000,
  });
  const message = h("p", { id: newId("name-problem"), class: "name-problem" });
  const problem = h("div", { class: "editor-message" });
  const hint = duplicateNameHint(input, { sheet, column });
  const element = h("div", { class: "editor header-editor" }, input, message, hint, problem);
  let state: "open" | "saving" | "refused" | "closed" = "open";
  const close = (takesFocus: boolean): void => {
    state = "closed";
    stopWatching();
    stopFollowing();
    if (element.isConnected) grid.hideOverlay();
    if (takesFocus) grid.activate({ row: HEADER_ROW, column: at });
  };
  const stopWatching = watchUnsaved(() => state !== "closed" && input.value.trim() !== column.label);
  let isMoving = false;
  /** The column may be renamed, moved, hidden or deleted by others while its name is edited. */
  const stopFollowing = sheet.onChange(() => {
    const place = sheet.shown.findIndex(({ ref }) => ref === column.ref);
    const now = sheet.shown[place];
    if (state === "saving" || isMoving) return;
    if (!now) {
      showToast(t.rich("table.column.renameGone", { column: nameElement(column.name) }));
      at = Math.min(at, sheet.shown.length - 1);
      return close(element.contains(document.activeElement));
    }
    if (input.value === column.label && now.label !== column.label) {
      input.value = now.label;
      input.select();
    }
    if (now.name !== column.name) input.setAttribute("aria-label", t("table.column.nameOf", { column: now.name }));
    column = now;
    if (place === at) return;
    at = place;
    const hadFocus = document.activeElement;
    isMoving = true;
    grid.showOverlay({ row: HEADER_ROW, column: at }, element);
    if (hadFocus instanceof HTMLElement && element.contains(hadFocus)) hadFocus.focus({ preventScroll: true });
    isMoving = false;
  });
  const refuseEmpty = (): void => {
    replaceChildren(message, t("table.column.nameMissing"));
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", message.id);
    announce(message);
  };
  const save = async (takesFocus: boolean): Promise<void> => {
    const name = input.value.trim();
    if (state === "saving" || state === "closed") return;
    if (name === column.label || (name === "" && !takesFocus)) return close(takesFocus);
    if (name === "") return refuseEmpty();
    state = "saving";
    element.setAttribute("aria-busy", "true");
    input.readOnly = true;
    clearError(problem);
    try {
      await changes.apply([["UpdateRecord", "_grist_Tables_column", column.ref, { label: name }]]);
    } catch (error) {
      state = "refused";
      input.readOnly = false;
      element.removeAttribute("aria-busy");
      showError(problem, error, { retry: () => void save(true) });
      return;
    }
    const renamed = t.rich("table.column.renamed", { column: nameElement(name) });
    showUndoToast(renamed, { sheet, changes, undone: () => sheet.reloadColumns() });
    await sheet.reloadFromRemote();
    close(takesFocus && element.contains(document.activeElement));
  };
  input.addEventListener("input", () => {
    replaceChildren(message);
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
  });
  element.addEventListener("keydown", (event) => {
    // The keys of the grid and of the page are not for the field.
    event.stopPropagation();
    if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
    if (event.key === "Enter" && event.target !== input) return;
    event.preventDefault();
    if (event.key === "Enter") void save(true);
    else if (state !== "saving") close(true);
  });
  element.addEventListener("focusout", ({ relatedTarget }) => {
    // A refused name stays until it is saved or given up.
    const isInside = relatedTarget instanceof Node && element.contains(relatedTarget);
    if (state === "open" && !isMoving && !isInside && document.hasFocus()) void save(false);
  });
  grid.activate({ row: HEADER_ROW, column: at });
  grid.showOverlay({ row: HEADER_ROW, column: at }, element);
  input.focus({ preventScroll: true });
  input.select();
}
