import type { KeyGroup } from "../../../../base/client/grid/grid-keys.ts";

/** Keys of the page; `listed` ones are handled by all pages. */
export type PageKeyMode = "page" | "listed";

export type PageCommand = "shortcuts" | "find" | "nextRegion" | "previousRegion" | "sidebar";

export const PAGE_KEY_GROUP: KeyGroup<PageCommand, PageKeyMode> = {
  title: "table.shortcut.group.page",
  keys: [
    { command: "shortcuts", label: "table.shortcut.shortcuts", modes: ["page"], keys: ["Ctrl+/", "F1"] },
    { command: "find", label: "table.shortcut.find", modes: ["listed"], keys: ["Ctrl+F"] },
    { command: "nextRegion", label: "table.shortcut.nextRegion", modes: ["listed"], keys: ["F6"] },
    { command: "previousRegion", label: "table.shortcut.previousRegion", modes: ["listed"], keys: ["Shift+F6"] },
    { command: "sidebar", label: "table.shortcut.sidebar", modes: ["listed"], keys: ["Ctrl+\\", "Ctrl+B"] },
  ],
};
