import type { ImportSource } from "../../../../base/client/import/import-target.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { t } from "../../../../base/client/texts.ts";

/** Takes a file that is dropped on the page. Dialogs and panels have places of their own. */
export function dropFiles(take: (source: ImportSource) => void): void {
  const on = (type: "dragover" | "drop", run: (files: FileList) => void) =>
    document.addEventListener(type, (event) => {
      const { target, dataTransfer } = event;
      if (!dataTransfer?.types.includes("Files") || document.querySelector("dialog[open]")) return;
      if (target instanceof Element && target.closest(".panel")) return;
      event.preventDefault();
      run(dataTransfer.files);
    });
  on("dragover", () => {});
  on("drop", ([file, second]) => {
    if (second) showToast(t("import.oneFile"), { problem: true });
    else if (file) take({ file });
  });
}
