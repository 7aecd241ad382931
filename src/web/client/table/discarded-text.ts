import { toast } from "../base/toast.ts";

/** After Escape, more typed characters than this are offered back. */
const OFFERED_FROM = 20;

/** Counts the characters typed or pasted into an editor; `first` are those that opened it. */
export function countTyped(element: HTMLElement, first: string | null): () => number {
  let typed = first?.length ?? 0;
  element.addEventListener("input", (event) => {
    if (event instanceof InputEvent) typed += event.data?.length ?? 0;
  });
  return () => typed;
}

/** Offers what Escape discarded, where typing it again would be a burden. */
export function offerBack(typed: number, putBack: () => void): void {
  if (typed <= OFFERED_FROM) return;
  toast("Your text was discarded.", { action: { label: "Put my text back", run: putBack } });
}
