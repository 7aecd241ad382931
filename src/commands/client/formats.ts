/** Records as a table, CSV, JSON or NDJSON. */
import type { Output } from "./output.ts";
import { alignRow, layoutOf, type Layout } from "./layout.ts";
import { printable, printableJson, printableLines } from "./printable.ts";

export const FORMATS = ["table", "csv", "json", "ndjson"] as const;
export type Format = (typeof FORMATS)[number];

/** A record as the API answers it; the result of SQL has no id. */
export interface Row {
  readonly id?: number;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Names of the errors of failed formulas, by column. */
  readonly errors?: Readonly<Record<string, string>>;
}

export interface WriterOptions {
  /** The columns to write, in their order. */
  readonly columns: readonly string[];
  /** True when the row id is the first column. */
  readonly hasId: boolean;
  /** True to mark texts that spreadsheets would take for formulas, by an apostrophe. */
  readonly escapesFormulas?: boolean;
}

/** Writes rows in batches; both return false when the reader has closed the output. */
export interface RowWriter {
  rows(batch: readonly Row[]): Promise<boolean>;
  end(): Promise<boolean>;
}

/** Returns the writer of a format. The first batch decides about the widths of a table. */
export function createWriter(format: Format, output: Output, options: WriterOptions): RowWriter {
  if (format === "table") return tableWriter(output, options);
  if (format === "csv") return csvWriter(output, options);
  return format === "json" ? jsonWriter(output) : ndjsonWriter(output);
}

function tableWriter(output: Output, options: WriterOptions): RowWriter {
  const head = headOf(options).map(printable);
  let layout: Layout | null = null;
  const write = async (batch: readonly Row[]): Promise<boolean> => {
    const cells = batch.map((row) => cellsOf(row, options).map((cell) => printable(textOf(cell))));
    if (layout) return cells.length === 0 || output.write(linesOf(cells, layout));
    layout = layoutOf(head, cells, output.columns);
    const rule = layout.widths.map((width) => "─".repeat(width)).join("  ");
    return output.write(`${alignRow(head, layout)}\n${rule}\n${linesOf(cells, layout)}`);
  };
  return { rows: write, end: async () => layout !== null || head.length === 0 || write([]) };
}

const linesOf = (rows: readonly string[][], layout: Layout): string =>
  rows.map((row) => `${alignRow(row, layout)}\n`).join("");

function csvWriter(output: Output, options: WriterOptions): RowWriter {
  let isBegun = false;
  const line = (cells: readonly unknown[]) => `${cells.map((cell) => csvCell(cell, options)).join(",")}\r\n`;
  const write = async (batch: readonly Row[]): Promise<boolean> => {
    const head = isBegun ? "" : line(headOf(options));
    isBegun = true;
    const text = head + batch.map((row) => line(cellsOf(row, options))).join("");
    return output.write(output.columns === null ? text : printableLines(text.replaceAll("\r\n", "\n")));
  };
  return { rows: write, end: async () => isBegun || headOf(options).length === 0 || write([]) };
}

/** RFC 4180. */
function csvCell(cell: unknown, { escapesFormulas = false }: WriterOptions): string {
  const text = textOf(cell);
  const marked = escapesFormulas && typeof cell !== "number" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(marked) ? `"${marked.replaceAll('"', '""')}"` : marked;
}

function jsonWriter(output: Output): RowWriter {
  let isBegun = false;
  return {
    async rows(batch) {
      if (batch.length === 0) return true;
      const text = batch.map((row) => `  ${printableJson(JSON.stringify(row))}`).join(",\n");
      const before = isBegun ? ",\n" : "[\n";
      isBegun = true;
      return output.write(before + text);
    },
    end: () => output.write(isBegun ? "\n]\n" : "[]\n"),
  };
}

function ndjsonWriter(output: Output): RowWriter {
  return {
    rows: async (batch) =>
      batch.length === 0 || output.write(batch.map((row) => `${printableJson(JSON.stringify(row))}\n`).join("")),
    end: async () => true,
  };
}

const headOf = ({ columns, hasId }: WriterOptions): string[] => (hasId ? ["id", ...columns] : [...columns]);

const cellsOf = ({ id, fields, errors }: Row, { columns, hasId }: WriterOptions): unknown[] => {
  const cells = columns.map((column) => (errors?.[column] === undefined ? fields[column] : `#${errors[column]}`));
  return hasId ? [id, ...cells] : cells;
};

function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  return typeof cell === "string" ? cell : JSON.stringify(cell);
}
