import type { Database } from "../../sqlite/database.ts";
import { AppError } from "../../errors.ts";
import { type NameHistory, NameTracker } from "./name-tracker.ts";
import { readChange, type RecordedAction, rowsOfWholeUpdate } from "./read-state.ts";
import type { State } from "./states.ts";

/** A summary of a table's changes in one state. */
export interface TableChangeDetails {
  readonly table: string;
  readonly renamedFrom?: string;
  readonly isNew?: true;
  readonly isGone?: true;
  /** The number of affected rows. */
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  /** All rows were replaced. */
  readonly isReplaced?: true;
  readonly columns: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly renamed: readonly (readonly [from: string, to: string])[];
    /** Columns whose type or formula changed. */
    readonly modified: readonly string[];
    /** Previously existing columns whose cells, type or formula changed. */
    readonly changes: readonly ColumnChange[];
  };
}

export interface ColumnChange {
  readonly column: string;
  /** The number of changed cells, including cells recomputed by the new formula of the column. */
  readonly cells: number;
  /** The new type. */
  readonly type?: string;
  /** The new formula; empty where the column became a data column. */
  readonly formula?: string;
}

/** A state with details of the change that led to it. */
export interface StateDetails extends State {
  /** Milliseconds since the epoch; null where the file does not record it. */
  readonly time: number | null;
  /** The email address of the user; null where the file does not record it. */
  readonly user: string | null;
  /** The API key that made the change; null for changes without one, and for those of other programs. */
  readonly keyId: number | null;
  /** The description of the change; null where it has none. */
  readonly note: string | null;
  /** False where the change is too large to be read, or cannot be parsed: then it has no table details. */
  readonly isRead: boolean;
  readonly tables: readonly TableChangeDetails[];
}

export interface ReadState {
  readonly details: Omit<StateDetails, "keyId">;
  /** The recorded actions; empty where they are not read. */
  readonly actions: readonly RecordedAction[];
}

/** @param mayRead false for a change that is too large to be read */
export function readStateDetails(db: Database, state: State, mayRead: boolean): ReadState {
  const unread = {
    details: { ...state, time: null, user: null, note: null, isRead: false, tables: [] },
    actions: [],
  };
  if (!mayRead) return unread;
  try {
    const { done, calculated, time, user, note } = readChange(db, state);
    const tables = describeActions(done, new Set(calculated));
    return { details: { ...state, time, user, note, isRead: true, tables }, actions: done };
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid") return unread;
    throw error;
  }
}

/**
 * Whether actions add, change or remove a row, or replace all rows.
 * @param tables the ids of its table, which the actions may rename
 */
export const changeRow = (actions: readonly RecordedAction[], tables: ReadonlySet<string>, row: number): boolean =>
  actions.some(([name, table, rows]) => {
    if (typeof table !== "string" || !tables.has(table)) return false;
    if (name === "ReplaceTableData" || name === "TableData") return true;
    return ROW_ACTIONS.has(name) && rowIds(rows).includes(row);
  });

const ROW_ACTIONS: ReadonlySet<string> = new Set(
  ["AddRecord", "UpdateRecord", "RemoveRecord"].flatMap((name) => [name, `Bulk${name}`]),
);

interface TableCounts extends NameHistory {
  readonly added: Set<number>;
  readonly updated: Set<number>;
  readonly removed: Set<number>;
  isReplaced: boolean;
  /** Rows with recomputed formulas that are not recorded. */
  unlisted: number;
  readonly columns: NameTracker<ColumnCounts>;
  readonly modified: Set<string>;
}

interface ColumnCounts extends NameHistory {
  /** Rows whose cell an action wrote, and rows whose cell a formula recomputed. */
  readonly written: Set<number>;
  readonly computed: Set<number>;
  /** Further rows of these that are not recorded. */
  unlisted: number;
  type?: string;
  formula?: string;
}

/** @param calculated those of the actions that are formula updates */
export function describeActions(
  done: readonly RecordedAction[],
  calculated: ReadonlySet<RecordedAction> = new Set(),
): TableChangeDetails[] {
  const tables = new NameTracker<TableCounts>((names) => ({
    ...names,
    added: new Set(),
    updated: new Set(),
    removed: new Set(),
    isReplaced: false,
    unlisted: 0,
    columns: new NameTracker((column) => ({ ...column, written: new Set(), computed: new Set(), unlisted: 0 })),
    modified: new Set(),
  }));
  for (const action of done) countAction(tables, action, { isComputed: calculated.has(action) });
  return [...tables.all].flatMap((table) => toTableDetails(table) ?? []);
}

