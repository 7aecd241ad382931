import { spendSteps } from "../../formula/runtime/budget.ts";
import { PyError, unknownColumn } from "../../formula/runtime/errors.ts";
import { isPeeking } from "../../formula/runtime/peek.ts";
import { compareKeys, type ErrorCell, type Order } from "../../formula/records/order.ts";
import type { LookupCondition, TrackedTable } from "../../formula/records/tracked-table.ts";
import { PyUserTable } from "../../formula/records/table.ts";
import { pyRepr, type PyValue } from "../../formula/runtime/values.ts";
import type { ColumnType } from "../../values/column-type.ts";
import { isHiddenColumn } from "../schema.ts";
import { conditionColumn, conditionKey } from "./lookup-conditions.ts";
import { joinKeys, type Key, type LookupKeyColumn } from "./lookup-keys.ts";
import type { LookupMap, LookupReader } from "./lookup-map.ts";
import { circular, type ColumnNode, type Dependent, type TableNode } from "./nodes.ts";
import { NO_ROWS, type RowSelection } from "./pending-rows.ts";

/** What paths need of the calculation that is under way. */
export interface PathContext {
  table(id: string): TableNode;
  /** A cell as formulas see it: computed first when that is due. Throws PyError. */
  value(column: ColumnNode, row: number, path: Path): PyValue;
  /** Makes reading many rows of a column fast. */
  load(columns: readonly ColumnNode[]): void;
  /** The map of a table by these columns, up to date unless it is a reverse one. */
  pathOf(column: ColumnNode): OwnPath;
  /** To be told that a map keeps orders by a column. */
  registerOrder(map: LookupMap, column: ColumnNode): void;
  map(table: TableNode, columns: readonly LookupKeyColumn[]): LookupMap;
  reverseMap(column: ColumnNode, target: string): LookupMap;
  /** Brings a map up to date. */
  refresh(map: LookupMap): void;
  /** The row that is being computed. */
  readonly currentRow: number;
  /** Another number for each evaluation of a cell. */
  readonly currentGeneration: number;
  /** The source rows of a summary's row. */
  summaryKey(
    summary: TableNode,
    row: number,
  ): { source: TableNode; columns: readonly LookupKeyColumn[]; key: Key } | undefined;
}

interface Lookup {
  readonly map: LookupMap;
  readonly path: LookupPath;
}

/** What tells look-ups by other columns apart, or by other ways. */
function lookupKeyText(conditions: readonly LookupCondition[]): string {
  let text = "";
  for (const { column, contains, matchEmpty } of conditions) {
    text += contains ? `${column}~${matchEmpty === undefined ? "" : pyRepr(matchEmpty)},` : `${column},`;
  }
  return text;
}

/** About what reading and comparing takes. */
const STEPS_PER_SORTED_ROW = 20;

const NO_COLUMNS: readonly ColumnNode[] = [];

/** Rows from which on reading one by one is slower than reading a column as a whole. */
const BULK_LOAD_THRESHOLD = 64;

/**
 * How the formula of a column comes to rows of a table. What is read on a path depends on it in the rows that `affected`
 * tells.
 */
export abstract class Path implements TrackedTable, Dependent {
  /** The formula's column. */
  readonly owner: ColumnNode;
  /** The table that was reached. */
  readonly node: TableNode;
  protected readonly context: PathContext;
  /** The columns that were read. */
  readonly #reads = new Set<ColumnNode>();
  readonly #referencePaths = new Map<string, Path>();
  /** By what identifies the columns that are looked up by. */
  readonly #lookups = new Map<string, Lookup>();
  #userTable: PyUserTable | undefined;

  constructor(owner: ColumnNode, node: TableNode, context: PathContext) {
    this.owner = owner;
    this.node = node;
    this.context = context;
  }

  /** The rows of the formula's column that depend on these rows of the table. */
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

  /** The table as a value. */
  get userTable(): PyUserTable {
    this.#userTable ??= new PyUserTable(this);
    return this.#userTable;
  }

