/** What can be measured of the checklist for pages: each function returns sentences about what is wrong. */
import type { Page } from "playwright-core";
import { LIVE_REGIONS } from "../accessible.ts";

const INTERACTIVE =
  "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=menuitem], [role=option]";

/** Shared by the functions that run in the page. */
const HELPERS = `
  const nameOf = (element) => {
    const name = element.getAttribute("aria-label") || element.labels?.[0]?.textContent || element.textContent || element.name || "";
    return element.localName + (element.className ? "." + element.className : "") + " “" + name.trim().replace(/\\s+/g, " ").slice(0, 40) + "”";
  };
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
  /** Only what a modal dialog contains can be used while it is open. */
  const within = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document;
  const interactive = [...within.querySelectorAll(${JSON.stringify(INTERACTIVE)})].filter((each) => isShown(each) && !each.closest("[inert]"));
`;

const inPage = (page: Page, body: string): Promise<string[]> =>
  page.evaluate<string[]>(`(async () => { ${HELPERS} const found = []; ${body} return found; })()`);

/** A page is not wider than its window. */
export const tooWide = (page: Page): Promise<string[]> =>
  inPage(
    page,
    `const { scrollWidth } = document.documentElement;
    if (scrollWidth > innerWidth) found.push("the page is " + scrollWidth + " px wide in a window of " + innerWidth + " px");`,
  );

/** A page has one live region at most, and each id once. */
export const repeated = (page: Page): Promise<string[]> =>
  inPage(
    page,
    `const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    for (const id of new Set(ids.filter((id, at) => ids.indexOf(id) !== at))) found.push("the id " + id + " occurs twice");
    const live = [...document.querySelectorAll(${JSON.stringify(LIVE_REGIONS)})];
    if (live.length > 1) found.push("live regions: " + live.map(nameOf).join(", "));`,
  );

/** A page has one filled button at most: its primary action. */
export const filled = (page: Page): Promise<string[]> =>
  inPage(
    page,
    `const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = "var(--accent)";
    const accent = getComputedStyle(probe).color;
    probe.remove();
    const isCovered = (element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      return hit !== null && !element.contains(hit);
    };
    const buttons = interactive.filter((each) =>
      each.matches("button, .button, input") && getComputedStyle(each).backgroundColor === accent && !isCovered(each));
    if (buttons.length > 1) found.push("several filled buttons: " + buttons.map(nameOf).join(", "));`,
  );

/** Bars with a height of 48 px on touch screens: their buttons are smaller, and bars have no other targets above or below. */
const BARS = ".top-bar, [role=toolbar], .toolbar, .view-chips, .chip";
const BAR_PX = 40;

/**
 * Controls are at least as large as a fingertip: the area that a tap reaches, with labels. Links in texts are as
 * high as their lines.
 */
export const tooSmall = (page: Page, px: number): Promise<string[]> =>
  inPage(
    page,
    `const isInText = (element) => element.localName === "a" && getComputedStyle(element).display === "inline";
    /** The extent of the area that belongs to an element, along a line through its middle. */
    const extent = (element, x, y, dx, dy) => {
      let size = 0;
      const labels = [...(element.labels ?? [])];
      const parts = [element, ...labels];
      const belongs = (hit) => hit !== null && parts.some((part) => part === hit || part.contains(hit));
      for (const sign of [-1, 1]) {
        for (let step = 0; step <= ${px}; step++) {
          const hit = document.elementFromPoint(x + sign * step * dx, y + sign * step * dy);
          if (!belongs(hit)) break;
          size++;
        }
      }
      return size - 1;
    };
    for (const element of interactive) {
      if (isInText(element) || element.disabled || element.closest(".unseen, .skip")) continue;
      (element.labels?.[0] ?? element).scrollIntoView({ block: "center", inline: "nearest" });
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      const hit = document.elementFromPoint(x, y);
      // Covered, or outside of the window.
      if (!hit || !(element.contains(hit) || [...(element.labels ?? [])].some((label) => label.contains(hit)))) continue;
      const width = Math.max(right - left, extent(element, x, y, 1, 0));
      const height = Math.max(bottom - top, extent(element, x, y, 0, 1));
      const least = element.closest(${JSON.stringify(BARS)}) ? Math.min(${px}, ${BAR_PX}) : ${px};
      // A link is as wide as its text.
      if (Math.min(element.localName === "a" ? least : width, height) < least - 0.6) found.push(nameOf(element) + " is " + Math.round(width) + " × " + Math.round(height) + " px");
    }`,
  );

/** Phones zoom into fields with smaller text. */
export const zooming = (page: Page): Promise<string[]> =>
  inPage(
    page,
    `for (const field of interactive) {
      if (!field.matches("textarea, select, input:not([type=checkbox]):not([type=radio]):not([type=file])")) continue;
      const size = parseFloat(getComputedStyle(field).fontSize);
      if (size < 16) found.push(nameOf(field) + " has text of " + size + " px");
    }`,
  );

const OPACITY = `
  const opacityOf = (element) => {
    let opacity = 1;
    for (let at = element; at !== null; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
    return opacity;
  };
`;

/** Without a mouse nothing is shown on hover. */
export const hiddenUntilHover = (page: Page): Promise<string[]> =>
  inPage(
    page,
    `${OPACITY}
    for (const element of interactive) {
      if (element.matches("input[type=file], .unseen, .skip")) continue;
      if (opacityOf(element) < 0.5) found.push(nameOf(element) + " is invisible on touch screens");
    }`,
  );

/** A focused control is visible and shows a ring. */
export const unseenFocus = (page: Page): Promise<string[]> =>
  inPage(
    page,
    `${OPACITY}
    const before = document.activeElement;
    const ringOf = (element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
    };
    // A part of a control may show the ring in place of the focused element.
    // The editor of a cell shows the focus by its border.
    const hasRing = (element) => element.closest(".grid .editor") || ringOf(element) || [element.parentElement, element.closest("label"), element.nextElementSibling, element.firstElementChild, element.closest(".card-field .editor")]
      .some((each) => each && ringOf(each));
    const focusable = interactive.concat([...within.querySelectorAll("[tabindex='0']")].filter(isShown));
    for (const element of new Set(focusable)) {
      if (element.disabled) continue;
      // An element that a click has focused shows no ring.
      document.activeElement?.blur();
      element.focus({ focusVisible: true, preventScroll: true });
      if (document.activeElement !== element) continue;
      if (!hasRing(element)) found.push(nameOf(element) + " shows no focus ring");
      else if (opacityOf(element) < 0.5) found.push(nameOf(element) + " is invisible with the focus");
    }
    before?.focus?.({ preventScroll: true });`,
  );
