import { apiWithRetry } from "../../../../base/client/api.ts";
import type { RecordJson, RecordsPage } from "../../../../base/table-data.ts";

/**
 * Reads the first row that a filter selects, wherever the view has it; undefined for none.
 * @param path of the table in the API
 */
export async function readRecord(path: string, filter: unknown): Promise<RecordJson | undefined> {
  const query = { filter: JSON.stringify(filter), hidden: true, limit: 1 };
  const { records } = await apiWithRetry<RecordsPage>(`${path}/records`, { query });
  return records[0];
}
