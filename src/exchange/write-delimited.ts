import { columnFormatter } from "./column-formatter.ts";
import { DelimitedBuffer } from "./delimited-buffer.ts";
import { type ExportedTable, type HeaderKind, headerText } from "./exported-table.ts";

/** Delimiters by format name. */
export const SEPARATORS = { csv: ",", tsv: "\t", dsv: "\u{1f4a9}" } as const;

export type DelimitedFormat = keyof typeof SEPARATORS;

/** Approximate size of a chunk: that of a message between threads, so that the chunk is copied only once. */
const CHUNK_BYTES = 262_144;

/**
 * Yields a table as delimited text in UTF-8: the header, then the rows as displayed. Every line ends with a line feed; a
 * cell is quoted if it would be ambiguous otherwise.
 */
export function* delimitedChunks(
  table: ExportedTable,
  { format, header }: { format: DelimitedFormat; header: HeaderKind },
): Generator<Uint8Array, void> {
  const buffer = new DelimitedBuffer(SEPARATORS[format]);
  for (const [at, column] of table.columns.entries()) {
    if (at > 0) buffer.addSeparator();
    buffer.addCell(headerText(column, header));
  }
  buffer.endLine();
  const columns = table.columns.map((column) => columnFormatter(column, table.settings));
  for (const rows of table.batches()) {
    for (const row of rows) {
      for (let at = 0; at < columns.length; at++) {
        if (at > 0) buffer.addSeparator();
        buffer.addCell(columns[at]?.(row) ?? "");
      }
      buffer.endLine();
    }
    if (buffer.length >= CHUNK_BYTES) yield buffer.take();
  }
  yield buffer.take();
}
