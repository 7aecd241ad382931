import { showToast } from "../../../../base/client/toast.ts";

/** After Escape, more typed characters than this are offered back. */
const MIN_OFFERED_CHARACTERS = 20;

/** Counts the characters typed or pasted into an editor; `first` are those that opened it. */
export function countTypedCharacters(element: HTMLElement, first: string | null): () => number {
  let typed = first?.length ?? 0;
  element.addEventListener("input", (event) => {
    if (event instanceof InputEvent) typed += event.data?.length ?? 0;
  });
  return () => typed;
}

/** Offers what Escape discarded, where typing it again would be a burden. */
export function offerRestore(typed: number, restore: () => void): void {
  if (typed <= MIN_OFFERED_CHARACTERS) return;
  showToast("Your text was discarded.", { action: { label: "Put my text back", run: restore } });
}
