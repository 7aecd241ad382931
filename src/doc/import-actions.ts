import { type StagedTable, stagedRows } from "../exchange/staging.ts";
import type { CellValue } from "../values/cell.ts";
import { columnType } from "../values/column-type.ts";
import type { UserAction } from "./actions/engine.ts";
import { columnSpec, type PlannedAddition, type PlannedTable } from "./import-plan.ts";
import { importedCell } from "./imported-cell.ts";

/** The actions that make a table and fill it: values are what the types found for them make of them. */
export function actionsOfNew({ id, addition, columns, staged }: PlannedTable): UserAction[] {
  const readers = columns.map((column) => {
    const kind = columnType(column.type);
    return { id: column.id, at: column.source.at, read: (value: CellValue) => importedCell(kind, value) };
  });
  return [addition, ...additions(id, staged, readers)];
}

/** The actions that add rows to a table, and columns before: values are read as if people had typed them. */
export function actionsOfAddition({ table, staged, matched, added }: PlannedAddition): UserAction[] {
  const readers = [
    ...matched.map(({ column, source }) => ({ id: column.id, at: source.at, read: (value: CellValue) => value })),
    ...added.map(({ id, type, source }) => {
      const kind = columnType(type);
      return { id, at: source.at, read: (value: CellValue) => importedCell(kind, value) };
    }),
  ];
  const columns = added.map((column): UserAction => ["AddVisibleColumn", table.id, column.id, columnSpec(column)]);
  return [...columns, ...additions(table.id, staged, readers)];
}

interface CellReader {
  readonly id: string;
  readonly at: number;
  read(value: CellValue): CellValue;
}

/** One action for each portion of rows. */
function additions(table: string, staged: StagedTable, readers: readonly CellReader[]): UserAction[] {
  return Array.from(stagedRows(staged), (rows): UserAction => {
    const values = readers.map(({ id, at, read }) => [id, rows.map((row) => read(row[at] ?? null))] as const);
    return ["BulkAddRecord", table, rows.map(() => null), Object.fromEntries(values)];
  });
}
