import type { LabelKey } from "../../../texts/texts.ts";
import type { KeyTable } from "../keys/key-table.ts";

/** Where a key is pressed; `listed` keys belong to the browser, and are only named in the list of shortcuts. */
export type GridKeyMode = "header" | "cell" | "range" | "rows" | "listed";

export const MOVES = [
  "up",
  "down",
  "left",
  "right",
  "firstRow",
  "lastRow",
  "firstColumn",
  "lastColumn",
  "firstCell",
  "lastCell",
  "pageUp",
  "pageDown",
  "pageLeft",
  "pageRight",
] as const;
/** Commands that move the active cell; with Shift they extend the selection. */
export type Move = (typeof MOVES)[number];

/** Commands that the grid carries out itself. */
export type GridCommand =
  | Move
  | "next"
  | "previous"
  | "downInRange"
  | "selectRow"
  | "toggleRow"
  | "selectColumn"
  | "selectAll"
  | "menu";

/** Commands of the owner of a grid. */
export type CellCommand =
  | "edit"
  | "openRow"
  | "openLink"
  | "toggle"
  | "addBelow"
  | "addAbove"
  | "clear"
  | "deleteRows"
  | "moveUp"
  | "moveDown"
  | "fillDown"
  | "fillRight"
  | "today"
  | "now"
  | "undo"
  | "redo"
  | "endSelection"
  | "askBeforePaste"
  | "copy"
  | "cut"
  | "paste";

/** Commands of a column, on its header. */
export const HEADER_COMMANDS = ["rename", "moveColumnLeft", "moveColumnRight"] as const;
export type HeaderCommand = (typeof HEADER_COMMANDS)[number];

export interface KeyGroup<Command extends string, Mode extends string> {
  readonly title: LabelKey;
  readonly keys: KeyTable<Command, Mode>;
}

const CELLS = ["cell", "range", "rows"] as const;
const ALL = [...CELLS, "header"] as const;

const move = (command: Move, label: LabelKey, ...keys: readonly string[]) =>
  ({ command, label, modes: ALL, keys: keys.flatMap((key) => [key, `Shift+${key}`]) }) as const;

