/** Candidate delimiters; of two that match equally well, the one that texts contain less often comes first. */
const DELIMITER_CANDIDATES = ["\t", ";", "|", "\u{1f4a9}", ","];

/** `sep=;` as the first line declares the delimiter, as spreadsheets write it. */
const DELIMITER_DECLARATION = /^"?sep=(\t|[^\r\n"])"?(\r\n|\n|\r)/i;

/** Returns the delimiter that the first line declares; null without such a line. */
export const declaredDelimiter = (text: string): string | null => DELIMITER_DECLARATION.exec(text)?.[1] ?? null;

/**
 * Detects the delimiter: the one that splits most lines into the same number of cells, more than one. Defaults to a
 * comma.
 * @param text the beginning of the file
 */
export function guessDelimiter(text: string): string {
  const lines = linesOf(text);
  let best = ",";
  let bestShare = 0;
  for (const candidate of DELIMITER_CANDIDATES) {
    const share = modalShare(lines.map((line) => cellCount(line, candidate)));
    if (share > bestShare) [best, bestShare] = [candidate, share];
  }
  return best;
}

/** Returns the share of lines with the most frequent number of cells, among lines with more than one. */
function modalShare(counts: readonly number[]): number {
  const byCount = new Map<number, number>();
  for (const count of counts) if (count > 1) byCount.set(count, (byCount.get(count) ?? 0) + 1);
  return Math.max(0, ...byCount.values()) / Math.max(1, counts.length);
}

/** Returns the lines that are not blank, without quoted text, in which delimiters do not count. */
function linesOf(text: string): string[] {
  const bare = withoutQuoted(text);
  const lines = bare.split(/\r\n|\n|\r/);
  // The last line may be truncated.
  if (lines.length > 2) lines.pop();
  return lines.filter((line) => line.trim() !== "");
}

/** Removes quoted text. A quote opens only where a cell can begin; elsewhere it is an ordinary character. */
function withoutQuoted(text: string): string {
  let bare = "";
  let from = 0;
  for (let open = text.indexOf('"'); open >= 0; open = text.indexOf('"', from)) {
    const isStart = open === 0 || CELL_START_PREDECESSORS.has(text.charAt(open - 1));
    if (!isStart) {
      bare += text.slice(from, open + 1);
      from = open + 1;
      continue;
    }
    let close = text.indexOf('"', open + 1);
    while (close >= 0 && text.charAt(close + 1) === '"') close = text.indexOf('"', close + 2);
    // An empty pair keeps the line from being blank.
    bare += `${text.slice(from, open)}""`;
    if (close < 0) return bare;
    from = close + 1;
  }
  return bare + text.slice(from);
}

const CELL_START_PREDECESSORS: ReadonlySet<string> = new Set(["\t", ";", "|", ",", "\n", "\r", "\udca9", "\ufeff"]);

const cellCount = (line: string, delimiter: string): number => line.split(delimiter).length;