  /**
   * A formula that looks up by its own column, or orders the records of its own row by it, depends on its own result.
   * @throws PyError `CircularRefError`
   */
  lookUp(conditions: readonly LookupCondition[], order: Order): { path: Path; ids: readonly number[] } {
    const { lookup, key } = this.#lookupFor(conditions);
    const { map, path } = lookup;
    this.context.refresh(map);
    const orderColumns =
      order.keys.length === 0 ? NO_COLUMNS : order.keys.flatMap(({ column }) => this.#keyColumn(column) ?? []);
    // A value that cannot be a key finds nothing, whatever the table holds.
    if (key === undefined) return { path, ids: NO_ROWS };
    path.recordLookup(key);
    if (orderColumns.some((column) => this.#isOwn(column)) && map.keysOf(this.context.currentRow).includes(key)) {
      throw circular(this.owner);
    }
    return { path, ids: this.#orderedRows(path, { map, key, order, orderColumns }) };
  }

  #isOwn(column: ColumnNode | undefined): boolean {
    return column === this.owner && !this.owner.trigger;
  }

  /** The map that a look-up by these columns needs, made when it is needed first; and the key to look for. */
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
    let places = INDEX_CACHE.get(ids);
    if (!places) INDEX_CACHE.set(ids, (places = new Map(ids.map((row, place) => [row, place]))));
    return places.get(id) ?? -1;
  }

  summarySource(id: number): { path: Path; ids: readonly number[] } {
    const found = this.context.summaryKey(this.node, id);
    if (!found) throw new PyError("AttributeError", `${this.node.id} is no summary`);
    const map = this.context.map(found.source, found.columns);
    const path = lookupPath(this.owner, map, this.context);
    path.recordLookup(found.key);
    return { path, ids: map.rowsOf(found.key) };
  }

  /** Notes that the formula read a column on this path. What formulas of data columns read makes nothing due. */
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

  /** A column that something is looked up or ordered by; undefined for the row's id. */
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
      // A column may be computed only now, and the rows be in another order then.
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

/** Places of rows in long lists, for as long as the lists are there. */
const INDEX_CACHE = new WeakMap<readonly number[], Map<number, number>>();

/** Records are ordered by errors too, rather than not at all. */
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
  /** The paths by look-ups, by their maps. */
  readonly lookups = new Map<LookupMap, LookupPath>();
  /** Those by table names. */
  readonly #tables = new Map<string, TablePath>();

  affected(rows: RowSelection): RowSelection {
    return rows;
  }

  /** A table by its name. */
  toTable(node: TableNode): TablePath {
    let path = this.#tables.get(node.id);
    if (!path) this.#tables.set(node.id, (path = new TablePath(this.owner, node, this.context)));
    return path;
  }
}

/** A table of which no rows were reached yet. */
class TablePath extends Path {
  affected(rows: RowSelection): RowSelection {
    return rows === "all" || rows.length > 0 ? "all" : NO_ROWS;
  }
}

/** The rows that a column of rows reached before refers to. */
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

/** The rows that the formula looked up in a map. */
class LookupPath extends Path {
  readonly #map: LookupMap;
  readonly #reader: LookupReader;

  constructor(owner: ColumnNode, map: LookupMap, reached: PathContext) {
    super(owner, map.table, reached);
    this.#map = map;
    this.#reader = map.readerFor(owner);
  }

  recordLookup(key: Key): void {
    if (!isPeeking() && !this.owner.trigger)
      this.#reader.record(this.context.currentRow, key, this.context.currentGeneration);
  }

  affected(rows: RowSelection): RowSelection {
    if (rows === "all") return "all";
    const keys = new Set(rows.flatMap((row) => this.#map.keysOf(row)));
    return this.#reader.rowsOf(keys);
  }
}

function lookupPath(owner: ColumnNode, map: LookupMap, reached: PathContext): LookupPath {
  const { lookups } = reached.pathOf(owner);
  let path = lookups.get(map);
  if (!path) lookups.set(map, (path = new LookupPath(owner, map, reached)));
  return path;
}
