/** The menu of a cell, of selected cells, and of selected rows. */
import type { RecordJson } from "../../../../base/table-data.ts";
import { keyText } from "../../../../base/client/keys/key-text.ts";
import { type MenuEntry, type MenuItem, openMenu } from "../../../../base/client/menu.ts";
import { t } from "../../../../base/client/texts.ts";
import { showToast } from "../../../../base/client/toast.ts";
import type { ClipboardCommands } from "../clipboard/clipboard.ts";
import { copySelection } from "../clipboard/copy-selection.ts";
import { pasteText } from "../clipboard/paste-dialog.ts";
import { cellValue, type Column } from "../columns/columns.ts";
import type { RowMoves } from "../rows/move-rows.ts";
import { rowMenuItems } from "../rows/row-menu.ts";
import type { RowCommands } from "../rows/row-commands.ts";
import type { GridSheet } from "../sheet.ts";
import type { UndoManager } from "../undo-manager.ts";
import { openWhy } from "../why/open-why.ts";
import type { CellCommands } from "./cell-commands.ts";
import { fillSeries } from "./fill-dialog.ts";
import { linkOf } from "./open-link.ts";
import { selectedRange } from "./range-changes.ts";
import { valueCondition, withCondition } from "./value-filter.ts";

export interface CellMenuOptions {
  readonly sheet: GridSheet;
  readonly changes: UndoManager;
  readonly rows: RowCommands;
  readonly moves: RowMoves;
  readonly commands: CellCommands;
  readonly clipboard: ClipboardCommands;
}

/** Opens the menu of the selection at an element, or at a point of the window. */
export function openCellMenu(element: HTMLElement, at: { x: number; y: number }, options: CellMenuOptions): void {
  const { sheet } = options;
  const { selection } = sheet.grid;
  const column = selection.isRows ? undefined : sheet.shown[selection.active.column];
  const row = sheet.rowPages.rowAt(selection.active.row);
  const cell = column && row && { column, row };
  const groups = [
    clipboardItems(options),
    ...(selection.active.row === sheet.grid.blankRow ? [] : cellItems(cell, options)),
  ];
  openMenu(element, withSeparators(groups), at);
}

const cellItems = (cell: Cell | undefined, options: CellMenuOptions): MenuItem[][] => [
  [...(cell ? editItems(cell, options) : []), ...openItems(cell, options)],
  cell ? filterItems(cell, options) : [],
  fillItems(options),
  rowMenuItems(options),
];

const withSeparators = (groups: readonly (readonly MenuItem[])[]): MenuEntry[] =>
  groups
    .filter((items) => items.length > 0)
    .flatMap((items, at): MenuEntry[] => (at === 0 ? [...items] : ["separator", ...items]));

interface Cell {
  readonly column: Column;
  readonly row: RecordJson;
}

/** Why the selected cells cannot be changed; undefined if some of them can. */
function lockReason(sheet: GridSheet): string | undefined {
  const { left, right } = sheet.grid.selection.range(sheet.shown.length);
  const canEdit = sheet.shown.slice(left, right + 1).some((column) => sheet.canEditCells(column));
  return canEdit ? undefined : t("table.cellMenu.computed");
}

function clipboardItems({ sheet, changes, clipboard }: CellMenuOptions): MenuItem[] {
  const copy: MenuItem = {
    label: t("table.cellMenu.copy"),
    icon: "copy",
    shortcut: "Ctrl+C",
    run: () => void copySelection(sheet, null),
  };
  if (!sheet.canEdit) return [copy];
  const locked = lockReason(sheet);
  const paste = (asks: boolean) => () => void pasteFromClipboard({ sheet, changes, asks });
  return [
    {
      label: t("table.cellMenu.cut"),
      icon: "scissors",
      shortcut: "Ctrl+X",
      unavailable: locked,
      run: () => clipboard.cut(),
    },
    copy,
    {
      label: t("table.cellMenu.paste"),
      icon: "clipboard-paste",
      shortcut: "Ctrl+V",
      unavailable: locked,
      run: paste(false),
    },
    {
      label: t("table.cellMenu.pasteWithPreview"),
      shortcut: "Ctrl+Shift+V",
      unavailable: locked,
      run: paste(true),
    },
  ];
}

