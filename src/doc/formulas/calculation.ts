import type { Trace } from "../../formula/compiler/compiler.ts";
import { PyError } from "../../formula/runtime/errors.ts";
import { type CompiledFormula, compileFormula } from "../../formula/formula.ts";
import type { PyValue } from "../../formula/runtime/values.ts";
import type { CellValue } from "../../values/cell.ts";
import type { DirtyTable } from "../actions/dirty-cells.ts";
import { allIds, existingIds } from "../actions/row-storage.ts";
import type { Catalog } from "../actions/catalog.ts";
import { METADATA_TABLES } from "../metadata-tables.ts";
import type { Database } from "../../sqlite/database.ts";
import type { Schema } from "../schema.ts";
import type { UserInfo } from "../user-info.ts";
import { type CellSource, Evaluation } from "./evaluation.ts";
import { type Key, type LookupKeyColumn, keyColumnsId } from "./lookup-keys.ts";
import { LookupMap } from "./lookup-map.ts";
import { buildNodes, circular, ColumnNode, type CompiledFormulas, TableNode } from "./nodes.ts";
import { OwnPath, type Path, type PathContext } from "./paths.ts";
import { type RowSelection } from "./pending-rows.ts";
import { linkStatically, type FormulaIndex, mayRead, mayReadTable } from "./static-reads.ts";
import { StoredCells } from "./stored-cells.ts";
import { findSummaries, keyOfSummaryRow, type SummaryDefinition } from "./summaries.ts";
import { TimedEvaluation } from "./timed-evaluation.ts";
import type { FormulaTimings } from "./formula-timings.ts";
import { userValue } from "./user-value.ts";

/** `recalcWhen` of triggers that never run, not even for new records. */
const TRIGGER_NEVER = 1;
/** Number of rows from which the columns that a formula reads are loaded as a whole. */
const BULK_LOAD_THRESHOLD = 200;

interface CalculationOptions {
  readonly schema: Schema;
  readonly compiled: CompiledFormulas;
  /** The timezone of the document. */
  readonly timezone: string;
  /** Ids of tables created in this change, which no stored result can depend on. */
  readonly fresh?: ReadonlySet<string>;
  /** Collects evaluation times when timing is active. */
  readonly timings?: FormulaTimings | undefined;
}

/**
 * The dependency graph of a document's formulas: which cells each formula read, and by which path. It is valid for one
 * schema and belongs to one connection.
 */
export class Calculation implements PathContext, CellSource, FormulaIndex {
  readonly tables: ReadonlyMap<string, TableNode>;
  readonly summaries: ReadonlyMap<TableNode, SummaryDefinition>;
  readonly newTables: ReadonlySet<TableNode>;
  readonly stored: StoredCells;
  readonly evaluation: Evaluation;
  /** Formula columns with pending cells. */
  readonly #dirtyColumns = new Set<ColumnNode>();
  /** Tables with dirty cells in the current change, so that the others can be skipped. */
  readonly #dirtyTables = new Set<TableNode>();
  readonly #ownPaths = new Map<ColumnNode, OwnPath>();
  /** Lookup maps by table and key columns. */
  readonly #maps = new Map<TableNode, Map<string, LookupMap>>();
  /** Lookup maps by key column, and by the columns of their cached sort orders. */
  readonly #mapsByKeyColumn = new Map<ColumnNode, Set<LookupMap>>();
  readonly #mapsByOrderColumn = new Map<ColumnNode, Set<LookupMap>>();
  readonly #staleMaps = new Set<LookupMap>();
  /** Missing tables that references point to. */
  readonly #otherTables = new Map<string, TableNode>();
  readonly #catalog: Catalog;
  readonly #db: Database;
  /** Cells of trigger formula columns that must not be computed in this change, because the user provided a value. */
  readonly #suppressed = new Map<ColumnNode, Set<number>>();
  /** Formula columns whose dependencies are not completely known. */
  readonly #unresolved = new Set<ColumnNode>();
  /** The user who makes the change. */
  actor: UserInfo | null = null;
  #user: { readonly actor: UserInfo; readonly value: PyValue } | null = null;
  /** True when triggers must not run: for replayed histories, clock updates and full recalculations. */
  skipsTriggers = false;

  constructor(db: Database, catalog: Catalog, { schema, compiled, timezone, fresh, timings }: CalculationOptions) {
    this.#db = db;
    this.#catalog = catalog;
    this.tables = buildNodes(catalog, schema, { compiled, timezone });
    this.newTables = new Set([...this.tables.values()].filter(({ id }) => fresh?.has(id)));
    this.summaries = findSummaries(schema, this.tables);
    this.stored = new StoredCells(db);
    this.evaluation = timings ? new TimedEvaluation(this, timings) : new Evaluation(this);
    for (const table of this.tables.values()) {
      for (const column of table.formulas) {
        if (!column.trigger && !linkStatically(this, column)) this.#unresolved.add(column);
      }
    }
  }

  get currentRow(): number {
    return this.evaluation.currentRow;
  }

