import type { Database } from "../../../sqlite/database.ts";
import { quote } from "../../../sqlite/quote.ts";
import type { DocAction } from "../../actions/doc-action.ts";
import { type RecordedAction, rowsOfWholeUpdate } from "../read-state.ts";

/** An update whose former cells are only partly recorded, as its undo action has it. */
interface PartialUpdate {
  readonly table: string;
  /** Joined ids of the columns. */
  readonly columns: string;
  /** Number of recorded rows. */
  readonly rows: number;
}

/**
 * Tracks the columns whose cells are not known while changes are reverted: of very many results of formulas, the history
 * records only the first. They are known again once the column, its table or all rows are gone.
 */
export class UnknownCells {
  readonly #db: Database;
  /** Of a removed formula column, the history records at most the cells of so many rows. */
  readonly #recordedCells: number;
  readonly #columns = new Map<string, Set<string>>();
  #partial: PartialUpdate[] = [];

  constructor(db: Database, recordedCells: number) {
    this.#db = db;
    this.#recordedCells = recordedCells;
  }

  /** True when no cell is unknown. */
  get isEmpty(): boolean {
    return this.#columns.size === 0;
  }

  /** Call before a change is reverted, with its applied actions. */
  begin(done: readonly RecordedAction[]): void {
    this.#partial = done.flatMap(([name, table, ids, values, whole]) => {
      if (name !== "BulkUpdateRecord" || !Array.isArray(ids) || rowsOfWholeUpdate(whole) <= ids.length) return [];
      return [{ table: String(table), columns: keyOf(values), rows: ids.length }];
    });
  }

  /** Call when all actions of a change are reverted. Returns false if the undo actions are not those of the change. */
  end(): boolean {
    return this.#partial.length === 0;
  }

  /** Call after an undo action was applied. */
  applied(action: DocAction): void {
    const [name, table] = action;
    switch (name) {
      case "BulkUpdateRecord":
        return this.#updated(table, action[2].length, action[3]);
      case "AddColumn":
        if (action[3].isFormula && this.#rowCount(table) > this.#recordedCells) this.#add(table, [action[2]]);
        return;
      case "RemoveColumn":
        return this.#remove(table, action[2]);
      case "RenameColumn": {
        if (!this.#columns.get(table)?.has(action[2])) return;
        this.#remove(table, action[2]);
        return this.#add(table, [action[3]]);
      }
      case "RenameTable": {
        const columns = this.#columns.get(table);
        this.#columns.delete(table);
        if (columns) this.#columns.set(action[2], columns);
        return;
      }
      case "RemoveTable":
      case "ReplaceTableData":
        this.#columns.delete(table);
        return;
      case "BulkRemoveRecord":
        return this.#rowsRemoved(table);
      // Parsed undo actions have the bulk form.
      case "AddRecord":
      case "UpdateRecord":
      case "RemoveRecord":
      case "BulkAddRecord":
      case "AddTable":
      case "ModifyColumn":
        return;
      default:
        return action satisfies never;
    }
  }

  #updated(table: string, rows: number, values: object): void {
    const columns = keyOf(values);
    const index = this.#partial.findIndex(
      (update) => update.table === table && update.columns === columns && update.rows === rows,
    );
    if (index < 0) return;
    this.#partial.splice(index, 1);
    if (this.#rowCount(table) > 0) this.#add(table, Object.keys(values));
  }

  #rowsRemoved(table: string): void {
    if (this.#columns.has(table) && this.#rowCount(table) === 0) this.#columns.delete(table);
  }

  #add(table: string, columns: readonly string[]): void {
    const known = this.#columns.get(table) ?? new Set();
    for (const column of columns) known.add(column);
    this.#columns.set(table, known);
  }

  #remove(table: string, column: string): void {
    const known = this.#columns.get(table);
    known?.delete(column);
    if (known?.size === 0) this.#columns.delete(table);
  }

  #rowCount(table: string): number {
    return Number(this.#db.values(`select count(*) from ${quote(table)}`)[0]?.[0] ?? 0);
  }
}

const keyOf = (values: unknown): string =>
  typeof values === "object" && values !== null ? JSON.stringify(Object.keys(values).toSorted()) : "";
