/** Formats sizes. */

const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** Returns a size in the largest unit of which there is at least one: 1536 → 1.536 KB. */
export function scaleBytes(bytes: number): { readonly amount: number; readonly unit: (typeof UNITS)[number] } {
  let amount = bytes;
  let unit = 0;
  while (amount >= 1000 && unit < UNITS.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return { amount, unit: UNITS[unit] ?? "TB" };
}

/** `1536` → "1.5 KB". */
export function formatBytes(bytes: number): string {
  const { amount, unit } = scaleBytes(bytes);
  return `${amount.toFixed(unit !== "bytes" && amount < 10 ? 1 : 0)} ${unit}`;
}
