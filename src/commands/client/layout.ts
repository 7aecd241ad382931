/** Rows of texts as an aligned table. */

const GAP = "  ";
/** A column is not cut to less. */
const MIN_WIDTH = 4;
const NUMBER = /^[-+]?(?:\p{Sc}\s?)?\d[\d.,'\u00a0\u202f]*(?:e[-+]?\d+)?(?:\s?(?:%|\p{Sc}))?$/iu;

/** The columns of a table, as its first rows have them. */
export interface Layout {
  readonly widths: readonly number[];
  readonly isNumeric: readonly boolean[];
  /** True when texts that are wider than their column are cut. */
  readonly isCut: boolean;
}

/**
 * Returns the layout of a table.
 * @param maxWidth the width of the terminal, into which the table has to fit; null for any width
 */
export function layoutOf(head: readonly string[], rows: readonly string[][], maxWidth: number | null): Layout {
  const natural = head.map((name, at) => Math.max(widthOf(name), ...rows.map((row) => widthOf(row[at] ?? ""))));
  const isNumeric = head.map((_, at) => {
    const filled = rows.map((row) => row[at] ?? "").filter((text) => text !== "");
    return filled.length > 0 && filled.every((text) => NUMBER.test(text));
  });
  return { widths: fitted(natural, maxWidth), isNumeric, isCut: maxWidth !== null };
}

/** Returns a row as a line. */
export function alignRow(row: readonly string[], { widths, isNumeric, isCut }: Layout): string {
  const cells = widths.map((width, at) => {
    const text = isCut ? cut(row[at] ?? "", width) : (row[at] ?? "");
    const space = " ".repeat(Math.max(0, width - widthOf(text)));
    return isNumeric[at] ? space + text : text + space;
  });
  return cells.join(GAP).trimEnd();
}

/** Narrows the widest columns until the table fits. */
function fitted(natural: readonly number[], maxWidth: number | null): readonly number[] {
  if (maxWidth === null) return natural;
  const available = maxWidth - GAP.length * (natural.length - 1);
  const sum = (cap: number) => natural.reduce((total, width) => total + Math.min(width, cap), 0);
  let cap = Math.max(...natural, MIN_WIDTH);
  while (cap > MIN_WIDTH && sum(cap) > available) cap--;
  const widths = natural.map((width) => Math.min(width, cap));
  // The columns that were cut share what rounding has left.
  let rest = available - sum(cap);
  return widths.map((width, at) => (rest > 0 && (natural[at] ?? 0) > width ? (rest--, width + 1) : width));
}

const segmenter = new Intl.Segmenter();

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    used += widthOf(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Columns of the terminal: two for characters of East Asia and emoji. */
const widthOf = (text: string): number => Bun.stringWidth(text);
