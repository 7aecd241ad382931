import type { SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { CellValue } from "../../values/cell.ts";
import { allIds, IN_IDS, sameCell } from "../actions/row-storage.ts";
import type { DocAction } from "../actions/doc-action.ts";
import type { OpenDocument } from "../document.ts";
import { createRecordMapper, storedFieldIds } from "../read/cell-format.ts";
import { findReadTable, type ReadTable } from "../read/read-table.ts";
import type { TableInfo } from "../schema.ts";
import { type ChangedTableRows, changedRows, type PreviousRow } from "./changed-rows.ts";
import { columnIds, type Hook } from "./hooks.ts";
import { rowWindows } from "./row-windows.ts";

/** Rows are sent in their present state, or, when removed, in their last one. */
export type EntryKind = "rows" | "removed";

/** Rows of one change that are sent to the same webhooks together. */
export interface NewEntry {
  readonly kind: EntryKind;
  /** The row ids of the webhooks. */
  readonly hooks: readonly number[];
  readonly rowCount: number;
  /** The rows as comma-separated JSON objects. */
  readonly body: string;
}

/** The maximum number of rows per entry. */
export const BATCH_ROWS = 100;

/** Creates the outbox entries of a change, one by one. Call at its end, within its transaction. */
export function* createEntries(
  document: OpenDocument,
  hooks: readonly Hook[],
  undo: readonly DocAction[],
): Generator<NewEntry> {
  const groups = groupEquivalentHooks(hooks);
  for (const part of rowWindows(undo)) yield* entriesOfRows(document, groups, changedRows(part));
}

function* entriesOfRows(
  document: OpenDocument,
  groups: readonly (readonly Hook[])[],
  tables: ReadonlyMap<string, ChangedTableRows>,
): Generator<NewEntry> {
  for (const group of groups) {
    const [first] = group;
    const table = first && document.schema.tableByRef.get(first.tableRef);
    const changed = table && tables.get(table.id);
    if (!changed) continue;
    const refs = group.map(({ ref }) => ref);
    const rows = changedRowsOf(document, table, changed);
    for (const kind of ["rows", "removed"] as const) {
      const matching = rows.filter((row) => eventKindFor(first, table, row) === kind);
      for (let at = 0; at < matching.length; at += BATCH_ROWS) {
        const part = matching.slice(at, at + BATCH_ROWS);
        yield { kind, hooks: refs, rowCount: part.length, body: part.map((row) => row.json()).join(",") };
      }
    }
  }
}

/** Groups webhooks with equal settings, so that their entries are created and stored once. */
function groupEquivalentHooks(hooks: readonly Hook[]): readonly (readonly Hook[])[] {
  const groups = new Map<string, Hook[]>();
  for (const hook of hooks) {
    const { tableRef, readyRef } = hook;
    const key = JSON.stringify([
      tableRef,
      readyRef,
      hook.eventTypes.toSorted(),
      hook.watchedRefs.toSorted((a, b) => a - b),
    ]);
    const group = groups.get(key);
    if (group) group.push(hook);
    else groups.set(key, [hook]);
  }
  return [...groups.values()];
}

/** A changed row, before and after. */
interface ChangedRow {
  readonly id: number;
  readonly existed: boolean;
  readonly exists: boolean;
  before(column: string): CellValue;
  after(column: string): CellValue;
  /** Returns the columns whose cells changed. */
  changed(): readonly string[];
  /** Returns the row as JSON: in its present state, or in its last one before it was removed. */
  json(): string;
}

/** Rows are cached as long as the change they belong to. */
const changedRowsCache = new WeakMap<ChangedTableRows, ChangedRow[]>();

/** Returns the changed rows, ordered by id. */
function changedRowsOf(document: OpenDocument, { id }: TableInfo, changed: ChangedTableRows): ChangedRow[] {
  let rows = changedRowsCache.get(changed);
  if (!rows)
    changedRowsCache.set(changed, (rows = readTableRows(document, findReadTable(document.schema, id), changed)));
  return rows;
}

function readTableRows({ db }: OpenDocument, table: ReadTable, changed: ChangedTableRows): ChangedRow[] {
  if (changed.isReplaced) {
    for (const id of allIds(db, table.id)) {
      if (!changed.rows.has(id)) changed.rows.set(id, { existed: false, cells: new Map() });
    }
  }
  const ids = [...changed.rows.keys()].toSorted((a, b) => a - b);
  const reading = tableReaderOf(table);
  const now = new Map<number, SqlValue[]>();
  for (const row of db.values(reading.select, JSON.stringify(ids))) now.set(Number(row[0]), row);
  return ids.map((id) => {
    const before = changed.rows.get(id) ?? { existed: false, cells: new Map<string, CellValue>() };
    return rowOf({ id, before, now: now.get(id), table, reading });
  });
}

interface ChangedRowSource {
  readonly id: number;
  readonly before: PreviousRow;
  /** The stored row. */
  readonly now: readonly SqlValue[] | undefined;
  readonly table: ReadTable;
  readonly reading: TableReader;
}

/** How rows of a table are read. */
interface TableReader {
  /** SQL that takes a list of ids as JSON. */
  readonly select: string;
  /** The index of each column in a row. */
  readonly columnIndexes: ReadonlyMap<string, number>;
  readonly toRecord: ReturnType<typeof createRecordMapper>;
}

const tableReaders = new WeakMap<ReadTable, TableReader>();

/** Cached across changes, as creating a reader takes longer than reading a row. */
function tableReaderOf(table: ReadTable): TableReader {
  let reading = tableReaders.get(table);
  if (!reading) {
    const stored = storedFieldIds(table.fields);
    reading = {
      select: `select ${["id", ...stored].map(quote).join(", ")} from ${table.from} where id ${IN_IDS}`,
      columnIndexes: new Map(stored.map((column, at) => [column, at + 1])),
      toRecord: createRecordMapper(table.fields, "coded"),
    };
    tableReaders.set(table, reading);
  }
  return reading;
}

function rowOf({ id, before, now, table, reading: { columnIndexes, toRecord } }: ChangedRowSource): ChangedRow {
  const after = (column: string): CellValue => {
    const at = columnIndexes.get(column);
    const field = table.fieldById.get(column);
    return now && at !== undefined && field ? field.type.decodeRaw(now[at] ?? null) : null;
  };
  let text: string | undefined;
  return {
    id,
    existed: before.existed,
    exists: now !== undefined,
    before: (column) => (before.cells.has(column) ? (before.cells.get(column) ?? null) : after(column)),
    after,
    changed: () =>
      [...before.cells].flatMap(([column, cell]) =>
        columnIndexes.has(column) && !sameCell(cell, after(column)) ? [column] : [],
      ),
    json() {
      text ??= JSON.stringify({ id, ...(now ? toRecord(now).fields : cellsBefore(table, before)) });
      return text;
    },
  };
}

/** Returns the cells of a removed row in the form of the records API. */
const cellsBefore = ({ fields }: ReadTable, { cells }: PreviousRow): Record<string, CellValue> =>
  Object.fromEntries(fields.map(({ id, type }) => [id, type.decode(type.encode(cells.get(id) ?? null))]));

/** Returns which kind of entry a webhook receives for a row; null for none. */
function eventKindFor(hook: Hook, table: TableInfo, row: ChangedRow): EntryKind | null {
  const ready = columnIds(table, [hook.readyRef])[0];
  const wasReady = row.existed && (ready === undefined || row.before(ready) === true);
  if (!row.exists) return wasReady && hook.eventTypes.includes("remove") ? "removed" : null;
  // Only the boolean true is accepted, not a number or text.
  if (ready !== undefined && row.after(ready) !== true) return null;
  if (!wasReady) return hook.eventTypes.includes("add") ? "rows" : null;
  if (!hook.eventTypes.includes("update")) return null;
  const changed = row.changed();
  const watched = columnIds(table, hook.watchedRefs);
  const counts = watched.length === 0 ? changed.length > 0 : changed.some((column) => watched.includes(column));
  return counts ? "rows" : null;
}
