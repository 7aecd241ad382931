/** Warns before a page is left with something unsaved on it. */

const unsavedChecks = new Set<() => boolean>();

function warnBeforeUnload(event: BeforeUnloadEvent): void {
  if ([...unsavedChecks].some((isUnsaved) => isUnsaved())) event.preventDefault();
}

/**
 * From now on the browser asks before the page is left while `isUnsaved` says so. Answers what ends that.
 */
export function watchUnsaved(isUnsaved: () => boolean): () => void {
  if (unsavedChecks.size === 0) addEventListener("beforeunload", warnBeforeUnload);
  unsavedChecks.add(isUnsaved);
  return () => {
    unsavedChecks.delete(isUnsaved);
    // Browsers keep pages with such a listener out of their cache for going back.
    if (unsavedChecks.size === 0) removeEventListener("beforeunload", warnBeforeUnload);
  };
}
