import { fold } from "../../lib/text/word-matcher.ts";
import type { SqlValue } from "../../sqlite/database.ts";
import { isList, type CellValue } from "../../values/cell.ts";
import type { ColumnType } from "../../values/column-type.ts";
import { displayText } from "../../values/display-text.ts";

/** Returns the text of a cell that a search sees; empty for numbers, errors and hidden cells. */
export function cellText({ type }: { readonly type: ColumnType }, stored: SqlValue): string {
  const cell: CellValue = type.decodeRaw(stored);
  if (typeof cell === "string") return cell;
  return isList(cell) ? displayText(cell.slice(1).filter((item) => typeof item === "string")) : "";
}

/** Returns the folded texts of the cells of a row; words have no line breaks, so that none continues in the next cell. */
export const searchedText = (fields: readonly { readonly type: ColumnType }[], stored: readonly SqlValue[]): string =>
  fields
    .map((field, at) => fold(cellText(field, stored[at] ?? null)))
    .filter((text) => text !== "")
    .join("\n");
