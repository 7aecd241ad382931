import { invalid } from "../../../errors.ts";
import type { CellValue } from "../../../values/cell.ts";
import type { Change } from "../change.ts";
import type { ColumnValues } from "../doc-action.ts";
import { existingIds, readRows } from "../row-storage.ts";
import { targetsOf, twoWayColumns } from "./two-way-references.ts";

/** Checks two-way references to missing rows: a missing row has no reverse cell for the referring row. */

export interface WrittenRows {
  readonly ids: readonly number[];
  /** Cells as they are about to be written, by column. */
  readonly values: ColumnValues;
  readonly areNew: boolean;
}

/**
 * Checks that two-way references name existing rows. New rows may refer to each other, but not to themselves. A row id
 * that an updated cell already holds may stay. Callers who cannot read the whole target table are not checked, because
 * the answer would tell them which rows exist.
 * @throws AppError `invalid` for the first row id that does not exist
 */
export function checkTwoWayTargets(change: Change, table: string, { ids, values, areNew }: WrittenRows): void {
  for (const { id: column, reverseCol } of twoWayColumns(change.schema).get(table) ?? []) {
    const cells = values[column];
    const { target } = change.catalog.column(table, column).kind;
    if (!cells || target === undefined || change.writeAccess?.canReadAll(target) === false) continue;
    const named = cells.map(targetsOf);
    const known = existingIds(change.db, target, [...new Set(named.flat())]);
    if (target === table) for (const id of ids) known.add(id);
    const isMissing = (r: number, row: number) => !known.has(row) || (areNew && target === table && row === ids[r]);
    const wrong = named.flatMap((rows, r) => rows.filter((row) => isMissing(r, row)).map((row) => ({ r, row })));
    if (wrong.length === 0) continue;
    const before = areNew ? new Map<number, number[]>() : targetsBefore(change, table, { column, ids });
    const refused = wrong.find(({ r, row }) => !before.get(ids[r] ?? 0)?.includes(row));
    if (refused) {
      const reverse = change.schema.columnByRef.get(reverseCol)?.id;
      throw invalid(
        `Column ${JSON.stringify(column)} must refer to existing rows, as ${JSON.stringify(reverse)} refers back: ` +
          `${JSON.stringify(target)} has no row ${refused.row} yet`,
      );
    }
  }
}

function targetsBefore(
  change: Change,
  table: string,
  { column, ids }: { column: string; ids: readonly number[] },
): Map<number, number[]> {
  const rows = readRows(change.db, table, [change.catalog.column(table, column)], ids);
  return new Map(rows.ids.map((id, r) => [id, targetsOf(rows.cells[0]?.[r] ?? null)]));
}

/**
 * Clears row ids that do not exist from the reverse columns of `columns` (column refs). Needed when a table is renamed:
 * the types of the columns that refer to it change, and their reverse columns are rewritten from them.
 */
export function clearMissingTargets(change: Change, columns: Iterable<number>): void {
  for (const ref of columns) {
    const reverseCol = change.schema.columnByRef.get(ref)?.reverseCol ?? 0;
    const table = change.schema.tableByRef.get(change.schema.columnByRef.get(reverseCol)?.tableRef ?? 0)?.id;
    const info = twoWayColumns(change.schema)
      .get(table ?? "")
      ?.find((other) => other.ref === reverseCol);
    if (table === undefined || !info) continue;
    const column = change.catalog.column(table, info.id);
    const rows = readRows(change.db, table, [column]);
    const named = (rows.cells[0] ?? []).map(targetsOf);
    const known = existingIds(change.db, column.kind.target ?? "", [...new Set(named.flat())]);
    const stale = named.flatMap((targets, r) => (targets.every((row) => known.has(row)) ? [] : [r]));
    if (stale.length === 0) continue;
    const cells = stale.map((r): CellValue => {
      const left = (named[r] ?? []).filter((row) => known.has(row));
      return left.length > 0 ? ["L", ...left] : column.kind.defaultValue;
    });
    const ids = stale.map((r) => rows.ids[r] ?? 0);
    change.twoWayReferences.withoutTracking(() => change.apply(["BulkUpdateRecord", table, ids, { [info.id]: cells }]));
  }
}
