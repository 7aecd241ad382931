/**
 * Makes a row of controls a toolbar: one tab stop, and arrow keys move between its controls.
 * Pattern: https://www.w3.org/WAI/ARIA/apg/patterns/toolbar/
 */

const CONTROLS = "button, a[href]";

/** Follows controls that are added, hidden or disabled later. The element may be attached later, too. */
export function initToolbar(element: HTMLElement, label: string): void {
  element.setAttribute("role", "toolbar");
  element.setAttribute("aria-label", label);
  const controls = () =>
    [...element.querySelectorAll<HTMLElement>(CONTROLS)].filter(
      // The browser does not focus a disabled control: the keys would end there.
      (control) => (control.checkVisibility() || !element.isConnected) && !control.matches(":disabled"),
    );
  const setStop = (control: HTMLElement | undefined) => {
    for (const each of element.querySelectorAll<HTMLElement>(CONTROLS)) each.tabIndex = each === control ? 0 : -1;
  };
  const keepStop = () => {
    const all = controls();
    if (!all.some(({ tabIndex }) => tabIndex === 0) || all.filter(({ tabIndex }) => tabIndex === 0).length > 1)
      setStop(all.find((control) => control === document.activeElement) ?? all[0]);
  };
  new MutationObserver(keepStop).observe(element, {
    childList: true,
    subtree: true,
    attributeFilter: ["hidden", "disabled"],
  });
  keepStop();
  element.addEventListener("focusin", ({ target }) => setStop(target as HTMLElement));
  element.addEventListener("keydown", (event) => {
    const all = controls();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const isReversed = getComputedStyle(element).direction === "rtl";
    const steps: Record<string, number> = {
      ArrowRight: at + (isReversed ? -1 : 1),
      ArrowLeft: at - (isReversed ? -1 : 1),
      Home: 0,
      End: all.length - 1,
    };
    const next = steps[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    all[(next + all.length) % all.length]?.focus();
  });
}
