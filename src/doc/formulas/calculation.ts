import type { Trace } from "../../formula/compiler/compiler.ts";
import { PyError } from "../../formula/runtime/errors.ts";
import { type CompiledFormula, compileFormula } from "../../formula/formula.ts";
import type { PyValue } from "../../formula/runtime/values.ts";
import type { Database } from "../../sqlite/database.ts";
import type { CellValue } from "../../values/cell.ts";
import type { Catalog } from "../actions/catalog.ts";
import type { DirtyTable } from "../actions/dirty-cells.ts";
import { allIds, existingIds, highestId } from "../actions/row-storage.ts";
import type { UserInfo } from "../user-info.ts";
import { BlockComputation, type BlockTarget } from "./block-computation.ts";
import { type CellBlock, readBlockAfter, readBlockOf } from "./cell-block.ts";
import type { CalculationLimits } from "./calculation-limits.ts";
import { DependencyGraph, type DependentsVisitor, type GraphOptions } from "./dependency-graph.ts";
import { type CellSource, Evaluation } from "./evaluation.ts";
import type { FormulaTimings } from "./formula-timings.ts";
import { IndexMemory } from "./index-memory.ts";
import type { IndexFile } from "./lookups/index-file.ts";
import { type Key, type LookupKeyColumn } from "./lookups/lookup-keys.ts";
import type { LookupMap } from "./lookups/lookup-map.ts";
import { createMapSource } from "./lookups/map-source.ts";
import type { LookupReader } from "./lookups/lookup-reader.ts";
import { circular, dependsOnInputsOnly, type ColumnNode, type TableNode } from "./nodes.ts";
import type { OwnPath, Path, PathContext } from "./paths.ts";
import type { RowSelection } from "./pending-rows.ts";
import { Schedule } from "./schedule.ts";
import { SqlComputation, type SqlResultRecorder } from "./sql/sql-computation.ts";
import { StoredCells } from "./stored-cells.ts";
import { keyOfSummaryRow } from "./summaries.ts";
import { TimedEvaluation } from "./timed-evaluation.ts";
import { userValue } from "./user-value.ts";

export interface CalculationOptions extends GraphOptions {
  readonly limits: CalculationLimits;
  /** The file for lookup indexes that exceed the limit of their memory; without it, they are dropped after a change. */
  readonly indexFile?: IndexFile | null;
  /** Collects evaluation times when timing is active. */
  readonly timings?: FormulaTimings | undefined;
}

/**
 * The calculation of a document's formulas: the dependency graph determines which cells become pending, the schedule in
 * which order they are computed; columns are computed in blocks of rows. It is valid for one schema and belongs to one
 * connection.
 */
export class Calculation implements PathContext, CellSource, BlockTarget {
  readonly graph: DependencyGraph;
  readonly indexMemory: IndexMemory;
  readonly schedule: Schedule;
  readonly stored: StoredCells;
  readonly evaluation: Evaluation;
  readonly compiledCells: number;
  onLookup: ((reader: LookupReader, key: number) => void) | null = null;
  readonly #limits: CalculationLimits;
  readonly #db: Database;
  /** Marks what depends on a changed cell. */
  readonly #marking: DependentsVisitor;
  /** The number of results that were not written yet. */
  #resultCount = 0;
  /** Writes all results; set while a change is recalculated. */
  writeResults: () => void = () => undefined;
  /** Records cells that are computed in SQL; set while a change is recalculated. */
  sqlResults: SqlResultRecorder | null = null;
  /** The user who makes the change. */
  actor: UserInfo | null = null;
  #user: { readonly actor: UserInfo; readonly value: PyValue } | null = null;

