import { plainTexts } from "../read/sort-comparator.ts";

/** Compares values of answers in the order of sorting: truth values, numbers, null, lists and objects, texts. */
export function compareValues(a: unknown, b: unknown): number {
  const difference = rankOf(a) - rankOf(b);
  if (difference !== 0) return difference;
  if (typeof a === "string" && typeof b === "string") return plainTexts.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
  if (Array.isArray(a) && Array.isArray(b)) return compareLists(a, b);
  if (typeof a === "object") return plainTexts.compare(JSON.stringify(a), JSON.stringify(b));
  return Number(a) - Number(b);
}

/** Compares element by element; a list that the other one begins with comes first. */
function compareLists(a: readonly unknown[], b: readonly unknown[]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const difference = compareValues(a[at], b[at]);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function rankOf(value: unknown): number {
  if (typeof value === "boolean") return 0;
  if (typeof value === "number") return 1;
  if (typeof value === "string") return 4;
  return value === null || value === undefined ? 2 : 3;
}
