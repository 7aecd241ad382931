import { nameOfColumn, type TypedColumn, type TypedTable } from "../exchange/infer-tables.ts";
import type { InferenceRule } from "../exchange/detect/inferred-column.ts";
import type { ConversionCounts } from "../exchange/detect/conversion-counter.ts";
import type { TableReadReport } from "../exchange/table-parts.ts";
import type { WidgetOptions } from "../values/column-type.ts";
import type { RowCounts } from "./import-merge.ts";
import type { PlannedAppend, PlannedColumn, PlannedTable } from "./import-plan.ts";

/** The actual or planned result of importing a table of a file. */
export interface TableReport extends TableReadReport, Partial<RowCounts> {
  readonly id: string;
  readonly name: string;
  readonly isNew: boolean;
  readonly rows: number;
  readonly columns: readonly ColumnReport[];
}

export interface ColumnReport extends Partial<ConversionCounts> {
  readonly id: string;
  readonly label: string;
  /** The name of the column in import options, where that is not its label. */
  readonly source?: string;
  readonly type: string;
  /** `skipped`: a formula column of the table, whose values in the file are ignored. */
  readonly kind: "new" | "existing" | "skipped";
  /** The display options. */
  readonly format?: WidgetOptions;
  /** The rule that inferred the type. */
  readonly rule?: InferenceRule;
  /** True when the values can be parsed in two ways. */
  readonly ambiguous?: boolean;
}

type Cells = readonly ConversionCounts[];

/** @param cells the conversion results of each column */
export const reportNewTable = ({ id, staged, columns }: PlannedTable, cells: Cells): TableReport => ({
  ...tableFields(staged),
  id,
  isNew: true,
  columns: columns.map((column, at) => newColumn(column, staged.columns, cells[at])),
});

/** @param cells the conversion results of each matched column, then of each added one */
export function reportAppend({ table, staged, matched, added, skipped }: PlannedAppend, cells: Cells): TableReport {
  return {
    ...tableFields(staged),
    id: table.id,
    isNew: false,
    columns: [
      ...matched.map(({ column, source }, at) => ({
        ...columnFields(column),
        kind: "existing" as const,
        ambiguous: source.ambiguous,
        ...cells[at],
      })),
      ...added.map((column, at) => newColumn(column, staged.columns, cells[matched.length + at])),
      ...skipped.map(({ column }) => ({ ...columnFields(column), kind: "skipped" as const })),
    ],
  };
}

const tableFields = ({ name, rowCount, notes }: TypedTable) => ({ name, rows: rowCount, ...notes });

const columnFields = ({ id, label, type }: { id: string; label: string; type: string }) => ({ id, label, type });

function newColumn(
  { id, type, options, source }: PlannedColumn,
  columns: readonly TypedColumn[],
  cells: ConversionCounts | undefined,
): ColumnReport {
  const { rule, ambiguous } = source satisfies TypedColumn;
  const label = source.label === "" ? id : source.label;
  const name = nameOfColumn(columns, source);
  const named = name === label ? {} : { source: name };
  return { id, label, ...named, type, kind: "new", format: options, rule, ambiguous, ...cells };
}
