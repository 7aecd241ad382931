import { isMetadataTable } from "../actions/doc-action.ts";
import {
  type CellChange,
  type DocumentChanges,
  clearCellsAfter,
  emptyChanges,
  finalizeChanges,
  type RowChanges,
} from "./changes.ts";
import { type RecordedAction, type RecordedChange, rowsOfWholeUpdate } from "./read-state.ts";

export interface StateChangeOptions {
  /** For an action on more rows of a user table, this many rows are shown: the first ones and the last one. */
  readonly maxRows: number;
  /** Whether to note columns whose type or formula changed. */
  readonly notesModified?: boolean;
}

/**
 * Returns the changes made by a single state. Applied actions determine the new values, undo actions the old ones.
 * Unknown actions of other programs are ignored.
 */
export function readStateChanges(
  { done, undo }: RecordedChange,
  { maxRows, notesModified = false }: StateChangeOptions,
): DocumentChanges {
  const changes = emptyChanges();
  for (const action of done) {
    new ActionStep(changes, action, maxRows).applyForward();
    if (notesModified) noteModified(changes, { done, undo }, action);
  }
  for (const action of undo.toReversed()) new ActionStep(changes, action, maxRows).applyBackward();
  finalizeChanges(changes);
  return changes;
}

function noteModified(
  changes: DocumentChanges,
  recorded: Pick<RecordedChange, "done" | "undo">,
  action: RecordedAction,
): void {
  const [name, table, id, spec] = action;
  if (name !== "ModifyColumn" || typeof table !== "string" || typeof id !== "string") return;
  const { type, isFormula } = (spec ?? {}) as Record<string, unknown>;
  if (isFormula === undefined && followsRename(type, recorded)) return;
  const column = changes.at(table).changes.columns.at(id);
  const isType = type !== undefined || isFormula !== undefined;
  if (column.modified !== "type") column.modified = isFormula === false ? "data" : isType ? "type" : "formula";
}

/** True for the type of a reference whose table the change has renamed. */
function followsRename(type: unknown, { done, undo }: Pick<RecordedChange, "done" | "undo">): boolean {
  const [base, target] = String(type).split(":");
  return done.some(([name, from, to]) => {
    if (name !== "RenameTable" || to !== target) return false;
    const former = `${base}:${String(from)}`;
    return undo.some(
      ([undone, , , spec]) => undone === "ModifyColumn" && (spec as { type?: unknown })?.type === former,
    );
  });
}

/** Applies one action to the changes. */
class ActionStep {
  readonly #changes: DocumentChanges;
  readonly #name: string;
  readonly #args: readonly unknown[];
  readonly #maxRows: number;

  constructor(changes: DocumentChanges, [name, ...args]: RecordedAction, maxRows: number) {
    this.#changes = changes;
    this.#name = name;
    this.#args = args;
    this.#maxRows = maxRows;
  }

