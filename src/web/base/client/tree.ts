/**
 * Makes nested lists of links a tree: one tab stop, arrow keys move, Enter opens, and the menu of an entry opens with
 * its button, Shift+F10 or the menu key. Pattern: https://www.w3.org/WAI/ARIA/apg/patterns/treeview/
 */
import { findOptional, newId } from "./dom.ts";

/** Asks for the menu of an entry; its button has this attribute. */
const MENU_BUTTON = "[data-menu]";
/** Folds an entry, for pointers. */
const FOLD_BUTTON = "[data-fold]";
/** Dispatched by an entry that was folded or unfolded. */
export const FOLD_EVENT = "treefold";

/** Can be repeated after entries have changed. */
export function initTree(list: HTMLElement): void {
  list.setAttribute("role", "tree");
  const label = list.closest("nav")?.getAttribute("aria-label");
  if (label) list.setAttribute("aria-label", label);
  for (const group of list.querySelectorAll("ul")) {
    group.setAttribute("role", "group");
    group.parentElement?.setAttribute("role", "none");
  }
  const items = itemsOf(list);
  const current = items.find((item) => linkOf(item)?.ariaCurrent === "page");
  for (const item of items) {
    item.setAttribute("role", "treeitem");
    item.setAttribute("aria-level", String(levelOf(item, list)));
    if (groupOf(item)) {
      // The server renders folded entries without a role, of which this attribute would be invalid.
      const initial = "folded" in item.dataset ? "false" : "true";
      item.setAttribute("aria-expanded", item.getAttribute("aria-expanded") ?? initial);
      delete item.dataset["folded"];
    }
    if (item === current) item.setAttribute("aria-current", "page");
    else item.removeAttribute("aria-current");
    item.tabIndex = -1;
    for (const control of item.querySelectorAll<HTMLElement>(":scope > .entry :is(a, button)")) control.tabIndex = -1;
    // Without the name of its menu button.
    const name = nameOf(item);
    if (!name) continue;
    name.id ||= newId("entry");
    item.setAttribute("aria-labelledby", name.id);
  }
  const place = placeOf(list);
  const stops = stopsOf(place);
  setStop(place, stops.find((stop) => stop.ariaCurrent === "page") ?? stops.find((stop) => stop.matches("li")));
  if (withKeys.has(place)) return;
  withKeys.add(place);
  place.addEventListener("keydown", (event) => handleKey(place, event));
  place.addEventListener("click", ({ target }) => {
    const item = target instanceof Element && target.closest(FOLD_BUTTON)?.closest<HTMLElement>(ITEM);
    if (item) fold(item, item.getAttribute("aria-expanded") === "true");
  });
}

/** Elements that handle the keys of their trees already. */
const withKeys = new WeakSet<HTMLElement>();

/** The trees of a sidebar have one tab stop together: arrow keys move from one to the next. */
const placeOf = (list: HTMLElement): HTMLElement => list.closest<HTMLElement>(".sidebar") ?? list;

/** What arrow keys move between: entries, the titles that fold a list, and the buttons that add an entry. */
const stopsOf = (place: HTMLElement): HTMLElement[] => [
  ...place.querySelectorAll<HTMLElement>("[role=treeitem], .sidebar-group summary, button.add"),
];

/** An entry, not the list below one. */
const ITEM = "li:not(.below)";

const itemsOf = (list: HTMLElement): HTMLElement[] => [...list.querySelectorAll<HTMLElement>(ITEM)];
/** The entries below an entry. */
const groupOf = ({ nextElementSibling: next }: HTMLElement): HTMLElement | null =>
  next instanceof HTMLElement && next.matches(".below") ? next : null;
const linkOf = (item: HTMLElement): HTMLAnchorElement | null => findOptional(":scope > .entry a", item);
const nameOf = (item: HTMLElement): HTMLElement | null => findOptional(":scope > .entry .name", item);
const parentOf = (item: HTMLElement): HTMLElement | null =>
  (item.parentElement?.closest(".below")?.previousElementSibling ?? null) as HTMLElement | null;

function levelOf(item: HTMLElement, list: HTMLElement): number {
  let level = 1;
  for (let parent = parentOf(item); parent && list.contains(parent); parent = parentOf(parent)) level++;
  return level;
}

const isVisible = (item: HTMLElement): boolean => item.checkVisibility();

function handleKey(place: HTMLElement, event: KeyboardEvent): void {
  const item = event.target as HTMLElement;
  const visible = stopsOf(place).filter(isVisible);
  const at = visible.indexOf(item);
  // Buttons and fields inside of an entry have their own keys, and so have the commands of entries.
  if (at < 0 || event.altKey) return;
  if (item.matches("summary") && foldList(item, event)) return;
  if (!item.matches("li") && !["ArrowDown", "ArrowUp", "Home", "End"].includes(event.key)) return;
  const isOpen = item.getAttribute("aria-expanded");
  const handlers: Record<string, () => void> = {
    ArrowDown: () => focusItem(place, visible[at + 1]),
    ArrowUp: () => focusItem(place, visible[at - 1]),
    Home: () => focusItem(place, visible[0]),
    End: () => focusItem(place, visible.at(-1)),
    ArrowRight: () => (isOpen === "false" ? fold(item, false) : focusItem(place, childOf(item))),
    ArrowLeft: () => (isOpen === "true" ? fold(item, true) : focusItem(place, parentOf(item) ?? undefined)),
    Enter: () => linkOf(item)?.click(),
    ContextMenu: () => openMenuOf(item),
    ...(event.shiftKey && { F10: () => openMenuOf(item) }),
  };
  const handler =
    handlers[event.key] ?? (isLetter(event) ? () => focusItem(place, nextWith(event.key, visible, at)) : null);
  if (!handler) return;
  event.preventDefault();
  handler();
}

/** Hides or shows the list below its title. Returns false for other keys. */
function foldList(title: HTMLElement, event: KeyboardEvent): boolean {
  const list = title.closest("details");
  if (!list || (event.key !== "ArrowRight" && event.key !== "ArrowLeft")) return false;
  event.preventDefault();
  list.open = event.key === "ArrowRight";
  return true;
}

/** Hides or shows the entries below an entry. */
function fold(item: HTMLElement, isFolded: boolean): void {
  item.setAttribute("aria-expanded", String(!isFolded));
  item.dispatchEvent(new CustomEvent(FOLD_EVENT, { bubbles: true }));
}

const isLetter = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  /^\S$/u.test(key) && !ctrlKey && !metaKey && !altKey;

const childOf = (item: HTMLElement): HTMLElement | undefined =>
  groupOf(item)?.querySelector<HTMLElement>(ITEM) ?? undefined;

/** Returns the next entry whose name begins with a letter. */
function nextWith(letter: string, items: readonly HTMLElement[], at: number): HTMLElement | undefined {
  const ordered = [...items.slice(at + 1), ...items.slice(0, at)];
  return ordered.find((item) => nameOf(item)?.textContent?.toLocaleLowerCase().startsWith(letter.toLocaleLowerCase()));
}

const openMenuOf = (item: HTMLElement): void => findOptional(`:scope > .entry ${MENU_BUTTON}`, item)?.click();

function focusItem(place: HTMLElement, item: HTMLElement | undefined): void {
  if (!item) return;
  setStop(place, item);
  item.focus();
}

function setStop(place: HTMLElement, stop: HTMLElement | undefined): void {
  for (const each of stopsOf(place)) each.tabIndex = each === stop ? 0 : -1;
}
