import { columnFormatter } from "./column-formatter.ts";
import { type ExportedTable, type HeaderKind, headerText } from "./exported-table.ts";

/** Delimiters by format name. */
export const SEPARATORS = { csv: ",", tsv: "\t", dsv: "\u{1f4a9}" } as const;

export type DelimitedFormat = keyof typeof SEPARATORS;

/**
 * Yields a table as delimited text: the header, then the rows as displayed. Every line ends with a line feed; a cell is
 * quoted if it would be ambiguous otherwise.
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
    // Joined once per batch: joining line by line leaves far more garbage.
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
