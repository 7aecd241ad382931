import { apiWithRetry } from "../../../../base/client/api.ts";
import type { RecordsPage } from "../../../../base/table-data.ts";
import type { Sheet } from "../sheet.ts";

/** Rows whose position is searched. */
const MAX_ROWS = 100_000;

/** Returns the position of a row in the present view; -1 if the view does not show it, or only far down. */
export async function indexOfRow(sheet: Sheet, id: number): Promise<number> {
  await sheet.rowPages.whenLoaded();
  const loaded = sheet.rowPages.indexOf(id);
  if (loaded >= 0) return loaded;
  const query = { ...sheet.view.query, fields: "id", limit: MAX_ROWS };
  try {
    const { records } = await apiWithRetry<RecordsPage>(`${sheet.path}/records`, { query });
    return records.findIndex((record) => record.id === id);
  } catch {
    return -1;
  }
}