  get currentGeneration(): number {
    return this.evaluation.currentGeneration;
  }

  /** Formula columns with pending cells. */
  get dirtyColumns(): ReadonlySet<ColumnNode> {
    return this.#dirtyColumns;
  }

  /** Returns the tables with computed cells, in order. */
  dirtyTables(): TableNode[] {
    return [...this.tables.values()].filter((table) => this.#dirtyTables.has(table));
  }

  table(id: string): TableNode {
    const known = this.tables.get(id) ?? this.#otherTables.get(id);
    if (known) return known;
    const isMetadata = METADATA_TABLES.some((table) => table.id === id);
    const stored = isMetadata ? this.#catalog.find(id) : undefined;
    const node = new TableNode(stored, id);
    for (const column of stored?.columns.values() ?? []) {
      node.columns.set(column.id, new ColumnNode(node, column, { timezone: "UTC" }));
    }
    // Metadata nodes are not cached: changes of metadata rows are not reported.
    if (!isMetadata) this.#otherTables.set(id, node);
    return node;
  }

  pathOf(column: ColumnNode): OwnPath {
    let path = this.#ownPaths.get(column);
    if (!path) this.#ownPaths.set(column, (path = new OwnPath(column, column.table, this)));
    return path;
  }

  tableOf(column: ColumnNode, name: string | undefined): PyValue {
    return this.pathOf(column).toTable(name === undefined ? column.table : this.table(name)).userTable;
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

  value(column: ColumnNode, row: number, path: Path): PyValue {
    return this.evaluation.value(column, row, path);
  }

  load(columns: readonly ColumnNode[]): void {
    const [first] = columns;
    if (first) this.stored.load(first.table, columns);
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
    const map = this.#findMap(table, columns);
    this.refresh(map);
    return map;
  }

  /** The `user` object of trigger formulas, created on first use. */
  get user(): PyValue {
    if (!this.actor) return null;
    if (this.#user?.actor !== this.actor) this.#user = { actor: this.actor, value: userValue(this.actor) };
    return this.#user.value;
  }

  /** Returns the map of rows to referring rows. Pending cells are used as stored: their readers are dirty as well. */
  reverseMap(column: ColumnNode, target: string): LookupMap {
    return this.map(column.table, [{ node: column, by: "reference", target }]);
  }

  summaryKey(
    summary: TableNode,
    row: number,
  ): { source: TableNode; columns: readonly LookupKeyColumn[]; key: Key } | undefined {
    const found = this.summaries.get(summary);
    if (!found) return undefined;
    const key = keyOfSummaryRow(found, row, (column, id) => this.cellOf(column, id));
    return { source: found.source, columns: found.columns, key };
  }

  registerOrder(map: LookupMap, column: ColumnNode): void {
    addTo(this.#mapsByOrderColumn, column, map);
  }

  /** Marks cells of a formula column and all dependents as dirty. */
  markDirty(column: ColumnNode, rows: RowSelection): void {
    if (!column.formula || (rows !== "all" && rows.length === 0)) return;
    const newlyDirty = column.pending.add(rows);
    if (newlyDirty !== "all" && newlyDirty.length === 0) return;
    this.#dirtyColumns.add(column);
    this.#dirtyTables.add(column.table);
    this.onCellsChanged(column, newlyDirty);
  }

  /** Marks everything that depends on the changed (or dirty) cells as dirty. */
  onCellsChanged(column: ColumnNode, rows: RowSelection): void {
    for (const reader of column.sameRowReaders) this.markDirty(reader, rows);
    if (rows !== "all") for (const reader of column.triggered) this.trigger(reader, rows);
    for (const path of column.readers) this.markDirty(path.owner, path.affected(rows));
    for (const map of this.#mapsByKeyColumn.get(column) ?? []) this.invalidateMap(map, rows);
    for (const map of this.#mapsByOrderColumn.get(column) ?? []) map.invalidateOrders(rows);
    for (const reader of this.#unresolved) {
      if (!reader.pending.isAll && mayRead(this, reader, column)) this.markDirty(reader, "all");
    }
  }

  /** Marks cells of a trigger formula column as dirty, except suppressed ones. */
  trigger(column: ColumnNode, rows: readonly number[]): void {
    if (!column.trigger || column.trigger.when === TRIGGER_NEVER || this.skipsTriggers) return;
    const suppressed = this.#suppressed.get(column);
    this.markDirty(column, suppressed ? rows.filter((row) => !suppressed.has(row)) : rows);
  }

  /** Suppresses the trigger formula for rows with provided values, until the change is complete. */
  suppress(column: ColumnNode, rows: readonly number[]): void {
    const known = this.#suppressed.get(column) ?? new Set();
    for (const row of rows) known.add(row);
    this.#suppressed.set(column, known);
  }

  /** Marks everything that depends on the added or removed rows of a table as dirty. */
  onRowsChanged(table: TableNode, rows: readonly number[]): void {
    for (const map of this.#maps.get(table)?.values() ?? []) this.invalidateMap(map, rows);
    for (const column of table.columns.values()) {
      for (const path of column.readers) this.markDirty(path.owner, path.affected(rows));
      for (const map of this.#mapsByOrderColumn.get(column) ?? []) map.invalidateOrders(rows);
    }
    for (const reader of this.#unresolved) {
      if (!reader.pending.isAll && mayReadTable(this, reader, { table, rows })) this.markDirty(reader, "all");
    }
  }

  /** Drops removed rows from a formula column: pending cells, results and lookups. */
  removeRows(column: ColumnNode, rows: readonly number[]): void {
    const lookups = this.#ownPaths.get(column)?.lookups.keys() ?? [];
    for (const map of lookups) for (const row of rows) map.readerFor(column).remove(row);
    for (const row of rows) {
      column.pending.done(row);
      column.results.delete(row);
    }
    if (column.pending.isEmpty) this.#dirtyColumns.delete(column);
  }

  invalidateMap(map: LookupMap, rows: RowSelection): void {
    map.invalidate(rows);
    this.#staleMaps.add(map);
  }

  /** Refreshes a stale map and marks the readers of changed keys as dirty. */
  refresh(map: LookupMap): void {
    if (!map.isStale) return;
    if (map.isRefreshing) throw new PyError("CircularRefError", `a look-up in ${map.table.id} depends on itself`);
    map.isRefreshing = true;
    try {
      const nodes = map.columns.flatMap(({ node }) => node ?? []);
      if (map.isNew) this.stored.load(map.table, nodes);
      if (!map.isReverse) this.#computeKeys(map, nodes);
      const hasRow = this.#rowTest(map.table);
      const onCellsChanged = map.refresh(
        { allRows: () => this.allRows(map.table), read: (column, row) => this.cellOf(column, row), hasRow },
        (column, row) => column.pending.has(row),
      );
      this.#staleMaps.delete(map);
      if (onCellsChanged.size === 0) return;
      for (const watch of map.watchers) watch(onCellsChanged);
      for (const user of map.readers.values()) this.markDirty(user.column, user.rowsOf(onCellsChanged));
    } finally {
      map.isRefreshing = false;
    }
  }

  /** Refreshes all stale maps that have readers, to mark these as dirty. */
  refreshAll(): void {
    for (const map of this.#staleMaps) {
      if (map.isReverse || (map.readers.size === 0 && map.watchers.length === 0)) this.#staleMaps.delete(map);
      else this.refresh(map);
    }
  }

  /** Computes the pending cells of a column, in row order. */
  compute(column: ColumnNode): void {
    const { isAll } = column.pending;
    const rows = column.pending.rowsOf(() => this.allRows(column.table));
    if (rows.length > BULK_LOAD_THRESHOLD && column.formula) {
      const inputs = [...column.formula.reads.columns].flatMap((id) => column.table.columns.get(id) ?? []);
      // If all rows are pending, the stored column determines which rows exist.
      this.stored.load(column.table, isAll ? [...inputs, column] : inputs);
    }
    for (const row of rows) if (column.pending.has(row)) this.evaluation.compute(column, row);
    if (!isAll) {
      if (column.pending.isEmpty) this.#dirtyColumns.delete(column);
      return;
    }
    if (column.pending.rowsOf(() => rows).length > 0) return;
    column.pending.endAll();
    this.#dirtyColumns.delete(column);
    this.#unresolved.delete(column);
  }

  /** Ends a recalculation after its results were written. */
  finish(): void {
    this.#suppressed.clear();
    this.#dirtyTables.clear();
    this.evaluation.clearValues();
    this.stored.trim();
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

  #findMap(table: TableNode, columns: readonly LookupKeyColumn[]): LookupMap {
    const text = keyColumnsId(columns);
    const maps = this.#maps.get(table) ?? new Map<string, LookupMap>();
    this.#maps.set(table, maps);
    let map = maps.get(text);
    if (!map) {
      maps.set(text, (map = new LookupMap(table, columns)));
      for (const { node } of columns) if (node) addTo(this.#mapsByKeyColumn, node, map);
    }
    return map;
  }

  /** Computes pending key columns of a map. Loops, because computing one cell may make others dirty. */
  #computeKeys(map: LookupMap, nodes: readonly ColumnNode[]): void {
    for (let isDone = false; !isDone;) {
      isDone = true;
      for (const node of nodes) {
        if (node.pending.isEmpty) continue;
        const rows = node.pending.rowsOf(() => this.allRows(map.table));
        if (rows.length > 0) isDone = false;
        for (const row of rows) {
          if (this.evaluation.isEvaluating(node, row)) throw circular(node);
          if (node.pending.has(row)) this.evaluation.computeNow(node, row);
        }
      }
    }
  }

  #rowTest(table: TableNode): (row: number) => boolean {
    let rows: Set<number> | undefined;
    return (row) => (rows ??= new Set(this.allRows(table))).has(row);
  }
}

function addTo(sets: Map<ColumnNode, Set<LookupMap>>, column: ColumnNode, map: LookupMap): void {
  const set = sets.get(column) ?? new Set();
  sets.set(column, set.add(map));
}
