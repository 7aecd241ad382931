/** Menus of buttons: arrow keys navigate, Escape and a click outside close. */
import { contentChildren, h, icon, newId, type Content } from "./dom.ts";
import type { IconName } from "../icons.ts";

export interface MenuItem {
  readonly label: Content;
  readonly icon?: IconName;
  /** The action, or the URL of a link. */
  readonly run?: () => void;
  readonly href?: string;
  readonly isDangerous?: boolean;
  /** Why the item is disabled, shown beside it. */
  readonly unavailable?: string | undefined;
}

const WINDOW_MARGIN_PX = 8;

/** Opens a menu on click; its items are computed each time. */
export function attachMenu(button: HTMLElement, items: () => readonly MenuItem[]): void {
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
export function openMenu(button: HTMLElement, items: readonly MenuItem[], at?: { x: number; y: number }): () => void {
  const close = (focus = true) => {
    if (!menu.isConnected) return;
    menu.remove();
    button.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", closeOnOutsideClick, true);
    window.removeEventListener("scroll", closeOnScroll, true);
    if (focus) button.focus();
  };
  const closeOnOutsideClick = (event: Event) => {
    if (!menu.contains(event.target as Node)) close(false);
  };
  const { top, left } = button.getBoundingClientRect();
  // Scroll events arrive late: scrolling that ended before the menu opened is ignored.
  const closeOnScroll = () => {
    const now = button.getBoundingClientRect();
    if (Math.abs(now.top - top) + Math.abs(now.left - left) > 1) close(false);
  };
  const menu = h("div", { class: "menu-items", role: "menu", id: newId("menu"), tabindex: -1 });
  menu.append(...items.map((item) => menuItemElement(item, close)));
  menu.addEventListener("keydown", (event) => handleMenuKey(menu, event, close));
  // An element outside of an open modal dialog would be inert; outside of all landmarks it would fail accessibility
  // checks.
  (button.closest("dialog, main") ?? document.body).append(menu);
  button.setAttribute("aria-expanded", "true");
  positionMenu(menu, at ?? button.getBoundingClientRect());
  document.addEventListener("pointerdown", closeOnOutsideClick, true);
  window.addEventListener("scroll", closeOnScroll, true);
  menuItemElements(menu)[0]?.focus();
  return close;
}

function menuItemElement(item: MenuItem, close: (focus?: boolean) => void): HTMLElement {
  const { label, href, run, isDangerous = false, unavailable } = item;
  const content = [
    item.icon && icon(item.icon),
    h("span", {}, ...contentChildren(label)),
    unavailable && h("small", {}, unavailable),
  ];
  const shared = { role: "menuitem", tabindex: -1, class: isDangerous ? "danger" : null };
  if (href !== undefined) return h("a", { ...shared, href }, ...content);
  const choose = () => {
    if (unavailable !== undefined) return;
    close();
    run?.();
  };
  const disabled = unavailable === undefined ? null : "true";
  return h("button", { ...shared, type: "button", "aria-disabled": disabled, onclick: choose }, ...content);
}

const menuItemElements = (menu: Element): HTMLElement[] => [...menu.querySelectorAll<HTMLElement>("[role=menuitem]")];

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
  if (event.key === "Escape" || event.key === "Tab") {
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

/** Below its anchor, or above where there is more room; always inside the window. */
function positionMenu(menu: HTMLElement, anchor: DOMRect | { x: number; y: number }): void {
  const box = anchor instanceof DOMRect ? anchor : new DOMRect(anchor.x, anchor.y, 0, 0);
  const { offsetWidth: width, offsetHeight: height } = menu;
  const { innerWidth, innerHeight } = window;
  const left = box.left + width > innerWidth - WINDOW_MARGIN_PX ? box.right - width : box.left;
  const isBelow = box.bottom + height + WINDOW_MARGIN_PX <= innerHeight || box.top < height;
  menu.style.left = `${Math.max(WINDOW_MARGIN_PX, left)}px`;
  menu.style.top = `${Math.max(WINDOW_MARGIN_PX, isBelow ? Math.min(box.bottom + 4, innerHeight - height - WINDOW_MARGIN_PX) : box.top - height - 4)}px`;
}
