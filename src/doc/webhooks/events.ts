import type { SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { CellValue } from "../../values/cell.ts";
import { allIds, IN_IDS, sameCell } from "../actions/rows.ts";
import type { DocAction } from "../actions/doc-action.ts";
import type { OpenDocument } from "../document.ts";
import { recordMaker, storedColumns } from "../read/cells.ts";
import { findReadTable, type ReadTable } from "../read/table.ts";
import type { TableInfo } from "../schema.ts";
import { type ChangedTable, changedRows, type RowBefore } from "./changed-rows.ts";
import { columnIds, type Hook } from "./hooks.ts";

/** Rows are told as they are now, or, when they are gone, as they were. */
export type EntryKind = "rows" | "removed";

/** Rows of one change that go to the same webhooks together. */
export interface NewEntry {
  readonly kind: EntryKind;
  /** The webhooks, by their rows' ids. */
  readonly hooks: readonly number[];
  readonly rowCount: number;
  /** The rows as JSON objects with commas between them. */
  readonly body: string;
}

/** The most rows that go together. */
export const BATCH_ROWS = 100;

/** What a change has to tell the webhooks; to be asked at its end, within its transaction. */
export function eventsOf(document: OpenDocument, hooks: readonly Hook[], undo: readonly DocAction[]): NewEntry[] {
  const tables = changedRows(undo);
  const entries: NewEntry[] = [];
  for (const group of alike(hooks)) {
    const [first] = group;
    const table = first && document.schema.tableByRef.get(first.tableRef);
    const changed = table && tables.get(table.id);
    if (!changed) continue;
    const refs = group.map(({ ref }) => ref);
    const rows = tableRows(document, table, changed);
    for (const kind of ["rows", "removed"] as const) {
      const matching = rows.filter((row) => eventOf(first, table, row) === kind);
      for (let at = 0; at < matching.length; at += BATCH_ROWS) {
        const part = matching.slice(at, at + BATCH_ROWS);
        entries.push({ kind, hooks: refs, rowCount: part.length, body: part.map((row) => row.json()).join(",") });
      }
    }
  }
  return entries;
}

/** Webhooks that are told the same: what they are told is found and kept once. */
function alike(hooks: readonly Hook[]): Iterable<readonly Hook[]> {
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
  return groups.values();
}

/** A row that was touched, before and after. */
interface ChangedRow {
  readonly id: number;
  readonly existed: boolean;
  readonly exists: boolean;
  before(column: string): CellValue;
  after(column: string): CellValue;
  /** The columns whose cells are not what they were. */
  changed(): readonly string[];
  /** As JSON: as it is now, or was before it was removed. */
  json(): string;
}

/** Rows that were looked up stay as long as what they were found for. */
const known = new WeakMap<ChangedTable, ChangedRow[]>();

/** The rows that were touched, in the order of their ids. */
function tableRows(document: OpenDocument, { id }: TableInfo, changed: ChangedTable): ChangedRow[] {
  let rows = known.get(changed);
  if (!rows) known.set(changed, (rows = readTableRows(document, findReadTable(document.schema, id), changed)));
  return rows;
}

function readTableRows({ db }: OpenDocument, table: ReadTable, changed: ChangedTable): ChangedRow[] {
  if (changed.isReplaced) {
    for (const id of allIds(db, table.id)) {
      if (!changed.rows.has(id)) changed.rows.set(id, { existed: false, cells: new Map() });
    }
  }
  const ids = [...changed.rows.keys()].toSorted((a, b) => a - b);
  const reading = readingOf(table);
  const now = new Map<number, SqlValue[]>();
  for (const row of db.values(reading.select, JSON.stringify(ids))) now.set(Number(row[0]), row);
  return ids.map((id) => {
    const before = changed.rows.get(id) ?? { existed: false, cells: new Map<string, CellValue>() };
    return rowOf({ id, before, now: now.get(id), table, reading });
  });
}

interface RowSource {
  readonly id: number;
  readonly before: RowBefore;
  /** What the file has of it. */
  readonly now: readonly SqlValue[] | undefined;
  readonly table: ReadTable;
  readonly reading: Reading;
}

/** How rows of a table are read. */
interface Reading {
  /** Takes a list of ids as JSON. */
  readonly select: string;
  /** Where the columns stand in a row. */
  readonly place: ReadonlyMap<string, number>;
  readonly make: ReturnType<typeof recordMaker>;
}

const readings = new WeakMap<ReadTable, Reading>();

/** The same for every change, as making it takes longer than reading a row. */
function readingOf(table: ReadTable): Reading {
  let reading = readings.get(table);
  if (!reading) {
    const stored = storedColumns(table.fields);
    reading = {
      select: `select ${["id", ...stored].map(quote).join(", ")} from ${table.from} where id ${IN_IDS}`,
      place: new Map(stored.map((column, at) => [column, at + 1])),
      make: recordMaker(table.fields, "coded"),
    };
    readings.set(table, reading);
  }
  return reading;
}

function rowOf({ id, before, now, table, reading: { place, make } }: RowSource): ChangedRow {
  const after = (column: string): CellValue => {
    const at = place.get(column);
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
        place.has(column) && !sameCell(cell, after(column)) ? [column] : [],
      ),
    json() {
      text ??= JSON.stringify({ id, ...(now ? make(now).fields : cellsBefore(table, before)) });
      return text;
    },
  };
}

/** The cells of a row that is gone, as records show them. */
const cellsBefore = ({ fields }: ReadTable, { cells }: RowBefore): Record<string, CellValue> =>
  Object.fromEntries(fields.map(({ id, type }) => [id, type.decode(type.encode(cells.get(id) ?? null))]));

/** How a webhook is told of a row; null when it is not. */
function eventOf(hook: Hook, table: TableInfo, row: ChangedRow): EntryKind | null {
  const ready = columnIds(table, [hook.readyRef])[0];
  const wasReady = row.existed && (ready === undefined || row.before(ready) === true);
  if (!row.exists) return wasReady && hook.eventTypes.includes("remove") ? "removed" : null;
  // A number or a text is not true, whatever it says.
  if (ready !== undefined && row.after(ready) !== true) return null;
  if (!wasReady) return hook.eventTypes.includes("add") ? "rows" : null;
  if (!hook.eventTypes.includes("update")) return null;
  const changed = row.changed();
  const watched = columnIds(table, hook.watchedRefs);
  const counts = watched.length === 0 ? changed.length > 0 : changed.some((column) => watched.includes(column));
  return counts ? "rows" : null;
}
