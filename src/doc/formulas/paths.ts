import { spendSteps } from "../../formula/budget.ts";
import { PyError, unknownColumn } from "../../formula/errors.ts";
import { isPeeking } from "../../formula/peek.ts";
import { compareKeys, type ErrorCell, type Order } from "../../formula/records/order.ts";
import type { LookupCondition, TrackedTable } from "../../formula/records/path.ts";
import { PyUserTable } from "../../formula/records/table.ts";
import { pyRepr, type PyValue } from "../../formula/values.ts";
import type { ColumnType } from "../../values/column-type.ts";
import { isHiddenColumn } from "../schema.ts";
import { conditionColumn, conditionKey } from "./conditions.ts";
import { joinKeys, type Key, type KeyColumn } from "./keys.ts";
import type { LookupMap, LookupUser } from "./lookup-map.ts";
import { circular, type ColumnNode, type Reader, type TableNode } from "./nodes.ts";
import { NO_ROWS, type Rows } from "./rows.ts";

/** What paths need of the calculation that is under way. */
export interface Reached {
  table(id: string): TableNode;
  /** A cell as formulas see it: computed first when that is due. Throws PyError. */
  value(column: ColumnNode, row: number, path: Path): PyValue;
  /** Makes reading many rows of a column fast. */
  load(columns: readonly ColumnNode[]): void;
  /** The map of a table by these columns, up to date unless it is a reverse one. */
  pathOf(column: ColumnNode): OwnPath;
  /** To be told that a map keeps orders by a column. */
  keepsOrder(map: LookupMap, column: ColumnNode): void;
  map(table: TableNode, columns: readonly KeyColumn[]): LookupMap;
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
  ): { source: TableNode; columns: readonly KeyColumn[]; key: Key } | undefined;
}

interface Lookup {
  readonly map: LookupMap;
  readonly path: LookupPath;
}

