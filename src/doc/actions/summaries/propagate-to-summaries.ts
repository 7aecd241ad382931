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

/** A reference that goes on pointing to the same table still shows what it showed. */
export function keepsDisplay(from: string, to: string): boolean {
  const before = columnType(from);
  const after = columnType(to);
  return before.target !== undefined && before.target === after.target && after.base !== "Attachments";
}

/**
 * After the record of a column got these values: columns of summaries are labelled like those they stand for. Those
 * that group have their looks too, and their type; of lists, that of the items. What a reference shows does not follow: a
 * summary keeps what it showed when it was made.
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

/** Gives the same column of other summaries the type that a summary's formula column got, unless its formula changed too. */
export function followInSisters(change: Change, column: ColumnInfo, { type, formula }: RowValues): void {
  if (typeof type !== "string" || formula !== undefined) return;
  for (const sister of sistersOf(change.schema, column)) {
    if (sister.type === type) continue;
    const table = must(change.schema.tableByRef.get(sister.tableRef), "summary").id;
    change.apply(["ModifyColumn", table, sister.id, { type }]);
    const released = keepsDisplay(sister.type, type) ? {} : { visibleCol: 0, displayCol: 0 };
    updateMetadata(change, COLUMNS, sister.ref, { type, ...released });
  }
}

/** Gives the columns that group by `source` the type that goes with its new one. `convert` null: by the types. */
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
