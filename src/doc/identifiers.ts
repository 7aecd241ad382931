/** Derives ids of tables and columns, which must be valid identifiers in formulas, from user-supplied names. */

/** Keywords of the formula language, which cannot be identifiers. */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global " +
    "if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);

/**
 * Returns a table id for a name, different from all `taken` ones; `Table1`, `Table2` … where the name has no usable
 * characters.
 */
export function pickTableId(name: string, taken: Iterable<string>): string {
  const used = lowerCased(taken);
  const candidate = legalTableId(name);
  return candidate === "" ? firstFree(tableNumbers(), used) : makeUnique(candidate, used);
}

/**
 * Returns a column id for a name, different from all `taken` ones and from `id`; `A`, `B` … where the name has no
 * usable characters.
 */
export function pickColumnId(name: string, taken: Iterable<string>): string {
  const used = lowerCased(taken);
  used.add("id");
  const candidate = legalColumnId(name);
  return candidate === "" ? firstFree(letters(), used) : makeUnique(candidate, used);
}

/** Returns the id of the summary of a table grouped by some of its columns. */
export function pickSummaryTableId(source: string, groupColumns: readonly string[], taken: Iterable<string>): string {
  return pickTableId(summaryTableName(source, groupColumns), taken);
}

/** Returns a name such as `Sales_summary_City_Year`, not yet unique. */
export function summaryTableName(source: string, groupColumns: readonly string[]): string {
  const sorted = [...groupColumns].sort(byCodePoint);
  return [`${source}_summary`, ...sorted].join("_");
}

/** Empty when the name has no usable characters. */
function legalTableId(name: string): string {
  const plain = plainWord(name, "T");
  const legal = avoidKeywords(plain.charAt(0).toUpperCase() + plain.slice(1), "T");
  return isReserved(legal) ? `T${legal}` : legal;
}

/** True for names that SQLite reserves for its own tables. */
export const isReserved = (tableId: string): boolean => /^sqlite_/i.test(tableId);

function legalColumnId(name: string): string {
  return avoidKeywords(plainWord(name, "c"), "c");
}

/**
 * Keeps letters without diacritics and digits, replaces all others by single `_`, and puts `prefix` before a leading
 * digit.
 */
function plainWord(name: string, prefix: string): string {
  const word = name
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .replace(/[^A-Za-z0-9_]+/g, "_")
    .replace(/^_+/, "");
  return /^\d/.test(word) ? prefix + word : word;
}

function avoidKeywords(id: string, prefix: string): string {
  let legal = id;
  while (KEYWORDS.has(legal)) legal = prefix + legal;
  return legal;
}

/** Ids must differ in more than case, since SQLite compares names case-insensitively. */
function makeUnique(candidate: string, used: ReadonlySet<string>): string {
  if (!used.has(candidate.toLowerCase())) return candidate;
  const stem = /\d$/.test(candidate) ? `${candidate}_` : candidate;
  let number = 2;
  while (used.has(`${stem}${number}`.toLowerCase())) number++;
  return `${stem}${number}`;
}

function firstFree(candidates: Iterable<string>, used: ReadonlySet<string>): string {
  for (const candidate of candidates) if (!used.has(candidate.toLowerCase())) return candidate;
  throw new Error("candidates must be infinite");
}

function* tableNumbers(): Generator<string> {
  for (let number = 1; ; number++) yield `Table${number}`;
}

/** Yields A … Z, AA, AB … like spreadsheet columns. */
function* letters(): Generator<string> {
  for (let number = 1; ; number++) {
    let text = "";
    for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26)) {
      text = String.fromCharCode(65 + ((rest - 1) % 26)) + text;
    }
    yield text;
  }
}

const lowerCased = (ids: Iterable<string>): Set<string> => new Set([...ids].map((id) => id.toLowerCase()));

const byCodePoint = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
