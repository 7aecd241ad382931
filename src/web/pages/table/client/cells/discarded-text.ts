import { t } from "../../../../base/client/texts.ts";
import { showToast } from "../../../../base/client/toast.ts";

/** Input longer than this is offered for restoring after Escape. */
const MIN_OFFERED_CHARACTERS = 20;

/** Counts the characters typed or pasted into an editor; `first` opened it. */
export function countTypedCharacters(element: HTMLElement, first: string | null): () => number {
  let typed = first?.length ?? 0;
  element.addEventListener("input", (event) => {
    if (event instanceof InputEvent) typed += event.data?.length ?? 0;
  });
  return () => typed;
}

/** Offers to restore input discarded by Escape. */
export function offerRestore(typed: number, restore: () => void): void {
  if (typed <= MIN_OFFERED_CHARACTERS) return;
  showToast(t("table.edit.discarded"), { action: { label: t("table.edit.restore"), run: restore } });
}
