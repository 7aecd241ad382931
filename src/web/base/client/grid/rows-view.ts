/** What shows the rows of a table: a grid, or cards. */
import type { GridColumn } from "./row-element.ts";
import type { CellPosition, Selection } from "./selection.ts";

/** How rows and cells of a grid are set off from one another. */
export interface RowsStyle<Row> {
  readonly hasVerticalLines: boolean;
  readonly hasHorizontalLines: boolean;
  readonly isStriped: boolean;
  readonly hasNumbers: boolean;
  /** The text in the header of a row; null for its number in the table. */
  readonly numberOf: ((row: Row) => string) | null;
}

export interface ShownColumns<Row> {
  /** Number of columns at the start that do not scroll. */
  readonly frozen: number;
  /** Height of rows in a grid, in pixels. */
  readonly rowHeight: number;
  /** By default with lines and numbers. */
  readonly style?: RowsStyle<Row> | undefined;
}

export interface RowsView<Row> {
  /** Cards have neither groups nor heights of rows. */
  readonly isGrid: boolean;
  /** The scroll container. */
  readonly element: HTMLElement;
  readonly selection: Selection;
  readonly hasFocus: boolean;
  /** The position of an empty row after the last one, in which a new row is entered; null without one. */
  readonly blankRow: number | null;
  setColumns(columns: readonly GridColumn<Row>[], options: ShownColumns<Row>): void;
  /** The rows of the source have changed, or their number. */
  rowsChanged(): void;
  /** Rows were inserted or deleted above those in view; keeps the rows in view in place. */
  shift(by: number): void;
  /** The selection follows its rows to their new positions. */
  moveSelection(by: number): void;
  /** Shows the current selection. */
  selectionChanged(): void;
  /** Makes a cell the active one and scrolls it into view. */
  activate(place: CellPosition, options?: { focus?: boolean }): void;
  focus(): void;
  /** Opens the first field of the row that becomes the active one next. A grid waits for input. */
  enterNext?(): void;
  /** Scrolls a cell into view. */
  reveal(place: CellPosition): void;
}
