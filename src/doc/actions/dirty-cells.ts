import type { DirtyTracker } from "./apply-context.ts";

/** Rows of which some cells were written: those whose formulas have to be computed again. */
export interface DirtyRows {
  readonly ids: readonly number[];
  /** Columns that were written; null for rows that are new, of which all formulas are to be computed. */
  readonly columns: ReadonlySet<string> | null;
  /** Columns that came with values. */
  readonly provided: ReadonlySet<string>;
  /** True for what a user did to records: only that makes formulas of data columns run. */
  readonly isUserEdit: boolean;
}

export interface DirtyTable {
  readonly rows: DirtyRows[];
  /** Columns that changed as a whole. */
  readonly columns: Set<string>;
  /** Names that mean another column than before, or none. */
  readonly changedNames: Set<string>;
  /** Rows that are gone. */
  readonly removed: number[];
}

/** What was touched, for formulas to look at. */
export interface DirtyState {
  readonly tables: ReadonlyMap<string, DirtyTable>;
  /** Names that no table has any more. */
  readonly removedTables: ReadonlySet<string>;
  /** True when a history was replayed: what formulas of data columns did then is part of it. */
  readonly isReplayed: boolean;
  /** True when formulas that read the clock are to be computed. */
  readonly includesClock: boolean;
  /** True when everything is to be computed, whatever it depends on. */
  readonly includesAll: boolean;
  readonly isEmpty: boolean;
}

const CLEAN: DirtyState = {
  tables: new Map(),
  removedTables: new Set(),
  isReplayed: false,
  includesClock: false,
  includesAll: false,
  isEmpty: true,
};

/** Gathers what formulas have to look at again, by table. */
export class DirtyCells implements DirtyTracker {
  readonly #tables = new Map<string, DirtyTable>();
  readonly #removedTables = new Set<string>();
  #userEdit: ReadonlySet<string> | undefined;
  #isReplayed = false;
  #includesClock = false;
  #includesAll = false;

  /** Marks the rows that `work` touches as touched by a user, who gave values for these columns. */
  asUserEdit(provided: Iterable<string>, work: () => void): void {
    this.#userEdit = new Set(provided);
    try {
      work();
    } finally {
      this.#userEdit = undefined;
    }
  }

  rowsAdded(table: string, ids: readonly number[], provided: readonly string[]): void {
    this.#addRows(table, { ids, columns: null, given: provided });
  }

  cellsChanged(table: string, ids: readonly number[], columns: readonly string[]): void {
    this.#addRows(table, { ids, columns: new Set(columns), given: columns });
  }

  columnChanged(table: string, column: string): void {
    this.#tableOf(table).columns.add(column);
  }

  columnRenamed(table: string, from: string, to: string): void {
    const dirty = this.#tableOf(table);
    const renamed = (names: ReadonlySet<string>) => new Set([...names].map((name) => (name === from ? to : name)));
    for (const [r, rows] of dirty.rows.entries()) {
      dirty.rows[r] = { ...rows, columns: rows.columns && renamed(rows.columns), provided: renamed(rows.provided) };
    }
    if (dirty.columns.delete(from)) dirty.columns.add(to);
    dirty.changedNames.add(from).add(to);
  }

  columnRemoved(table: string, column: string): void {
    const dirty = this.#tableOf(table);
    dirty.columns.delete(column);
    dirty.changedNames.add(column);
  }

  rowsRemoved(table: string, ids: readonly number[]): void {
    const { removed } = this.#tableOf(table);
    // Not as arguments of one call: there may be more rows than a call can have.
    for (const id of ids) removed.push(id);
  }

  /** To be told that what was done so far was a history replayed. */
  markReplayed(): void {
    this.#isReplayed = true;
  }

  /** To be told that time went by. */
  markClock(): void {
    this.#includesClock = true;
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
  markAll(): void {
    this.#includesAll = true;
  }

  /** What was gathered; from then on it begins anew. */
  take(): DirtyState {
    if (this.#isEmpty && !this.#isReplayed) return CLEAN;
    const taken = {
      tables: new Map(this.#tables),
      removedTables: new Set(this.#removedTables),
      isReplayed: this.#isReplayed,
      includesClock: this.#includesClock,
      includesAll: this.#includesAll,
      isEmpty: this.#isEmpty,
    };
    this.#tables.clear();
    this.#removedTables.clear();
    this.#isReplayed = false;
    this.#includesClock = false;
    this.#includesAll = false;
    return taken;
  }

  get #isEmpty(): boolean {
    return this.#tables.size + this.#removedTables.size === 0 && !this.#includesClock && !this.#includesAll;
  }

  #addRows(
    table: string,
    { ids, columns, given }: { ids: readonly number[]; columns: ReadonlySet<string> | null; given: readonly string[] },
  ): void {
    const isUserEdit = this.#userEdit !== undefined;
    this.#tableOf(table).rows.push({ ids, columns, provided: this.#userEdit ?? new Set(given), isUserEdit });
  }

  #tableOf(table: string): DirtyTable {
    let found = this.#tables.get(table);
    if (!found)
      this.#tables.set(table, (found = { rows: [], columns: new Set(), changedNames: new Set(), removed: [] }));
    return found;
  }
}
