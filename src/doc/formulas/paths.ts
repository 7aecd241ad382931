import { spendSteps } from "../../formula/runtime/budget.ts";
import { PyError, unknownColumn } from "../../formula/runtime/errors.ts";
import { isPeeking } from "../../formula/runtime/peek.ts";
import { compareKeys, type ErrorCell, type Order } from "../../formula/records/order.ts";
import type { LookupCondition, TrackedTable } from "../../formula/records/tracked-table.ts";
import { PyUserTable } from "../../formula/records/table.ts";
import { pyRepr, type PyValue } from "../../formula/runtime/values.ts";
import type { ColumnType } from "../../values/column-type.ts";
import { isHiddenColumn } from "../schema.ts";
import { conditionColumn, conditionKey } from "./lookups/lookup-conditions.ts";
import { joinKeys, type Key, type LookupKeyColumn } from "./lookups/lookup-keys.ts";
import type { LookupMap } from "./lookups/lookup-map.ts";
import type { LookupReader } from "./lookups/lookup-reader.ts";
import { circular, type ColumnNode, type Dependent, type TableNode } from "./nodes.ts";
import { NO_ROWS, type RowSelection } from "./pending-rows.ts";

/** The parts of a calculation that paths use. */
export interface PathContext {
  table(id: string): TableNode;
  /** Returns the value of a cell for formulas; computes it first when it is pending. Throws PyError. */
  value(column: ColumnNode, row: number, path: Path): PyValue;
  /** Loads whole columns before many of their rows are read. */
  load(columns: readonly ColumnNode[]): void;
  pathOf(column: ColumnNode): OwnPath;
  /** Registers that a map caches sort orders by a column. */
  registerOrder(map: LookupMap, column: ColumnNode): void;
  /** Returns the refreshed map of a table by key columns. */
  map(table: TableNode, columns: readonly LookupKeyColumn[]): LookupMap;
  reverseMap(column: ColumnNode, target: string): LookupMap;
  /** Refreshes a stale map. */
  refresh(map: LookupMap): void;
  /** The row being evaluated. */
  readonly currentRow: number;
  /** A number that is unique to each evaluation of a cell. */
  readonly currentGeneration: number;
  /** Called for each key that is looked up. */
  readonly onLookup: ((reader: LookupReader, key: number) => void) | null;
  /** Returns the lookup of a summary row's source rows. */
  summaryKey(
    summary: TableNode,
    row: number,
  ): { source: TableNode; columns: readonly LookupKeyColumn[]; key: Key } | undefined;
}

interface Lookup {
  readonly map: LookupMap;
  readonly path: LookupPath;
}

/** Returns the cache key of a lookup: its columns and kinds of conditions. */
function lookupKeyText(conditions: readonly LookupCondition[]): string {
  let text = "";
  for (const { column, contains, matchEmpty } of conditions) {
    text += contains ? `${column}~${matchEmpty === undefined ? "" : pyRepr(matchEmpty)},` : `${column},`;
  }
  return text;
}

/** Approximate cost of reading and comparing a row. */
const STEPS_PER_SORTED_ROW = 20;

const NO_COLUMNS: readonly ColumnNode[] = [];

/** Number of rows from which loading a whole column is faster than reading single cells. */
const BULK_LOAD_THRESHOLD = 64;

/**
 * A dependency path: how the formula of a column reaches rows of a table. When rows on the path change, the rows
 * returned by `affected` must be recomputed.
 */
export abstract class Path implements TrackedTable, Dependent {
  /** The formula's column. */
  readonly owner: ColumnNode;
  /** The table that the path reaches. */
  readonly node: TableNode;
  protected readonly context: PathContext;
  /** The columns read on this path. */
  readonly #reads = new Set<ColumnNode>();
  readonly #referencePaths = new Map<string, Path>();
  /** Lookups by `lookupKeyText`. */
  readonly #lookups = new Map<string, Lookup>();
  #userTable: PyUserTable | undefined;

  constructor(owner: ColumnNode, node: TableNode, context: PathContext) {
    this.owner = owner;
    this.node = node;
    this.context = context;
  }

  /** Returns the rows of the formula's column that depend on these rows of the table. */
  abstract affected(rows: RowSelection): RowSelection;

  get tableId(): string {
    return this.node.id;
  }

  read(id: number, colId: string): PyValue {
    const column = this.#column(colId);
    this.recordRead(column);
    return this.context.value(column, id, this);
  }

  readAll(ids: readonly number[], colId: string): PyValue[] {
    const column = this.#column(colId);
    this.recordRead(column);
    if (ids.length > BULK_LOAD_THRESHOLD) this.context.load([column]);
    return ids.map((id) => this.context.value(column, id, this));
  }

