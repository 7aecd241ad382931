import type { Changes } from "../../../wire/documents/history.ts";
import { type CellFormats, formatCell, type RecordedCell } from "./cell-display.ts";
import { firstColumn, isInternalColumn, type PastColumn, type PastSchema, type PastTable } from "./past-schema.ts";

/** Changes of a table's rows for a page: some of the rows, with their changed cells. */

export interface ChangedCell {
  /** Null where the row did not exist, or its values are unknown. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface ChangedRow {
  readonly id: number;
  /** The text of the row's first column; null for a row of which neither the change nor the table has it. */
  readonly title: string | null;
  readonly kind: "added" | "changed" | "deleted";
  /** In the order of the columns; null where nothing is shown. */
  readonly cells: readonly (ChangedCell | null)[];
}

export interface ChangedTable {
  readonly id: string;
  readonly title: string;
  /** A table that no longer exists. */
  readonly isDeleted: boolean;
  readonly columns: readonly string[];
  /** The present id of the table if rows can be restored in it; else null. */
  readonly presentId: string | null;
  /** By column: its present id if its cells can be restored; else null. */
  readonly presentColumns: readonly (string | null)[];
  readonly rows: readonly ChangedRow[];
  /** The number of further rows. */
  readonly omittedRows: number;
}

type Delta = Changes["tableDeltas"][string];

export interface ChangedRowsOptions extends Omit<CellFormats, "schema"> {
  /** The first row to show, counted from 0. */
  readonly firstRow?: number;
  readonly maxRows: number;
  /** The present schema. */
  readonly current: PastSchema;
  readonly before: PastSchema;
  readonly after: PastSchema;
}

/** One side of a change. */
interface Side {
  readonly at: 0 | 1;
  readonly schema: PastSchema;
  readonly table: PastTable | undefined;
}

/** @param name the table's id, after "-" for a deleted table */
export function summarizeTable(name: string, delta: Delta, options: ChangedRowsOptions): ChangedTable {
  const { firstRow = 0 } = options;
  const isDeleted = name.startsWith("-");
  const id = isDeleted ? name.slice(1) : name;
  const now = options.after.table(id);
  // The table may have had another id before.
  const formerly = (now && options.before.tableByRef(now.ref)) ?? options.before.table(id);
  const before: Side = { at: 0, schema: options.before, table: formerly };
  const after: Side = { at: 1, schema: options.after, table: now };
  const order = [...((now ?? formerly)?.columns.keys() ?? [])];
  const positionOf = (column: string) => order.indexOf(column) + 1 || order.length + 1;
  const columns = Object.keys(delta.columnDeltas)
    .filter((column) => !isInternalColumn(column.replace(/^-/, "")))
    .toSorted((a, b) => positionOf(a) - positionOf(b));
  const kinds = kindsOf(delta);
  const informative = [...kinds].filter(([row]) => columns.some((column) => delta.columnDeltas[column]?.[row]));
  // Rows without changed cells are listed only when no other rows are.
  const selected = (informative.length > 0 ? informative : [...kinds]).slice(firstRow, firstRow + options.maxRows);
  const rows = selected.map(([row, kind]): ChangedRow => {
    const cells = columns.map((column) => {
      if (!delta.columnDeltas[column]?.[row]) return null;
      const isColumnDeleted = isDeleted || column.startsWith("-");
      const current = isColumnDeleted ? undefined : now?.columns.get(column);
      const former = formerColumn(formerly, current, column);
      return {
        before: sideText(delta, { row, column, known: former }, before, options),
        after: sideText(delta, { row, column, known: current ?? former }, after, options),
      };
    });
    const title = rowTitle(delta, row, kind === "deleted" || isDeleted ? before : after, options);
    return { id: row, title, kind, cells };
  });
  // Only columns that contain a value.
  const used = columns.map((_, c) => rows.some(({ cells }) => isInformative(cells[c])));
  const knownColumn = (column: string) => now?.columns.get(column) ?? formerly?.columns.get(column.replace(/^-/, ""));
  const nameOf = (column: string): string => knownColumn(column)?.name ?? column.replace(/^-/, "");
  const present = presentTable(options.current, (now ?? formerly)?.ref);
  const presentColumnOf = (column: string): string | null => {
    const ref = knownColumn(column)?.ref;
    const found = [...(present?.columns.values() ?? [])].find((each) => each.ref === ref);
    return found && !found.isFormula ? found.id : null;
  };
  return {
    id,
    title: (now ?? formerly)?.title ?? id,
    isDeleted,
    columns: columns.filter((_, c) => used[c]).map(nameOf),
    presentId: present?.id ?? null,
    presentColumns: columns.filter((_, c) => used[c]).map(presentColumnOf),
    rows: rows.map((row) => ({ ...row, cells: row.cells.filter((_, c) => used[c]) })),
    omittedRows: Math.max(kinds.size - rows.length - firstRow, 0),
  };
}

/** Rows of summaries follow from those of their source. */
function presentTable(current: PastSchema, ref: number | undefined): PastTable | undefined {
  const table = ref === undefined ? undefined : current.tableByRef(ref);
  return table?.isSummary === false ? table : undefined;
}

/** Returns the column before the change, which may have renamed it. */
function formerColumn(table: PastTable | undefined, current: PastColumn | undefined, id: string) {
  const renamed = current && [...(table?.columns.values() ?? [])].find(({ ref }) => ref === current.ref);
  return renamed ?? table?.columns.get(id.replace(/^-/, ""));
}

interface CellPlace {
  readonly row: number;
  readonly column: string;
  readonly known: PastColumn | undefined;
}

function sideText(delta: Delta, { row, column, known }: CellPlace, side: Side, options: ChangedRowsOptions) {
  const cell = delta.columnDeltas[column]?.[row]?.[side.at];
  if (!cell) return null;
  return formatCell(
    { ...options, schema: side.schema },
    known,
    recordedCell(delta, { row, known, value: cell[0] }, side),
  );
}

/** Adds what the column displayed, where the same change recorded that. */
function recordedCell(
  delta: Delta,
  { row, known, value }: { row: number; known: PastColumn | undefined; value: unknown },
  { at, schema }: Side,
): RecordedCell {
  const display = known && known.displayRef > 0 ? schema.columnByRef(known.displayRef) : undefined;
  const recorded = display && delta.columnDeltas[display.id]?.[row]?.[at];
  return recorded ? { value, shown: recorded[0] } : { value };
}

/** The text of a row's first column at the state; where the change does not have it, as it is now. */
function rowTitle(delta: Delta, row: number, side: Side, options: ChangedRowsOptions): string | null {
  const { table } = side;
  const first = table && firstColumn(table);
  if (!first) return null;
  const text = sideText(delta, { row, column: first.id, known: first }, side, options);
  return text ?? options.rowText(table.id, 0, row) ?? null;
}

function kindsOf({ addRows, updateRows, removeRows }: Delta): Map<number, ChangedRow["kind"]> {
  const kinds = new Map<number, ChangedRow["kind"]>();
  for (const id of updateRows) kinds.set(id, "changed");
  for (const id of removeRows) kinds.set(id, "deleted");
  const removed = new Set(removeRows);
  // A row that was deleted and restored is not the same as before; a row that was filled after it was added is still
  // new.
  for (const id of addRows) kinds.set(id, removed.has(id) ? "changed" : "added");
  return new Map([...kinds].toSorted(([a], [b]) => a - b));
}

const isInformative = (cell: ChangedCell | null | undefined): boolean => Boolean(cell?.before) || Boolean(cell?.after);
