import type { CellCommand } from "../../../../base/client/grid/grid-keys.ts";
import type { RowRange } from "../../../../base/client/grid/row-ranges.ts";
import type { CellRange } from "../../../../base/client/grid/selection.ts";
import type { RecordJson } from "../../../../base/table-data.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { t } from "../../../../base/client/texts.ts";
import type { CellEditing } from "../cells/cell-editing.ts";
import { type Column, cellValue } from "../columns/columns.ts";
import { emptyValue } from "../editors/parse-text.ts";
import { changeAllRows, openRowPanel } from "../on-first-use.ts";
import type { RowMoves } from "../rows/move-rows.ts";
import { readRange } from "../rows/read-range.ts";
import type { RowCommands } from "../rows/row-commands.ts";
import type { Sheet } from "../sheet.ts";
import type { UndoManager } from "../undo-manager.ts";
import { type Moment, momentValue } from "./dates.ts";
import { openCellLink } from "./open-link.ts";
import { changeRange, selectedRange, selectedRows } from "./range-changes.ts";

export interface CellCommandsOptions {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
  readonly rows: RowCommands;
  readonly moves: RowMoves;
  readonly editing: CellEditing;
  /** The next paste shows its preview, also when it fits. */
  readonly askBeforePaste: () => void;
}

/** Commands of the active cell and of the selected cells. */
export class CellCommands {
  readonly #options: CellCommandsOptions;

  constructor(options: CellCommandsOptions) {
    this.#options = options;
  }

  /** Runs the command of a key. False leaves the key to the browser. */
  run(command: CellCommand): boolean {
    const { rows, moves, editing, askBeforePaste } = this.#options;
    switch (command) {
      case "edit":
        editing.start(null);
        return true;
      case "openRow":
        this.openRow({ isByKeys: true });
        return true;
      case "openLink":
        this.openLink();
        return true;
      case "toggle":
        this.toggle();
        return true;
      case "addBelow":
        void rows.insert("below");
        return true;
      case "addAbove":
        void rows.insert("above");
        return true;
      case "moveUp":
        moves.move("up");
        return true;
      case "moveDown":
        moves.move("down");
        return true;
      case "deleteRows":
        void rows.remove();
        return true;
      case "clear":
        this.clear();
        return true;
      case "fillDown":
        this.fillDown();
        return true;
      case "fillRight":
        return this.fillRight();
      case "today":
      case "now":
        this.insertMoment(command);
        return true;
      case "undo":
        void rows.undo();
        return true;
      case "redo":
        void rows.redo();
        return true;
      case "endSelection":
        return this.#endSelection();
      case "askBeforePaste":
        askBeforePaste();
        return false;
      case "copy":
      case "cut":
      case "paste":
        // The browser sends an event with the clipboard.
        return false;
      default:
        return command satisfies never;
    }
  }

  openRow({ isByKeys = false } = {}): void {
    const { sheet, changes, rows } = this.#options;
    const { row } = sheet.grid.selection.active;
    if (row < sheet.rowPages.count) void openRowPanel(row, { sheet, changes, rows, isByKeys });
  }

  openLink(): void {
    const { sheet } = this.#options;
    const column = sheet.shown[sheet.grid.selection.active.column];
    const row = sheet.activeRow;
    if (column && row) openCellLink(sheet, column, row);
  }

  /** Toggles the selected check boxes, to the same state as the active one; opens the row of other cells. */
  toggle(): void {
    const { sheet, changes, editing } = this.#options;
    const { selection } = sheet.grid;
    const column = sheet.shown[selection.active.column];
    if (!column || column.type.base !== "Bool" || !sheet.canEditCells(column)) return this.openRow({ isByKeys: true });
    const range = selectedRange(sheet);
    const row = sheet.activeRow;
    if (selection.isSingle || !range || !row) return editing.start(" ");
    const value = cellValue(row, column.id) !== true;
    void changeRange(
      {
        range,
        takes: ({ type }) => type.base === "Bool",
        values: (_, rows) => rows.map(() => value),
        asTyped: false,
        message: (count) => t("table.change.toggled", { count }),
      },
      { sheet, changes },
    );
  }

