import { api } from "../../../../base/client/api.ts";
import type { RecordJson, RecordsPage } from "../../../../base/table-data.ts";
import type { Sheet } from "../sheet.ts";

/** Number of rows per request when a command covers rows that are not loaded. */
const ROWS_PER_REQUEST = 5000;

/** Returns the rows of a range, loading missing ones. */
export async function readRange(sheet: Sheet, from: number, to: number): Promise<RecordJson[]> {
  const loaded = Array.from({ length: to - from + 1 }, (_, at) => sheet.rowPages.rowAt(from + at));
  if (loaded.every((row) => row !== undefined)) return loaded;
  const rows: RecordJson[] = [];
  while (rows.length < to - from + 1) {
    const limit = Math.min(ROWS_PER_REQUEST, to - from + 1 - rows.length);
    const query = { ...sheet.view.query, hidden: true, limit, offset: from + rows.length };
    const { records } = await api<RecordsPage>(`${sheet.path}/records`, { query });
    rows.push(...records);
    if (records.length < limit) break;
  }
  return rows;
}
