import type { ImportSource } from "../../../../base/client/import/import-target.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { t } from "../../../../base/client/texts.ts";

/** Takes a file that is dropped on the page, outside of dialogs, which have places of their own. */
export function dropFiles(take: (source: ImportSource) => void): void {
  const filesOf = ({ target, dataTransfer }: DragEvent): DataTransfer | null =>
    dataTransfer?.types.includes("Files") && !(target instanceof Element && target.closest("dialog, .panel"))
      ? dataTransfer
      : null;
  document.addEventListener("dragover", (event) => {
    if (filesOf(event) && !document.querySelector("dialog[open]")) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const transfer = filesOf(event);
    if (!transfer || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    const [file, second] = transfer.files;
    if (second) showToast(t("import.oneFile"), { problem: true });
    else if (file) take({ file });
  });
}
