/** The active cell and the selection. */
import { hasRow, mergeRanges, type RowRange, withoutRow } from "./row-ranges.ts";

/** A cell by row and column; row -1 is the column header. */
export interface CellPosition {
  readonly row: number;
  readonly column: number;
}

/** A rectangle of cells, ends included. */
export interface CellRange {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

export const HEADER_ROW = -1;

export class Selection {
  #active: CellPosition = { row: 0, column: 0 };
  /** The corner that stays fixed while the selection is extended. */
  #anchor: CellPosition = { row: 0, column: 0 };
  /** The opposite corner. */
  #opposite: CellPosition = { row: 0, column: 0 };
  #isRows = false;
  #isAll = false;
  /** Selected rows besides the range. */
  #others: readonly RowRange[] = [];
  /** The rows that were selected before, to which others can be added. */
  #former: readonly RowRange[] = [];
  /** The position of the blank row below all others, while its cell is the active one. */
  #activeBlank: number | null = null;

  get active(): CellPosition {
    return this.#active;
  }

  /** True when whole rows are selected. */
  get isRows(): boolean {
    return this.#isRows;
  }

  /** True when all rows of the view are selected, loaded or not. */
  get isAll(): boolean {
    return this.#isAll;
  }

  get opposite(): CellPosition {
    return this.#opposite;
  }

  /** Selects one cell. */
  move(to: CellPosition): void {
    if (this.#isRows && !this.#isAll) this.#former = this.rowRanges;
    this.#others = [];
    this.#active = this.#anchor = this.#opposite = to;
    this.#isRows = false;
    this.#isAll = false;
  }

  /** Makes a cell of the selected range the active one. */
  moveWithin(to: CellPosition): void {
    this.#active = to;
  }

  /** Selects the range from the anchor to a cell. */
  extend(to: CellPosition): void {
    this.#opposite = to;
    this.#isAll = false;
  }

  /** Selects a range; the active cell moves to its first cell if it is not inside. */
  select({ top, bottom, left, right }: CellRange): void {
    this.#anchor = { row: top, column: left };
    this.#opposite = { row: bottom, column: right };
    this.#others = [];
    this.#isRows = false;
    this.#isAll = false;
    if (!contains({ top, bottom, left, right }, this.#active)) this.#active = this.#anchor;
  }

  /** Selects whole rows: one, or all from the anchor to it. */
  selectRow(row: number, { extend }: { extend: boolean }): void {
    if (!extend || !this.#isRows) this.move({ row, column: this.#active.column });
    this.#opposite = { row, column: this.#active.column };
    this.#isRows = true;
    this.#isAll = false;
  }

  /** Selects rows that follow each other. */
  selectRows({ top, bottom }: RowRange): void {
    this.selectRow(top, { extend: false });
    this.selectRow(bottom, { extend: true });
  }

  /** The selected rows, in order; also of selected cells. */
  get rowRanges(): RowRange[] {
    const { top, bottom } = this.range(1);
    return mergeRanges([...this.#others, { top, bottom }]);
  }

  /** Whether the selected rows do not follow each other. */
  get isScattered(): boolean {
    return this.#isRows && this.rowRanges.length > 1;
  }

  hasRow(row: number): boolean {
    const { top, bottom } = this.range(1);
    return this.#isRows && ((row >= top && row <= bottom) || hasRow(this.#others, row));
  }

  /** Adds a row to the selected ones, or to the ones that were selected before; removes it if it is selected. */
  toggleRow(row: number): void {
    const isSelected = this.hasRow(row);
    const before = this.#isRows ? this.rowRanges : this.#former;
    const ranges = isSelected ? withoutRow(before, row) : [...before, { top: row, bottom: row }];
    const last = ranges.at(-1);
    if (!last) return this.move({ row, column: this.#active.column });
    this.selectRows(last);
    this.#others = ranges.slice(0, -1);
    this.#former = [];
  }

  /** Adds a row to the ones that were selected before it. */
  addRow(row: number): void {
    const others = this.#former;
    this.selectRow(row, { extend: false });
    this.#others = withoutRow(others, row);
    this.#former = [];
  }

  /** No other rows can be added to the ones that were selected before. */
  forgetFormer(): void {
    this.#former = [];
  }

  /** Selects all rows, or the columns of the selected range in all of them. */
  selectAll(rows: number, { isColumns = false }: { isColumns?: boolean } = {}): void {
    const bottom = Math.max(0, rows - 1);
    this.#others = this.#former = [];
    this.#anchor = { row: 0, column: this.#anchor.column };
    this.#opposite = { row: bottom, column: this.#opposite.column };
    this.#active = { row: Math.max(0, this.#active.row), column: this.#active.column };
    this.#isRows = !isColumns;
    this.#isAll = rows > 0;
  }

  /** The selected range; a single cell by default. */
  range(columns: number): CellRange {
    const [a, b] = [this.#anchor, this.#opposite];
    return {
      top: Math.min(a.row, b.row),
      bottom: Math.max(a.row, b.row),
      left: this.#isRows ? 0 : Math.min(a.column, b.column),
      right: this.#isRows ? columns - 1 : Math.max(a.column, b.column),
    };
  }

  get isSingle(): boolean {
    return !this.#isRows && this.#anchor.row === this.#opposite.row && this.#anchor.column === this.#opposite.column;
  }

  /** Notes whether the active cell is in the blank row. */
  noteBlank(blankRow: number | null): void {
    this.#activeBlank = this.#active.row === blankRow ? blankRow : null;
  }

  /**
   * Adjusts to rows that moved by an offset, and to a lower number of rows. The blank row stays the active one when rows
   * are added before it.
   */
  shift(by: number, { rows, columns, blankRow }: { rows: number; columns: number; blankRow: number | null }): void {
    if (blankRow !== null && this.#activeBlank === this.#active.row) {
      this.move({ row: blankRow, column: Math.max(0, Math.min(this.#active.column, columns - 1)) });
      return this.noteBlank(blankRow);
    }
    const shiftPosition = ({ row, column }: CellPosition): CellPosition => ({
      row: row === HEADER_ROW ? HEADER_ROW : Math.max(0, Math.min(row + by, rows - 1)),
      column: Math.max(0, Math.min(column, columns - 1)),
    });
    const shiftRows = (ranges: readonly RowRange[]): RowRange[] =>
      ranges.flatMap(({ top, bottom }) => {
        const shifted = { top: Math.max(0, top + by), bottom: Math.min(rows - 1, bottom + by) };
        return shifted.top <= shifted.bottom ? [shifted] : [];
      });
    this.#others = shiftRows(this.#others);
    this.#former = shiftRows(this.#former);
    this.#active = shiftPosition(this.#active);
    this.#anchor = shiftPosition(this.#anchor);
    this.#opposite = shiftPosition(this.#opposite);
  }
}

/** Returns the cell after another one inside of a range, which wraps around at its end. */
export function nextInRange(
  range: CellRange,
  { row, column }: CellPosition,
  step: "down" | "right" | "left",
): CellPosition {
  const { top, bottom, left, right } = range;
  const width = right - left + 1;
  const height = bottom - top + 1;
  const index = step === "down" ? (column - left) * height + (row - top) : (row - top) * width + (column - left);
  const next = (index + (step === "left" ? -1 : 1) + width * height) % (width * height);
  return step === "down"
    ? { row: top + (next % height), column: left + Math.floor(next / height) }
    : { row: top + Math.floor(next / width), column: left + (next % width) };
}

export const contains = ({ top, bottom, left, right }: CellRange, { row, column }: CellPosition): boolean =>
  row >= top && row <= bottom && column >= left && column <= right;
