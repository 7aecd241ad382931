import type { ColumnNode, TableNode } from "./nodes.ts";
import { NO_ROWS, type RowSelection } from "./pending-rows.ts";

/** `recalcWhen` of triggers that never run, not even for new records. */
const TRIGGER_NEVER = 1;

/** Whether formulas read, or may read, cells of other columns. */
export interface ReadRelation {
  reads(column: ColumnNode, other: ColumnNode): boolean;
  /** Returns true when these are cells of other rows. */
  readsOtherRows(column: ColumnNode, other: ColumnNode): boolean;
}

/** Which cells are to be computed, and in which order. */
export class Schedule {
  /** Formula columns with pending cells. */
  readonly #columns = new Set<ColumnNode>();
  /** Tables with cells that were pending in this change. */
  readonly #tables = new Set<TableNode>();
  /** Cells of trigger formula columns that must not be computed in this change, because the user provided a value. */
  readonly #suppressed = new Map<ColumnNode, Set<number>>();
  /** True when triggers must not run: for replayed histories, clock updates and full recalculations. */
  skipsTriggers = false;
  /** Changes when cells become pending. */
  version = 0;
  readonly #orderedCells: number;

  /**
   * @param limits `orderedCells`: number of pending cells from which a column waits for the columns that it reads. Below
   *   it, a cell computes the cells that it reads first, one by one
   */
  constructor({ orderedCells }: { readonly orderedCells: number }) {
    this.#orderedCells = orderedCells;
  }

  get isDone(): boolean {
    return this.#columns.size === 0;
  }

  /** Adds cells of a formula column. Returns the rows that were not pending. */
  add(column: ColumnNode, rows: RowSelection): RowSelection {
    if (!column.formula || (rows !== "all" && rows.length === 0)) return NO_ROWS;
    const added = column.pending.add(rows);
    if (added === "all" || added.length > 0) {
      this.version++;
      this.#columns.add(column);
      this.#tables.add(column.table);
    }
    return added;
  }

  /** Returns the rows for which a changed cell runs a trigger formula. */
  triggered(column: ColumnNode, rows: readonly number[]): readonly number[] {
    if (!column.trigger || column.trigger.when === TRIGGER_NEVER || this.skipsTriggers) return NO_ROWS;
    const suppressed = this.#suppressed.get(column);
    return suppressed ? rows.filter((row) => !suppressed.has(row)) : rows;
  }

  /** Suppresses the trigger formula for rows with provided values, until the change is complete. */
  suppress(column: ColumnNode, rows: readonly number[]): void {
    const known = this.#suppressed.get(column) ?? new Set();
    for (const row of rows) known.add(row);
    this.#suppressed.set(column, known);
  }

  /**
   * Returns the column to compute next; undefined when no cell is pending. Columns with many pending cells come after
   * the columns that they read, unless these depend on them in turn.
   */
  next(graph: ReadRelation): ColumnNode | undefined {
    const [first] = this.#columns;
    let found = first;
    const waiting = new Set<ColumnNode>();
    while (found && found.pending.count >= this.#orderedCells) {
      waiting.add(found);
      const reader: ColumnNode = found;
      const input = [...this.#columns].find((column) => !waiting.has(column) && graph.reads(reader, column));
      if (!input) break;
      found = input;
    }
    return found;
  }

  /**
   * Returns the column and other columns of its table that are pending for all rows, in an order in which each reads
   * only earlier ones, and of these only cells of its own row: they can be computed together, block by block.
   */
  withReaders(column: ColumnNode, graph: ReadRelation): ColumnNode[] {
    const group = [column];
    const others = new Set(this.#columns);
    others.delete(column);
    const fits = (candidate: ColumnNode) =>
      candidate.table === column.table &&
      candidate.pending.isAll &&
      !group.some((member) => graph.reads(member, candidate) || graph.readsOtherRows(candidate, member)) &&
      ![...others].some((other) => other !== candidate && graph.reads(candidate, other));
    for (let next = [...others].find(fits); next; next = [...others].find(fits)) {
      group.push(next);
      others.delete(next);
    }
    return group;
  }

  /**
   * Returns true when the formula of a column reads no pending cells of other rows, and none of its own column: while it
   * is computed, equal values in its row give equal results.
   */
  isSettledFor(column: ColumnNode, graph: ReadRelation): boolean {
    if (graph.readsOtherRows(column, column)) return false;
    for (const other of this.#columns) if (other !== column && graph.readsOtherRows(column, other)) return false;
    return true;
  }

  /** Call when cells of a column were computed or removed. */
  settle(column: ColumnNode): void {
    if (column.pending.isEmpty) this.#columns.delete(column);
  }

  /** Returns true for tables with cells that were pending in this change. */
  includes(table: TableNode): boolean {
    return this.#tables.has(table);
  }

  /** Ends a recalculation. */
  finish(): void {
    this.#suppressed.clear();
    this.#tables.clear();
  }
}
