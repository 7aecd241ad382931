/** F6 and Shift+F6 move between the regions of a page, as in desktop programs. */
import { findOptional } from "./dom.ts";
import { FOCUSABLE } from "./focus.ts";

/** In the order of the keys. A region inside of another one is a region of its own. */
const FIRST: readonly string[] = ["#sidebar", ".top-bar", ".view-bar, .section-tabs"];
const LAST: readonly string[] = [".layout-bar", ".tray-buttons", ".panel"];

/** Of a table, among several only those of the active one; all have their rows. */
const SHEET_TOOLS: readonly string[] = [".toolbar", ".chips"];
const FORM_BUILDER: readonly string[] = [".builder-bar", "#form-parts", "#form-canvas"];

/** Where the focus was in each region. */
const lastFocused = new WeakMap<HTMLElement, HTMLElement>();

export function initRegions(): void {
  document.addEventListener("focusin", ({ target }) => {
    const region = target instanceof HTMLElement ? regionOf(target) : undefined;
    if (region) lastFocused.set(region, target as HTMLElement);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "F6" || event.ctrlKey || event.altKey || event.metaKey) return;
    // The rest of the page cannot be reached from a modal dialog.
    if (findOptional("dialog:modal")) return;
    event.preventDefault();
    moveFocus(event.shiftKey ? -1 : 1);
  });
}

function moveFocus(step: 1 | -1): void {
  const regions = findRegions();
  const current = document.activeElement instanceof HTMLElement ? regionOf(document.activeElement) : undefined;
  const at = current ? regions.indexOf(current) : step === 1 ? -1 : regions.length;
  for (let moved = 1; moved <= regions.length; moved++) {
    const region = regions[(at + step * moved + regions.length * 2) % regions.length];
    const target = region && targetIn(region);
    if (!target) continue;
    target.focus();
    return;
  }
}

function findRegions(): HTMLElement[] {
  const found = (selector: string, within: ParentNode = document): HTMLElement[] =>
    [...within.querySelectorAll<HTMLElement>(selector)].filter((each) => each.checkVisibility());
  const sheets = found(".sheet").flatMap((sheet) => {
    const leaf = sheet.closest(".leaf");
    const tools = leaf && !leaf.classList.contains("active") ? [] : SHEET_TOOLS;
    return [...tools, ".grid-host, .placeholder"].flatMap((selector) => found(selector, sheet));
  });
  const parts = [...sheets, ...FORM_BUILDER.flatMap((selector) => found(selector))];
  // The parts are regions in place of the content that contains them.
  const content = parts.length > 0 ? parts : found("#content");
  return [...FIRST.flatMap((selector) => found(selector)), ...content, ...LAST.flatMap((selector) => found(selector))];
}

/** The innermost region. */
function regionOf(element: HTMLElement): HTMLElement | undefined {
  return findRegions().findLast((region) => region.contains(element));
}

/** Where the focus was, else the first control; the region itself if it has none. */
function targetIn(region: HTMLElement): HTMLElement | null {
  const last = lastFocused.get(region);
  if (last && canFocus(last, region)) return last;
  const first = [...region.querySelectorAll<HTMLElement>(FOCUSABLE)].find((each) => canFocus(each, region));
  return first ?? (region.hasAttribute("tabindex") ? region : null);
}

const canFocus = (element: HTMLElement, region: HTMLElement): boolean =>
  element.isConnected &&
  element.tabIndex >= 0 &&
  element.checkVisibility() &&
  !element.matches(":disabled, [type=hidden]") &&
  regionOf(element) === region;
