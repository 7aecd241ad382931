const DIGITS = String.raw`\d+(?:_\d+)*`;
const FLOAT = new RegExp(`^[+-]?(?:${DIGITS}\\.?(?:${DIGITS})?|\\.${DIGITS})(?:e[+-]?${DIGITS})?$`, "i");
const NOT_FINITE = /^([+-]?)(inf|infinity|nan)$/i;

/**
 * Parses a text as Python's `float()` does: surrounding whitespace, a sign, underscores between digits, digits of any
 * script, "inf" and "nan". Returns undefined if it is not a number.
 */
export function parseFloatText(text: string): number | undefined {
  const trimmed = asciiDigits(trim(text));
  if (FLOAT.test(trimmed)) return Number(trimmed.replaceAll("_", ""));
  const special = NOT_FINITE.exec(trimmed);
  if (!special) return undefined;
  if (special[2]?.toLowerCase() === "nan") return NaN;
  return special[1] === "-" ? -Infinity : Infinity;
}

/** Converts decimal digits of all scripts to ASCII. */
function asciiDigits(text: string): string {
  // Most texts are ASCII; searching for other digits would dominate the cost.
  // oxlint-disable-next-line no-control-regex -- this is the range of ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  return text.replaceAll(/\p{Nd}/gu, (digit) => String(digitValue(digit)));
}

/** Unicode has decimal digits in runs of ten, single or adjacent, each from 0 to 9. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let start = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(start - 1))) start--;
  return (code - start) % 10;
}

/** Python treats these as whitespace, JavaScript does not: four legacy separators and the next-line character. */
const PYTHON_ONLY_WHITESPACE = "\u001c\u001d\u001e\u001f\u0085";

/** Trims whitespace at both ends. A regular expression for trailing whitespace would backtrack at every inner space. */
function trim(text: string): string {
  let trimmed = text.trim();
  while (trimmed !== "" && PYTHON_ONLY_WHITESPACE.includes(trimmed.charAt(0))) trimmed = trimmed.slice(1).trim();
  while (trimmed !== "" && PYTHON_ONLY_WHITESPACE.includes(trimmed.charAt(trimmed.length - 1)))
    trimmed = trimmed.slice(0, -1).trim();
  return trimmed;
}
