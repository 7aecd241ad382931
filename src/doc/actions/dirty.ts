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
  /** Names that mean another column than before, or none. */
  readonly names: Set<string>;
  /** Rows that are gone. */
  readonly removed: number[];
}

/** What was touched, for formulas to look at. */
export interface Touches {
  readonly tables: ReadonlyMap<string, DirtyTable>;
  /** Names that no table has any more. */
  readonly removedTables: ReadonlySet<string>;
  /** True when a history was replayed: what formulas of data columns did then is part of it. */
  readonly isReplayed: boolean;
  /** True when formulas that read the clock are to be computed. */
  readonly isClock: boolean;
  /** True when everything is to be computed, whatever it depends on. */
  readonly isEverything: boolean;
  readonly isEmpty: boolean;
}

const NOTHING: Touches = {
  tables: new Map(),
  removedTables: new Set(),
  isReplayed: false,
  isClock: false,
  isEverything: false,
  isEmpty: true,
};

/** Gathers what formulas have to look at again, by table. */
export class Dirty implements Touched {
  readonly #tables = new Map<string, DirtyTable>();
  readonly #removedTables = new Set<string>();
  #hand: ReadonlySet<string> | undefined;
  #isReplayed = false;
  #isClock = false;
  #isEverything = false;

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

  columnRenamed(table: string, from: string, to: string): void {
    const dirty = this.#of(table);
    const renamed = (names: ReadonlySet<string>) => new Set([...names].map((name) => (name === from ? to : name)));
    for (const [r, rows] of dirty.rows.entries()) {
      dirty.rows[r] = { ...rows, columns: rows.columns && renamed(rows.columns), given: renamed(rows.given) };
    }
    if (dirty.columns.delete(from)) dirty.columns.add(to);
    dirty.names.add(from).add(to);
  }

  columnRemoved(table: string, column: string): void {
    const dirty = this.#of(table);
    dirty.columns.delete(column);
    dirty.names.add(column);
  }

  rowsRemoved(table: string, ids: readonly number[]): void {
    const { removed } = this.#of(table);
    // Not as arguments of one call: there may be more rows than a call can have.
    for (const id of ids) removed.push(id);
  }

  /** To be told that what was done so far was a history replayed. */
  replayed(): void {
    this.#isReplayed = true;
  }

  /** To be told that time went by. */
  clockMoved(): void {
    this.#isClock = true;
  }

  tableRenamed(from: string, to: string): void {
    const found = this.#tables.get(from);
    this.#tables.delete(from);
    if (found) this.#tables.set(to, found);
    this.#removedTables.add(from);
    this.#removedTables.delete(to);
  }

  tableRemoved(table: string): void {
    this.#tables.delete(table);
    this.#removedTables.add(table);
  }

  /** To be told that nothing that is stored can be relied on. */
  everything(): void {
    this.#isEverything = true;
  }

  /** What was gathered; from then on it begins anew. */
  take(): Touches {
    if (this.#isEmpty && !this.#isReplayed) return NOTHING;
    const taken = {
      tables: new Map(this.#tables),
      removedTables: new Set(this.#removedTables),
      isReplayed: this.#isReplayed,
      isClock: this.#isClock,
      isEverything: this.#isEverything,
      isEmpty: this.#isEmpty,
    };
    this.#tables.clear();
    this.#removedTables.clear();
    this.#isReplayed = false;
    this.#isClock = false;
    this.#isEverything = false;
    return taken;
  }

  get #isEmpty(): boolean {
    return this.#tables.size + this.#removedTables.size === 0 && !this.#isClock && !this.#isEverything;
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
    if (!found) this.#tables.set(table, (found = { rows: [], columns: new Set(), names: new Set(), removed: [] }));
    return found;
  }
}
