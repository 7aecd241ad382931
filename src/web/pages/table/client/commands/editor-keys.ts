import type { KeyGroup } from "../../../../base/client/grid/grid-keys.ts";

/** Keys of cell editors. */

/** `typing`: an editor that was opened by a character, in which arrow keys leave the cell. */
export type EditorKeyMode = "caret" | "typing";

export type EditorCommand =
  | "saveDown"
  | "saveUp"
  | "saveLeft"
  | "saveRight"
  | "saveNext"
  | "savePrevious"
  | "saveIntoRange"
  | "newLine"
  | "discard"
  | "switchArrows"
  | "insertToday"
  | "insertNow";

const BOTH = ["caret", "typing"] as const;

export const EDITOR_KEY_GROUP: KeyGroup<EditorCommand, EditorKeyMode> = {
  title: "table.shortcut.group.editor",
  keys: [
    { command: "saveDown", label: "table.shortcut.saveDown", modes: BOTH, keys: ["Enter"] },
    { command: "saveNext", label: "table.shortcut.saveNext", modes: BOTH, keys: ["Tab"] },
    { command: "savePrevious", label: "table.shortcut.savePrevious", modes: BOTH, keys: ["Shift+Tab"] },
    { command: "newLine", label: "table.shortcut.newLine", modes: BOTH, keys: ["Shift+Enter", "Alt+Enter"] },
    { command: "saveIntoRange", label: "table.shortcut.saveIntoRange", modes: BOTH, keys: ["Ctrl+Enter"] },
    { command: "discard", label: "table.shortcut.discard", modes: BOTH, keys: ["Escape"] },
    { command: "switchArrows", label: "table.shortcut.switchArrows", modes: BOTH, keys: ["F2"] },
    { command: "saveUp", label: "table.shortcut.saveArrows", modes: ["typing"], keys: ["ArrowUp"] },
    { command: "saveDown", label: "table.shortcut.saveArrows", modes: ["typing"], keys: ["ArrowDown"] },
    { command: "saveLeft", label: "table.shortcut.saveArrows", modes: ["typing"], keys: ["ArrowLeft"] },
    { command: "saveRight", label: "table.shortcut.saveArrows", modes: ["typing"], keys: ["ArrowRight"] },
    { command: "insertToday", label: "table.shortcut.insertToday", modes: BOTH, keys: ["Ctrl+;", "Ctrl+Alt+D"] },
    { command: "insertNow", label: "table.shortcut.insertNow", modes: BOTH, keys: ["Ctrl+:", "Ctrl+Alt+T"] },
  ],
};