function countAction(
  tables: NameTracker<TableCounts>,
  [name, id, second, third, whole]: RecordedAction,
  { isComputed }: { isComputed: boolean },
): void {
  if (typeof id !== "string") return;
  switch (name) {
    case "AddRecord":
    case "BulkAddRecord":
      return add(tables.at(id), second);
    case "UpdateRecord":
    case "BulkUpdateRecord":
      update(tables.at(id), second);
      return updateCells(tables.at(id), { ids: second, values: third, whole, isComputed });
    case "RemoveRecord":
    case "BulkRemoveRecord":
      return remove(tables.at(id), second);
    case "ReplaceTableData":
    case "TableData":
      tables.at(id).isReplaced = true;
      return;
    case "AddTable":
      tables.added(id);
      return;
    case "RemoveTable":
      tables.removed(id);
      return;
    default:
  }
  if (typeof second !== "string") return;
  const { columns, modified } = name === "RenameTable" ? { columns: null, modified: null } : tables.at(id);
  if (name === "RenameTable") tables.renamed(id, second);
  else if (name === "AddColumn") columns?.added(second);
  else if (name === "RemoveColumn") columns?.removed(second);
  else if (name === "ModifyColumn") {
    modified?.add(second);
    if (columns) modify(columns.at(second), third);
  } else if (name === "RenameColumn" && typeof third === "string") {
    columns?.renamed(second, third);
    if (modified?.delete(second)) modified.add(third);
  }
}

function add({ added }: TableCounts, ids: unknown): void {
  for (const id of rowIds(ids)) added.add(id);
}

function update({ added, updated }: TableCounts, ids: unknown): void {
  for (const id of rowIds(ids)) if (!added.has(id)) updated.add(id);
}

function updateCells(
  table: TableCounts,
  { ids, values, whole, isComputed }: { ids: unknown; values: unknown; whole: unknown; isComputed: boolean },
): void {
  if (typeof values !== "object" || values === null) return;
  const recorded = rowIds(ids);
  const unlisted = Math.max(rowsOfWholeUpdate(whole) - recorded.length, 0);
  table.unlisted = Math.max(table.unlisted, unlisted);
  const existing = recorded.filter((id) => !table.added.has(id));
  for (const name of Object.keys(values)) {
    const column = table.columns.at(name);
    for (const id of existing) (isComputed ? column.computed : column.written).add(id);
    column.unlisted = Math.max(column.unlisted, unlisted);
  }
}

function modify(column: ColumnCounts, spec: unknown): void {
  const { type, formula } = (typeof spec === "object" && spec !== null ? spec : {}) as Record<string, unknown>;
  if (typeof type === "string") column.type = type;
  if (typeof formula === "string") column.formula = formula;
}

function remove({ added, updated, removed }: TableCounts, ids: unknown): void {
  for (const id of rowIds(ids)) {
    updated.delete(id);
    if (!added.delete(id)) removed.add(id);
  }
}

const rowIds = (ids: unknown): number[] =>
  (Array.isArray(ids) ? (ids as unknown[]) : [ids]).filter((id) => typeof id === "number");

/** Technical columns that are not shown. */
const isInternalColumn = (column: string): boolean => column === "manualSort" || column.startsWith("gristHelper_");

function toTableDetails(counted: TableCounts): TableChangeDetails | null {
  const { before, after, isReplaced } = counted;
  const table = after ?? before;
  if (table === null) return null;
  const userColumns = [...counted.columns.all].filter(
    (column) => !isInternalColumn(column.after ?? column.before ?? ""),
  );
  const addedColumns = userColumns.flatMap((column) =>
    column.before === null && column.after !== null ? [column.after] : [],
  );
  const removedColumns = userColumns.flatMap((column) =>
    column.before !== null && column.after === null ? [column.before] : [],
  );
  const columns = {
    added: before === null ? [] : addedColumns,
    removed: removedColumns,
    renamed: userColumns.flatMap((column) =>
      column.before !== null && column.after !== null && column.before !== column.after
        ? [[column.before, column.after] as const]
        : [],
    ),
    modified:
      before === null
        ? []
        : [...counted.modified].filter(
            (id) => !isInternalColumn(id) && !addedColumns.includes(id) && !removedColumns.includes(id),
          ),
  };
  const changes = before === null ? [] : userColumns.flatMap((column) => toColumnChange(column) ?? []);
  const rows = {
    added: counted.added.size,
    updated: counted.updated.size + counted.unlisted,
    removed: counted.removed.size,
  };
  const isSame = before === after && !isReplaced && Object.values(columns).every((list) => list.length === 0);
  if (isSame && rows.added + rows.updated + rows.removed === 0) return null;
  return {
    table,
    ...(before !== null && after !== null && before !== after && { renamedFrom: before }),
    ...(before === null && { isNew: true as const }),
    ...(after === null && { isGone: true as const }),
    ...rows,
    ...(isReplaced && { isReplaced: true as const }),
    columns: { ...columns, changes },
  };
}

function toColumnChange({
  before,
  after,
  written,
  computed,
  unlisted,
  type,
  formula,
}: ColumnCounts): ColumnChange | null {
  if (before === null || after === null) return null;
  const listed = written.size > 0 || formula === undefined || formula === "" ? written.size : computed.size;
  const cells = listed + unlisted;
  if (cells === 0 && type === undefined && formula === undefined) return null;
  return { column: after, cells, ...(type !== undefined && { type }), ...(formula !== undefined && { formula }) };
}
