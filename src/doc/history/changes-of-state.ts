import { isMetadataTable } from "../actions/doc-action.ts";
import { type CellChange, type DocumentChanges, forgetCells, noChanges, settle, type RowChanges } from "./changes.ts";
import type { RecordedAction, RecordedChange } from "./read-state.ts";

export interface ChangeOptions {
  /** Of an action on more rows of a user's table, the cells of so many are shown: the first, and the last one. */
  readonly maxRows: number;
}

/**
 * What happened to a document by one change of it. What was done tells how things are afterwards, what undoes it how
 * they were before. Actions of other programs that say nothing about this are passed over.
 */
export function changesOf({ done, undo }: RecordedChange, { maxRows }: ChangeOptions): DocumentChanges {
  const changes = noChanges();
  for (const action of done) new Step(changes, action, maxRows).forward();
  for (const action of undo.toReversed()) new Step(changes, action, maxRows).back();
  settle(changes);
  return changes;
}

/** One action on its way into the changes. */
class Step {
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

  forward(): void {
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
        return this.#onText((table) => {
          const { columns } = this.#changes.added(table).changes;
          for (const column of columnIds(this.#args[1])) columns.added(column);
        });
      case "RemoveTable":
        return this.#onText((table) => void this.#changes.removed(table));
      case "RenameTable":
        return this.#onText((from, to) => this.#changes.renamed(from, to), 2);
      case "AddColumn":
        return this.#onText((table, column) => this.#addColumn(table, column), 2);
      case "RemoveColumn":
        return this.#onText((table, column) => void this.#changes.at(table).changes.columns.removed(column), 2);
      case "RenameColumn":
        return this.#onText((table, from, to) => this.#changes.at(table).changes.columns.renamed(from, to), 3);
      default:
    }
  }

  back(): void {
    switch (this.#name) {
      case "AddRecord":
      case "BulkAddRecord":
        return this.#table && this.#rowsWere(this.#table, { isAfter: false });
      case "UpdateRecord":
      case "BulkUpdateRecord":
        return this.#table && this.#rowsWere(this.#table, { isAfter: true });
      case "RemoveRecord":
      case "BulkRemoveRecord":
        return this.#table && this.#rowsWereNot(this.#table, this.#ids);
      case "ReplaceTableData":
      case "TableData":
        return this.#table && this.#rowsWereOthers(this.#table);
      case "AddTable":
        return this.#onText((table) => {
          const { columns } = this.#changes.removedBack(table).changes;
          for (const column of columnIds(this.#args[1])) columns.removedBack(column);
        });
      case "RemoveTable":
        return this.#onText((table) => this.#changes.addedBack(table));
      case "RenameTable":
        return this.#onText((from, to) => this.#changes.renamedBack(from, to), 2);
      case "AddColumn":
        return this.#onText((table, column) => void this.#changes.at(table).changes.columns.removedBack(column), 2);
      case "RemoveColumn":
        return this.#onText((table, column) => this.#changes.at(table).changes.columns.addedBack(column), 2);
      case "RenameColumn":
        return this.#onText((table, from, to) => this.#changes.at(table).changes.columns.renamedBack(from, to), 3);
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
      else table.rows.set(id, { before: false, after: true, isUpdated: false, wasGone: false });
    }
    this.#cells(table, "after");
  }

  #updateRows(table: RowChanges): void {
    for (const id of this.#ids) {
      const row = table.rows.get(id);
      if (row) row.isUpdated = true;
      else table.rows.set(id, { before: true, after: true, isUpdated: true, wasGone: false });
    }
    this.#cells(table, "after");
  }

  #removeRows(table: RowChanges, ids: Iterable<number>): void {
    for (const id of ids) {
      const row = table.rows.get(id);
      if (row) Object.assign(row, { after: false, isUpdated: false, wasGone: true });
      else table.rows.set(id, { before: undefined, after: false, isUpdated: false, wasGone: true });
      if (row) forgetCells(table, id);
    }
  }

  #replaceRows(table: RowChanges): void {
    this.#removeRows(table, table.rows.keys());
    this.#addRows(table);
  }

  #rowsWere(table: RowChanges, { isAfter }: { isAfter: boolean }): void {
    // Removing a column takes the cells of its rows, which only undoing tells. One row alone is not counted as updated.
    const columns = this.#columns;
    const isOfMany = columns.length > 0 && this.#ids.length > 1;
    const isUpdated = isAfter && (isOfMany || columns.some((column) => table.columns.at(column).after !== null));
    for (const id of this.#ids) {
      const row = table.rows.get(id);
      if (row) Object.assign(row, { before: true, isUpdated: row.isUpdated || isUpdated });
      else table.rows.set(id, { before: true, after: isAfter, isUpdated, wasGone: false });
    }
    this.#cells(table, "before");
  }

  #rowsWereNot(table: RowChanges, ids: Iterable<number>): void {
    for (const id of ids) {
      const row = table.rows.get(id);
      if (row) row.before = false;
      else table.rows.set(id, { before: false, after: true, isUpdated: false, wasGone: false });
    }
  }

  #rowsWereOthers(table: RowChanges): void {
    this.#rowsWereNot(table, table.rows.keys());
    for (const id of this.#ids) {
      const row = table.rows.get(id);
      if (row) row.wasGone = true;
    }
    this.#rowsWere(table, { isAfter: false });
  }

  /** The table the action speaks of. */
  get #table(): RowChanges | undefined {
    const [table] = this.#args;
    return typeof table === "string" ? this.#changes.at(table).changes : undefined;
  }

  /** The rows it speaks of; one form has a list of ids, the other a single one. */
  get #ids(): number[] {
    const [, ids] = this.#args;
    return (Array.isArray(ids) ? ids : [ids]).filter(isRowId);
  }

  /** The columns of which it gives cells. */
  get #columns(): string[] {
    const [, , values] = this.#args;
    return typeof values === "object" && values !== null && !Array.isArray(values) ? Object.keys(values) : [];
  }

  /** Takes over the cells that come with the rows. */
  #cells(table: RowChanges, side: "before" | "after"): void {
    const [id, ids, values] = this.#args;
    const rows: readonly unknown[] = Array.isArray(ids) ? ids : [ids];
    const isCut = rows.length > this.#maxRows && !isMetadataTable(String(id));
    table.isCut ||= isCut;
    for (const column of this.#columns) {
      const { cells } = table.columns.at(column);
      const given = (values as Record<string, unknown>)[column];
      const list: readonly unknown[] = Array.isArray(ids) ? (Array.isArray(given) ? given : []) : [given];
      for (const [r, row] of rows.entries()) {
        if (!isRowId(row) || r >= list.length) continue;
        const isShown = !isCut || r < this.#maxRows - 1 || r === rows.length - 1;
        setCell(cells, row, { [side]: [list[r]], isShown });
      }
    }
  }

  /** Runs `work` with the first arguments if as many are texts. */
  #onText(work: (...texts: [string, string, string]) => void, count = 1): void {
    const [a, b, c] = this.#args.slice(0, count).filter((value) => typeof value === "string");
    if ([a, b, c].filter((value) => value !== undefined).length === count) work(a ?? "", b ?? "", c ?? "");
  }
}

function setCell(
  cells: Map<number, CellChange>,
  row: number,
  change: Partial<CellChange> & { isShown: boolean },
): void {
  const cell = cells.get(row);
  if (cell) Object.assign(cell, change, { isShown: cell.isShown || change.isShown });
  else cells.set(row, { before: null, after: null, ...change });
}

const isRowId = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value);

/** The ids of the columns that a table is made with. */
function columnIds(columns: unknown): string[] {
  if (!Array.isArray(columns)) return [];
  return columns.map((column: { id?: unknown } | null) => column?.id).filter((id) => typeof id === "string");
}
