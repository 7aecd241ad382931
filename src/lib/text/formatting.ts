/** Formats sizes and amounts. */

const UNITS = ["bytes", "KB", "MB", "GB", "TB"];

/** `1536` → "1.5 KB". */
export function formatBytes(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  while (amount >= 1000 && unit < UNITS.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  const digits = unit > 0 && amount < 10 ? 1 : 0;
  return `${amount.toFixed(digits)} ${UNITS[unit] ?? ""}`;
}

/** `count(1, "row", "rows")` → "1 row". */
export const formatCount = (amount: number, singular: string, plural: string): string =>
  `${amount.toLocaleString()} ${amount === 1 ? singular : plural}`;
