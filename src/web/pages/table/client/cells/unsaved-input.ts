import { errorContent } from "../../../../base/client/api.ts";
import { copyButton } from "../../../../base/client/copy.ts";
import { openDialog } from "../../../../base/client/dialog.ts";
import { h, type Content } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";

export interface UnsavedInput {
  readonly element: HTMLElement;
  readonly stopWatching: () => void;
}

/** The cell no longer exists: the input can be copied before the editor closes. */
export function showUnsavedInput(
  { element, stopWatching }: UnsavedInput,
  { title, error }: { title: Content; error: unknown },
): void {
  const input = element.querySelector<HTMLInputElement | HTMLTextAreaElement>("input, textarea")?.value ?? "";
  openDialog({
    title,
    content: [
      h("p", {}, t("table.edit.gone")),
      error !== null && h("p", { class: "quiet" }, ...errorContent(error)),
      input !== "" && h("p", {}, ...t.rich("table.edit.input", { input: h("q", { translate: "no" }, input) })),
      input !== "" &&
        h(
          "div",
          { class: "bar" },
          copyButton(t("table.edit.copyInput"), () => input),
        ),
    ],
    onClose: stopWatching,
  });
}
