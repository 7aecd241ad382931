import { type CellValue, CELL_CODES } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import type { ColumnInfo } from "../schema.ts";
import type { CatalogColumn } from "./catalog.ts";
import type { Change } from "./change.ts";
import { changeType } from "./column-type-change.ts";
import { COLUMNS, columnInfo } from "./columns.ts";
import { updateMetadata } from "./metadata.ts";
import { readRows } from "./rows.ts";
import { followType } from "./summary-follow.ts";

/** Before a table goes: columns that refer to it become columns of what they show, or of row ids. */
export function releaseReferences(change: Change, target: string): void {
  for (const table of change.catalog.userTables()) {
    if (table.id === target) continue;
    for (const column of table.columns.values()) {
      // What a summary is grouped by follows the column of its source.
      const isGrouping = () => columnInfo(change, table.id, column.id).summarySourceCol > 0;
      if (column.kind.target === target && !isGrouping()) release(change, table.id, column);
    }
  }
}

function release(change: Change, table: string, column: CatalogColumn): void {
  const info = columnInfo(change, table, column.id);
  if (column.isFormula) {
    change.apply(["ModifyColumn", table, column.id, { type: "Any" }]);
    updateMetadata(change, COLUMNS, info.ref, { type: "Any", visibleCol: 0, displayCol: 0 });
    followType(change, info, { type: "Any", convert: null });
    return;
  }
  const shown = info.displayCol > 0 ? change.schema.columnByRef.get(info.visibleCol) : undefined;
  const type = column.kind.base !== "Ref" ? "Text" : (shown?.type ?? "Int");
  const values = shown ? shownValues(change, shown) : undefined;
  const single = singleValue(type, values);
  const convert = column.kind.base === "Ref" ? single : listText(values);
  changeType(change, table, column, { spec: { type }, convert });
  followType(change, info, { type, convert: single });
  updateMetadata(change, COLUMNS, info.ref, { type, visibleCol: 0, displayCol: 0 });
}

/** What each row of the target table shows. */
function shownValues(change: Change, shown: ColumnInfo): (id: number) => CellValue {
  const table = change.schema.tableByRef.get(shown.tableRef)?.id ?? "";
  const column = change.catalog.column(table, shown.id);
  const { ids, cells } = readRows(change.db, table, [column]);
  const byId = new Map(ids.map((id, r) => [id, cells[0]?.[r] ?? null]));
  return (id) => (byId.has(id) ? (byId.get(id) ?? null) : column.kind.defaultValue);
}

function singleValue(type: string, shown: ((id: number) => CellValue) | undefined): (value: CellValue) => CellValue {
  const kind = columnType(type);
  return (value) => {
    if (value === null || !shown) return value;
    if (typeof value === "number") return kind.convert(shown(value), { mode: "typeChange" });
    return typeof value === "string" ? [CELL_CODES.error, "InvalidTypedValue"] : value;
  };
}

function listText(shown: ((id: number) => CellValue) | undefined): (value: CellValue) => CellValue {
  const text = columnType("Text");
  return (value) => {
    if (value === null) return shown ? null : "";
    if (!Array.isArray(value) || value[0] !== CELL_CODES.list) return value;
    const items = value.slice(1).map((id) => (shown && typeof id === "number" ? shown(id) : (id as CellValue)));
    return items.map((item) => String(text.convert(item) ?? "")).join(shown ? ", " : ",");
  };
}
