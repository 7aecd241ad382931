/** The script of every page. Pages are readable without it. */
import { showFieldButtons } from "./field-buttons.ts";
import { renderTimes } from "./times.ts";

const TIMES_REFRESH_MS = 30_000;

// On a phone the tabs scroll horizontally: scrolls the current one into view.
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

renderTimes();
setInterval(renderTimes, TIMES_REFRESH_MS);

showFieldButtons();

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
