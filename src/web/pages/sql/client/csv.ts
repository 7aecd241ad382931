/** The result of a query as a CSV file. */

export type SqlValue = string | number | boolean | null | { readonly type: "Buffer"; readonly data: readonly number[] };

/** Formats a value as text. Bytes are shown as an SQL blob literal. */
export function valueText(value: SqlValue | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "object") {
    return `x'${value.data.map((byte) => byte.toString(16).padStart(2, "0")).join("")}'`;
  }
  return String(value);
}

export interface CsvOptions {
  /**
   * For spreadsheet programs, which would evaluate texts that look like formulas: such texts get an apostrophe in
   * front, and the file starts with a UTF-8 byte order mark.
   */
  readonly isForSpreadsheets: boolean;
  /** The text of a value; by default as it is stored. */
  readonly textOf?: (value: SqlValue, column: number) => string;
}

const ROWS_PER_CHUNK = 5000;

/** The parts of a CSV file: a header, then the rows. Every line ends with a line feed, as in other downloads. */
export function* csvChunks(
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
  { isForSpreadsheets, textOf = valueText }: CsvOptions,
): Generator<string, void> {
  const cell = (text: string, value: SqlValue): string => {
    // The text of a number can be the name of a row.
    const isNumber = typeof value === "number" && text === String(value);
    return quoteCell(isForSpreadsheets && !isNumber ? neutralizeFormula(text) : text);
  };
  const line = (values: readonly SqlValue[]): string =>
    `${values.map((value, column) => cell(textOf(value, column), value)).join(",")}\n`;
  if (isForSpreadsheets) yield "\uFEFF";
  yield `${columns.map((name) => cell(name, name)).join(",")}\n`;
  for (let at = 0; at < rows.length; at += ROWS_PER_CHUNK) {
    yield rows
      .slice(at, at + ROWS_PER_CHUNK)
      .map(line)
      .join("");
  }
}

/** A row of one empty cell would be an empty line, which parsers skip. */
const quoteCell = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Spreadsheet programs look for formulas after these characters, also after leading blanks that they trim. */
const neutralizeFormula = (text: string): string =>
  /^\s*[=+\-@\t\r]/.test(text) && !isNumber(text) ? `'${text}` : text;

const isNumber = (text: string): boolean => /^\s*[-+]?\d+([.,]\d+)*\s*$/.test(text);
