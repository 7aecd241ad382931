import { notFound } from "../../errors.ts";
import { quote } from "../../sqlite/quote.ts";
import type { OpenDocument } from "../document.ts";
import { createRecordMapper, storedFieldIds } from "../read/cell-format.ts";
import { findReadTable } from "../read/read-table.ts";
import type { Hook } from "./hooks.ts";

/**
 * Returns a sample of a webhook's payload as JSON: the first row of its table, or a row with default values.
 * @throws AppError `notFound` when its table no longer exists
 */
export function samplePayload({ db, schema }: OpenDocument, { tableRef }: Hook): string {
  const info = schema.tableByRef.get(tableRef);
  if (!info) throw notFound("The webhook's table no longer exists", "table.not_found");
  const { from, fields } = findReadTable(schema, info.id);
  const columns = ["id", ...storedFieldIds(fields)].map(quote).join(", ");
  const [first] = db.values(`select ${columns} from ${from} order by id limit 1`);
  if (first) return JSON.stringify([{ id: first[0], ...createRecordMapper(fields, "coded")(first).fields }]);
  const cells = fields.map(({ id, type }) => [id, id === "manualSort" ? 1 : type.defaultValue]);
  return JSON.stringify([{ id: 1, ...Object.fromEntries(cells) }]);
}
