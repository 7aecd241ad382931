import { type CellValue, CELL_CODES } from "../../../values/cell.ts";
import { columnType } from "../../../values/column-type.ts";
import type { ColumnInfo } from "../../schema.ts";
import type { CatalogColumn } from "../catalog.ts";
import type { Change } from "../change.ts";
import { changeType } from "../schema/column-type-change.ts";
import { COLUMNS_TABLE, columnInfo } from "../schema/columns.ts";
import { updateMetadata } from "../metadata.ts";
import { readRows } from "../row-storage.ts";
import { propagateTypeToSummaries } from "../summaries/propagate-to-summaries.ts";

/** Converts columns that refer to a table about to be removed to the values they display, or to row ids. */
export function convertReferences(change: Change, target: string): void {
  for (const table of change.catalog.userTables()) {
    if (table.id === target) continue;
    for (const column of table.columns.values()) {
      // Group-by columns follow the column of the source.
      const isGrouping = () => columnInfo(change, table.id, column.id).summarySourceCol > 0;
      if (column.kind.target === target && !isGrouping()) convertReference(change, table.id, column);
    }
  }
}

function convertReference(change: Change, table: string, column: CatalogColumn): void {
  const info = columnInfo(change, table, column.id);
  if (column.isFormula) {
    change.apply(["ModifyColumn", table, column.id, { type: "Any" }]);
    updateMetadata(change, COLUMNS_TABLE, info.ref, { type: "Any", visibleCol: 0, displayCol: 0 });
    propagateTypeToSummaries(change, info, { type: "Any", convert: null });
    return;
  }
  const shown = info.displayCol > 0 ? change.schema.columnByRef.get(info.visibleCol) : undefined;
  const type = column.kind.base !== "Ref" ? "Text" : (shown?.type ?? "Int");
  const values = shown ? displayedValues(change, shown) : undefined;
  const single = referenceConverter(type, values);
  const convert = column.kind.base === "Ref" ? single : referenceListConverter(values);
  changeType(change, table, column, { spec: { type }, convert });
  propagateTypeToSummaries(change, info, { type, convert: single });
  updateMetadata(change, COLUMNS_TABLE, info.ref, { type, visibleCol: 0, displayCol: 0 });
}

/** Returns a function from row ids of the target table to displayed values. */
function displayedValues(change: Change, shown: ColumnInfo): (id: number) => CellValue {
  const table = change.schema.tableByRef.get(shown.tableRef)?.id ?? "";
  const column = change.catalog.column(table, shown.id);
  const { ids, cells } = readRows(change.db, table, [column]);
  const byId = new Map(ids.map((id, r) => [id, cells[0]?.[r] ?? null]));
  return (id) => (byId.has(id) ? (byId.get(id) ?? null) : column.kind.defaultValue);
}

function referenceConverter(
  type: string,
  displayed: ((id: number) => CellValue) | undefined,
): (value: CellValue) => CellValue {
  const kind = columnType(type);
  return (value) => {
    if (value === null || !displayed) return value;
    if (typeof value === "number") return kind.convert(displayed(value), { mode: "typeChange" });
    return typeof value === "string" ? [CELL_CODES.error, "InvalidTypedValue"] : value;
  };
}

function referenceListConverter(displayed: ((id: number) => CellValue) | undefined): (value: CellValue) => CellValue {
  const text = columnType("Text");
  return (value) => {
    if (value === null) return displayed ? null : "";
    if (!Array.isArray(value) || value[0] !== CELL_CODES.list) return value;
    const items = value.slice(1).map((id) => (displayed && typeof id === "number" ? displayed(id) : (id as CellValue)));
    return items.map((item) => String(text.convert(item) ?? "")).join(displayed ? ", " : ",");
  };
}
