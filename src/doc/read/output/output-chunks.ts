import type { ReadConnection } from "../../cursors.ts";
import { BatchSizer } from "../batch-sizer.ts";
import { recordChunks, tailText } from "../record-chunks.ts";
import { RowScan, type Selection } from "../row-scan.ts";
import type { VisibilityFilter, VisibleTable } from "../visibility-filter.ts";
import type { OutputRequest } from "./output-request.ts";
import { createRecordPlan } from "./record-plan.ts";

export interface OutputOptions {
  readonly output: OutputRequest;
  readonly selection: Selection;
  /** Further members of the answer. */
  readonly tail?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the chunks of `{"records": […], total?, …tail}`, with the requested parts of each record.
 * @throws AppError `invalid` for columns that do not exist for the caller
 */
export function outputChunks(
  visibility: VisibilityFilter,
  source: ReadConnection,
  visible: VisibleTable,
  { output, selection, tail = {} }: OutputOptions,
): Generator<string, void> {
  const { fields, expand, hidden, cells } = output;
  const isWhole = fields === null && expand.length === 0;
  if (isWhole && (cells === "plain" || cells === "typed"))
    return recordChunks(source, visible.table, { form: { hidden, cells }, selection, tail });
  const { columns, toRecords } = createRecordPlan(visibility, visible, output);
  const scan = new RowScan(source, { table: visible.table, columns, selection });
  return plannedChunks(source, scan, { toRecords, tail: tailText(selection, tail) });
}

interface PlannedChunks {
  readonly toRecords: ReturnType<typeof createRecordPlan>["toRecords"];
  readonly tail: string;
}

function* plannedChunks(
  source: ReadConnection,
  scan: RowScan,
  { toRecords, tail }: PlannedChunks,
): Generator<string, void> {
  const batchSizer = new BatchSizer();
  let separator = '{"records":[';
  for (let rows = scan.take(batchSizer.size); rows.length > 0; rows = scan.take(batchSizer.size)) {
    const text = JSON.stringify(toRecords(source, rows));
    batchSizer.record(rows.length, text.length);
    yield separator + text.slice(1, -1);
    separator = ",";
  }
  yield separator === "," ? tail : separator + tail;
}
