import { AppError } from "../../errors.ts";
import type { SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { CellValue } from "../../values/cell.ts";
import { allIds, IN_IDS, sameCell } from "../actions/row-storage.ts";
import type { DocAction } from "../actions/doc-action.ts";
import type { OpenDocument } from "../document.ts";
import type { FilterCells } from "../filters/condition.ts";
import type { RowTest } from "../filters/row-test.ts";
import { createRecordMapper, storedFieldIds } from "../read/cell-format.ts";
import { findReadTable, type ReadTable } from "../read/read-table.ts";
import type { TableInfo } from "../schema.ts";
import type { UserInfo } from "../user-info.ts";
import { type ChangedTableRows, changedRows, type PreviousRow } from "./changed-rows.ts";
import { filterTest, type HookSettings } from "./hook-settings.ts";
import { columnIds, type EventType, type Hook } from "./hooks.ts";
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

/** The webhooks that a change is reported to. */
export interface EntryTargets {
  readonly hooks: readonly Hook[];
  settingsOf(hook: Hook): HookSettings;
  /** Who made the change. */
  readonly user: UserInfo;
}

/** Creates the outbox entries of a change, one by one. Call at its end, within its transaction. */
export function* createEntries(
  document: OpenDocument,
  targets: EntryTargets,
  undo: readonly DocAction[],
): Generator<NewEntry> {
  const groups = groupEquivalentHooks(targets).map((group) => ({ ...group, user: eventUser(targets.user) }));
  for (const part of rowWindows(undo)) yield* entriesOfRows(document, groups, changedRows(part));
}

function* entriesOfRows(
  document: OpenDocument,
  groups: readonly (HookGroup & { readonly user: EventUser | null })[],
  tables: ReadonlyMap<string, ChangedTableRows>,
): Generator<NewEntry> {
  for (const { hook, refs, settings, user } of groups) {
    const table = document.schema.tableByRef.get(hook.tableRef);
    const changed = table && tables.get(table.id);
    if (!changed) continue;
    const counts = rowConditionOf(document, table, { hook, settings });
    const events = changedRowsOf(document, table, changed).flatMap((row) => {
      const type = eventTypeFor({ hook, table, counts }, row);
      return type === null ? [] : [{ row, type }];
    });
    const textOf = ({ row, type }: RowEvent): string =>
      settings.includeEvent || settings.includeOld ? withEvent({ row, type }, { settings, user }) : row.json();
    for (const kind of ["rows", "removed"] as const) {
      const matching = events.filter(({ type }) => (type === "remove") === (kind === "removed"));
      for (let at = 0; at < matching.length; at += BATCH_ROWS) {
        const part = matching.slice(at, at + BATCH_ROWS);
        yield { kind, hooks: refs, rowCount: part.length, body: part.map(textOf).join(",") };
      }
    }
  }
}

interface RowEvent {
  readonly row: ChangedRow;
  readonly type: EventType;
}

/** Returns the row as JSON, with its event under a key that no column has. */
function withEvent(
  { row, type }: RowEvent,
  { settings, user }: { settings: HookSettings; user: EventUser | null },
): string {
  const old = settings.includeOld && type !== "remove" && row.existed ? { old: row.old() } : {};
  return `${row.json().slice(0, -1)},"$event":${JSON.stringify({ type, user, ...old })}}`;
}

/** Who made a change, for receivers. */
interface EventUser {
  readonly id: number | null;
  readonly name: string;
  readonly email: string;
}

/** Null for changes that the server makes. */
const eventUser = ({ userId, name, email }: UserInfo): EventUser | null =>
  userId === null && email === "" ? null : { id: userId, name, email };

/** Webhooks with equal settings. */
interface HookGroup {
  /** One of them. */
  readonly hook: Hook;
  readonly refs: readonly number[];
  readonly settings: HookSettings;
}

/** Groups webhooks with equal settings, so that their entries are created and stored once. */
function groupEquivalentHooks({ hooks, settingsOf }: EntryTargets): HookGroup[] {
  const groups = new Map<string, HookGroup & { refs: number[] }>();
  for (const hook of hooks) {
    const { tableRef, readyRef } = hook;
    const settings = settingsOf(hook);
    const key = JSON.stringify([
      settings,
      tableRef,
      readyRef,
      hook.eventTypes.toSorted(),
      hook.watchedRefs.toSorted((a, b) => a - b),
    ]);
    const group = groups.get(key);
    if (group) group.refs.push(hook.ref);
    else groups.set(key, { hook, refs: [hook.ref], settings });
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
  /** Returns the previous cells of the columns whose cells changed, in the form of the records API. */
  old(): Record<string, CellValue>;
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
    old: () => {
      const columns = table.fields.filter(
        ({ id: column }) => before.cells.has(column) && !sameCell(before.cells.get(column) ?? null, after(column)),
      );
      return cellsBefore({ ...table, fields: columns }, before);
    },
    json() {
      text ??= JSON.stringify({ id, ...(now ? toRecord(now).fields : cellsBefore(table, before)) });
      return text;
    },
  };
}

/** Returns the cells of a removed row in the form of the records API. */
const cellsBefore = ({ fields }: ReadTable, { cells }: PreviousRow): Record<string, CellValue> =>
  Object.fromEntries(fields.map(({ id, type }) => [id, type.decode(type.encode(cells.get(id) ?? null))]));

/** Decides which rows a webhook reports, before and after the change. */
interface RowCondition {
  before(row: ChangedRow): boolean;
  after(row: ChangedRow): boolean;
}

/** Returns the condition of a webhook: its ready column is true, and its filter selects the row. */
function rowConditionOf(
  document: OpenDocument,
  table: TableInfo,
  { hook, settings: { filter } }: { hook: Hook; settings: HookSettings },
): RowCondition {
  const ready = columnIds(table, [hook.readyRef])[0];
  const test = filter ? filterTest(document, table, filter) : undefined;
  // A filter that does not fit the table any more selects nothing.
  const matches = (id: number, cell: (column: string) => CellValue): boolean =>
    // Only the boolean true is accepted, not a number or text.
    (ready === undefined || cell(ready) === true) &&
    (test === undefined || (test !== null && passes(test, (column) => (column === "id" ? id : cell(column)))));
  return { before: (row) => matches(row.id, row.before), after: (row) => matches(row.id, row.after) };
}

/** A filter that takes too long selects nothing: the change must succeed. */
function passes(test: RowTest, cells: FilterCells): boolean {
  try {
    return test.budget.spend(() => test.matches(cells));
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

interface HookOfTable {
  readonly hook: Hook;
  readonly table: TableInfo;
  readonly counts: RowCondition;
}

/** Returns which event a webhook receives for a row; null for none. */
function eventTypeFor({ hook, table, counts }: HookOfTable, row: ChangedRow): EventType | null {
  const counted = row.existed && counts.before(row);
  if (!row.exists) return counted && hook.eventTypes.includes("remove") ? "remove" : null;
  if (!counts.after(row)) return null;
  if (!counted) return hook.eventTypes.includes("add") ? "add" : null;
  if (!hook.eventTypes.includes("update")) return null;
  const changed = row.changed();
  const watched = columnIds(table, hook.watchedRefs);
  const isChange = watched.length === 0 ? changed.length > 0 : changed.some((column) => watched.includes(column));
  return isChange ? "update" : null;
}