export const GRID_KEY_GROUPS: readonly KeyGroup<GridCommand | CellCommand | HeaderCommand, GridKeyMode>[] = [
  {
    title: "base.shortcut.group.moving",
    keys: [
      move("up", "base.shortcut.arrows", "ArrowUp"),
      move("down", "base.shortcut.arrows", "ArrowDown"),
      move("left", "base.shortcut.arrows", "ArrowLeft"),
      move("right", "base.shortcut.arrows", "ArrowRight"),
      { command: "next", label: "base.shortcut.next", modes: CELLS, keys: ["Tab"] },
      { command: "previous", label: "base.shortcut.previous", modes: CELLS, keys: ["Shift+Tab"] },
      { command: "downInRange", label: "base.shortcut.downInRange", modes: ["range", "rows"], keys: ["Enter"] },
      move("firstColumn", "base.shortcut.firstColumn", "Home", "Ctrl+ArrowLeft"),
      move("lastColumn", "base.shortcut.lastColumn", "End", "Ctrl+ArrowRight"),
      move("firstRow", "base.shortcut.firstRow", "Ctrl+ArrowUp"),
      move("lastRow", "base.shortcut.lastRow", "Ctrl+ArrowDown"),
      move("firstCell", "base.shortcut.firstCell", "Ctrl+Home"),
      move("lastCell", "base.shortcut.lastCell", "Ctrl+End"),
      move("pageUp", "base.shortcut.pageUp", "PageUp"),
      move("pageDown", "base.shortcut.pageDown", "PageDown"),
      move("pageLeft", "base.shortcut.pageLeft", "Alt+PageUp"),
      move("pageRight", "base.shortcut.pageRight", "Alt+PageDown"),
    ],
  },
  {
    title: "base.shortcut.group.selecting",
    keys: [
      { command: "selectRow", label: "base.shortcut.selectRow", modes: CELLS, keys: ["Shift+Space"] },
      { command: "toggleRow", label: "base.shortcut.toggleRow", modes: CELLS, keys: ["Ctrl+Shift+Space"] },
      { command: "selectColumn", label: "base.shortcut.selectColumn", modes: ALL, keys: ["Ctrl+Space"] },
      { command: "selectAll", label: "base.shortcut.selectAll", modes: ALL, keys: ["Ctrl+A"] },
      { command: "endSelection", label: "base.shortcut.endSelection", modes: CELLS, keys: ["Escape"] },
    ],
  },
  {
    title: "base.shortcut.group.editing",
    keys: [
      { command: "edit", label: "base.shortcut.edit", modes: ["cell"], keys: ["Enter"] },
      { command: "edit", label: "base.shortcut.edit", modes: CELLS, keys: ["F2"] },
      { command: "edit", label: "base.shortcut.editList", modes: CELLS, keys: ["Alt+ArrowDown"] },
      { command: "toggle", label: "base.shortcut.toggle", modes: CELLS, keys: ["Space"] },
      { command: "clear", label: "base.shortcut.clear", modes: CELLS, keys: ["Delete", "Backspace"] },
      { command: "fillDown", label: "base.shortcut.fillDown", modes: CELLS, keys: ["Ctrl+D"] },
      { command: "fillRight", label: "base.shortcut.fillRight", modes: ["range"], keys: ["Ctrl+R"] },
      { command: "today", label: "base.shortcut.today", modes: CELLS, keys: ["Ctrl+;", "Ctrl+Alt+D"] },
      { command: "now", label: "base.shortcut.now", modes: CELLS, keys: ["Ctrl+:", "Ctrl+Alt+T"] },
      { command: "copy", label: "base.shortcut.copy", modes: ["listed"], keys: ["Ctrl+C"] },
      { command: "cut", label: "base.shortcut.cut", modes: ["listed"], keys: ["Ctrl+X"] },
      { command: "paste", label: "base.shortcut.paste", modes: ["listed"], keys: ["Ctrl+V"] },
      { command: "askBeforePaste", label: "base.shortcut.askBeforePaste", modes: CELLS, keys: ["Ctrl+Shift+V"] },
      { command: "undo", label: "base.shortcut.undo", modes: ALL, keys: ["Ctrl+Z"] },
      { command: "redo", label: "base.shortcut.redo", modes: ALL, keys: ["Ctrl+Y", "Ctrl+Shift+Z"] },
    ],
  },
  {
    title: "base.shortcut.group.rows",
    keys: [
      { command: "openRow", label: "base.shortcut.openRow", modes: CELLS, keys: ["Shift+Enter"] },
      { command: "openLink", label: "base.shortcut.openLink", modes: CELLS, keys: ["Alt+Enter"] },
      { command: "addBelow", label: "base.shortcut.addBelow", modes: ALL, keys: ["Ctrl+Enter"] },
      { command: "addAbove", label: "base.shortcut.addAbove", modes: CELLS, keys: ["Ctrl+Shift+Enter"] },
      {
        command: "deleteRows",
        label: "base.shortcut.deleteRows",
        modes: CELLS,
        keys: ["Ctrl+Delete", "Ctrl+Backspace"],
      },
      { command: "moveUp", label: "base.shortcut.moveRows", modes: CELLS, keys: ["Alt+Shift+ArrowUp"] },
      { command: "moveDown", label: "base.shortcut.moveRows", modes: CELLS, keys: ["Alt+Shift+ArrowDown"] },
      { command: "menu", label: "base.shortcut.menu", modes: ALL, keys: ["Shift+F10", "ContextMenu"] },
      {
        command: "menu",
        label: "base.shortcut.columnMenu",
        modes: ["header"],
        keys: ["Enter", "Space", "Alt+ArrowDown"],
      },
    ],
  },
  {
    title: "base.shortcut.group.columns",
    keys: [
      { command: "rename", label: "base.shortcut.rename", modes: ["header"], keys: ["F2"] },
      {
        command: "moveColumnLeft",
        label: "base.shortcut.moveColumnLeft",
        modes: ["header"],
        keys: ["Alt+Shift+ArrowLeft"],
      },
      {
        command: "moveColumnRight",
        label: "base.shortcut.moveColumnRight",
        modes: ["header"],
        keys: ["Alt+Shift+ArrowRight"],
      },
    ],
  },
];

export const GRID_KEYS = GRID_KEY_GROUPS.flatMap(({ keys }) => keys);
