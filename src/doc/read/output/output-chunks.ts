import type { ReadConnection } from "../../cursors.ts";
import { recordChunks, scannedChunks, tailText } from "../record-chunks.ts";
import { RowScan, type Selection } from "../row-scan.ts";
import type { VisibilityFilter, VisibleTable } from "../visibility-filter.ts";
import type { OutputRequest } from "./output-request.ts";
import { createRecordPlan } from "./record-plan.ts";

export interface OutputOptions {
  readonly output: OutputRequest;
  readonly selection: Selection;
  /** Further members of the answer. */
  readonly tail?: Readonly<Record<string, unknown>>;
  /** As `RecordChunksOptions.lines`. */
  readonly lines?: boolean | undefined;
}

/**
 * Returns the chunks of `{"records": […], total?, …tail}`, with the requested parts of each record.
 * @throws AppError `invalid` for columns that do not exist for the caller
 */
export function outputChunks(
  visibility: VisibilityFilter,
  source: ReadConnection,
  visible: VisibleTable,
  { output, selection, tail = {}, lines }: OutputOptions,
): Generator<string, void> {
  const { fields, expand, hidden, cells } = output;
  const isWhole = fields === null && expand.length === 0;
  if (isWhole && (cells === "plain" || cells === "typed"))
    return recordChunks(source, visible.table, { form: { hidden, cells }, selection, tail, lines });
  const { columns, toRecords } = createRecordPlan(visibility, visible, output);
  const scan = new RowScan(source, { table: visible.table, columns, selection });
  return scannedChunks(scan, {
    toRecords: (rows) => toRecords(source, rows),
    tail: lines ? null : tailText(selection, tail),
  });
}
