/** F6 and Shift+F6 move between the regions of a page, as in desktop programs. */
import { findOptional } from "./dom.ts";

/** In the order of the keys. A region inside of another one is a region of its own. */
const REGIONS: readonly string[] = [
  "#sidebar",
  ".top-bar",
  "#toolbar, .builder-bar",
  "#sheet-view, #form-parts",
  "#grid-host, #form-canvas, #content",
  ".panel",
];

const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

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
  const regions = REGIONS.map(findRegion).filter((region) => region !== null);
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

/** The grid of a table is a region in place of the content that contains it. */
function findRegion(selector: string): HTMLElement | null {
  for (const each of selector.split(", ")) {
    const found = findOptional(each);
    if (found?.checkVisibility()) return found;
  }
  return null;
}

/** The innermost region. */
function regionOf(element: HTMLElement): HTMLElement | undefined {
  return REGIONS.map(findRegion)
    .filter((region) => region !== null)
    .findLast((region) => region.contains(element));
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
