/** What a query answered, as a file for other programs. */

export type SqlValue = string | number | boolean | null | { readonly type: "Buffer"; readonly data: readonly number[] };

/** A value as a text. Bytes are shown as SQL writes them. */
export function valueText(value: SqlValue | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "object") {
    return `x'${value.data.map((byte) => byte.toString(16).padStart(2, "0")).join("")}'`;
  }
  return String(value);
}

export interface CsvOptions {
  /**
   * For programs that would compute what looks like a formula: such texts get an apostrophe in front, and the file says
   * that it is UTF-8.
   */
  readonly isForSpreadsheets: boolean;
}

const ROWS_PER_CHUNK = 5000;

/** The pieces of a CSV file: a line of names, then the rows. Every line ends with a line feed, as in other downloads. */
export function* csvChunks(
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
  { isForSpreadsheets }: CsvOptions,
): Generator<string, void> {
  const cell = (value: SqlValue | undefined): string => {
    const text = valueText(value);
    return quoteCell(isForSpreadsheets && typeof value !== "number" ? neutralizeFormula(text) : text);
  };
  const line = (values: readonly SqlValue[]): string => `${values.map(cell).join(",")}\n`;
  if (isForSpreadsheets) yield "\uFEFF";
  yield line(columns);
  for (let at = 0; at < rows.length; at += ROWS_PER_CHUNK) {
    yield rows
      .slice(at, at + ROWS_PER_CHUNK)
      .map(line)
      .join("");
  }
}

/** A line of one empty cell would be an empty line, which readers leave out. */
const quoteCell = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Spreadsheet programs look for formulas behind these, also behind blanks that they take away. */
const neutralizeFormula = (text: string): string =>
  /^\s*[=+\-@\t\r]/.test(text) && !isNumber(text) ? `'${text}` : text;

const isNumber = (text: string): boolean => /^\s*[-+]?\d+([.,]\d+)*\s*$/.test(text);
