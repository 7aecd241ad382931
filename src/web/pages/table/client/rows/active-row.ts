import type { RowsView } from "../../../../base/client/grid/rows-view.ts";
import type { RecordJson } from "../../../../base/table-data.ts";
import type { RowPageCache } from "./row-page-cache.ts";

/** The row of the active cell, which the selection follows to its new position when rows change. */
export class ActiveRow {
  readonly #grid: RowsView<RecordJson>;
  readonly #pages: RowPageCache;
  #tracked: { index: number; readonly id: number | undefined } | null = null;

  constructor(grid: RowsView<RecordJson>, pages: RowPageCache) {
    this.#grid = grid;
    this.#pages = pages;
  }

  /** Undefined while it is not loaded. */
  get row(): RecordJson | undefined {
    this.track();
    const row = this.#pages.rowAt(this.#grid.selection.active.row);
    const id = this.#tracked?.id;
    // It has moved to rows that are being loaded.
    const isElsewhere = id !== undefined && row?.id !== this.#pages.idOf(id) && this.#pages.indexOf(id) < 0;
    return isElsewhere && this.#pages.isLoading ? undefined : row;
  }

  /** Notes which row is at the position of the active cell, before rows change. */
  track(): void {
    const { row: index } = this.#grid.selection.active;
    // Otherwise the row is still the active one, even if it is not loaded now.
    if (this.#tracked?.index !== index) this.#tracked = { index, id: this.#pages.rowAt(index)?.id };
  }

  /** Moves the selection to the new position of the row. */
  follow(): void {
    if (this.#tracked?.id === undefined) return;
    const index = this.#pages.indexOf(this.#tracked.id);
    const { row } = this.#grid.selection.active;
    if (index >= 0 && index !== row) this.#grid.moveSelection(index - row);
    this.#tracked.index = this.#grid.selection.active.row;
  }

  /** The active cell was chosen by its position: no row is followed to it. */
  forget(): void {
    this.#tracked = null;
  }
}
