/** The table of a million rows: as in the other benchmarks, and two text columns for look-ups and sorting. */
import { COLUMNS, rowOf } from "../rows.ts";

/** Number of different codes: 200 rows each in a million. */
export const CODES = 5000;

export const MILLION_COLUMNS = [...COLUMNS, { id: "Code", type: "Text" }, { id: "Name", type: "Text" }] as const;

const SYLLABLES = ["ba", "de", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "ve", "wa", "xi", "yo", "zu", "co"];

export const codeOf = (id: number): string => `code ${(id * 7919) % CODES}`;

/** Returns a text whose order is unrelated to that of the ids. */
function nameOf(id: number): string {
  let mixed = Math.imul(id, 0x9e37_79b1) >>> 0;
  let name = "";
  for (let i = 0; i < 5; i++) {
    name += SYLLABLES[mixed & 15] ?? "";
    mixed >>>= 4;
  }
  return `${name} ${id % 100}`;
}

/** Returns the stored cells of a row. */
export const millionRowOf = (id: number): (string | number | boolean)[] => [...rowOf(id), codeOf(id), nameOf(id)];

/** Returns the n-th of all row ids in an order in which neighbours are far apart; no id repeats within `rows` calls. */
export function distantId(n: number, rows: number): number {
  return ((n * coprimeStep(rows)) % rows) + 1;
}

/** A step of about 0.618 of the rows that shares no divisor with their number, so that it reaches every row. */
export function coprimeStep(rows: number): number {
  let step = Math.max(1, Math.floor(rows * 0.618_034));
  while (gcd(step, rows) !== 1) step++;
  return step;
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
