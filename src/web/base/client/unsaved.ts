/** Warns before leaving a page with unsaved changes. */

const unsavedChecks = new Set<() => boolean>();

function warnBeforeUnload(event: BeforeUnloadEvent): void {
  if (hasUnsavedChanges()) event.preventDefault();
}

export const hasUnsavedChanges = (): boolean => [...unsavedChecks].some((isUnsaved) => isUnsaved());

/** The browser asks before leaving the page while `isUnsaved` returns true. Returns a function that ends that. */
export function watchUnsaved(isUnsaved: () => boolean): () => void {
  if (unsavedChecks.size === 0) addEventListener("beforeunload", warnBeforeUnload);
  unsavedChecks.add(isUnsaved);
  return () => {
    unsavedChecks.delete(isUnsaved);
    // Pages with such a listener are excluded from the back/forward cache.
    if (unsavedChecks.size === 0) removeEventListener("beforeunload", warnBeforeUnload);
  };
}
