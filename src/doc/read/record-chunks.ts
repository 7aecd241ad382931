import type { ReadConnection } from "../cursors.ts";
import { type CellFormat, createRecordMapper, storedFieldIds, type RecordJson } from "./cell-format.ts";
import { BatchSizer } from "./batch-sizer.ts";
import { RowScan, type Row, type Selection } from "./row-scan.ts";
import type { ReadTable } from "./read-table.ts";

export interface RecordFormat {
  readonly hidden: boolean;
  readonly cells: CellFormat;
}

/** The compiled conversion of a table's rows to records. */
interface RecordPlan {
  readonly columns: readonly string[];
  readonly toRecord: (row: Row) => RecordJson;
}

const planCache = new WeakMap<ReadTable["fields"], Map<string, RecordPlan>>();

export interface RecordChunksOptions {
  readonly form: RecordFormat;
  readonly selection: Selection;
  /** Further members of the answer. */
  readonly tail?: Readonly<Record<string, unknown>>;
  /** NDJSON: one record per line, and nothing else. */
  readonly lines?: boolean | undefined;
}

/**
 * Yields the chunks of `{"records": [{id, fields, errors?}, …], total?}`; `source.db` may be replaced between two of
 * them.
 */
export function* recordChunks(
  source: ReadConnection,
  table: ReadTable,
  { form, selection, tail = {}, lines = false }: RecordChunksOptions,
): Generator<string, void> {
  const { columns, toRecord } = findPlan(table, form);
  const scan = new RowScan(source, { table, columns, selection });
  yield* scannedChunks(scan, {
    toRecords: (rows) => rows.map(toRecord),
    tail: lines ? null : tailText(selection, tail),
  });
}

interface ScannedChunks {
  readonly toRecords: (rows: Row[]) => readonly unknown[];
  /** The end of the answer; null for NDJSON. */
  readonly tail: string | null;
}

/** Yields the chunks of the records of a scan. */
export function* scannedChunks(scan: RowScan, { toRecords, tail }: ScannedChunks): Generator<string, void> {
  const batchSizer = new BatchSizer();
  let separator = '{"records":[';
  for (let rows = scan.take(batchSizer.size); rows.length > 0; rows = scan.take(batchSizer.size)) {
    const records = toRecords(rows);
    const text = tail === null ? linesOf(records) : JSON.stringify(records);
    batchSizer.record(rows.length, text.length);
    yield tail === null ? text : separator + text.slice(1, -1);
    separator = ",";
  }
  if (tail !== null) yield separator === "," ? tail : separator + tail;
}

const linesOf = (records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

/** Returns the end of the answer after the last record. */
export function tailText({ total }: Selection, tail: Readonly<Record<string, unknown>>): string {
  const members = JSON.stringify({ total, ...tail }).slice(1);
  return members === "}" ? "]}" : `],${members}`;
}

function findPlan({ fields: all }: ReadTable, { hidden, cells }: RecordFormat): RecordPlan {
  let plansByFormat = planCache.get(all);
  if (!plansByFormat) {
    plansByFormat = new Map();
    planCache.set(all, plansByFormat);
  }
  const name = `${cells} ${hidden}`;
  let plan = plansByFormat.get(name);
  if (!plan) {
    const fields = all.filter((field) => hidden || !field.isHidden);
    plan = { columns: storedFieldIds(fields), toRecord: createRecordMapper(fields, cells) };
    plansByFormat.set(name, plan);
  }
  return plan;
}
