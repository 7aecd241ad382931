import { quote } from "../../sqlite/quote.ts";
import type { CellValue } from "../../values/cell.ts";
import type { OpenDocument } from "../document.ts";
import { findReadTable } from "./read-table.ts";

export type MetadataRecord = Readonly<Record<string, CellValue>>;

/** Returns the rows of a metadata table where a column has a value, by id, with all stored columns. */
export function readMetadataRecords(
  { db, schema }: OpenDocument,
  tableId: string,
  where: { readonly column: string; readonly value: number },
): MetadataRecord[] {
  const table = findReadTable(schema, tableId);
  if (!table.isStored) return [];
  const fields = table.fields.filter(({ absent }) => absent === undefined);
  if (where.column !== "id" && !fields.some(({ id }) => id === where.column)) return [];
  const names = ["id", ...fields.map(({ id }) => quote(id))].join(", ");
  const sql = `select ${names} from ${quote(tableId)} where ${quote(where.column)} = ? order by id`;
  return db.values(sql, where.value).map(([id, ...cells]) => ({
    ...Object.fromEntries(fields.map((field, at) => [field.id, field.type.decode(cells[at] ?? null)])),
    id: Number(id),
  }));
}

/** Returns one row of a metadata table. */
export const readMetadataRecord = (document: OpenDocument, tableId: string, id: number): MetadataRecord | undefined =>
  readMetadataRecords(document, tableId, { column: "id", value: id })[0];
