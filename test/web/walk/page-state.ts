/** Reads the state of a page after an action: what can be clicked, and what is wrong. Runs in the page. */
import type { Page } from "playwright-core";
import { LIVE_REGIONS } from "../accessible.ts";

/** Something that a person can click: visible, enabled and not covered. */
export interface Target {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly isField: boolean;
  /** Whether it leads to another part of the page, where the browser continues without an element in focus. */
  readonly isFragment: boolean;
  /** What is open above the page comes first, and links are not more frequent than other controls. */
  readonly group: "layer" | "link" | "cell" | "control";
}

export interface PageState {
  readonly targets: readonly Target[];
  /** The focused element, or null for the body. */
  readonly focus: string | null;
  /** Whether the focus is the first or the last element that Tab reaches: the next one is the browser's own. */
  readonly isAtEdge: boolean;
  /** Whether the last press of a mouse button met something that can be clicked: the page may have been scrolling. */
  readonly wasPressed: boolean;
  /** Whether Enter on the focused element does not end the walk. */
  readonly canPress: boolean;
  /** Whether the focused element leads to another part of the page. */
  readonly isOnFragment: boolean;
  /** Visible messages. */
  readonly messages: readonly string[];
  /** Differs after each navigation. */
  readonly documentId: number;
  readonly problems: string[];
}

/** Where pages show messages about refused requests. */
const MESSAGES = [
  "[role=alert]",
  ".toast",
  ".problem",
  ".field-problem",
  ".note",
  "[aria-invalid=true]",
  ".loaded-rows",
].join(", ");

const CLICKABLE = [
  "a[href]",
  "button",
  "input:not([type=hidden]):not([type=file])",
  "select",
  "textarea",
  "summary",
  "[role=gridcell]",
  "[role=columnheader]",
  "[role=rowheader]",
  "[role^=menuitem]",
  "[role=option]",
  "[role=tab]",
].join(", ");

/** What is open above a page or beside its content. */
const LAYERS = "dialog, [role=dialog], [role=menu], [role=listbox], .panel, .editor, details.menu[open] nav";

const NAME_OF = `const nameOf = (element) => {
    const text = element.getAttribute("aria-label") || element.labels?.[0]?.textContent || element.textContent || element.name || "";
    const role = element.getAttribute("role") || element.localName;
    return role + " “" + text.trim().replace(/\\s+/g, " ").slice(0, 60) + "”";
  };`;

const READ = `(() => {
  ${NAME_OF}
  const isVisible = (element) => element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
  const targetOf = (element, x, y) => ({
    name: nameOf(element),
    x,
    y,
    isField: element.matches("textarea, input:not([type=checkbox]):not([type=radio])"),
    group: element.closest(${JSON.stringify(LAYERS)}) ? "layer"
      : element.localName === "a" ? "link"
      : element.getAttribute("role") === "gridcell" ? "cell"
      : "control",
    isFragment: element.localName === "a" && element.hash !== "",
    href: element.localName === "a" ? element.href : "",
    action: element.form?.getAttribute("action") ?? "",
  });
  const targets = [];
  for (const element of document.querySelectorAll(${JSON.stringify(CLICKABLE)})) {
    if (element.disabled || !isVisible(element)) continue;
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2;
    const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2;
    const hit = document.elementFromPoint(x, y);
    if (!hit || !(element === hit || element.contains(hit))) continue;
    targets.push(targetOf(element, x, y));
  }
  const at = document.activeElement;
  const isOnBody = !at || at === document.body || at === document.documentElement;
  const within = document.querySelector("dialog:modal") ?? document;
  const focusable = [...within.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
    .filter((each) => each.tabIndex >= 0 && !each.disabled && isVisible(each));
  const messages = [...document.querySelectorAll(${JSON.stringify(MESSAGES)})]
    .filter((each) => isVisible(each) && (each.textContent.trim() !== "" || each.matches("[aria-invalid=true]")))
    .map((each) => each.textContent.trim().slice(0, 200));
  const problems = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) {
    const wide = [...document.body.querySelectorAll("*")].filter((each) => each.getBoundingClientRect().right > innerWidth + 1);
    problems.push("the page is " + scrollWidth + " px wide in a window of " + innerWidth + " px: " +
      wide.slice(-3).map((each) => each.localName + "." + each.className).join(", "));
  }
  const ids = new Set();
  for (const { id } of document.querySelectorAll("[id]")) {
    if (ids.has(id)) problems.push("the id “" + id + "” occurs twice");
    ids.add(id);
  }
  const live = [...document.querySelectorAll(${JSON.stringify(LIVE_REGIONS)})].map((each) => each.localName + (each.id && "#" + each.id));
  if (live.length > 1) problems.push("several live regions: " + live.join(", "));
  if (window.wasRun !== undefined || document.querySelector(".was-made")) problems.push("a name was interpreted as HTML");
  window.walkedDocument ??= Math.random();
  return {
    targets,
    focus: isOnBody ? null : nameOf(at),
    isAtEdge: isOnBody || at === focusable[0] || at === focusable.at(-1) || !focusable.includes(at),
    wasPressed: window.pressedTarget === true,
    focused: isOnBody ? null : targetOf(at, 0, 0),
    messages,
    documentId: window.walkedDocument,
    problems,
  };
})()`;

interface RawTarget extends Target {
  readonly href: string;
  readonly action: string;
}

/** What would end the walk: signing out, and permanent deletion or loss of the document. */
const EXCLUDED = /sign out|delete permanently|move to trash|leave|back up now/i;
const EXCLUDED_ACTIONS = /sign-out|sessions\/end|admin\/users\//;
/** Addresses that are no pages. */
const NOT_PAGES = /^\/(api|openapi\.json|assets)\b/;

const isAllowed = ({ name, href, action }: RawTarget, origin: string): boolean => {
  if (EXCLUDED.test(name) || EXCLUDED_ACTIONS.test(action)) return false;
  if (href === "") return true;
  return URL.canParse(href) && new URL(href).origin === origin && !NOT_PAGES.test(new URL(href).pathname);
};

type RawState = Omit<PageState, "targets"> & { targets: RawTarget[]; focused: RawTarget | null };

export async function readState(page: Page): Promise<PageState> {
  const { targets, focused, ...state } = await page.evaluate<RawState>(READ);
  const { origin } = new URL(page.url());
  return {
    ...state,
    targets: targets.filter((target) => isAllowed(target, origin)),
    canPress: focused === null || isAllowed(focused, origin),
    isOnFragment: focused?.isFragment ?? false,
  };
}

/** Records what the mouse meets; runs in every page before its scripts. */
export const RECORD_PRESSES = `addEventListener("mousedown", ({ target }) => {
  window.pressedTarget = target.closest?.(${JSON.stringify(CLICKABLE)}) != null;
}, true)`;

/** Whether a target is still what a click at its place meets: the page may have changed since it was read. */
export async function isStillThere(page: Page, { x, y, name }: Target): Promise<boolean> {
  const found = page.evaluate<boolean>(`(() => {
    ${NAME_OF}
    const hit = document.elementFromPoint(${x}, ${y})?.closest(${JSON.stringify(CLICKABLE)});
    return !!hit && nameOf(hit) === ${JSON.stringify(name)};
  })()`);
  // A navigation has begun.
  return found.catch(() => false);
}