interface PasteOptions {
  readonly sheet: GridSheet;
  readonly changes: UndoManager;
  readonly asks: boolean;
}

async function pasteFromClipboard({ sheet, changes, asks }: PasteOptions): Promise<void> {
  let text: string;
  try {
    text = await navigator.clipboard.readText();
  } catch {
    // Without permission, and without a secure connection, only the keys paste.
    const keys = keyText(asks ? "Ctrl+Shift+V" : "Ctrl+V");
    showToast(t("table.cellMenu.pressToPaste", { keys }));
    return;
  }
  pasteText(text, { sheet, changes, asks });
}

const editItems = ({ column }: Cell, { sheet, commands }: CellMenuOptions): MenuItem[] =>
  sheet.canEdit
    ? [
        {
          label: t("table.cellMenu.edit"),
          icon: "pencil",
          shortcut: "F2",
          unavailable: column.isFormula && !column.isEmpty && sheet.isSummary ? t("table.cellMenu.summary") : undefined,
          run: () => commands.run("edit"),
        },
      ]
    : [];

function openItems(cell: Cell | undefined, { sheet, commands }: CellMenuOptions): MenuItem[] {
  const link = cell && linkOf(sheet, cell.column, cell.row);
  return [
    {
      label: t("table.row.open"),
      icon: "chevron-right",
      shortcut: "Shift+Enter",
      run: () => commands.openRow(),
    },
    ...(link
      ? [
          {
            label: link.isOutside ? t("table.cellMenu.openLink") : t("table.cellMenu.openLinkedRow"),
            icon: "arrow-up-right" as const,
            shortcut: "Alt+Enter",
            run: () => commands.openLink(),
          },
        ]
      : []),
    ...(cell
      ? [
          {
            label: t("table.why"),
            icon: "circle-question-mark" as const,
            run: () => void openWhy(sheet, { column: cell.column, rowId: cell.row.id }),
          },
        ]
      : []),
  ];
}

function filterItems({ column, row }: Cell, { sheet: { fields, view } }: CellMenuOptions): MenuItem[] {
  const kind = fields.kindOf(column.id);
  const filterItem = (excludes: boolean): MenuItem => {
    const condition = kind && valueCondition(cellValue(row, column.id), { column, kind, excludes });
    return {
      label: t(excludes ? "table.cellMenu.exclude" : "table.cellMenu.filter"),
      icon: excludes ? undefined : "list-filter",
      unavailable: condition ? undefined : t("table.cellMenu.noFilter"),
      run() {
        if (condition) view.update({ filter: withCondition(view.state.filter, condition, fields.kindOf) });
      },
    };
  };
  return [filterItem(false), filterItem(true)];
}

function fillItems({ sheet, changes, commands }: CellMenuOptions): MenuItem[] {
  const range = selectedRange(sheet);
  if (!sheet.canEdit || !range) return [];
  const { top, bottom, left, right } = range;
  const locked = lockReason(sheet);
  const isFirst = top === 0 && bottom === 0;
  return [
    {
      label: t("table.cellMenu.fillDown"),
      icon: "arrow-down",
      shortcut: "Ctrl+D",
      unavailable: locked ?? (isFirst ? t("table.cellMenu.firstRow") : undefined),
      run: () => commands.fillDown(),
    },
    {
      label: t("table.cellMenu.fillSeries"),
      unavailable: locked ?? (top === bottom ? t("table.cellMenu.selectMore") : undefined),
      run: () => void fillSeries(range, { sheet, changes }),
    },
    {
      label: t("table.cellMenu.clear", { count: (bottom - top + 1) * (right - left + 1) }),
      shortcut: "Delete",
      unavailable: locked,
      run: () => commands.clear(),
    },
  ];
}
