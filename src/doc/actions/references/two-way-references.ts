import { invalid } from "../../../errors.ts";
import type { Database } from "../../../sqlite/database.ts";
import { quote } from "../../../sqlite/quote.ts";
import type { CellValue } from "../../../values/cell.ts";
import type { ColumnInfo, Schema } from "../../schema.ts";
import type { Catalog, CatalogColumn } from "../catalog.ts";
import type { DocAction } from "../doc-action.ts";
import { existingIds, IN_IDS, readRows } from "../row-storage.ts";

/**
 * Two-way references: a column and its reverse hold the same links from both ends. Writes to one of them are recorded
 * as links that were added or removed between rows; when the action is complete, both columns are updated.
 */

/** The parts of a change that two-way references use. */
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

/** One column of a pair, with its current table. */
interface PairColumn {
  readonly ref: number;
  readonly table: string;
  readonly column: CatalogColumn;
}

/** For rows of the left column, the rows of the right one to which a link was added (true) or removed (false). */
type LinkChanges = Map<number, Map<number, boolean>>;

export class TwoWayReferences {
  readonly #change: TwoWayContext;
  /** By the ref of the left column, which is the lower one. */
  readonly #linkChanges = new Map<number, LinkChanges>();
  /** New rows by table: other rows may have referred to them before they existed. */
  readonly #added = new Map<string, number[]>();
  #isPaused = false;

  constructor(change: TwoWayContext) {
    this.#change = change;
  }

  /** Records the link changes of an action on rows of a user table. `undo` is its undo action. */
  record(done: DocAction, undo: DocAction | undefined): void {
    if (this.#isPaused) return;
    const [, table] = done;
    const columns = twoWayColumns(this.#change.schema).get(table);
    if (!columns) return;
    const before = rowsOf(undo, table);
    const after = rowsOf(done, table);
    if (done[0] !== "BulkUpdateRecord") this.#added.set(table, [...(this.#added.get(table) ?? []), ...after.ids]);
    // If both columns belong to this table, new values of one take precedence over former values of the other.
    for (const column of columns) {
      const rowsBefore = done[0] === "ReplaceTableData" ? onlyRows(before, after) : before;
      recordLinks(this.#linkChangesOf(column), { column, rows: rowsBefore, isLinked: false });
    }
    for (const column of columns) recordLinks(this.#linkChangesOf(column), { column, rows: after, isLinked: true });
  }

  /** Runs writes that need no synchronization, because they include both columns. */
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
   * Writes the recorded link changes to both columns. Returns whether there were any.
   * @throws AppError `invalid` when a Ref cell would refer to two rows
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

  /** Links new rows with the rows that referred to them before they existed. */
  #linkEarlierReferences(): void {
    const { schema } = this.#change;
    for (const [table, ids] of this.#added) {
      for (const column of twoWayColumns(schema).get(table) ?? []) {
        const reverse = pairColumnOf(this.#change, column.reverseCol);
        if (!reverse) continue;
        const linkChanges = this.#linkChangesOf(column);
        for (const { id, targets } of referringRows(this.#change.db, reverse, ids)) {
          for (const own of targets)
            recordLink(linkChanges, { column, own, other: id, isLinked: true, unlessKnown: true });
        }
      }
    }
    this.#added.clear();
    for (const [ref, linkChanges] of this.#linkChanges) if (linkChanges.size === 0) this.#linkChanges.delete(ref);
  }

  #linkChangesOf({ ref, reverseCol }: ColumnInfo): LinkChanges {
    const left = Math.min(ref, reverseCol);
    let linkChanges = this.#linkChanges.get(left);
    if (!linkChanges) this.#linkChanges.set(left, (linkChanges = new Map()));
    return linkChanges;
  }
}

const columnsCache = new WeakMap<Schema, ReadonlyMap<string, readonly ColumnInfo[]>>();

/**
 * Returns the columns with a reverse, by table. Skips inconsistent pairs, because imported files may contain anything.
 */
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

/** Rows before or after an action, with the cells that the action contains. */
interface RowCells {
  readonly ids: readonly number[];
  readonly values: Readonly<Record<string, readonly CellValue[]>>;
}

function rowsOf(action: DocAction | undefined, table: string): RowCells {
  const isOnRows = action?.[0] === "BulkAddRecord" || action?.[0] === "BulkUpdateRecord";
  if (action?.[1] !== table || !(isOnRows || action[0] === "ReplaceTableData")) return { ids: [], values: {} };
  return { ids: action[2], values: action[3] };
}

/** Returns the rows that still exist after a replacement. References to the other rows stay, as for any reference. */
function onlyRows({ ids, values }: RowCells, replaced: RowCells): RowCells {
  const remaining = new Set(replaced.ids);
  const kept = ids.flatMap((id, r) => (remaining.has(id) ? [r] : []));
  const pick = (cells: readonly CellValue[]) => kept.map((r) => cells[r] ?? null);
  return {
    ids: kept.map((r) => ids[r] ?? 0),
    values: Object.fromEntries(Object.entries(values).map(([column, cells]) => [column, pick(cells)])),
  };
}

function recordLinks(
  linkChanges: LinkChanges,
  { column, rows, isLinked }: { column: ColumnInfo; rows: RowCells; isLinked: boolean },
): void {
  const cells = rows.values[column.id];
  if (!cells) return;
  for (const [r, own] of rows.ids.entries()) {
    for (const other of targetsOf(cells[r] ?? null)) recordLink(linkChanges, { column, own, other, isLinked });
  }
}

function recordLink(
  linkChanges: LinkChanges,
  {
    column,
    own,
    other,
    isLinked,
    unlessKnown = false,
  }: { column: ColumnInfo; own: number; other: number; isLinked: boolean; unlessKnown?: boolean },
): void {
  const [left, right] = column.ref < column.reverseCol ? [own, other] : [other, own];
  let rights = linkChanges.get(left);
  if (!rights) linkChanges.set(left, (rights = new Map()));
  if (!unlessKnown || !rights.has(right)) rights.set(right, isLinked);
}

function inverse(linkChanges: LinkChanges): LinkChanges {
  const inverted: LinkChanges = new Map();
  for (const [left, rights] of linkChanges) {
    for (const [right, isLinked] of rights) {
      let lefts = inverted.get(right);
      if (!lefts) inverted.set(right, (lefts = new Map()));
      lefts.set(left, isLinked);
    }
  }
  return inverted;
}

/** Returns the rows that a cell refers to; none for texts and errors. */
export function targetsOf(cell: CellValue): number[] {
  if (typeof cell === "number") return cell > 0 ? [cell] : [];
  if (!Array.isArray(cell) || cell[0] !== "L") return [];
  return cell.slice(1).filter((id): id is number => typeof id === "number" && id > 0);
}

/** Returns the pair whose left column has this ref; undefined when the columns are no longer linked. */
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

/** Writes link changes to one column of the pair. Ignores missing rows. */
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
    for (const [target, isLinked] of linkChanges.get(id) ?? []) {
      if (isLinked) targets.add(target);
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
    // Do not disclose the ids of rows that the caller may not read.
    const which =
      change.writeAccess?.canReadAll(other.table) === false ? "several rows" : `rows ${existing.join(" and ")}`;
    throw invalid(
      `Row ${id} of ${JSON.stringify(end.table)} can be referenced by ${JSON.stringify(other.column.id)} of one row only, ` +
        `not of ${which} of ${JSON.stringify(other.table)}`,
    );
  }
  return existing[0] ?? 0;
}

/** Returns the rows whose column refers to some of `ids`, with the ids it refers to. */
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
