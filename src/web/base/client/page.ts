/** The script of every page. Pages are readable without it. */
import { t } from "./texts.ts";
import { renderTimes } from "./times.ts";

const TIMES_REFRESH_MS = 30_000;

// On a phone the tabs scroll horizontally: scrolls the current one into view.
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

renderTimes();
setInterval(renderTimes, TIMES_REFRESH_MS);

for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
  const field = document.querySelector<HTMLInputElement>(`#${button.dataset["copy"]}`);
  if (!field) continue;
  button.hidden = false;
  button.addEventListener("click", () => {
    field.select();
    void copy(field.value, button);
  });
}

async function copy(text: string, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = t("base.copied");
  } catch {
    // Without permission the text stays selected, ready for the keyboard.
    button.textContent = t("base.pressToCopy");
  }
}

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
