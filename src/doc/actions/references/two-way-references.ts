import { invalid } from "../../../errors.ts";
import type { Database } from "../../../sqlite/database.ts";
import { quote } from "../../../sqlite/quote.ts";
import type { CellValue } from "../../../values/cell.ts";
import type { ColumnInfo, Schema } from "../../schema.ts";
import type { Catalog, CatalogColumn } from "../catalog.ts";
import type { DocAction } from "../doc-action.ts";
import { existingIds, IN_IDS, readRows } from "../row-storage.ts";

/**
 * Two-way references: a column and its reverse say the same from both ends. Whatever writes to one of them is noted
 * here as pairs of rows that were joined or parted; when the action is complete, both columns are made to say so.
 */

/** What this needs of the change that is under way. */
export interface TwoWayContext {
  readonly db: Database;
  readonly catalog: Catalog;
  readonly schema: Schema;
  readonly writeAccess?: { canReadAll(table: string): boolean } | null;
  apply(action: DocAction): void;
}

/** A pair of columns, each the reverse of the other. */
interface ColumnPair {
  readonly left: PairColumn;
  readonly right: PairColumn;
}

/** One column of a pair: where it is now. */
interface PairColumn {
  readonly ref: number;
  readonly table: string;
  readonly column: CatalogColumn;
}

/** For rows of the left column, the rows of the right one that each was joined with (true) or parted from. */
type LinkChanges = Map<number, Map<number, boolean>>;

export class TwoWayReferences {
  readonly #change: TwoWayContext;
  /** By the number of the left column, which is the lower one. */
  readonly #linkChanges = new Map<number, LinkChanges>();
  /** Rows that are new, by table: others may have referred to them before they were there. */
  readonly #added = new Map<string, number[]>();
  #isPaused = false;

  constructor(change: TwoWayContext) {
    this.#change = change;
  }

