import type { RowRange } from "../../../../base/client/grid/row-ranges.ts";
import type { RecordJson } from "../../../../base/table-data.ts";
import type { Sheet } from "../sheet.ts";

/** Number of rows per request when a command covers rows that are not loaded. */
const ROWS_PER_REQUEST = 5000;

/** Returns the rows of a range, loading missing ones. */
export async function readRange(sheet: Sheet, from: number, to: number): Promise<RecordJson[]> {
  const loaded = Array.from({ length: to - from + 1 }, (_, at) => sheet.rowPages.rowAt(from + at));
  if (loaded.every((row) => row !== undefined)) return loaded;
  const rows: RecordJson[] = [];
  const { rowPages } = sheet;
  const { held } = rowPages;
  while (rows.length < to - from + 1) {
    const next = from + rows.length;
    const known = rowPages.rowAt(next);
    if (held && known?.id === rowPages.idOf(held.id)) {
      rows.push(known);
      continue;
    }
    const offset = rowPages.offsetOf(next);
    const limit = adjacentRows(sheet, next, to);
    const { records } = await sheet.readRows(offset, limit, { held });
    rows.push(...records);
    if (records.length < limit) break;
  }
  return rows;
}

/** Returns the rows of several ranges, in order. */
export async function readRanges(sheet: Sheet, ranges: readonly RowRange[]): Promise<RecordJson[]> {
  const rows: RecordJson[] = [];
  for (const { top, bottom } of ranges) rows.push(...(await readRange(sheet, top, bottom)));
  return rows;
}

/** The number of rows from one on that are read together: up to the next folded group, or to a held row. */
function adjacentRows({ rowPages }: Sheet, from: number, to: number): number {
  const held = rowPages.held ? rowPages.indexOf(rowPages.held.id) : -1;
  const offset = rowPages.offsetOf(from);
  let count = 1;
  while (
    count < ROWS_PER_REQUEST &&
    from + count <= to &&
    from + count !== held &&
    rowPages.offsetOf(from + count) === offset + count
  )
    count++;
  return count;
}
