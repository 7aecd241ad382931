import { h, icon } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { showToast } from "../../../../base/client/toast.ts";
import type { GridSheet } from "../sheet.ts";
import type { RowMoves } from "./move-rows.ts";
import { positionReason } from "./position-reason.ts";

/** Adds the grip at the number of the row under the pointer, by which rows are moved. Menu and keys do the same. */
export function attachRowGrip(sheet: GridSheet, moves: RowMoves): void {
  if (!sheet.canAddRows) return;
  const { grid } = sheet;
  const grip = h("span", { class: "row-grip", "aria-hidden": "true" }, icon("grip-vertical"));
  const load = () => import("./drag-rows.ts");
  grid.element.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch" || event.buttons !== 0 || grip.contains(event.target as Node)) return;
    const place = grid.positionOf(event.target);
    const head = place && place.row >= 0 && place.row !== grid.blankRow ? headOf(event.target) : null;
    if (!head) return grip.remove();
    if (grip.parentElement === head) return;
    const reason = positionReason(sheet);
    grip.classList.toggle("unavailable", reason !== undefined);
    grip.title = reason ?? t("table.row.drag");
    head.append(grip);
  });
  grid.element.addEventListener("pointerleave", () => grip.remove());
  grip.addEventListener("pointerenter", () => void load().catch(() => {}));
  grip.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    const row = grid.positionOf(grip)?.row;
    const reason = positionReason(sheet);
    if (reason !== undefined) showToast(reason);
    if (reason !== undefined || row === undefined) return;
    if (!grid.selection.hasRow(row)) grid.selection.selectRow(row, { extend: false });
    grid.selectionChanged();
    grid.focus();
    const released = new AbortController();
    window.addEventListener("pointerup", () => released.abort(), { once: true, signal: released.signal });
    load().then(
      ({ dragRows }) => !released.signal.aborted && dragRows(event, { sheet, moves }),
      (error: unknown) => sheet.showError(error),
    );
  });
  grip.addEventListener("dblclick", (event) => event.stopPropagation());
}

const headOf = (target: EventTarget | null): Element | null =>
  target instanceof Element ? (target.closest("[role=row]")?.querySelector(".row-head") ?? null) : null;
