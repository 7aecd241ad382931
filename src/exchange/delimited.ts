import { cellTexts } from "./cell-texts.ts";
import { type ExportedTable, type Header, headerOf } from "./exported.ts";

/** Texts with a character between the cells, by what the format is called. */
export const SEPARATORS = { csv: ",", tsv: "\t", dsv: "\u{1f4a9}" } as const;

export type DelimitedFormat = keyof typeof SEPARATORS;

/**
 * The pieces of a table as lines of cells: the header, then the rows as people see them. Every line ends with a line
 * feed; a cell stands in quotes where it would be misread otherwise.
 */
export function* delimitedPieces(
  table: ExportedTable,
  { format, header }: { format: DelimitedFormat; header: Header },
): Generator<string, void> {
  const separator = SEPARATORS[format];
  const cell = quoting(separator);
  const line = (texts: readonly string[]): string => `${texts.map(cell).join(separator)}\n`;
  yield line(table.columns.map((column) => headerOf(column, header)));
  const columns = table.columns.map((column) => cellTexts(column, table.settings));
  for (const rows of table.portions()) {
    let text = "";
    for (const row of rows) text += line(columns.map((show) => show(row)));
    yield text;
  }
}

function quoting(separator: string): (text: string) => string {
  return (text) =>
    text.includes(separator) || text.includes('"') || text.includes("\n") || text.includes("\r")
      ? `"${text.replaceAll('"', '""')}"`
      : text;
}
