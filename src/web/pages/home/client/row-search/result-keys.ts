/** Keys of the search: arrows move through the results, the documents first, and Escape leads back to the field. */

/** Links to the found documents and rows, in their order on the page. */
const RESULTS = "#home [data-doc]:not([hidden]) .name a, #row-results li a";

const visibleResults = (): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>(RESULTS)].filter((link) => link.checkVisibility());

export function moveThroughResults(field: HTMLInputElement, section: HTMLElement): void {
  field.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" || field.value.trim() === "") return;
    event.preventDefault();
    visibleResults()[0]?.focus();
  });
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (field.value.trim() === "" || !(target instanceof HTMLElement) || !target.matches(RESULTS)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (key === "Escape") return field.select();
    const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const results = visibleResults();
    // Above the first result is the field.
    (results[results.indexOf(target) + step] ?? (step < 0 ? field : target)).focus();
  });
  // Enter in the field focuses the first document; without one, the first row.
  field.form?.addEventListener("submit", () => {
    if (document.activeElement === field && field.value.trim() !== "")
      section.querySelector<HTMLElement>("li a")?.focus();
  });
}