  /** Clears the selected cells. */
  clear(): void {
    const { sheet, changes } = this.#options;
    if (sheet.grid.selection.isAll) return void changeAllRows("clear", { sheet, changes });
    const range = selectedRange(sheet);
    if (range) this.#clear(range, (count) => t("table.change.cleared", { count }), selectedRows(sheet));
  }

  /** Clears cells that were cut. */
  clearCut(range: CellRange): void {
    this.#clear(range, (count) => t("table.change.cut", { count }));
  }

  #clear(range: CellRange, message: (count: number) => string, rows?: readonly RowRange[]): void {
    const { sheet, changes } = this.#options;
    void changeRange(
      {
        range,
        rows,
        takes: ({ isEmpty }) => !isEmpty,
        values: (column, rows) => rows.map(() => emptyValue(column)),
        asTyped: false,
        message,
      },
      { sheet, changes },
    );
  }

  /** Copies the first row of the selection into all others; of a single row, the row above it. */
  fillDown(): void {
    const { sheet, changes } = this.#options;
    const range = selectedRange(sheet);
    if (!range) return;
    const isOne = range.top === range.bottom;
    const [top = range, ...others] = sheet.grid.selection.isScattered ? selectedRows(sheet) : [range];
    const source = isOne && others.length === 0 ? range.top - 1 : top.top;
    if (source < 0) return;
    const fill = async () => {
      const [first] = await readRange(sheet, source, source);
      if (!first) return;
      await changeRange(
        {
          range: { ...range, top: source + 1 },
          rows: [{ top: source + 1, bottom: top.bottom }, ...others].filter((each) => each.top <= each.bottom),
          values: (column, rows) => rows.map(() => cellValue(first, column.id)),
          takes: isCopied,
          asTyped: false,
          message: (count) => t("table.change.filled", { count }),
        },
        { sheet, changes },
      );
    };
    fill().catch((error: unknown) => sheet.showError(error, () => this.fillDown()));
  }

  /** Copies the first column of the selection into all others. Returns false for a single column. */
  fillRight(): boolean {
    const { sheet, changes } = this.#options;
    const range = selectedRange(sheet);
    const source = range && sheet.shown[range.left];
    if (!range || !source || range.left === range.right) return false;
    void changeRange(
      {
        range: { ...range, left: range.left + 1 },
        takes: isCopied,
        values: (column, rows) => rows.map((row) => copiedValue(row, source, column)),
        asTyped: true,
        message: (count) => t("table.change.filled", { count }),
      },
      { sheet, changes },
    );
    return true;
  }

  /** Puts today's date, or the current time, into the selected cells. */
  insertMoment(moment: Moment): void {
    const { sheet, changes } = this.#options;
    const range = selectedRange(sheet);
    if (!range || !sheet.canEdit) return;
    const { settings } = sheet.data;
    const nowS = Date.now() / 1000;
    const takes = (column: Column) => momentValue(moment, { column, settings, nowS }) !== undefined;
    if (!sheet.shown.slice(range.left, range.right + 1).some(takes)) return void showToast(t("table.change.noDates"));
    void changeRange(
      {
        range,
        takes,
        values: (column, rows) => rows.map(() => momentValue(moment, { column, settings, nowS }) ?? null),
        asTyped: false,
        message: (count) => t("table.change.filled", { count }),
      },
      { sheet, changes },
    );
  }

  /** Keeps only the active cell selected. Returns false when it already is. */
  #endSelection(): boolean {
    const { grid } = this.#options.sheet;
    grid.selection.forgetFormer();
    if (grid.selection.isSingle) return false;
    grid.activate(grid.selection.active);
    grid.selection.forgetFormer();
    return true;
  }
}

/** Files belong to one cell. */
const isCopied = ({ type }: Column): boolean => type.base !== "Attachments";

/** Returns the value of a cell for a cell of another column: as text unless both have the same type. */
export const copiedValue = (row: RecordJson, source: Column, target: Column) =>
  source.type.text === target.type.text ? cellValue(row, source.id) : source.text(row);
