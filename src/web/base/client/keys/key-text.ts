import { t } from "../texts.ts";
import { parseKey } from "./key-table.ts";

const isMac = (): boolean => navigator.platform.startsWith("Mac");

/** Returns the names of the keys that are pressed together: `Ctrl`, `Shift`, `Z`. */
export function keyParts(name: string): string[] {
  const { base, ctrl, alt, shift } = parseKey(name);
  return [
    ctrl && (isMac() && base !== "Space" ? "⌘" : t("base.shortcut.key.ctrl")),
    alt && (isMac() ? "⌥" : t("base.shortcut.key.alt")),
    shift && (isMac() ? "⇧" : t("base.shortcut.key.shift")),
    nameOf(base),
  ].filter((part) => part !== false);
}

/** Returns a shortcut for menus: `Ctrl+Shift+Z`, on macOS `⌘⇧Z`. */
export const keyText = (name: string): string => keyParts(name).join(isMac() ? "" : "+");

function nameOf(base: string): string {
  switch (base) {
    case "ArrowUp":
      return "↑";
    case "ArrowDown":
      return "↓";
    case "ArrowLeft":
      return "←";
    case "ArrowRight":
      return "→";
    case "Space":
      return t("base.shortcut.key.space");
    case "Enter":
      return t("base.shortcut.key.enter");
    case "Tab":
      return t("base.shortcut.key.tab");
    case "Escape":
      return t("base.shortcut.key.escape");
    case "Delete":
      return t("base.shortcut.key.delete");
    case "Backspace":
      return t("base.shortcut.key.backspace");
    case "Home":
      return t("base.shortcut.key.home");
    case "End":
      return t("base.shortcut.key.end");
    case "PageUp":
      return t("base.shortcut.key.pageUp");
    case "PageDown":
      return t("base.shortcut.key.pageDown");
    case "ContextMenu":
      return t("base.shortcut.key.contextMenu");
    default:
      return base;
  }
}
