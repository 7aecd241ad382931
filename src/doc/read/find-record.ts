import type { OpenDocument } from "../document.ts";
import { parseFilterValue } from "../filters/parse-filter.ts";
import type { OutputRequest } from "./output/output-request.ts";
import { createRecordPlan } from "./output/record-plan.ts";
import type { OutputRecord } from "./output/row-mapper.ts";
import { selectRows } from "./row-query.ts";
import { type Row, RowScan } from "./row-scan.ts";
import type { VisibilityFilter, VisibleTable } from "./visibility-filter.ts";

/** Returns true if the caller can read a row with this id. Costs the same for hidden rows and missing ones. */
export const isVisibleRow = (document: OpenDocument, visible: VisibleTable, id: number): boolean =>
  scanRow(document, visible, { id, columns: [] }).length > 0;

/**
 * Returns the record with an id; null if there is none, or none that the caller can read.
 * @throws AppError `invalid` for columns that do not exist for the caller
 */
export function findRecord(
  visibility: VisibilityFilter,
  visible: VisibleTable,
  { id, output }: { id: number; output: OutputRequest },
): OutputRecord | null {
  const { document } = visibility;
  const { columns, toRecords } = createRecordPlan(visibility, visible, output);
  const rows = scanRow(document, visible, { id, columns });
  return toRecords({ db: document.db }, rows)[0] ?? null;
}

function scanRow(
  document: OpenDocument,
  visible: VisibleTable,
  { id, columns }: { id: number; columns: readonly string[] },
): Row[] {
  const selection = selectRows(document, visible, { filter: parseFilterValue({ id: [id] }), sort: [], limit: 1 });
  return new RowScan({ db: document.db }, { table: visible.table, columns, selection }).take(1);
}
