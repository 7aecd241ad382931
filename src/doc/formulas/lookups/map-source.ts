import type { Database } from "../../../sqlite/database.ts";
import type { CellValue } from "../../../values/cell.ts";
import { allIds, existingIds } from "../../actions/row-storage.ts";
import { type CellBlock, readBlockAfter } from "../cell-block.ts";
import type { ColumnNode, TableNode } from "../nodes.ts";
import { RowSet } from "../row-set.ts";
import type { MapSource, ReadCell } from "./lookup-map.ts";

/** Number of rows whose existence is checked one by one; for more, all rows of the table are read. */
const SINGLE_ROW_CHECKS = 100;

interface MapSourceOptions {
  /** Returns current cells, computed or stored. */
  readonly cells: { readonly cellOf: ReadCell };
  /** Rows that are read together. */
  readonly blockRows: number;
  /** Called after each block of a scan. */
  readonly onBlock: () => void;
}

/** Returns a source that reads the current cells of a table for a lookup map. */
export function createMapSource(
  db: Database,
  table: TableNode,
  { cells, blockRows, onBlock }: MapSourceOptions,
): MapSource {
  const { stored } = table;
  let rows: RowSet | undefined;
  let checks = 0;
  return {
    read: (column, row) => cells.cellOf(column, row),
    hasRow(row) {
      if (!stored) return false;
      if (!rows && ++checks <= SINGLE_ROW_CHECKS) return existingIds(db, table.id, [row]).size > 0;
      rows ??= new RowSet(allIds(db, table.id));
      return rows.has(row);
    },
    scan(columns, visit) {
      for (let after = 0; ;) {
        const block = readBlockAfter(db, { table, columns }, { after, limit: blockRows });
        if (block.size === 0) return;
        after = block.rowId(block.size - 1);
        for (let at = 0; at < block.size; at++) {
          const row = block.rowId(at);
          visit(
            row,
            columns.map((column) => currentCell(column, row, block)),
          );
        }
        onBlock();
      }
    },
  };
}

function currentCell(column: ColumnNode, row: number, block: CellBlock): CellValue {
  const result = column.results.size > 0 ? column.results.get(row) : undefined;
  return result === undefined ? (block.get(column, row) ?? null) : result;
}
