import type { Touched } from "./work.ts";

/** Rows of which some cells were written: those whose formulas have to be computed again. */
export interface DirtyRows {
  readonly ids: readonly number[];
  /** Columns that were written; null for rows that are new, of which all formulas are to be computed. */
  readonly columns: ReadonlySet<string> | null;
  /** Columns that came with values. */
  readonly given: ReadonlySet<string>;
  /** True for what a user did to records: only that makes formulas of data columns run. */
  readonly isByHand: boolean;
}

export interface DirtyTable {
  readonly rows: DirtyRows[];
  /** Columns that changed as a whole. */
  readonly columns: Set<string>;
}

/** Gathers what formulas have to look at again, by table. */
export class Dirty implements Touched {
  readonly #tables = new Map<string, DirtyTable>();
  #hand: ReadonlySet<string> | undefined;

  /** Marks the rows that `work` touches as touched by a user, who gave values for these columns. */
  byHand(given: Iterable<string>, work: () => void): void {
    this.#hand = new Set(given);
    try {
      work();
    } finally {
      this.#hand = undefined;
    }
  }

  rowsAdded(table: string, ids: readonly number[], given: readonly string[]): void {
    this.#addRows(table, { ids, columns: null, given });
  }

  cellsChanged(table: string, ids: readonly number[], columns: readonly string[]): void {
    this.#addRows(table, { ids, columns: new Set(columns), given: columns });
  }

  columnChanged(table: string, column: string): void {
    this.#of(table).columns.add(column);
  }

  /** Takes back that a column changed: its formula says the same in other words. */
  columnKept(table: string, column: string): void {
    this.#tables.get(table)?.columns.delete(column);
  }

  tableRenamed(from: string, to: string): void {
    const found = this.#tables.get(from);
    this.#tables.delete(from);
    if (found) this.#tables.set(to, found);
  }

  tableRemoved(table: string): void {
    this.#tables.delete(table);
  }

  /** What was gathered; from then on it begins anew. */
  take(): Map<string, DirtyTable> {
    const taken = new Map(this.#tables);
    this.#tables.clear();
    return taken;
  }

  #addRows(
    table: string,
    { ids, columns, given }: { ids: readonly number[]; columns: ReadonlySet<string> | null; given: readonly string[] },
  ): void {
    const isByHand = this.#hand !== undefined;
    this.#of(table).rows.push({ ids, columns, given: this.#hand ?? new Set(given), isByHand });
  }

  #of(table: string): DirtyTable {
    let found = this.#tables.get(table);
    if (!found) this.#tables.set(table, (found = { rows: [], columns: new Set() }));
    return found;
  }
}
