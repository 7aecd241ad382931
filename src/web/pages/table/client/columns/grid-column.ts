/** How the grid draws a column of a table. */
import type { GridColumn } from "../../../../base/client/grid/grid.ts";
import type { RecordJson } from "../../../../base/table-data.ts";
import { drawCell } from "../cells/cell-renderers.ts";
import type { StyleRule } from "../cells/conditional-styles.ts";
import type { ErrorDetails } from "../cells/error-words.ts";
import type { MarkdownTexts } from "../cells/markdown-texts.ts";
import type { Thumbnails } from "../cells/thumbnails.ts";
import type { Totals } from "../totals/totals.ts";
import { filteredColumns } from "../view/filter-model.ts";
import { hasHit } from "../view/find-hits.ts";
import type { ViewSettings } from "../view/view-settings.ts";
import { drawHeader } from "./column-headers.ts";
import type { Column } from "./columns.ts";

interface DrawnTable {
  readonly view: ViewSettings;
  readonly thumbnails: Thumbnails;
  readonly errorDetails: ErrorDetails;
  readonly rowRules: readonly StyleRule[];
  readonly markdown: MarkdownTexts;
  readonly totals: Totals;
  readonly onOpenColumnMenu: (column: Column, button: HTMLElement) => void;
  canEditCells(column: Column): boolean;
}

export function gridColumn(table: DrawnTable, column: Column): GridColumn<RecordJson> {
  const { view, totals } = table;
  const sort = view.sortOf(column.id);
  const look = {
    thumbnails: table.thumbnails,
    errors: table.errorDetails,
    rowRules: table.rowRules,
    markdown: { texts: table.markdown, isInline: view.state.lines === 1 },
    canEdit: (each: Column) => table.canEditCells(each),
  };
  return {
    id: column.id,
    width: view.widthOf(column),
    sort: sort && (sort.isDescending ? "descending" : "ascending"),
    drawHeader: (cell) =>
      drawHeader(cell, column, {
        sort,
        isFiltered: filteredColumns(view.state.filter).has(column.id),
        openMenu: (button) => table.onOpenColumnMenu(column, button),
      }),
    drawCell: (cell, row) => {
      drawCell(cell, row, column, look);
      if (hasHit(row, column, view.state.find)) cell.classList.add("hit");
    },
    drawFooter: totals.isShown ? (cell) => totals.drawCell(cell, column) : undefined,
  };
}