  /** To be told of every action on rows of user tables, with what undoes it. */
  record(done: DocAction, undo: DocAction | undefined): void {
    if (this.#isPaused) return;
    const [, table] = done;
    const columns = twoWayColumns(this.#change.schema).get(table);
    if (!columns) return;
    const before = rowsOf(undo, table);
    const after = rowsOf(done, table);
    if (done[0] !== "BulkUpdateRecord") this.#added.set(table, [...(this.#added.get(table) ?? []), ...after.ids]);
    // Where both ends are columns of this table, what one of them says now counts more than what the other said before.
    for (const column of columns) {
      const rowsBefore = done[0] === "ReplaceTableData" ? onlyRows(before, after) : before;
      recordLinks(this.#linkChangesOf(column), { column, rows: rowsBefore, isLinked: false });
    }
    for (const column of columns) recordLinks(this.#linkChangesOf(column), { column, rows: after, isLinked: true });
  }

  /** Does something that is not kept in step, because it says everything itself. */
  withoutTracking(work: () => void): void {
    const wasPaused = this.#isPaused;
    this.#isPaused = true;
    try {
      work();
    } finally {
      this.#isPaused = wasPaused;
    }
  }

  /**
   * Makes both ends say the same. Gives back whether there was anything to do.
   * @throws AppError `invalid` when a row that can only have one would get two
   */
  synchronize(): boolean {
    this.#linkEarlierReferences();
    if (this.#linkChanges.size === 0) return false;
    const linkChanges = [...this.#linkChanges];
    this.#linkChanges.clear();
    this.withoutTracking(() => {
      for (const [ref, changes] of linkChanges) {
        const link = columnPairOf(this.#change, ref);
        if (!link) continue;
        writeLinks(this.#change, link.left, { other: link.right, linkChanges: changes });
        writeLinks(this.#change, link.right, { other: link.left, linkChanges: inverse(changes) });
      }
    });
    return true;
  }

  /** Joins new rows with those that named them before they were there. */
  #linkEarlierReferences(): void {
    const { schema } = this.#change;
    for (const [table, ids] of this.#added) {
      for (const column of twoWayColumns(schema).get(table) ?? []) {
        const reverse = pairColumnOf(this.#change, column.reverseCol);
        if (!reverse) continue;
        const joins = this.#linkChangesOf(column);
        for (const { id, targets } of referringRows(this.#change.db, reverse, ids)) {
          for (const own of targets) recordLink(joins, { column, own, other: id, isLinked: true, unlessKnown: true });
        }
      }
    }
    this.#added.clear();
    for (const [ref, joins] of this.#linkChanges) if (joins.size === 0) this.#linkChanges.delete(ref);
  }

  #linkChangesOf({ ref, reverseCol }: ColumnInfo): LinkChanges {
    const left = Math.min(ref, reverseCol);
    let joins = this.#linkChanges.get(left);
    if (!joins) this.#linkChanges.set(left, (joins = new Map()));
    return joins;
  }
}

const columnsCache = new WeakMap<Schema, ReadonlyMap<string, readonly ColumnInfo[]>>();

/** Columns with a reverse, by table. Those that name each other, and not themselves: files may say anything. */
export function twoWayColumns(schema: Schema): ReadonlyMap<string, readonly ColumnInfo[]> {
  let known = columnsCache.get(schema);
  if (!known) {
    const entries = schema.tables.map((table) => {
      const columns = table.columns.filter(
        ({ ref, reverseCol, isFormula }) =>
          !isFormula && reverseCol > 0 && reverseCol !== ref && schema.columnByRef.get(reverseCol)?.reverseCol === ref,
      );
      return [table.id, columns] as const;
    });
    columnsCache.set(schema, (known = new Map(entries.filter(([, columns]) => columns.length > 0))));
  }
  return known;
}

/** Rows before or after an action, with their cells as far as the action names them. */
interface RowCells {
  readonly ids: readonly number[];
  readonly values: Readonly<Record<string, readonly CellValue[]>>;
}

function rowsOf(action: DocAction | undefined, table: string): RowCells {
  const isOnRows = action?.[0] === "BulkAddRecord" || action?.[0] === "BulkUpdateRecord";
  if (action?.[1] !== table || !(isOnRows || action[0] === "ReplaceTableData")) return { ids: [], values: {} };
  return { ids: action[2], values: action[3] };
}

/** Rows that are in the table after it was replaced. The others stay named, as replaced rows do by any reference. */
function onlyRows({ ids, values }: RowCells, replaced: RowCells): RowCells {
  const staying = new Set(replaced.ids);
  const kept = ids.flatMap((id, r) => (staying.has(id) ? [r] : []));
  const pick = (cells: readonly CellValue[]) => kept.map((r) => cells[r] ?? null);
  return {
    ids: kept.map((r) => ids[r] ?? 0),
    values: Object.fromEntries(Object.entries(values).map(([column, cells]) => [column, pick(cells)])),
  };
}

function recordLinks(
  joins: LinkChanges,
  { column, rows, isLinked }: { column: ColumnInfo; rows: RowCells; isLinked: boolean },
): void {
  const cells = rows.values[column.id];
  if (!cells) return;
  for (const [r, own] of rows.ids.entries()) {
    for (const other of targetsOf(cells[r] ?? null)) recordLink(joins, { column, own, other, isLinked });
  }
}

function recordLink(
  joins: LinkChanges,
  {
    column,
    own,
    other,
    isLinked,
    unlessKnown = false,
  }: { column: ColumnInfo; own: number; other: number; isLinked: boolean; unlessKnown?: boolean },
): void {
  const [left, right] = column.ref < column.reverseCol ? [own, other] : [other, own];
  let rights = joins.get(left);
  if (!rights) joins.set(left, (rights = new Map()));
  if (!unlessKnown || !rights.has(right)) rights.set(right, isLinked);
}

function inverse(joins: LinkChanges): LinkChanges {
  const turned: LinkChanges = new Map();
  for (const [left, rights] of joins) {
    for (const [right, isJoined] of rights) {
      let lefts = turned.get(right);
      if (!lefts) turned.set(right, (lefts = new Map()));
      lefts.set(left, isJoined);
    }
  }
  return turned;
}

/** The rows that a reference names. Texts and errors name none. */
export function targetsOf(cell: CellValue): number[] {
  if (typeof cell === "number") return cell > 0 ? [cell] : [];
  if (!Array.isArray(cell) || cell[0] !== "L") return [];
  return cell.slice(1).filter((id): id is number => typeof id === "number" && id > 0);
}

/** The pair that a column is the left one of; undefined when it is none any more. */
function columnPairOf(change: TwoWayContext, ref: number): ColumnPair | undefined {
  const left = pairColumnOf(change, ref);
  const right = pairColumnOf(change, change.schema.columnByRef.get(ref)?.reverseCol ?? 0);
  return left && right && { left, right };
}

function pairColumnOf(change: TwoWayContext, ref: number): PairColumn | undefined {
  const info = change.schema.columnByRef.get(ref);
  const table = info && change.schema.tableByRef.get(info.tableRef);
  if (!table || !twoWayColumns(change.schema).get(table.id)?.includes(info)) return undefined;
  const column = change.catalog.column(table.id, info.id);
  return column.isStored ? { ref, table: table.id, column } : undefined;
}

/** Writes to one column what was joined and parted; rows that are not there are passed over. */
function writeLinks(
  change: TwoWayContext,
  end: PairColumn,
  { other, linkChanges }: { other: PairColumn; linkChanges: LinkChanges },
): void {
  const rows = readRows(change.db, end.table, [end.column], [...linkChanges.keys()]);
  const ids: number[] = [];
  const cells: CellValue[] = [];
  for (const [r, id] of rows.ids.entries()) {
    const before = targetsOf(rows.cells[0]?.[r] ?? null);
    const targets = new Set(before);
    for (const [target, isJoined] of linkChanges.get(id) ?? []) {
      if (isJoined) targets.add(target);
      else targets.delete(target);
    }
    if (targets.size === before.length && before.every((target) => targets.has(target))) continue;
    ids.push(id);
    cells.push(cellOf(change, id, { end, other, targets: [...targets] }));
  }
  if (ids.length > 0) change.apply(["BulkUpdateRecord", end.table, ids, { [end.column.id]: cells }]);
}

function cellOf(
  change: TwoWayContext,
  id: number,
  { end, other, targets }: { end: PairColumn; other: PairColumn; targets: number[] },
): CellValue {
  const sorted = targets.toSorted((a, b) => a - b);
  if (end.column.kind.base !== "Ref") return sorted.length > 0 ? ["L", ...sorted] : null;
  const existing = sorted.length > 1 ? [...existingIds(change.db, other.table, sorted)] : sorted;
  if (existing.length > 1) {
    // Rows that the caller may not see are not named.
    const which =
      change.writeAccess?.canReadAll(other.table) === false ? "several rows" : `rows ${existing.join(" and ")}`;
    throw invalid(
      `Row ${id} of ${JSON.stringify(end.table)} can be in ${JSON.stringify(other.column.id)} of one row only, ` +
        `not of ${which} of ${JSON.stringify(other.table)}`,
    );
  }
  return existing[0] ?? 0;
}

/** Rows whose column refers to some of these, with those it refers to. */
function referringRows(
  db: Database,
  { table, column }: { table: string; column: CatalogColumn },
  ids: readonly number[],
): { id: number; targets: number[] }[] {
  if (ids.length === 0) return [];
  const name = quote(column.id);
  const from = `select id, ${name} from ${quote(table)} where`;
  const rows =
    column.kind.base === "Ref"
      ? db.values(`${from} typeof(${name}) = 'integer' and ${name} ${IN_IDS}`, JSON.stringify(ids))
      : db.values(`${from} typeof(${name}) = 'blob' or ${name} like '[%'`);
  const targetIds = new Set<unknown>(ids);
  return rows.flatMap(([id, stored = null]) => {
    const cell = column.kind.decodeRaw(stored);
    const named = Array.isArray(cell) ? (cell[0] === "L" ? cell.slice(1) : []) : [cell];
    const targets = named.filter((target): target is number => targetIds.has(target));
    return targets.length > 0 ? [{ id: Number(id), targets }] : [];
  });
}
