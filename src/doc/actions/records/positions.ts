import type { Database } from "../../../sqlite/database.ts";
import { quote } from "../../../sqlite/quote.ts";
import type { CellValue } from "../../../values/cell.ts";
import type { CatalogColumn } from "../catalog.ts";

/**
 * Positions order rows with gaps: a row is inserted between two others by a number between theirs. A requested position
 * therefore means: before the first row whose position is not lower.
 */

/** Returns true for columns that hold positions. */
export const isPosition = (column: CatalogColumn): boolean =>
  column.kind.base === "ManualSortPos" || column.kind.base === "PositionNumber";

export interface PositionAllocation {
  /** The positions to store, in the order of the request. */
  readonly positions: number[];
  /** Existing rows that were renumbered, because no number was left between two positions; null when none were. */
  readonly moved: { ids: number[]; positions: number[] } | null;
}

/** Returns true for a request for the end: not a number, or infinite. */
const isAtEnd = (target: CellValue): boolean => typeof target !== "number" || !Number.isFinite(target);

/** Returns true when all rows are appended, so that only the last position is needed. */
export const areAllAtEnd = (targets: readonly CellValue[]): boolean => targets.every(isAtEnd);

/**
 * Allocates positions for rows inserted before `targets`; a target that is not a finite number means the end.
 * Rows that are being moved still count at their old positions.
 */
export function allocatePositions(
  db: Database,
  { table, column, targets }: { table: string; column: string; targets: readonly CellValue[] },
): PositionAllocation {
  const requested = targets.map((target) => (typeof target === "number" && !isAtEnd(target) ? target : Infinity));
  const existing = sortedPositions(db, table, column);
  const positions = between(
    existing.map((row) => row.position),
    requested,
  );
  return positions ? { positions, moved: null } : renumbered(existing, requested);
}

/** Returns the highest position of the table; 0 when it is empty. */
export function lastPosition(db: Database, table: string, column: string): number {
  const position = quote(column);
  const [row] = db.values(
    `select max(${position}) from ${quote(table)} where typeof(${position}) in ('integer', 'real') and ${position} < 9e999`,
  );
  return Number(row?.[0] ?? 0);
}

interface PositionedRow {
  readonly id: number;
  readonly position: number;
}

function sortedPositions(db: Database, table: string, column: string): PositionedRow[] {
  const position = quote(column);
  return db
    .values(
      `select id, ${position} from ${quote(table)}
       where typeof(${position}) in ('integer', 'real') and ${position} < 9e999 order by 2, 1`,
    )
    .map(([id, at]) => ({ id: Number(id), position: Number(at) }));
}

/** Returns numbers for the requested positions, spread evenly within each gap; null when a gap is too narrow. */
function between(existing: readonly number[], requested: readonly number[]): number[] | null {
  const result = requested.map(() => 0);
  for (const [gap, members] of byGap(existing, requested)) {
    const next = existing[gap];
    const before = existing[gap - 1] ?? (next === undefined || next > 0 ? 0 : next - 1);
    for (const [k, index] of members.entries()) {
      const share = (k + 1) / (members.length + 1);
      result[index] = next === undefined ? before + k + 1 : before + (next - before) * share;
    }
    const run = [before, ...members.map((index) => result[index] ?? 0), ...(next === undefined ? [] : [next])];
    // The first gap has no lower bound to stay apart from.
    if (run.some((position, i) => i > (gap === 0 ? 1 : 0) && position <= (run[i - 1] ?? -Infinity))) return null;
  }
  return result;
}

/** Groups the indexes of the requested positions by the existing position they precede, in their final order. */
function byGap(existing: readonly number[], requested: readonly number[]): Map<number, number[]> {
  const order = requested.map((_, i) => i).toSorted((a, b) => compare(requested[a] ?? 0, requested[b] ?? 0) || a - b);
  const gaps = new Map<number, number[]>();
  for (const index of order) {
    const gap = lowerBoundIndex(existing, requested[index] ?? Infinity);
    const members = gaps.get(gap);
    if (members) members.push(index);
    else gaps.set(gap, [index]);
  }
  return gaps;
}

/** Compares without subtraction, because Infinity - Infinity is NaN. */
const compare = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);

function lowerBoundIndex(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Renumbers all rows from 1, with the requested rows in between. */
function renumbered(existing: readonly PositionedRow[], requested: readonly number[]): PositionAllocation {
  const gaps = byGap(
    existing.map((row) => row.position),
    requested,
  );
  const positions = requested.map(() => 0);
  const moved = { ids: [] as number[], positions: [] as number[] };
  let number = 0;
  for (let gap = 0; gap <= existing.length; gap++) {
    for (const index of gaps.get(gap) ?? []) positions[index] = ++number;
    const row = existing[gap];
    if (!row) continue;
    number++;
    if (row.position !== number) {
      moved.ids.push(row.id);
      moved.positions.push(number);
    }
  }
  return { positions, moved };
}
