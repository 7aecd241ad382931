import type { CellValue } from "../../../values/cell.ts";
import { columnType } from "../../../values/column-type.ts";
import { splitRow } from "../../../values/csv-row.ts";
import { readJsonList } from "../../../values/types/convert.ts";
import type { ColumnInfo } from "../../schema.ts";
import type { Change } from "../change.ts";
import { parseSettings } from "../prepare-cells.ts";
import { addRecords } from "../records/records.ts";
import { columnInfo } from "./columns.ts";
import { type Conversion, type ConvertedCells, previewConvertedCells } from "./copy-column.ts";

/** The rows that a conversion to references misses in the target table. */
export interface MissingRows {
  /** Their values in the column that texts are looked up in. */
  readonly values: readonly CellValue[];
  /** Returns true for a text that converts once the rows are added. */
  convertsWith(this: void, text: CellValue): boolean;
}

const NONE: MissingRows = { values: [], convertsWith: () => false };

/** Types of columns in which the value of a new row can be a text, or be parsed from one. */
const PARSED_TYPES: ReadonlySet<string> = new Set(["Numeric", "Int", "Date", "DateTime"]);
const TEXT_TYPES: ReadonlySet<string> = new Set(["Text", "Choice", "Any"]);

/** Adds a row to the target table for each text that no row has, so that the conversion finds it. */
export function addMissingRows(change: Change, table: string, conversion: Conversion): void {
  const column = matchedColumn(change, conversion);
  const { target } = columnType(conversion.type);
  if (!column || target === undefined) return;
  const { values } = findMissingRows(change, table, {
    conversion,
    converted: previewConvertedCells(change, table, conversion),
  });
  if (values.length === 0) return;
  const ids = values.map(() => null);
  addRecords(change, target, ids, new Map([[column.id, values]]));
}

/** Returns the rows that a conversion misses; none where new rows cannot have the texts. */
export function findMissingRows(
  change: Change,
  table: string,
  { conversion, converted }: { conversion: Conversion; converted: ConvertedCells },
): MissingRows {
  const { base, target } = columnType(conversion.type);
  const matched = matchedColumn(change, conversion);
  if (!matched || target === undefined) return NONE;
  const itemsOf = base === "Ref" ? textItem : listItems;
  const unconverted = converted.input.filter((_, at) => typeof converted.cells[at] === "string");
  const texts = [...new Set(unconverted.flatMap(itemsOf))];
  const exists = existingTexts(change, table, conversion);
  const valueOf = valueReader(change, target, matched);
  const valueByText = new Map<string, CellValue>();
  for (const text of texts) {
    const value = exists(text) ? undefined : valueOf(text);
    if (value !== undefined) valueByText.set(text, value);
  }
  return {
    values: [...new Set(valueByText.values())],
    convertsWith: (cell) => {
      const items = itemsOf(cell);
      return items.length > 0 && items.every((item) => valueByText.has(item) || exists(item));
    },
  };
}

/** Returns the data column of the target table that texts are looked up in. */
function matchedColumn({ schema }: Change, { type, visibleCol }: Conversion): ColumnInfo | undefined {
  const column = schema.columnByRef.get(visibleCol);
  const target = schema.tableById.get(columnType(type).target ?? "");
  if (!column || column.tableRef !== target?.ref || target.summarySourceTable > 0) return undefined;
  return column.isFormula && column.formula !== "" ? undefined : column;
}

const textItem = (cell: CellValue): string[] => (typeof cell === "string" && cell.trim() !== "" ? [cell] : []);

/** Returns the items of a list as reference lists parse it. */
function listItems(cell: CellValue): string[] {
  if (typeof cell !== "string") return [];
  const items: readonly unknown[] = readJsonList(cell) ?? splitRow(cell);
  return items.every((item) => typeof item === "string" && item.trim() !== "") ? items.map(String) : [];
}

/** Returns a function that is true for texts that a row of the target table has. */
function existingTexts(change: Change, table: string, { to, type, visibleCol }: Conversion): (text: string) => boolean {
  const column = { ...change.catalog.column(table, to), type, kind: columnType(type) };
  const { lookUp } = parseSettings(change, { table, column, info: { ...columnInfo(change, table, to), visibleCol } });
  return (text) => lookUp?.(text) !== undefined;
}

/** Returns a function that parses a text as value of a new row; undefined for texts that do not fit. */
function valueReader(change: Change, table: string, { id }: ColumnInfo): (text: string) => CellValue | undefined {
  const column = change.catalog.column(table, id);
  const { kind } = column;
  const settings = parseSettings(change, { table, column });
  return (text) => {
    if (TEXT_TYPES.has(kind.base)) return kind.convert(kind.parse(text, settings));
    const value = PARSED_TYPES.has(kind.base) ? kind.convert(kind.parse(text, settings)) : null;
    return typeof value === "number" ? value : undefined;
  };
}
