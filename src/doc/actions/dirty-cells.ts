import type { DirtyTracker } from "./apply-context.ts";

/** Rows with written cells, whose formulas must be recomputed. */
export interface DirtyRows {
  readonly ids: readonly number[];
  /** Columns that were written; null for new rows, whose formulas are all computed. */
  readonly columns: ReadonlySet<string> | null;
  /** Columns that came with values. */
  readonly provided: ReadonlySet<string>;
  /** True for a user's edit of records: only these run trigger formulas. */
  readonly isUserEdit: boolean;
}

export interface DirtyTable {
  readonly rows: DirtyRows[];
  /** Columns that changed as a whole. */
  readonly columns: Set<string>;
  /** Names that now refer to another column, or to none. */
  readonly changedNames: Set<string>;
  /** Removed rows. */
  readonly removed: number[];
}

/** The changes since the last recalculation. */
export interface DirtyState {
  readonly tables: ReadonlyMap<string, DirtyTable>;
  /** Former names of removed or renamed tables. */
  readonly removedTables: ReadonlySet<string>;
  /** True when a history was replayed: it contains the results of trigger formulas. */
  readonly isReplayed: boolean;
  /** True when formulas that read the clock must be recomputed. */
  readonly includesClock: boolean;
  /** True when all formulas must be recomputed, regardless of dependencies. */
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

/** Collects dirty cells by table. */
export class DirtyCells implements DirtyTracker {
  readonly #tables = new Map<string, DirtyTable>();
  readonly #removedTables = new Set<string>();
  #userEdit: ReadonlySet<string> | undefined;
  #isReplayed = false;
  #includesClock = false;
  #includesAll = false;

  /** Marks the rows that `work` writes as edited by a user who provided values for these columns. */
  asUserEdit(provided: Iterable<string>, work: () => void): void {
    this.#userEdit = new Set(provided);
    try {
      work();
    } finally {
      this.#userEdit = undefined;
    }
  }

  rowsAdded(table: string, ids: readonly number[], provided: readonly string[]): void {
    this.#addRows(table, { ids, columns: null, provided });
  }

  cellsChanged(table: string, ids: readonly number[], columns: readonly string[]): void {
    this.#addRows(table, { ids, columns: new Set(columns), provided: columns });
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
    // No spread: there may be more rows than a call can take arguments.
    for (const id of ids) removed.push(id);
  }

  /** Marks the changes so far as a replayed history. */
  markReplayed(): void {
    this.#isReplayed = true;
  }

  /** Marks formulas that read the clock as dirty. */
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

  /** Marks all formulas as dirty, because stored results are unreliable. */
  markAll(): void {
    this.#includesAll = true;
  }

  /** Returns the collected changes and resets the collection. */
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
    {
      ids,
      columns,
      provided,
    }: { ids: readonly number[]; columns: ReadonlySet<string> | null; provided: readonly string[] },
  ): void {
    const isUserEdit = this.#userEdit !== undefined;
    this.#tableOf(table).rows.push({ ids, columns, provided: this.#userEdit ?? new Set(provided), isUserEdit });
  }

  #tableOf(table: string): DirtyTable {
    let found = this.#tables.get(table);
    if (!found)
      this.#tables.set(table, (found = { rows: [], columns: new Set(), changedNames: new Set(), removed: [] }));
    return found;
  }
}
