/** Undo in a document without tables, such as after the deletion of the last one. */
import { errorContent } from "../../../../base/client/api.ts";
import { find, h, icon } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { ImportSource } from "../../../../base/client/import/import-target.ts";
import { showToast } from "../../../../base/client/toast.ts";
import type { UndoManager } from "../undo-manager.ts";
import { dropFiles } from "./drop-files.ts";

export const showProblem = (error: unknown): void => void showToast(errorContent(error), { problem: true });

export function attachUndoWithoutTables(changes: UndoManager): void {
  const run = (way: "undo" | "redo") => {
    changes[way]().catch(showProblem);
  };
  document.addEventListener("keydown", (event) => {
    const isIn = event.target instanceof Element && event.target.closest("dialog, input, textarea");
    if (isIn || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    const way = key === "y" || (key === "z" && event.shiftKey) ? "redo" : key === "z" ? "undo" : null;
    if (way === null) return;
    event.preventDefault();
    run(way);
  });
  const button = (way: "undo" | "redo") =>
    h(
      "button",
      { type: "button", class: "plain", onclick: () => run(way) },
      icon(way === "undo" ? "undo-2" : "redo-2"),
      way === "undo" ? t("table.undo") : t("table.redo"),
    );
  const buttons = [...(changes.canUndo ? [button("undo")] : []), ...(changes.canRedo ? [button("redo")] : [])];
  if (buttons.length > 0) find("#sheet .empty").append(h("div", { class: "bar" }, ...buttons));
}

/** A document without tables can begin with a file. */
export function offerImport(start: (source?: ImportSource) => void): void {
  const button = h(
    "button",
    { type: "button", class: "plain", onclick: () => start() },
    icon("upload"),
    t("import.title"),
  );
  find("#sheet .empty").append(h("div", { class: "bar" }, button));
  dropFiles(start);
}
