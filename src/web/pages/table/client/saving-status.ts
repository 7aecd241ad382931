import type { UndoManager } from "./undo-manager.ts";

/** Most changes are saved before anything would be seen. */
const SAVING_DELAY_MS = 400;

/** Shows changes that take longer to be saved. */
export function showSaving(changes: UndoManager, element: HTMLElement): void {
  let delay: ReturnType<typeof setTimeout> | undefined;
  changes.onPending((isPending) => {
    clearTimeout(delay);
    element.hidden = true;
    if (isPending) delay = setTimeout(() => (element.hidden = false), SAVING_DELAY_MS);
  });
}
