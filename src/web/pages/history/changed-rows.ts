import type { Changes } from "../../../wire/documents/history.ts";
import { type CellDisplay, formatCell } from "./cell-display.ts";
import type { PlainTexts } from "../../texts/texts.ts";
import type { CurrentColumn } from "./column-labels.ts";

/** Changes of a table's rows for a page: some of the rows, with their changed cells. */

export interface ChangedCell {
  /** Null where the row did not exist, or its values are unknown. */
  readonly before: CellDisplay | null;
  readonly after: CellDisplay | null;
}

export interface ChangedRow {
  readonly id: number;
  readonly kind: "added" | "changed" | "deleted";
  /** In the order of the columns; null where nothing is shown. */
  readonly cells: readonly (ChangedCell | null)[];
}

export interface ChangedTable {
  readonly name: string;
  /** A table that no longer exists. */
  readonly isDeleted: boolean;
  readonly columns: readonly string[];
  readonly rows: readonly ChangedRow[];
  /** The number of further rows. */
  readonly omittedRows: number;
}

type Delta = Changes["tableDeltas"][string];

export interface ChangedRowsOptions {
  readonly t: PlainTexts;
  readonly maxRows: number;
  /** The table's current columns, in order. */
  readonly columns: ReadonlyMap<string, CurrentColumn>;
}

/** Internal columns. */
const isUserColumn = (column: string): boolean => /^-?(manualSort$|gristHelper_)/.test(column);

export function summarizeTable(
  name: string,
  delta: Delta,
  { t, maxRows, columns: current }: ChangedRowsOptions,
): ChangedTable {
  const isDeleted = name.startsWith("-");
  const order = [...current.keys()];
  const positionOf = (column: string) => order.indexOf(column) + 1 || order.length + 1;
  const columns = Object.keys(delta.columnDeltas)
    .filter((column) => !isUserColumn(column))
    .toSorted((a, b) => positionOf(a) - positionOf(b));
  const kinds = kindsOf(delta);
  const informative = [...kinds].filter(([id]) => columns.some((column) => delta.columnDeltas[column]?.[id]));
  // Rows without changed cells are listed only when no other rows are.
  const selected = (informative.length > 0 ? informative : [...kinds]).slice(0, maxRows);
  const rows = selected.map(([id, kind]): ChangedRow => {
    const cells = columns.map((column) => {
      const cell = delta.columnDeltas[column]?.[id];
      const type = current.get(column)?.type ?? "Any";
      return cell ? { before: toCellDisplay(t, cell[0], type), after: toCellDisplay(t, cell[1], type) } : null;
    });
    return { id, kind, cells };
  });
  // Only columns that contain a value.
  const used = columns.map((_, c) => rows.some(({ cells }) => isInformative(cells[c])));
  return {
    name: isDeleted ? name.slice(1) : name,
    isDeleted,
    columns: columns.filter((_, c) => used[c]).map((column) => current.get(column)?.label || column.replace(/^-/, "")),
    rows: rows.map((row) => ({ ...row, cells: row.cells.filter((_, c) => used[c]) })),
    omittedRows: kinds.size - rows.length,
  };
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

const toCellDisplay = (t: PlainTexts, known: readonly unknown[] | null, type: string): CellDisplay | null =>
  known ? formatCell(t, known[0], type) : null;

const isInformative = (cell: ChangedCell | null | undefined): boolean =>
  [cell?.before, cell?.after].some((side) => side && ("time" in side || side.text !== ""));
