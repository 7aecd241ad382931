import type { CellValue } from "../../values/cell.ts";
import { parseDateCandidate } from "./date-text.ts";
import { NumberScanner } from "./number-text.ts";

/** Number of rows at the beginning of a table that determine its header. */
export const HEADER_LOOKAHEAD_ROWS = 100;

export interface HeaderPosition {
  /** Number of rows above the table: titles, notes. */
  readonly dropped: number;
  /** Whether the row below them contains the column names. */
  readonly hasHeader: boolean;
}

type Row = readonly CellValue[];

/**
 * Finds the header row of a table.
 * @param rows the first rows, none of them blank
 * @param headerRow row number of the header, from 1; 0 for a table without a header; undefined to detect it
 */
export function detectHeader(rows: readonly Row[], headerRow?: number): HeaderPosition {
  if (headerRow === 0) return { dropped: 0, hasHeader: false };
  if (headerRow !== undefined) return { dropped: headerRow - 1, hasHeader: true };
  const dropped = countTitleRows(rows);
  const [first, ...below] = rows.slice(dropped);
  return { dropped, hasHeader: first !== undefined && isHeader(first, below) };
}

const isFilled = (cell: CellValue): boolean => cell !== null && (typeof cell !== "string" || cell.trim() !== "");
const filledIn = (row: Row): number => row.filter(isFilled).length;

/** Counts the rows above the table, which fill far fewer cells than its usual width. */
function countTitleRows(rows: readonly Row[]): number {
  const width = usual(rows, filledIn);
  let count = 0;
  while (count < rows.length && isTitle(filledIn(rows[count] ?? []), width)) count++;
  if (width === 0) return count;
  // Notes of a name and a value fill two cells; only a header below them distinguishes them from data. A table with
  // columns for debit and credit is wider than the filled part of its rows.
  const extent = usual(rows, extentOf);
  const below = rows.findIndex((row, at) => at >= count && filledIn(row) >= 2 && filledIn(row) * 2 >= extent);
  if (below <= count) return count;
  const [first, ...others] = rows.slice(below);
  const isNaming = first !== undefined && filledIn(first) >= width && hasValues(others);
  return isNaming && isHeader(first, others) ? below : count;
}

/** Returns true if a row has a number, a date or an address: among words alone, a header looks like any other row. */
const hasValues = (rows: readonly Row[]): boolean =>
  rows.some((row) => row.some((one) => isFilled(one) && !isWord(one)));

/** Returns the index after the last filled cell of a row. */
const extentOf = (row: Row): number => row.findLastIndex(isFilled) + 1;

const isTitle = (filled: number, width: number): boolean => filled < 2 && filled * 2 < width;

/**
 * Returns the size of the rows that have most of the cells, among rows of more than one cell: notes of a name and a
 * value may have more lines than a short table. Returns 0 if few rows have more than one cell, so that occasional
 * delimiters do not make plain lines a table.
 */
function usual(rows: readonly Row[], sizeOf: (row: Row) => number): number {
  const filled = rows.map(sizeOf);
  const table = filled.slice(filled.findIndex((count) => count > 1));
  const wide = table.filter((count) => count > 1);
  if (wide.length * 2 <= table.length) return 0;
  const counts = Map.groupBy(wide, (count) => count);
  const [most] = [...counts].toSorted(([width, one], [other, two]) => two.length * other - one.length * width);
  return most?.[0] ?? 0;
}

const YEAR = /^(19\d\d|20\d\d|2100)$/;
const ADDRESS = /^(https?:\/\/|www\.)\S+$/i;
const EMAIL = /^\S+@\S+\.\S+$/;

/** Returns true for a header: texts or years, most of them words, none of which occurs again in its column below. */
function isHeader(row: Row, below: readonly Row[]): boolean {
  if (below.length === 0) return true;
  const filled = row.filter(isFilled);
  if (!filled.every(isNameOrYear)) return false;
  if (filled.filter(isWord).length * 2 < filled.length) return false;
  return row.every((cell, at) => {
    if (typeof cell !== "string" || !isFilled(cell) || YEAR.test(cell.trim())) return true;
    const name = cell.trim();
    return !below.some((other) => typeof other[at] === "string" && other[at].trim() === name);
  });
}

const scanner = new NumberScanner();

function isNameOrYear(cell: CellValue): boolean {
  if (typeof cell === "number") return Number.isInteger(cell) && cell >= 1900 && cell <= 2100;
  if (typeof cell !== "string") return false;
  const text = cell.trim();
  return YEAR.test(text) || !scanner.read(text);
}

function isWord(cell: CellValue): boolean {
  if (typeof cell !== "string") return false;
  const text = cell.trim();
  return !scanner.read(text) && parseDateCandidate(text) === undefined && !ADDRESS.test(text) && !EMAIL.test(text);
}
