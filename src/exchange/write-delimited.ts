import { columnFormatter } from "./column-formatter.ts";
import { type ExportedTable, type HeaderKind, headerText } from "./exported-table.ts";

/** Texts with a character between the cells, by what the format is called. */
export const SEPARATORS = { csv: ",", tsv: "\t", dsv: "\u{1f4a9}" } as const;

export type DelimitedFormat = keyof typeof SEPARATORS;

/**
 * The pieces of a table as lines of cells: the header, then the rows as people see them. Every line ends with a line
 * feed; a cell stands in quotes where it would be misread otherwise.
 */
export function* delimitedChunks(
  table: ExportedTable,
  { format, header }: { format: DelimitedFormat; header: HeaderKind },
): Generator<string, void> {
  const separator = SEPARATORS[format];
  const cell = cellQuoter(separator);
  yield `${table.columns.map((column) => cell(headerText(column, header))).join(separator)}\n`;
  const columns = table.columns.map((column) => columnFormatter(column, table.settings));
  for (const rows of table.batches()) {
    // Joined once: lines that are joined one by one leave much more behind for the garbage collector.
    const texts: string[] = [];
    for (const row of rows) {
      for (let at = 0; at < columns.length; at++) {
        if (at > 0) texts.push(separator);
        texts.push(cell(columns[at]?.(row) ?? ""));
      }
      texts.push("\n");
    }
    yield texts.join("");
  }
}

function cellQuoter(separator: string): (text: string) => string {
  return (text) =>
    text.includes(separator) || text.includes('"') || text.includes("\n") || text.includes("\r")
      ? `"${text.replaceAll('"', '""')}"`
      : text;
}
