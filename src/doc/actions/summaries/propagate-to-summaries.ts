import { must } from "../../../lib/assert.ts";
import type { CellValue } from "../../../values/cell.ts";
import { columnType } from "../../../values/column-type.ts";
import type { ColumnInfo } from "../../schema.ts";
import type { Change } from "../change.ts";
import { changeType, typeConversion } from "../schema/column-type-change.ts";
import type { RowValues } from "../doc-action.ts";
import { updateMetadata } from "../metadata.ts";
import { summaryColumnsFor, groupingType, sistersOf, withoutConditionalFormats } from "./summary-columns.ts";

const COLUMNS = "_grist_Tables_column";

/** Returns true if a type change keeps the display column: the target table stays the same. */
export function keepsDisplay(from: string, to: string): boolean {
  const before = columnType(from);
  const after = columnType(to);
  return before.target !== undefined && before.target === after.target && after.base !== "Attachments";
}

/**
 * Propagates new values of a column's record to the summaries. Labels apply to all counterparts of the column; options
 * and type (of lists, the type of the items) to group-by columns only. The display column is not propagated: a summary
 * keeps the one it was created with.
 */
export function propagateToSummaries(change: Change, source: ColumnInfo, values: RowValues): void {
  const { label, untieColIdFromLabel, widgetOptions, type } = values;
  for (const summaryColumn of summaryColumnsFor(change.schema, source)) {
    const propagated: RowValues = label === undefined ? {} : { label };
    if (summaryColumn.summarySourceCol > 0) {
      if (untieColIdFromLabel !== undefined) propagated["untieColIdFromLabel"] = untieColIdFromLabel;
      if (typeof widgetOptions === "string") propagated["widgetOptions"] = withoutConditionalFormats(widgetOptions);
    }
    updateMetadata(change, COLUMNS, summaryColumn.ref, propagated);
  }
  if (typeof type === "string") propagateTypeToSummaries(change, source, { type, convert: null });
}

/** Propagates a type change of a summary's formula column to other summaries, unless its formula changed too. */
export function followInSisters(change: Change, column: ColumnInfo, { type, formula }: RowValues): void {
  if (typeof type !== "string" || formula !== undefined) return;
  for (const sister of sistersOf(change.schema, column)) {
    if (sister.type === type) continue;
    const table = must(change.schema.tableByRef.get(sister.tableRef), "summary").id;
    change.apply(["ModifyColumn", table, sister.id, { type }]);
    const clearedDisplay = keepsDisplay(sister.type, type) ? {} : { visibleCol: 0, displayCol: 0 };
    updateMetadata(change, COLUMNS, sister.ref, { type, ...clearedDisplay });
  }
}

/** Propagates a type change to the columns that group by `source`. `convert` null uses the conversion of the types. */
export function propagateTypeToSummaries(
  change: Change,
  source: ColumnInfo,
  { type, convert }: { type: string; convert: ((value: CellValue) => CellValue) | null },
): void {
  const summaryType = groupingType(type);
  for (const { ref, tableRef, id, summarySourceCol } of summaryColumnsFor(change.schema, source)) {
    if (summarySourceCol === 0) continue;
    const table = must(change.schema.tableByRef.get(tableRef), "summary").id;
    const column = change.catalog.column(table, id);
    if (column.type === summaryType) continue;
    changeType(change, table, column, {
      spec: { type: summaryType },
      convert: convert ?? typeConversion(column.type, summaryType),
    });
    const clearedDisplay = keepsDisplay(column.type, summaryType) ? {} : { visibleCol: 0, displayCol: 0 };
    updateMetadata(change, COLUMNS, ref, { type: summaryType, ...clearedDisplay });
  }
}