/** What tells look-ups by other columns apart, or by other ways. */
function lookupText(conditions: readonly LookupCondition[]): string {
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
const MANY = 64;

/**
 * How the formula of a column comes to rows of a table. What is read on a path depends on it in the rows that `affected`
 * tells.
 */
export abstract class Path implements TrackedTable, Reader {
  /** The formula's column. */
  readonly owner: ColumnNode;
  /** The table that was reached. */
  readonly node: TableNode;
  protected readonly reached: Reached;
  /** The columns that were read. */
  readonly #reads = new Set<ColumnNode>();
  readonly #onward = new Map<string, Path>();
  /** By what identifies the columns that are looked up by. */
  readonly #lookups = new Map<string, Lookup>();
  #userTable: PyUserTable | undefined;

  constructor(owner: ColumnNode, node: TableNode, reached: Reached) {
    this.owner = owner;
    this.node = node;
    this.reached = reached;
  }

  /** The rows of the formula's column that depend on these rows of the table. */
  abstract affected(rows: Rows): Rows;

  get tableId(): string {
    return this.node.id;
  }

  read(id: number, colId: string): PyValue {
    const column = this.#column(colId);
    this.note(column);
    return this.reached.value(column, id, this);
  }

  readAll(ids: readonly number[], colId: string): PyValue[] {
    const column = this.#column(colId);
    this.note(column);
    if (ids.length > MANY) this.reached.load([column]);
    return ids.map((id) => this.reached.value(column, id, this));
  }

  typeOf(colId: string): ColumnType {
    return this.#column(colId).kind;
  }

  followReference(colId: string, table: string): Path {
    const key = `${colId} ${table}`;
    let path = this.#onward.get(key);
    if (!path) {
      path = new ReferencePath(this, {
        column: this.#column(colId),
        target: this.reached.table(table),
        reached: this.reached,
      });
      this.#onward.set(key, path);
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
    this.reached.refresh(map);
    const orderColumns =
      order.keys.length === 0 ? NO_COLUMNS : order.keys.flatMap(({ column }) => this.#keyColumn(column) ?? []);
    // A value that cannot be a key finds nothing, whatever the table holds.
    if (key === undefined) return { path, ids: NO_ROWS };
    path.looked(key);
    if (orderColumns.some((column) => this.#isOwn(column)) && map.keysOf(this.reached.currentRow).includes(key)) {
      throw circular(this.owner);
    }
    return { path, ids: this.#inOrder(path, { map, key, order, orderColumns }) };
  }

  #isOwn(column: ColumnNode | undefined): boolean {
    return column === this.owner && !this.owner.trigger;
  }

  /** The map that a look-up by these columns needs, made when it is needed first; and the key to look for. */
  #lookupFor(conditions: readonly LookupCondition[]): { lookup: Lookup; key: Key | undefined } {
    const text = lookupText(conditions);
    let lookup = this.#lookups.get(text);
    if (!lookup) {
      const columns = conditions.map((condition) => conditionColumn(this.#keyColumn(condition.column), condition));
      if (columns.some(({ node }) => this.#isOwn(node))) throw circular(this.owner);
      const map = this.reached.map(this.node, columns);
      this.#lookups.set(text, (lookup = { map, path: lookupPath(this.owner, map, this.reached) }));
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
    if (ids.length < MANY) return ids.indexOf(id);
    let places = PLACES.get(ids);
    if (!places) PLACES.set(ids, (places = new Map(ids.map((row, place) => [row, place]))));
    return places.get(id) ?? -1;
  }

  summarySource(id: number): { path: Path; ids: readonly number[] } {
    const found = this.reached.summaryKey(this.node, id);
    if (!found) throw new PyError("AttributeError", `${this.node.id} is no summary`);
    const map = this.reached.map(found.source, found.columns);
    const path = lookupPath(this.owner, map, this.reached);
    path.looked(found.key);
    return { path, ids: map.rowsOf(found.key) };
  }

  /** Notes that the formula read a column on this path. What formulas of data columns read makes nothing due. */
  note(column: ColumnNode): void {
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

  #inOrder(
    path: Path,
    { map, key, order, orderColumns }: { map: LookupMap; key: Key; order: Order; orderColumns: readonly ColumnNode[] },
  ): readonly number[] {
    if (orderColumns.length === 0) return order.isIdDescending ? map.rowsOf(key).toReversed() : map.rowsOf(key);
    for (const column of orderColumns) {
      path.note(column);
      this.reached.keepsOrder(map, column);
      // A column may be computed only now, and the rows be in another order then.
      if (!column.pending.isEmpty) this.#bringUpToDate(column, map.rowsOf(key), path);
    }
    return map.ordered(JSON.stringify(order), key, (rows) => this.#sorted(rows, order, { path, orderColumns }));
  }

  #bringUpToDate(column: ColumnNode, rows: readonly number[], path: Path): void {
    for (const row of rows) if (column.pending.has(row)) sortValue(() => this.reached.value(column, row, path));
  }

  #sorted(
    rows: readonly number[],
    order: Order,
    { path, orderColumns }: { path: Path; orderColumns: readonly ColumnNode[] },
  ): readonly number[] {
    spendSteps(rows.length * STEPS_PER_SORTED_ROW);
    if (rows.length > MANY) this.reached.load(orderColumns);
    const keyed = rows.map((row) => ({
      row,
      keys: orderColumns.map((column) => sortValue(() => this.reached.value(column, row, path))),
    }));
    const byId = order.isIdDescending ? -1 : 1;
    keyed.sort((a, b) => compareKeys(a.keys, b.keys, order.keys) || (a.row - b.row) * byId);
    return keyed.map(({ row }) => row);
  }
}

/** Places of rows in long lists, for as long as the lists are there. */
const PLACES = new WeakMap<readonly number[], Map<number, number>>();

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

  affected(rows: Rows): Rows {
    return rows;
  }

  /** A table by its name. */
  toTable(node: TableNode): TablePath {
    let path = this.#tables.get(node.id);
    if (!path) this.#tables.set(node.id, (path = new TablePath(this.owner, node, this.reached)));
    return path;
  }
}

/** A table of which no rows were reached yet. */
class TablePath extends Path {
  affected(rows: Rows): Rows {
    return rows === "all" || rows.length > 0 ? "all" : NO_ROWS;
  }
}

/** The rows that a column of rows reached before refers to. */
class ReferencePath extends Path {
  readonly #from: Path;
  readonly #column: ColumnNode;

  constructor(from: Path, { column, target, reached }: { column: ColumnNode; target: TableNode; reached: Reached }) {
    super(from.owner, target, reached);
    this.#from = from;
    this.#column = column;
  }

  affected(rows: Rows): Rows {
    if (rows === "all") return this.#from.affected("all");
    const map = this.reached.reverseMap(this.#column, this.node.id);
    const found = new Set<number>();
    for (const row of rows) for (const referring of map.rowsOf(row)) found.add(referring);
    return this.#from.affected([...found]);
  }
}

/** The rows that the formula looked up in a map. */
class LookupPath extends Path {
  readonly #map: LookupMap;
  readonly #user: LookupUser;

  constructor(owner: ColumnNode, map: LookupMap, reached: Reached) {
    super(owner, map.table, reached);
    this.#map = map;
    this.#user = map.userOf(owner);
  }

  looked(key: Key): void {
    if (!isPeeking() && !this.owner.trigger)
      this.#user.note(this.reached.currentRow, key, this.reached.currentGeneration);
  }

  affected(rows: Rows): Rows {
    if (rows === "all") return "all";
    const keys = new Set(rows.flatMap((row) => this.#map.keysOf(row)));
    return this.#user.rowsOf(keys);
  }
}

function lookupPath(owner: ColumnNode, map: LookupMap, reached: Reached): LookupPath {
  const { lookups } = reached.pathOf(owner);
  let path = lookups.get(map);
  if (!path) lookups.set(map, (path = new LookupPath(owner, map, reached)));
  return path;
}
