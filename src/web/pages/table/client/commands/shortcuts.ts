/** The list of shortcuts, made from the tables that dispatch keys. */
import { announce } from "../../../../base/client/announce.ts";
import { openDialog } from "../../../../base/client/dialog.ts";
import { h, icon } from "../../../../base/client/dom.ts";
import { GRID_KEY_GROUPS, type KeyGroup } from "../../../../base/client/grid/grid-keys.ts";
import { keyParts } from "../../../../base/client/keys/key-text.ts";
import { t } from "../../../../base/client/texts.ts";
import { EDITOR_KEY_GROUP } from "./editor-keys.ts";
import { PAGE_KEY_GROUP } from "./page-keys.ts";

const GROUPS: readonly KeyGroup<string, string>[] = [...GRID_KEY_GROUPS, EDITOR_KEY_GROUP, PAGE_KEY_GROUP];

export function showShortcuts(own: typeof GROUPS): void {
  const lines = [...own, ...GROUPS].map(({ title, keys }) => ({ title: t(title), lines: linesOf(keys) }));
  const search = h("input", {
    type: "search",
    "aria-label": t("table.shortcut.search"),
    placeholder: t("table.shortcut.search"),
    autocomplete: "off",
  });
  const groups = lines.map(({ title, lines: ofGroup }) => {
    const rows = ofGroup.map(({ label, keys }) => ({
      element: lineElement(label, keys),
      text: `${label} ${keys.join(" ")}`,
    }));
    return { element: h("section", {}, h("h3", {}, title), h("dl", {}, ...rows.map(({ element }) => element))), rows };
  });
  const nothing = h("p", { class: "quiet", hidden: true }, t("table.noResults"));
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const { element, rows } of groups) {
      for (const row of rows) row.element.hidden = !words.every((word) => row.text.toLowerCase().includes(word));
      element.hidden = rows.every((row) => row.element.hidden);
    }
    const count = groups.flatMap(({ rows }) => rows).filter(({ element }) => !element.hidden).length;
    nothing.hidden = count > 0;
    announce(count > 0 ? t("table.shortcut.found", { count }) : t("table.noResults"), "shortcuts");
  });
  openDialog({
    title: t("table.shortcut.title"),
    wide: true,
    content: [
      h("div", { class: "search" }, search, icon("search")),
      h(
        "div",
        { class: "shortcuts", tabindex: 0, role: "region", "aria-label": t("table.shortcut.title") },
        ...groups.map(({ element }) => element),
        nothing,
      ),
    ],
  });
  search.focus();
}

interface Line {
  readonly label: string;
  readonly keys: readonly string[];
}

/** Bindings with the same label share a line; keys that differ by Shift alone select, and are named once. */
function linesOf(bindings: KeyGroup<string, string>["keys"]): Line[] {
  const byLabel = Map.groupBy(bindings, ({ label }) => label);
  return [...byLabel].map(([label, same]) => {
    const keys = [...new Set(same.flatMap((binding) => binding.keys))];
    return {
      label: t(label),
      keys: keys.filter((key) => !keys.includes(key.replace("Shift+", "")) || !key.includes("Shift+")),
    };
  });
}

const lineElement = (label: string, keys: readonly string[]): HTMLElement =>
  h(
    "div",
    { class: "shortcut" },
    h("dt", {}, label),
    h("dd", { translate: "no" }, ...keys.flatMap((key, at) => [at > 0 && " ", keyElement(key)])),
  );

const keyElement = (key: string): HTMLElement =>
  h("span", { class: "keys" }, ...keyParts(key).flatMap((part, at) => [at > 0 && "+", h("kbd", {}, part)]));
