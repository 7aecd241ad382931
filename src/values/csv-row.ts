/**
 * Splits a line of comma-separated values into trimmed cells. A cell that contains a comma is quoted, with quotes
 * inside it doubled; a lone quote at either end is dropped.
 */
export function splitRow(text: string): string[] {
  let open = (text.match(/"/g)?.length ?? 0) % 2 === 1;
  const cells: string[] = [];
  let start = 0;
  // A comma separates two cells if the quotes after it can be paired.
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') open = !open;
    else if (character === "," && !open) {
      cells.push(text.slice(start, index));
      start = index + 1;
    }
  }
  cells.push(text.slice(start));
  return cells.map((cell) => cell.trim().replace(/^"/, "").replace(/"$/, "").replaceAll('""', '"'));
}

/**
 * Joins cells with ", ". A cell that contains a comma, a quote or a line break, or has leading or trailing whitespace,
 * is quoted.
 */
export function joinRow(cells: readonly string[]): string {
  return cells.map((cell) => (needsQuotes(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(", ");
}

const needsQuotes = (cell: string): boolean => /[,"\r\n]|^\s|\s$/.test(cell);
