/** Warns before a page is left with something unsaved on it. */

const checks = new Set<() => boolean>();

function warn(event: BeforeUnloadEvent): void {
  if ([...checks].some((isUnsaved) => isUnsaved())) event.preventDefault();
}

/**
 * From now on the browser asks before the page is left while `isUnsaved` says so. Answers what ends that.
 */
export function watchUnsaved(isUnsaved: () => boolean): () => void {
  if (checks.size === 0) addEventListener("beforeunload", warn);
  checks.add(isUnsaved);
  return () => {
    checks.delete(isUnsaved);
    // Browsers keep pages with such a listener out of their cache for going back.
    if (checks.size === 0) removeEventListener("beforeunload", warn);
  };
}