  applyForward(): void {
    switch (this.#name) {
      case "AddRecord":
      case "BulkAddRecord":
        return this.#table && this.#addRows(this.#table);
      case "UpdateRecord":
      case "BulkUpdateRecord":
        return this.#table && this.#updateRows(this.#table);
      case "RemoveRecord":
      case "BulkRemoveRecord":
        return this.#table && this.#removeRows(this.#table, this.#ids);
      case "ReplaceTableData":
      case "TableData":
        return this.#table && this.#replaceRows(this.#table);
      case "AddTable":
        return this.#withTextArguments((table) => {
          const { columns } = this.#changes.added(table).changes;
          for (const column of columnIds(this.#args[1])) columns.added(column);
        });
      case "RemoveTable":
        return this.#withTextArguments((table) => void this.#changes.removed(table));
      case "RenameTable":
        return this.#withTextArguments((from, to) => this.#changes.renamed(from, to), 2);
      case "AddColumn":
        return this.#withTextArguments((table, column) => this.#addColumn(table, column), 2);
      case "RemoveColumn":
        return this.#withTextArguments(
          (table, column) => void this.#changes.at(table).changes.columns.removed(column),
          2,
        );
      case "RenameColumn":
        return this.#withTextArguments(
          (table, from, to) => this.#changes.at(table).changes.columns.renamed(from, to),
          3,
        );
      default:
    }
  }

  applyBackward(): void {
    switch (this.#name) {
      case "AddRecord":
      case "BulkAddRecord":
        return this.#table && this.#recordRowsBefore(this.#table, { isAfter: false });
      case "UpdateRecord":
      case "BulkUpdateRecord":
        return this.#table && this.#recordRowsBefore(this.#table, { isAfter: true });
      case "RemoveRecord":
      case "BulkRemoveRecord":
        return this.#table && this.#recordRowsMissingBefore(this.#table, this.#ids);
      case "ReplaceTableData":
      case "TableData":
        return this.#table && this.#recordRowsReplacedBefore(this.#table);
      case "AddTable":
        return this.#withTextArguments((table) => {
          const { columns } = this.#changes.undoRemoved(table).changes;
          for (const column of columnIds(this.#args[1])) columns.undoRemoved(column);
        });
      case "RemoveTable":
        return this.#withTextArguments((table) => this.#changes.undoAdded(table));
      case "RenameTable":
        return this.#withTextArguments((from, to) => this.#changes.undoRenamed(from, to), 2);
      case "AddColumn":
        return this.#withTextArguments(
          (table, column) => void this.#changes.at(table).changes.columns.undoRemoved(column),
          2,
        );
      case "RemoveColumn":
        return this.#withTextArguments((table, column) => this.#changes.at(table).changes.columns.undoAdded(column), 2);
      case "RenameColumn":
        return this.#withTextArguments(
          (table, from, to) => this.#changes.at(table).changes.columns.undoRenamed(from, to),
          3,
        );
      default:
    }
  }

  #addColumn(table: string, id: string): void {
    const [, , spec] = this.#args;
    const column = this.#changes.at(table).changes.columns.added(id);
    column.isNewFormula = typeof spec === "object" && spec !== null && "isFormula" in spec && spec.isFormula === true;
  }

  #addRows(table: RowChanges): void {
    for (const id of this.#ids) {
      const row = table.rows.get(id);
      if (row) row.after = true;
      else table.rows.set(id, { before: false, after: true, isUpdated: false, wasRemoved: false });
    }
    this.#recordCells(table, "after");
  }

  #updateRows(table: RowChanges): void {
    for (const id of this.#ids) {
      const row = table.rows.get(id);
      if (row) row.isUpdated = true;
      else table.rows.set(id, { before: true, after: true, isUpdated: true, wasRemoved: false });
    }
    this.#recordCells(table, "after");
  }

  #removeRows(table: RowChanges, ids: Iterable<number>): void {
    for (const id of ids) {
      const row = table.rows.get(id);
      if (row) Object.assign(row, { after: false, isUpdated: false, wasRemoved: true });
      else table.rows.set(id, { before: undefined, after: false, isUpdated: false, wasRemoved: true });
      if (row) clearCellsAfter(table, id);
    }
  }

  #replaceRows(table: RowChanges): void {
    this.#removeRows(table, table.rows.keys());
    this.#addRows(table);
  }

  #recordRowsBefore(table: RowChanges, { isAfter }: { isAfter: boolean }): void {
    // Removing a column removes the cells of its rows, which only the undo actions contain. A single row alone is not
    // counted as updated.
    const columns = this.#columns;
    const isOfMany = columns.length > 0 && this.#ids.length > 1;
    const isUpdated = isAfter && (isOfMany || columns.some((column) => table.columns.at(column).after !== null));
    for (const id of this.#ids) {
      const row = table.rows.get(id);
      if (row) Object.assign(row, { before: true, isUpdated: row.isUpdated || isUpdated });
      else table.rows.set(id, { before: true, after: isAfter, isUpdated, wasRemoved: false });
    }
    this.#recordCells(table, "before");
  }

  #recordRowsMissingBefore(table: RowChanges, ids: Iterable<number>): void {
    for (const id of ids) {
      const row = table.rows.get(id);
      if (row) row.before = false;
      else table.rows.set(id, { before: false, after: true, isUpdated: false, wasRemoved: false });
    }
  }

  #recordRowsReplacedBefore(table: RowChanges): void {
    this.#recordRowsMissingBefore(table, table.rows.keys());
    for (const id of this.#ids) {
      const row = table.rows.get(id);
      if (row) row.wasRemoved = true;
    }
    this.#recordRowsBefore(table, { isAfter: false });
  }

  /** The table of the action. */
  get #table(): RowChanges | undefined {
    const [table] = this.#args;
    return typeof table === "string" ? this.#changes.at(table).changes : undefined;
  }

  /** The rows of the action; the bulk form has a list of ids, the other a single id. */
  get #ids(): number[] {
    const [, ids] = this.#args;
    return (Array.isArray(ids) ? ids : [ids]).filter(isRowId);
  }

  /** The columns whose cells the action contains. */
  get #columns(): string[] {
    const [, , values] = this.#args;
    return typeof values === "object" && values !== null && !Array.isArray(values) ? Object.keys(values) : [];
  }

  /** Records the cell values that the action contains. */
  #recordCells(table: RowChanges, side: "before" | "after"): void {
    const [id, ids, values, whole] = this.#args;
    const rows: readonly unknown[] = Array.isArray(ids) ? ids : [ids];
    const isCut = rows.length > this.#maxRows && !isMetadataTable(String(id));
    table.isTruncated ||= isCut || rowsOfWholeUpdate(whole) > rows.length;
    for (const column of this.#columns) {
      const { cells } = table.columns.at(column);
      const given = (values as Record<string, unknown>)[column];
      const list: readonly unknown[] = Array.isArray(ids) ? (Array.isArray(given) ? given : []) : [given];
      for (const [r, row] of rows.entries()) {
        if (!isRowId(row) || r >= list.length) continue;
        const isIncluded = !isCut || r < this.#maxRows - 1 || r === rows.length - 1;
        setCell(cells, row, { [side]: [list[r]], isIncluded });
      }
    }
  }

  /** Calls `handler` with the first `count` arguments if all are strings. */
  #withTextArguments(handler: (...texts: [string, string, string]) => void, count = 1): void {
    const [a, b, c] = this.#args.slice(0, count).filter((value) => typeof value === "string");
    if ([a, b, c].filter((value) => value !== undefined).length === count) handler(a ?? "", b ?? "", c ?? "");
  }
}

function setCell(
  cells: Map<number, CellChange>,
  row: number,
  change: Partial<CellChange> & { isIncluded: boolean },
): void {
  const cell = cells.get(row);
  if (cell) Object.assign(cell, change, { isIncluded: cell.isIncluded || change.isIncluded });
  else cells.set(row, { before: null, after: null, ...change });
}

const isRowId = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value);

/** Returns the column ids of an action that adds a table. */
function columnIds(columns: unknown): string[] {
  if (!Array.isArray(columns)) return [];
  return columns.map((column: { id?: unknown } | null) => column?.id).filter((id) => typeof id === "string");
}
