import type { CellValue } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";

/** Returns the value of an empty cell of a type. */
export const defaultCell = (type: string): CellValue => columnType(type).defaultValue;
