import type { RecordedAction } from "../history/read-state.ts";

/** The written columns of rows of a table; `"all"` rows where an action finds them by their values. */
interface Written {
  readonly table: string;
  readonly rows: ReadonlySet<number> | "all";
  readonly columns: ReadonlySet<string>;
}

/**
 * The rows and cells that the user actions of a change name themselves, without what followed from them: cleared references, results of
 * trigger formulas. The caller need not have been able to read their former values.
 */
export class DirectWrites {
  readonly #written: Written[] = [];
  readonly #added = new Set<string>();
  readonly #removed = new Map<string, Set<number>>();

  constructor(requested: readonly RecordedAction[]) {
    for (const action of requested) this.#read(action);
  }

  writesCell(table: string, row: number, column: string): boolean {
    return this.#written.some(
      (each) => each.table === table && each.columns.has(column) && (each.rows === "all" || each.rows.has(row)),
    );
  }

  addsRows(table: string): boolean {
    return this.#added.has(table);
  }

  removesRow(table: string, row: number): boolean {
    return this.#removed.get(table)?.has(row) ?? false;
  }

  #read([name, table, ids, values]: RecordedAction): void {
    if (name === "ApplyUndoActions" || name === "ApplyDocActions") {
      for (const step of Array.isArray(table) ? (table as unknown[]) : []) {
        if (Array.isArray(step) && typeof step[0] === "string") this.#read(step as unknown as RecordedAction);
      }
      return;
    }
    if (typeof table !== "string") return;
    switch (name) {
      case "AddRecord":
      case "BulkAddRecord":
        this.#added.add(table);
        return;
      case "UpdateRecord":
      case "BulkUpdateRecord":
        this.#written.push({ table, rows: idsOf(ids), columns: namesOf(values) });
        return;
      case "RemoveRecord":
      case "BulkRemoveRecord":
        this.#removed.set(table, idsOf(ids).union(this.#removed.get(table) ?? new Set()));
        return;
      case "AddOrUpdateRecord":
      case "BulkAddOrUpdateRecord":
        this.#added.add(table);
        this.#written.push({ table, rows: "all", columns: namesOf(ids).union(namesOf(values)) });
        break;
      default:
    }
  }
}

const idsOf = (ids: unknown): Set<number> =>
  new Set((Array.isArray(ids) ? (ids as unknown[]) : [ids]).filter((id) => typeof id === "number"));

const namesOf = (values: unknown): Set<string> =>
  new Set(typeof values === "object" && values !== null ? Object.keys(values) : []);
