/** Which cell is the active one, and which others are chosen with it. */

/** A cell by its row and column; row -1 is the head of the column. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/** A rectangle of cells, ends included. */
export interface Area {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

export const HEAD = -1;

export class Selection {
  #active: Place = { row: 0, column: 0 };
  /** The corner that stays where it is while the selection is extended. */
  #anchor: Place = { row: 0, column: 0 };
  /** The corner opposite to it. */
  #corner: Place = { row: 0, column: 0 };
  #isRows = false;

  get active(): Place {
    return this.#active;
  }

  /** True when whole rows are chosen. */
  get isRows(): boolean {
    return this.#isRows;
  }

  get corner(): Place {
    return this.#corner;
  }

  /** Chooses one cell. */
  move(to: Place): void {
    this.#active = this.#anchor = this.#corner = to;
    this.#isRows = false;
  }

  /** Chooses what lies between the anchor and a cell. */
  extend(to: Place): void {
    this.#corner = to;
  }

  /** Chooses whole rows: one, or all from the anchor to it. */
  chooseRow(row: number, { extend }: { extend: boolean }): void {
    if (!extend || !this.#isRows) this.move({ row, column: this.#active.column });
    this.#corner = { row, column: this.#active.column };
    this.#isRows = true;
  }

  chooseAll(rows: number): void {
    this.#anchor = { row: 0, column: this.#active.column };
    this.#corner = { row: rows - 1, column: this.#active.column };
    this.#isRows = true;
  }

  /** What is chosen; one cell when nothing more is. */
  area(columns: number): Area {
    const [a, b] = [this.#anchor, this.#corner];
    return {
      top: Math.min(a.row, b.row),
      bottom: Math.max(a.row, b.row),
      left: this.#isRows ? 0 : Math.min(a.column, b.column),
      right: this.#isRows ? columns - 1 : Math.max(a.column, b.column),
    };
  }

  get isSingle(): boolean {
    return !this.#isRows && this.#anchor.row === this.#corner.row && this.#anchor.column === this.#corner.column;
  }

  /** Follows rows that moved by so many places, and what became too few. */
  shift(by: number, { rows, columns }: { rows: number; columns: number }): void {
    const follow = ({ row, column }: Place): Place => ({
      row: row === HEAD ? HEAD : Math.max(0, Math.min(row + by, rows - 1)),
      column: Math.max(0, Math.min(column, columns - 1)),
    });
    this.#active = follow(this.#active);
    this.#anchor = follow(this.#anchor);
    this.#corner = follow(this.#corner);
  }
}

export const contains = ({ top, bottom, left, right }: Area, { row, column }: Place): boolean =>
  row >= top && row <= bottom && column >= left && column <= right;