  typeOf(colId: string): ColumnType {
    return this.#column(colId).kind;
  }

  followReference(colId: string, table: string): Path {
    const key = `${colId} ${table}`;
    let path = this.#referencePaths.get(key);
    if (!path) {
      path = new ReferencePath(this, {
        column: this.#column(colId),
        target: this.context.table(table),
        context: this.context,
      });
      this.#referencePaths.set(key, path);
    }
    return path;
  }

  visibleColumns(): readonly string[] {
    return [...this.node.columns.values()]
      .filter((column) => column !== this.owner && !isHiddenColumn(column.id))
      .map((column) => column.id);
  }

  /** The table as a formula value. */
  get userTable(): PyUserTable {
    this.#userTable ??= new PyUserTable(this);
    return this.#userTable;
  }

  /**
   * Looks up rows. A formula that looks up by its own column, or sorts records of its own row by it, is circular.
   * @throws PyError `CircularRefError`
   */
  lookUp(conditions: readonly LookupCondition[], order: Order): { path: Path; ids: readonly number[] } {
    const { lookup, key } = this.#lookupFor(conditions);
    const { map, path } = lookup;
    this.context.refresh(map);
    const orderColumns =
      order.keys.length === 0 ? NO_COLUMNS : order.keys.flatMap(({ column }) => this.#keyColumn(column) ?? []);
    // A value that cannot be a key never matches.
    if (key === undefined) return { path, ids: NO_ROWS };
    path.recordLookup(key);
    if (orderColumns.some((column) => this.#isOwn(column)) && map.hasKey(this.context.currentRow, key)) {
      throw circular(this.owner);
    }
    return { path, ids: this.#orderedRows(path, { map, key, order, orderColumns }) };
  }

  #isOwn(column: ColumnNode | undefined): boolean {
    return column === this.owner && !this.owner.trigger;
  }

  /** Returns the lookup for these conditions, created on first use, and the key to look up. */
  #lookupFor(conditions: readonly LookupCondition[]): { lookup: Lookup; key: Key | undefined } {
    const text = lookupKeyText(conditions);
    let lookup = this.#lookups.get(text);
    if (!lookup) {
      const columns = conditions.map((condition) => conditionColumn(this.#keyColumn(condition.column), condition));
      if (columns.some(({ node }) => this.#isOwn(node))) throw circular(this.owner);
      const map = this.context.map(this.node, columns);
      this.#lookups.set(text, (lookup = { map, path: lookupPath(this.owner, map, this.context) }));
    }
    const { columns } = lookup.map;
    const [only] = conditions;
    if (only && columns[0] && conditions.length === 1) return { lookup, key: conditionKey(columns[0], only.value) };
    const keys: Key[] = [];
    for (const [c, { value }] of conditions.entries()) {
      const key = columns[c] && conditionKey(columns[c], value);
      if (key === undefined) return { lookup, key };
      keys.push(key);
    }
    return { lookup, key: joinKeys(keys) };
  }

  positionOf(id: number, ids: readonly number[]): number {
    if (ids.length < BULK_LOAD_THRESHOLD) return ids.indexOf(id);
    let indexes = INDEX_CACHE.get(ids);
    if (!indexes) INDEX_CACHE.set(ids, (indexes = new Map(ids.map((row, index) => [row, index]))));
    return indexes.get(id) ?? -1;
  }

  summarySource(id: number): { path: Path; ids: readonly number[] } {
    const found = this.context.summaryKey(this.node, id);
    if (!found) throw new PyError("AttributeError", `${this.node.id} is no summary`);
    const map = this.context.map(found.source, found.columns);
    const path = lookupPath(this.owner, map, this.context);
    path.recordLookup(found.key);
    return { path, ids: map.rowsOf(found.key) };
  }

  /** Records that the formula read a column on this path. Trigger formulas have no read dependencies. */
  recordRead(column: ColumnNode): void {
    if (this.#reads.has(column) || this.owner.trigger || isPeeking()) return;
    this.#reads.add(column);
    column.readers.add(this);
  }

  #column(colId: string): ColumnNode {
    const column = this.node.columns.get(colId);
    if (!column) throw unknownColumn(colId);
    return column;
  }

  /** Returns a lookup or sort column; undefined for the row id. */
  #keyColumn(colId: string): ColumnNode | undefined {
    if (colId === "id") return undefined;
    const column = this.node.columns.get(colId);
    if (!column) throw new PyError("KeyError", colId);
    return column;
  }

  #orderedRows(
    path: Path,
    { map, key, order, orderColumns }: { map: LookupMap; key: Key; order: Order; orderColumns: readonly ColumnNode[] },
  ): readonly number[] {
    if (orderColumns.length === 0) return order.isIdDescending ? map.rowsOf(key).toReversed() : map.rowsOf(key);
    for (const column of orderColumns) {
      path.recordRead(column);
      this.context.registerOrder(map, column);
      // Compute pending sort keys first, because they may change the order.
      if (!column.pending.isEmpty) this.#computePending(column, map.rowsOf(key), path);
    }
    return map.ordered(JSON.stringify(order), key, (rows) => this.#sorted(rows, order, { path, orderColumns }));
  }

  #computePending(column: ColumnNode, rows: readonly number[], path: Path): void {
    for (const row of rows) if (column.pending.has(row)) sortValue(() => this.context.value(column, row, path));
  }

  #sorted(
    rows: readonly number[],
    order: Order,
    { path, orderColumns }: { path: Path; orderColumns: readonly ColumnNode[] },
  ): readonly number[] {
    spendSteps(rows.length * STEPS_PER_SORTED_ROW);
    if (rows.length > BULK_LOAD_THRESHOLD) this.context.load(orderColumns);
    const keyed = rows.map((row) => ({
      row,
      keys: orderColumns.map((column) => sortValue(() => this.context.value(column, row, path))),
    }));
    const byId = order.isIdDescending ? -1 : 1;
    keyed.sort((a, b) => compareKeys(a.keys, b.keys, order.keys) || (a.row - b.row) * byId);
    return keyed.map(({ row }) => row);
  }
}

/** Cache of row indexes in long lists. */
const INDEX_CACHE = new WeakMap<readonly number[], Map<number, number>>();

/** Returns a sort key. Errors are valid sort keys, so that one failed cell does not fail the whole order. */
function sortValue(read: () => PyValue): PyValue | ErrorCell {
  try {
    return read();
  } catch (error) {
    if (error instanceof PyError && error.catchable) return { failed: error.typeName };
    throw error;
  }
}

/** The formula's own row. */
export class OwnPath extends Path {
  /** Lookup paths by map. */
  readonly lookups = new Map<LookupMap, LookupPath>();
  /** Table paths by table id. */
  readonly #tables = new Map<string, TablePath>();

  affected(rows: RowSelection): RowSelection {
    return rows;
  }

  /** Returns the path to a table that the formula names. */
  toTable(node: TableNode): TablePath {
    let path = this.#tables.get(node.id);
    if (!path) this.#tables.set(node.id, (path = new TablePath(this.owner, node, this.context)));
    return path;
  }
}

/** A whole table, before a lookup selects rows. */
class TablePath extends Path {
  affected(rows: RowSelection): RowSelection {
    return rows === "all" || rows.length > 0 ? "all" : NO_ROWS;
  }
}

/** The rows that a reference column of another path refers to. */
class ReferencePath extends Path {
  readonly #from: Path;
  readonly #column: ColumnNode;

  constructor(
    from: Path,
    { column, target, context }: { column: ColumnNode; target: TableNode; context: PathContext },
  ) {
    super(from.owner, target, context);
    this.#from = from;
    this.#column = column;
  }

  affected(rows: RowSelection): RowSelection {
    if (rows === "all") return this.#from.affected("all");
    const map = this.context.reverseMap(this.#column, this.node.id);
    const found = new Set<number>();
    for (const row of rows) for (const referring of map.rowsOf(row)) found.add(referring);
    return this.#from.affected([...found]);
  }
}

/** The rows that a formula looked up in a map. */
class LookupPath extends Path {
  readonly #map: LookupMap;
  readonly #reader: LookupReader;

  constructor(owner: ColumnNode, map: LookupMap, context: PathContext) {
    super(owner, map.table, context);
    this.#map = map;
    this.#reader = map.readerFor(owner);
  }

  recordLookup(key: Key): void {
    if (isPeeking() || this.owner.trigger) return;
    const number = this.#reader.record(this.context.currentRow, key, this.context.currentGeneration);
    this.context.onLookup?.(this.#reader, number);
  }

  affected(rows: RowSelection): RowSelection {
    if (rows === "all") return "all";
    return this.#reader.rowsOf(this.#map.keyNumbersOf(rows));
  }
}

function lookupPath(owner: ColumnNode, map: LookupMap, context: PathContext): LookupPath {
  const { lookups } = context.pathOf(owner);
  let path = lookups.get(map);
  if (!path) lookups.set(map, (path = new LookupPath(owner, map, context)));
  return path;
}
