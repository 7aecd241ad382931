/**
 * Fits the tools of a toolbar into its width: first texts are hidden, from the right, then tools move
 * into a menu, whose button then shows how many of them are set.
 */
import { h } from "./dom.ts";
import { attachMenu, type MenuItem } from "./menu.ts";
import { t } from "./texts.ts";

export interface FittedTool {
  readonly button: HTMLElement;
  /** The tool in the menu. */
  readonly item: () => MenuItem;
  /** Never moves into the menu. */
  readonly stays?: boolean;
  /** Is always in the menu on phones. */
  readonly isInMenuOnPhones?: boolean;
}

const PHONE = matchMedia("(max-width: 40rem)");

/**
 * @param host the row of tools, which does not grow with them
 * @param more the button of the menu, one of the children of `host`
 * @returns a function to call when the tools have changed
 */
export function fitTools(host: HTMLElement, tools: readonly FittedTool[], more: HTMLElement): () => void {
  let inMenu: readonly FittedTool[] = [];
  attachMenu(more, () => inMenu.map(({ item }) => item()));
  const fit = (): void => {
    const hadFocus = tools.find(({ button }) => button === document.activeElement);
    const moved: FittedTool[] = [];
    const isFull = (): boolean => host.scrollWidth > host.clientWidth;
    for (const { button } of tools) button.classList.remove("icon-only", "in-menu");
    for (const tool of tools) if (PHONE.matches && tool.isInMenuOnPhones) moved.push(tool);
    for (const { button } of moved) button.classList.add("in-menu");
    showMore(more, moved);
    for (const { button } of tools.toReversed()) if (isFull()) button.classList.add("icon-only");
    for (const tool of leavingOrder(tools)) {
      if (tool.stays || moved.includes(tool) || !isFull()) continue;
      tool.button.classList.add("in-menu");
      moved.push(tool);
      showMore(more, moved);
    }
    inMenu = tools.filter((tool) => moved.includes(tool) && !tool.button.hidden);
    if (hadFocus && moved.includes(hadFocus)) more.focus();
  };
  new ResizeObserver(fit).observe(host);
  fit();
  return fit;
}

function showMore(more: HTMLElement, moved: readonly FittedTool[]): void {
  more.hidden = moved.length === 0;
  const set = moved.filter(isSet).flatMap(({ button }) => button.ariaLabel ?? []);
  const count = set.length;
  const label =
    count > 0
      ? t("table.tools.moreSet", { count, tools: new Intl.ListFormat(t.locale, { type: "unit" }).format(set) })
      : t("table.tools.more");
  if (more.ariaLabel === label) return;
  more.ariaLabel = more.title = label;
  more.querySelector(".count")?.remove();
  if (count > 0) more.append(h("span", { class: "count" }, t.number(count)));
}

const isSet = ({ button }: FittedTool): boolean => button.ariaPressed === "true";

/** Tools that say what is set, such as hidden columns, are the last that move into the menu. */
function leavingOrder(tools: readonly FittedTool[]): FittedTool[] {
  const fromRight = tools.toReversed();
  return [...fromRight.filter((tool) => !isSet(tool)), ...fromRight.filter(isSet)];
}
