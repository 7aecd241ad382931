/** A formula's text, prepared for the Lezer parser. */
export interface Source {
  /** The formula without common indentation, with `\n` line ends. Each `$` keeps its position. */
  readonly text: string;
  /** Same length as `text`, but plain Python for the Lezer parser: names must be read from `text`. */
  readonly maskedCode: string;
  /** Converts an offset in `text` to one in the original formula. */
  toOriginal(offset: number): number;
}

/**
 * Prepares a formula. `$Name` is masked as the name `_Name` rather than rewritten, so that offsets stay valid and
 * strings and comments with a `$` are unchanged: only where the parser finds a name does `$` refer to the record.
 */
export function prepareSource(formula: string): Source {
  const lines = splitLines(formula);
  const indent = commonIndent(lines.map((line) => line.text));
  const starts: { at: number; original: number }[] = [];
  let text = "";
  for (const [index, line] of lines.entries()) {
    const blank = isBlank(line.text);
    if (index > 0) text += "\n";
    starts.push({ at: text.length, original: line.from + (blank ? 0 : indent) });
    if (!blank) text += line.text.slice(indent);
  }
  return {
    text,
    maskedCode: maskUnsupportedSyntax(text),
    toOriginal(offset) {
      const start = starts.findLast((candidate) => candidate.at <= offset);
      return start ? start.original + offset - start.at : offset;
    },
  };
}

function splitLines(formula: string): { from: number; text: string }[] {
  const lines = [];
  let from = 0;
  for (const end of formula.matchAll(/\r\n?|\n/g)) {
    lines.push({ from, text: formula.slice(from, end.index) });
    from = end.index + end[0].length;
  }
  lines.push({ from, text: formula.slice(from) });
  return lines;
}

const isBlank = (line: string): boolean => /^[ \t]*$/.test(line);

/** Returns the length of the white space common to all non-blank lines. */
function commonIndent(lines: readonly string[]): number {
  let common: string | undefined;
  for (const line of lines) {
    if (isBlank(line)) continue;
    const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
    if (common === undefined) common = indent;
    else common = common.slice(0, commonPrefixLength(common, indent));
  }
  return common?.length ?? 0;
}

function commonPrefixLength(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length++;
  return length;
}

/**
 * Masks syntax that the Lezer grammar lacks, character for character: `$` before a name, the point of numbers such as
 * `5.` and `1.e5`, which it would parse as a member access, `*` in loop targets, `/` among parameters, a `yield`
 * without a value, and empty brackets in patterns.
 */
function maskUnsupportedSyntax(text: string): string {
  return (
    text
      // A bounded length: an unbounded search from each `for` would take quadratic time.
      .replace(/\bfor\b[^\n:[\](){}]{0,400}?\bin\b/g, (loop) => loop.replaceAll("*", " "))
      .replace(/(,[ \t]*)\/(?=[ \t]*[,:)])/g, "$1_")
      .replace(/^([ \t]*case[ \t]+)(?![=.(])(.*)$/gm, (_, word: string, rest: string) => word + maskEmptyPatterns(rest))
      .replace(/\byield\b(?=[ \t]*(?:[)\]};,#\n]|$))/g, "_yeld")
      .replace(/\$(?=[A-Za-z_])/g, "_")
      .replace(/(?<![\w.])(\d[\d_]*)\.(?![\d.])/g, (_, digits: string) => `${digits}0`)
  );
}

/** Turns empty brackets in the pattern of a `case`, which the Lezer grammar lacks, into parts of names. */
function maskEmptyPatterns(line: string): string {
  const end = /\sif\b|:\s*(?:#.*)?$/.exec(line)?.index ?? line.length;
  return line.slice(0, end).replace(/\(\)|\[\]|\{\}/g, "__") + line.slice(end);
}
