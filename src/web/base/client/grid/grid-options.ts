import type { CellDescription } from "./cell-marks.ts";
import type { RowSource } from "./grid-source.ts";
import type { DrawGroup } from "./group-rows.ts";
import type { CellPosition } from "./selection.ts";

export interface GridOptions<Row> {
  readonly host: HTMLElement;
  readonly label: string;
  readonly source: RowSource<Row>;
  readonly rowHeight: number;
  /** Whether an empty row follows the last one, in which a new row is entered. */
  readonly hasBlankRow?: () => boolean;
  /** Describes the active cell for screen readers; null while its row is not loaded. */
  readonly describeCell: (place: CellPosition) => CellDescription | null;
  readonly onActivate?: (place: CellPosition) => void;
  /** Called whenever the selection is drawn. */
  readonly onSelection?: () => void;
  readonly onResize?: (column: number, width: number, isDone: boolean) => void;
  /** Called for a double click on a column's edge, with the width of what is rendered of the column. */
  readonly onFitWidth?: (column: number, width: number) => void;
  readonly drawGroup?: DrawGroup<Row>;
}
