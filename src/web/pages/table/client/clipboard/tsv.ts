/**
 * The clipboard format of spreadsheets: tab-separated values, with quotes around cells that contain tabs or line ends.
 */

export function parseTsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at <= text.length) {
    const { cell, end } = parseCell(text, at);
    row.push(cell);
    const next = text[end];
    at = end + (next === "\r" && text[end + 1] === "\n" ? 2 : 1);
    if (next !== "\t") {
      rows.push(row);
      row = [];
      // Copied text usually ends with a line end.
      if (at >= text.length) break;
    }
  }
  return rows;
}

function parseCell(text: string, from: number): { cell: string; end: number } {
  if (text[from] === '"') {
    const [whole, inside] = /^"((?:[^"]|"")*)"(?=[\t\r\n]|$)/.exec(text.slice(from)) ?? [];
    if (whole !== undefined && inside !== undefined)
      return { cell: inside.replaceAll('""', '"'), end: from + whole.length };
  }
  const length = text.slice(from).search(/[\t\r\n]/);
  const end = length < 0 ? text.length : from + length;
  return { cell: text.slice(from, end), end };
}

export const formatTsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map(quoteCell).join("\t")).join("\n");

const quoteCell = (cell: string): string => (/[\t\r\n"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
