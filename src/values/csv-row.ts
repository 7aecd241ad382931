/**
 * The cells of one line of comma-separated text, trimmed. A cell with a comma stands in quotes, in which a quote is
 * doubled; a lone quote at either end is dropped.
 */
export function splitRow(text: string): string[] {
  let open = (text.match(/"/g)?.length ?? 0) % 2 === 1;
  const cells: string[] = [];
  let start = 0;
  // A comma parts two cells when the quotes after it can be paired.
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

/** Cells joined by ", "; one with a comma, a quote, a line break or blanks at an end stands in quotes. */
export function joinRow(cells: readonly string[]): string {
  return cells.map((cell) => (needsQuotes(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(", ");
}

const needsQuotes = (cell: string): boolean => /[,"\r\n]|^\s|\s$/.test(cell);
