import type { OpenDocument } from "../document.ts";
import { createRecordMapper, storedFieldIds, type RecordJson } from "./cell-format.ts";
import type { RecordFormat } from "./record-chunks.ts";
import { selectRows } from "./row-query.ts";
import { RowScan } from "./row-scan.ts";
import type { VisibleTable } from "./visibility-filter.ts";

/** Returns true if the caller can read a row with this id. Costs the same for hidden rows and missing ones. */
export const isVisibleRow = (document: OpenDocument, visible: VisibleTable, id: number): boolean =>
  scanRow(document, visible, { id, columns: [] }).length > 0;

/** Returns the record with an id; null if there is none, or none that the caller can read. */
export function findRecord(
  document: OpenDocument,
  visible: VisibleTable,
  { id, form }: { id: number; form: RecordFormat },
): RecordJson | null {
  const fields = visible.table.fields.filter((field) => form.hidden || !field.isHidden);
  const [row] = scanRow(document, visible, { id, columns: storedFieldIds(fields) });
  return row ? createRecordMapper(fields, form.cells)(row) : null;
}

function scanRow(
  document: OpenDocument,
  visible: VisibleTable,
  { id, columns }: { id: number; columns: readonly string[] },
) {
  const selection = selectRows(document, visible, { filter: { id: [id] }, sort: [], limit: 1 });
  return new RowScan({ db: document.db }, { table: visible.table, columns, selection }).take(1);
}
