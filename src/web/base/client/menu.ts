/** Menus of buttons: arrow keys navigate, Escape and a click outside close. */
import { contentChildren, h, icon, type Content } from "./dom.ts";
import { keyText } from "./keys/key-text.ts";
import { openPopover } from "./popover.ts";
import type { IconName } from "../icons.ts";

export interface MenuItem {
  readonly label: Content;
  readonly icon?: IconName | undefined;
  /** The action, or the URL of a link. */
  readonly run?: () => void;
  readonly href?: string;
  readonly isDangerous?: boolean;
  /** The shortcut, such as `Ctrl+D`, shown at the end. */
  readonly keys?: string;
  /** Whether a line separates it from the items before. */
  readonly startsGroup?: boolean;
  /** Of an item that is one of several choices: whether it is the present one. */
  readonly isChosen?: boolean;
  /** Why the item is disabled, shown beside it. */
  readonly unavailable?: string | undefined;
  /** The keys of the same command, as in tables of keys: `Ctrl+Shift+V`. */
  readonly shortcut?: string | undefined;
}

/** Items, and the lines between groups of them. */
export type MenuEntry = MenuItem | "separator";

/** Opens a menu on click; its items are computed each time. */
export function attachMenu(button: HTMLElement, items: () => readonly MenuEntry[]): void {
  button.setAttribute("aria-haspopup", "menu");
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", (event) => {
    event.preventDefault();
    event.stopPropagation();
    if (button.getAttribute("aria-expanded") === "true") return;
    openMenu(button, items());
  });
  button.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") {
      event.preventDefault();
      button.click();
    }
  });
}

/** Opens a menu at a button, or at a point of the window. Returns a function that closes it. */
export function openMenu(button: HTMLElement, items: readonly MenuEntry[], at?: { x: number; y: number }): () => void {
  const close = () => popover.close();
  const hasIcons = items.some((item) => item !== "separator" && item.icon !== undefined);
  const popover = openPopover(button, {
    attributes: { class: "menu-items", role: "menu" },
    content: items.map((item) =>
      item === "separator" ? h("hr", { role: "separator" }) : menuItemElement(item, { close, hasIcons }),
    ),
    at,
  });
  const menu = popover.element;
  menu.addEventListener("keydown", (event) => handleMenuKey(menu, event, close));
  // Of several choices, the present one.
  (menu.querySelector<HTMLElement>("[aria-checked=true]") ?? menuItemElements(menu)[0])?.focus();
  return popover.close;
}

/** Returns what is before a label. All labels of a menu begin at the same place. */
function markOf({ icon: name, isChosen }: MenuItem, hasIcons: boolean): HTMLElement | SVGElement | false {
  if (isChosen !== undefined) return h("span", { class: "choice-mark" }, isChosen && icon("check"));
  return name ? icon(name) : hasIcons && h("span", { class: "choice-mark" });
}

function menuItemElement(item: MenuItem, { close, hasIcons }: { close: () => void; hasIcons: boolean }): HTMLElement {
  const { label, href, run, isDangerous = false, isChosen, unavailable, shortcut } = item;
  const content = [
    markOf(item, hasIcons),
    h("span", {}, ...contentChildren(label)),
    unavailable && h("small", {}, unavailable),
    // Part of its name otherwise.
    shortcut !== undefined && h("kbd", { "aria-hidden": "true", translate: "no" }, keyText(shortcut)),
  ];
  const role = isChosen === undefined ? "menuitem" : "menuitemradio";
  const shared = {
    role,
    "aria-checked": isChosen?.toString(),
    "aria-keyshortcuts": shortcut?.replace("Ctrl", "Control"),
    tabindex: -1,
    class: isDangerous ? "danger" : null,
  };
  if (href !== undefined) return h("a", { ...shared, href }, ...content);
  const choose = () => {
    if (unavailable !== undefined) return;
    close();
    run?.();
  };
  const disabled = unavailable === undefined ? null : "true";
  return h("button", { ...shared, type: "button", "aria-disabled": disabled, onclick: choose }, ...content);
}

const menuItemElements = (menu: Element): HTMLElement[] => [...menu.querySelectorAll<HTMLElement>("[role^=menuitem]")];

function handleMenuKey(menu: HTMLElement, event: KeyboardEvent, close: () => void): void {
  const all = menuItemElements(menu);
  const now = all.indexOf(document.activeElement as HTMLElement);
  const steps: Record<string, number> = {
    ArrowDown: (now + 1) % all.length,
    ArrowUp: (now + all.length - 1) % all.length,
    Home: 0,
    End: all.length - 1,
  };
  const next = steps[event.key] ?? findByFirstLetter(all, event.key, now);
  if (event.key === "Tab") {
    event.preventDefault();
    event.stopPropagation();
    close();
  } else if (next >= 0) {
    event.preventDefault();
    all[next]?.focus();
  }
}

/** Returns the index of the next item that begins with a letter; -1 when none does. */
function findByFirstLetter(all: readonly HTMLElement[], key: string, now: number): number {
  if (key.length !== 1 || key === " ") return -1;
  const begins = (at: number) => all[at % all.length]?.textContent?.toLowerCase().startsWith(key.toLowerCase());
  const found = all.findIndex((_, offset) => begins(now + 1 + offset));
  return found < 0 ? -1 : (now + 1 + found) % all.length;
}
