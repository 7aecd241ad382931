/** Marks the element that takes what is dragged over it, and no other; null for none. */
export function markDropTarget(target: HTMLElement | null): void {
  for (const each of document.querySelectorAll(".dropping")) if (each !== target) each.classList.remove("dropping");
  target?.classList.add("dropping");
}
