import type { Changes } from "../../wire/history.ts";
import { type ShownCell, shownCell } from "./cell-text.ts";
import type { CurrentColumn } from "./column-labels.ts";

/** What happened to the rows of a table, as a page shows it: some of them, with the cells that tell something. */

export interface ChangedCell {
  /** Null where there was none, or it is not known. */
  readonly before: ShownCell | null;
  readonly after: ShownCell | null;
}

export interface ChangedRow {
  readonly id: number;
  readonly kind: "added" | "changed" | "deleted";
  /** In the order of the columns; null where nothing is told. */
  readonly cells: readonly (ChangedCell | null)[];
}

export interface ChangedTable {
  readonly name: string;
  /** A table that is gone. */
  readonly isGone: boolean;
  readonly columns: readonly string[];
  readonly rows: readonly ChangedRow[];
  /** How many more there are. */
  readonly more: number;
}

type Delta = Changes["tableDeltas"][string];

export interface ShownRowsOptions {
  readonly most: number;
  /** The table's columns as they are now, in their order. */
  readonly columns: ReadonlyMap<string, CurrentColumn>;
}

/** Columns that the program keeps for itself. */
const isOwn = (column: string): boolean => /^-?(manualSort$|gristHelper_)/.test(column);

export function changedTable(name: string, delta: Delta, { most, columns: current }: ShownRowsOptions): ChangedTable {
  const isGone = name.startsWith("-");
  const order = [...current.keys()];
  const placeOf = (column: string) => order.indexOf(column) + 1 || order.length + 1;
  const columns = Object.keys(delta.columnDeltas)
    .filter((column) => !isOwn(column))
    .toSorted((a, b) => placeOf(a) - placeOf(b));
  const kinds = kindsOf(delta);
  const told = [...kinds].filter(([id]) => columns.some((column) => delta.columnDeltas[column]?.[id]));
  // Rows without anything to tell about them are told where nothing else is.
  const chosen = (told.length > 0 ? told : [...kinds]).slice(0, most);
  const rows = chosen.map(([id, kind]): ChangedRow => {
    const cells = columns.map((column) => {
      const cell = delta.columnDeltas[column]?.[id];
      const type = current.get(column)?.type ?? "Any";
      return cell ? { before: shown(cell[0], type), after: shown(cell[1], type) } : null;
    });
    return { id, kind, cells };
  });
  // Only columns in which something stands.
  const used = columns.map((_, c) => rows.some(({ cells }) => isTelling(cells[c])));
  return {
    name: isGone ? name.slice(1) : name,
    isGone,
    columns: columns.filter((_, c) => used[c]).map((column) => current.get(column)?.label || column.replace(/^-/, "")),
    rows: rows.map((row) => ({ ...row, cells: row.cells.filter((_, c) => used[c]) })),
    more: kinds.size - rows.length,
  };
}

function kindsOf({ addRows, updateRows, removeRows }: Delta): Map<number, ChangedRow["kind"]> {
  const kinds = new Map<number, ChangedRow["kind"]>();
  for (const id of updateRows) kinds.set(id, "changed");
  for (const id of removeRows) kinds.set(id, "deleted");
  const removed = new Set(removeRows);
  // What went and came back is another than before; what was filled in after it came is new all the same.
  for (const id of addRows) kinds.set(id, removed.has(id) ? "changed" : "added");
  return new Map([...kinds].toSorted(([a], [b]) => a - b));
}

const shown = (known: readonly unknown[] | null, type: string): ShownCell | null =>
  known ? shownCell(known[0], type) : null;

const isTelling = (cell: ChangedCell | null | undefined): boolean =>
  [cell?.before, cell?.after].some((side) => side && ("time" in side || side.text !== ""));