  constructor(db: Database, catalog: Catalog, { limits, indexFile = null, timings, ...options }: CalculationOptions) {
    this.#db = db;
    this.#limits = limits;
    this.schedule = new Schedule(limits);
    this.graph = new DependencyGraph(catalog, options, this);
    this.indexMemory = new IndexMemory(this.graph, { limits, file: indexFile });
    this.stored = new StoredCells(db, { maxBytes: limits.cacheBytes });
    // Timed evaluations are timed one by one.
    this.compiledCells = timings ? Infinity : limits.compiledCells;
    this.evaluation = timings ? new TimedEvaluation(this, timings) : new Evaluation(this);
    this.#marking = {
      affected: (column, rows) => this.markDirty(column, rows),
      triggered: (column, rows) => this.trigger(column, rows),
    };
    this.graph.link();
  }

  get currentRow(): number {
    return this.evaluation.currentRow;
  }

  get currentGeneration(): number {
    return this.evaluation.currentGeneration;
  }

  get tables(): ReadonlyMap<string, TableNode> {
    return this.graph.tables;
  }

  /** Returns the tables with cells that were computed in this change, in order. */
  computedTables(): TableNode[] {
    return [...this.tables.values()].filter((table) => this.schedule.includes(table));
  }

  table(id: string): TableNode {
    return this.graph.table(id);
  }

  pathOf(column: ColumnNode): OwnPath {
    return this.graph.pathOf(column);
  }

  tableOf(column: ColumnNode, name: string | undefined): PyValue {
    return this.graph.tableOf(column, name);
  }

  compileTraced({ column }: ColumnNode, trace: Trace): CompiledFormula {
    return compileFormula(column.formula, {
      isTable: (name) => this.tables.has(name),
      isTrigger: !column.isFormula,
      trace,
    });
  }

  cellOf(column: ColumnNode, row: number): CellValue | undefined {
    const result = column.results.size > 0 ? column.results.get(row) : undefined;
    return result === undefined ? this.stored.get(column, row) : result;
  }

  storeResult(column: ColumnNode, row: number, cell: CellValue, stored = this.stored.before(column, row)): void {
    column.results.set(row, cell, stored);
    this.#resultCount++;
  }

  evaluate(column: ColumnNode, row: number): void {
    this.evaluation.compute(column, row);
  }

  observeLookups(observe: (reader: LookupReader, key: number) => void, work: () => void): void {
    const outer = this.onLookup;
    this.onLookup = observe;
    try {
      work();
    } finally {
      this.onLookup = outer;
    }
  }

  nextGeneration(): number {
    return this.evaluation.nextGeneration();
  }

  get pendingVersion(): number {
    return this.schedule.version;
  }

  isMemoizable(column: ColumnNode): boolean {
    return dependsOnInputsOnly(column) && this.schedule.isSettledFor(column, this.graph);
  }

  value(column: ColumnNode, row: number, path: Path): PyValue {
    return this.evaluation.value(column, row, path);
  }

  load(columns: readonly ColumnNode[]): void {
    this.stored.load(columns);
  }

  allRows(table: TableNode): number[] {
    return table.stored ? allIds(this.#db, table.id) : [];
  }

  /** Returns those of the rows that do not exist in the table. */
  missingRows(table: TableNode, rows: readonly number[]): number[] {
    const existing = table.stored ? existingIds(this.#db, table.id, rows) : new Set();
    return rows.filter((row) => !existing.has(row));
  }

  map(table: TableNode, columns: readonly LookupKeyColumn[]): LookupMap {
    return this.graph.map(table, columns);
  }

  reverseMap(column: ColumnNode, target: string): LookupMap {
    return this.graph.reverseMap(column, target);
  }

  /** The `user` object of trigger formulas, created on first use. */
  get user(): PyValue {
    if (!this.actor) return null;
    if (this.#user?.actor !== this.actor) this.#user = { actor: this.actor, value: userValue(this.actor) };
    return this.#user.value;
  }

  summaryKey(
    summary: TableNode,
    row: number,
  ): { source: TableNode; columns: readonly LookupKeyColumn[]; key: Key } | undefined {
    const found = this.graph.summaries.get(summary);
    if (!found) return undefined;
    const key = keyOfSummaryRow(found, row, (column, id) => this.cellOf(column, id));
    return { source: found.source, columns: found.columns, key };
  }

  registerOrder(map: LookupMap, column: ColumnNode): void {
    this.graph.lookups.registerOrder(map, column);
  }

  /** Marks cells of a formula column and all dependents as dirty. */
  markDirty(column: ColumnNode, rows: RowSelection): void {
    const added = this.schedule.add(column, rows);
    if (added === "all" || added.length > 0) this.onCellsChanged(column, added);
  }

  /** Marks everything that depends on the changed (or dirty) cells as dirty. */
  onCellsChanged(column: ColumnNode, rows: RowSelection): void {
    this.graph.visitReaders(column, rows, this.#marking);
  }

  /** Marks everything that depends on the added or removed rows of a table as dirty. */
  onRowsChanged(table: TableNode, rows: readonly number[]): void {
    this.graph.visitReadersOfTable(table, rows, this.#marking);
  }

  /** Marks cells of a trigger formula column as dirty, except suppressed ones. */
  trigger(column: ColumnNode, rows: readonly number[]): void {
    this.markDirty(column, this.schedule.triggered(column, rows));
  }

  /** Drops removed rows from a formula column: pending cells, results and lookups. */
  removeRows(column: ColumnNode, rows: readonly number[]): void {
    this.graph.removeRows(column, rows);
    for (const row of rows) {
      column.pending.done(row);
      column.results.delete(row);
    }
    this.schedule.settle(column);
  }

  /** Refreshes a stale map and marks the readers of changed keys as dirty. */
  refresh(map: LookupMap): void {
    if (!map.isStale) return;
    if (map.isRefreshing) throw new PyError("CircularRefError", `a look-up in ${map.table.id} depends on itself`);
    map.isRefreshing = true;
    try {
      if (!map.isReverse)
        this.#computeKeys(
          map,
          map.columns.flatMap(({ node }) => node ?? []),
        );
      const changed = map.refresh(
        createMapSource(this.#db, map.table, {
          cells: this,
          blockRows: this.#limits.blockRows,
          onBlock: () => this.indexMemory.afterBlock(),
        }),
        (column, row) => column.pending.has(row),
      );
      this.graph.lookups.markRefreshed(map);
      if (changed.size === 0) return;
      for (const reader of map.readers.values()) this.markDirty(reader.column, reader.rowsOf(changed));
      map.releaseUnused(changed);
    } finally {
      map.isRefreshing = false;
    }
  }

  /** Refreshes all stale maps that have readers, to mark these as dirty. */
  refreshAll(): void {
    for (const map of this.graph.lookups.staleMaps()) this.refresh(map);
  }

  /** Computes the pending cells of the next column; returns false when no cell is pending. */
  computeNext(): boolean {
    const column = this.schedule.next(this.graph);
    if (!column) return false;
    if (column.pending.isAll) this.#computeAll(this.#groupOf(column));
    else this.#computeRows(column);
    return true;
  }

  /** Ends a recalculation after its results were written. */
  finish(): void {
    this.schedule.finish();
    this.evaluation.finish();
    this.stored.trim();
    this.indexMemory.afterChange();
    this.#resultCount = 0;
  }

  /** Frees what can be read or made again. */
  shrink(): void {
    this.stored.clear();
    this.graph.lookups.dropLists();
  }

  /** Invalidates stored cells that were written. Must be called before evaluation. */
  invalidateStored(dirtyTables: ReadonlyMap<string, DirtyTable>): void {
    for (const [id, dirty] of dirtyTables) {
      const table = this.tables.get(id);
      if (!table) continue;
      for (const column of table.columns.values()) {
        if (dirty.columns.has(column.id)) this.stored.evict(column);
        for (const rows of dirty.rows) {
          if (!rows.columns || rows.columns.has(column.id)) this.stored.markStale(column, rows.ids);
        }
        this.stored.markStale(column, dirty.removed);
      }
    }
  }

  /** Returns the columns to compute with a column that is pending for all rows; for few rows it does not pay. */
  #groupOf(column: ColumnNode): readonly ColumnNode[] {
    const { stored, id } = column.table;
    const isLarge = stored !== undefined && highestId(this.#db, id) > this.#limits.blockRows;
    return isLarge ? this.schedule.withReaders(column, this.graph) : [column];
  }

  /** Computes the pending cells of a column, in blocks of rows in order. */
  #computeRows(column: ColumnNode): void {
    const { blockRows } = this.#limits;
    const rows = column.pending.rowsOf(() => []);
    const computation = new BlockComputation(column.table, [column], { target: this, cells: rows.length });
    for (let at = 0; at < rows.length; at += blockRows) {
      const ids = rows.slice(at, at + blockRows);
      this.#computeBlock(computation, readBlockOf(this.#db, computation.layout, ids), ids);
    }
    this.schedule.settle(column);
  }

  /** Computes columns of a table for all rows. */
  #computeAll(group: readonly ColumnNode[]): void {
    const table = group[0]?.table;
    if (!table) return;
    const limit = this.#limits.blockRows;
    const computation = new BlockComputation(table, group, { target: this, cells: limit });
    const starts = group.map(({ pending }) => pending.allCount);
    const sql = SqlComputation.create(this.#db, group, { target: this, cells: limit, recorder: this.sqlResults });
    for (let after = 0; ;) {
      const last = sql?.computeAfter(after, limit);
      if (last !== undefined) {
        after = last;
        continue;
      }
      const block = readBlockAfter(this.#db, computation.layout, { after, limit });
      if (block.size === 0) break;
      after = block.rowId(block.size - 1);
      this.#computeBlock(computation, block);
    }
    for (const [c, computed] of group.entries()) {
      // All rows became pending again meanwhile: those before the last block were not computed since.
      if (computed.pending.allCount !== starts[c]) continue;
      computed.pending.endAll();
      this.graph.markResolved(computed);
      this.schedule.settle(computed);
    }
  }

  #computeBlock(computation: BlockComputation, block: CellBlock, rows?: readonly number[]): void {
    this.stored.withBlock(block, () => computation.compute(block, rows));
    this.#writeIfFull();
    this.indexMemory.afterBlock();
  }

  #writeIfFull(): void {
    if (this.#resultCount >= this.#limits.bufferedCells) this.flush();
  }

  /** Writes all results that wait. */
  flush(): void {
    if (this.#resultCount === 0) return;
    this.writeResults();
    this.#resultCount = 0;
    this.evaluation.clearValues();
  }

  /** Computes pending key columns of a map. Loops, because computing one cell may make others dirty. */
  #computeKeys(map: LookupMap, nodes: readonly ColumnNode[]): void {
    for (let isDone = false; !isDone;) {
      isDone = true;
      for (const node of nodes) {
        if (node.pending.isEmpty) continue;
        if (this.evaluation.isIdle) {
          if (node.pending.isAll) this.#computeAll([node]);
          else this.#computeRows(node);
          isDone = false;
          continue;
        }
        const rows = node.pending.rowsOf(() => this.allRows(map.table));
        if (rows.length > 0) isDone = false;
        for (const row of rows) {
          if (this.evaluation.isEvaluating(node, row)) throw circular(node);
          if (node.pending.has(row)) this.evaluation.computeNow(node, row);
        }
        this.#writeIfFull();
      }
    }
  }
}
