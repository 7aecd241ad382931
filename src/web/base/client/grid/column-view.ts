import { ColumnLayout } from "./column-layout.ts";
import { fitFrozen } from "./frozen-columns.ts";
import type { GridColumn, RowRenderOptions } from "./row-element.ts";
import type { ShownColumns } from "./rows-view.ts";

const ROW_HEADER_PX = 52;
/** Without row numbers there is room for clicks that select rows, and for the grip. */
const NARROW_ROW_HEADER_PX = { fine: 28, coarse: 44 } as const;

function rowHeaderWidth(hasNumbers: boolean): number {
  if (hasNumbers) return ROW_HEADER_PX;
  return NARROW_ROW_HEADER_PX[matchMedia("(pointer: coarse)").matches ? "coarse" : "fine"];
}

/** The columns of a grid, and which of them are rendered. */
export class ColumnView<Row> {
  #frozen = 0;
  #fitted = "";
  #renderOptions: RowRenderOptions<Row> = {
    columns: [],
    columnLayout: new ColumnLayout(),
    visibleColumns: [],
    headerWidth: ROW_HEADER_PX,
    numberOf: null,
  };

  get renderOptions(): RowRenderOptions<Row> {
    return this.#renderOptions;
  }

  set(columns: readonly GridColumn<Row>[], { frozen = 0, style }: Partial<ShownColumns<Row>>): void {
    this.#frozen = frozen;
    this.#fitted = "";
    this.#renderOptions = {
      ...this.#renderOptions,
      columns,
      visibleColumns: [],
      headerWidth: rowHeaderWidth(style?.hasNumbers ?? true),
      numberOf: style?.numberOf ?? null,
    };
  }

  /** Lays the columns out for a width of the grid. */
  fit(gridWidth: number): void {
    const fitted = fitFrozen(
      this.#renderOptions.columns.map(({ width }) => width),
      this.#frozen,
      gridWidth,
    );
    const key = JSON.stringify(fitted);
    if (key === this.#fitted) return;
    this.#fitted = key;
    const columnLayout = new ColumnLayout(fitted.widths, fitted.frozen);
    this.#renderOptions = { ...this.#renderOptions, columnLayout };
  }

  /** Chooses the columns to render. */
  render(scrollLeft: number, viewport: number, active: number): void {
    const { columnLayout, visibleColumns: before } = this.#renderOptions;
    const visibleColumns = columnLayout.renderedColumns(scrollLeft, viewport, active);
    if (visibleColumns.length === before.length && visibleColumns.every((at, place) => at === before[place])) return;
    this.#renderOptions = { ...this.#renderOptions, visibleColumns };
  }
}
