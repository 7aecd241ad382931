/** The sidebar: a drawer on narrow windows; on wide ones it can be closed, which a cookie keeps. */
import { find, findOptional } from "./dom.ts";
import { keepChoice } from "./choices.ts";
import { followKeptViews } from "./kept-views.ts";
import { FOLD_EVENT, initTree } from "./tree.ts";

/** As in the style sheet. */
const WIDE = matchMedia("(min-width: 64rem)");

export function initSidebar(): void {
  const sidebar = findOptional("#sidebar");
  if (!sidebar) return;
  for (const list of sidebar.querySelectorAll<HTMLElement>(".tree")) initTree(list);
  followKeptViews(sidebar);
  followAnchors(sidebar);
  keepFolds(sidebar);
  const open = find<HTMLButtonElement>(".sidebar-button");
  const setClosed = (isClosed: boolean) => {
    document.documentElement.dataset["sidebar"] = isClosed ? "closed" : "open";
    keepChoice("quern_sidebar", isClosed ? "closed" : "open");
    (isClosed ? open : find("[data-do=close-sidebar]", sidebar)).focus();
  };
  const toggle = () => {
    if (WIDE.matches) setClosed(document.documentElement.dataset["sidebar"] !== "closed");
    else sidebar.togglePopover();
  };
  open.addEventListener("click", (event) => {
    if (!WIDE.matches) return;
    event.preventDefault();
    setClosed(false);
  });
  find("[data-do=close-sidebar]", sidebar).addEventListener("click", () => {
    if (WIDE.matches) return setClosed(true);
    sidebar.hidePopover();
    open.focus();
  });
  // The drawer of a narrow window would cover a widened one.
  WIDE.addEventListener("change", () => sidebar.hidePopover());
  sidebar.addEventListener("click", ({ target }) => {
    // Links to a part of the current page do not leave it.
    if (!WIDE.matches && target instanceof Element && target.closest("a[href*='#']")) sidebar.hidePopover();
  });
  document.addEventListener("keydown", (event) => {
    const isShortcut = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (!isShortcut || !(event.key === "\\" || event.key === "b")) return;
    event.preventDefault();
    toggle();
  });
}

/** Keeps which sites are folded, for the server to render. */
function keepFolds(sidebar: HTMLElement): void {
  sidebar.addEventListener(FOLD_EVENT, ({ target }) => {
    if (!(target instanceof Element && target.matches("[data-site-entry]"))) return;
    const sites = [...sidebar.querySelectorAll<HTMLElement>("[data-site-entry][aria-expanded=false]")];
    keepChoice("quern_folded", sites.map(({ dataset }) => dataset["siteEntry"]).join("."));
  });
}

/** Marks the entry of the shown part of a page, where several lead to parts of it. */
function followAnchors(sidebar: HTMLElement): void {
  const links = [...sidebar.querySelectorAll<HTMLAnchorElement>(".entry a")].filter(
    ({ pathname }) => pathname === location.pathname,
  );
  if (!links.some(({ hash }) => hash !== "")) return;
  const mark = () => {
    const current = links.find(({ hash }) => hash === location.hash) ?? links.find(({ hash }) => hash === "");
    if (!current) return;
    for (const link of links) link.removeAttribute("aria-current");
    current.setAttribute("aria-current", "page");
    // The items of trees take the mark of their links.
    for (const list of sidebar.querySelectorAll<HTMLElement>(".tree")) initTree(list);
  };
  addEventListener("hashchange", mark);
  mark();
}
