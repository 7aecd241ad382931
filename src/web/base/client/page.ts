/** The script of every page. Pages are readable without it. */
import { announceMessages } from "./announce.ts";
import { showFieldButtons } from "./field-buttons.ts";
import { initRegions } from "./regions.ts";
import { initSearchKey } from "./search-key.ts";
import { initSidebar } from "./sidebar.ts";
import { renderTimes } from "./times.ts";
import { initTooltips } from "./tooltip.ts";

const TIMES_REFRESH_MS = 30_000;

initSidebar();
initTooltips();
initRegions();
initSearchKey();

renderTimes();
setInterval(renderTimes, TIMES_REFRESH_MS);

showFieldButtons();

announceMessages();

/** The menus of the header open without a script; with one, Escape and outside clicks close them. */
const menus = [...document.querySelectorAll<HTMLDetailsElement>("details.menu")];
document.addEventListener("click", ({ target }) => {
  for (const menu of menus) if (menu.open && !menu.contains(target as Node)) menu.open = false;
});
document.addEventListener("keydown", ({ key }) => {
  const open = menus.find((menu) => menu.open);
  if (key !== "Escape" || !open) return;
  open.open = false;
  open.querySelector("summary")?.focus();
});
