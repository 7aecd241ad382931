import type { OpenDocument } from "../../document.ts";
import { idsCondition } from "../index-reads.ts";
import { type Row, RowScan } from "../row-scan.ts";
import type { VisibilityFilter, VisibleTable } from "../visibility-filter.ts";
import { createVisibleRows } from "../visible-rows.ts";
import type { OutputRequest } from "./output-request.ts";
import { createRecordPlan } from "./record-plan.ts";
import type { OutputRecord } from "./row-mapper.ts";

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

/** Reads a row as the caller sees it; none if there is none for them. */
export function scanRow(
  { db }: OpenDocument,
  visible: VisibleTable,
  { id, columns }: { id: number; columns: readonly string[] },
): Row[] {
  const order = { kind: "id", descending: false } as const;
  const selection = { where: idsCondition([id]), order, limit: 1, visibleRows: createVisibleRows(visible) };
  return new RowScan({ db }, { table: visible.table, columns, selection }).take(1);
}
