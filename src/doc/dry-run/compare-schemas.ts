import type { ColumnInfo, Schema, TableInfo } from "../schema.ts";
import type { ListBudget } from "./list-budget.ts";

type ColumnFields = Partial<Pick<ColumnInfo, (typeof COLUMN_FIELDS)[number]>>;

export interface ColumnName {
  readonly table: string;
  readonly column: string;
}

export interface ChangedColumn {
  /** The names after the change. */
  readonly table: string;
  readonly column: string;
  /** The properties that change. */
  readonly before: ColumnFields;
  readonly after: ColumnFields;
}

/** The consequence of a change for tables and columns. */
export interface SchemaReport {
  readonly tables: {
    readonly added: string[];
    readonly removed: string[];
    readonly renamed: { readonly from: string; readonly to: string }[];
  };
  readonly columns: {
    readonly added: ColumnName[];
    readonly removed: ColumnName[];
    readonly changed: ChangedColumn[];
  };
}

/** All tables of a document before or after a change, and the tables that the caller sees. */
export interface SchemaSide {
  readonly schema: Schema;
  readonly visible: readonly TableInfo[];
}

const COLUMN_FIELDS = [
  "id",
  "label",
  "type",
  "isFormula",
  "formula",
  "widgetOptions",
  "description",
  "visibleCol",
  "recalcWhen",
  "recalcDeps",
] as const;

/**
 * Compares the tables and columns that the caller sees.
 * @param isNew tells whether a table, by its name after the change, was added by it
 */
export function compareSchemas(
  before: SchemaSide,
  after: SchemaSide,
  { isNew, budget }: { isNew: (table: string) => boolean; budget: ListBudget },
): SchemaReport {
  const report: SchemaReport = {
    tables: { added: [], removed: [], renamed: [] },
    columns: { added: [], removed: [], changed: [] },
  };
  const { tables, columns } = report;
  const former = new Map(before.visible.map((table) => [table.ref, table]));
  for (const table of after.visible) {
    const existed = before.schema.tableByRef.has(table.ref) && !isNew(table.id);
    const previous = existed ? former.get(table.ref) : undefined;
    if (existed && !previous) continue;
    if (!previous) budget.add(tables.added, () => table.id);
    else if (previous.id !== table.id) budget.add(tables.renamed, () => ({ from: previous.id, to: table.id }));
    compareColumns({ before, after }, { previous, table }, { columns, budget });
  }
  for (const table of before.visible) {
    const now = after.schema.tableByRef.get(table.ref);
    if (now && !isNew(now.id)) continue;
    budget.add(tables.removed, () => table.id);
    for (const column of shown(table)) budget.add(columns.removed, () => ({ table: table.id, column: column.id }));
  }
  return report;
}

function compareColumns(
  sides: { before: SchemaSide; after: SchemaSide },
  { previous, table }: { previous: TableInfo | undefined; table: TableInfo },
  { columns, budget }: { columns: SchemaReport["columns"]; budget: ListBudget },
): void {
  const former = new Map(previous?.columns.map((column) => [column.ref, column]));
  for (const column of shown(table)) {
    const existed = previous !== undefined && sides.before.schema.columnByRef.get(column.ref)?.tableRef === table.ref;
    const old = former.get(column.ref);
    if (!existed) budget.add(columns.added, () => ({ table: table.id, column: column.id }));
    else if (old) {
      const fields = COLUMN_FIELDS.filter((field) => JSON.stringify(old[field]) !== JSON.stringify(column[field]));
      if (fields.length === 0) continue;
      const pick = (from: ColumnInfo) => Object.fromEntries(fields.map((field) => [field, from[field]]));
      budget.add(columns.changed, () => ({
        table: table.id,
        column: column.id,
        before: pick(old),
        after: pick(column),
      }));
    }
  }
  for (const column of previous ? shown(previous) : []) {
    if (sides.after.schema.columnByRef.get(column.ref)?.tableRef === table.ref) continue;
    budget.add(columns.removed, () => ({ table: table.id, column: column.id }));
  }
}

/** Helper columns change with others, and listings omit them. */
const shown = ({ columns }: TableInfo): ColumnInfo[] => columns.filter(({ isHidden }) => !isHidden);
