import { joinRow } from "./csv-row.ts";

/** Formats a JSON value for display: strings without quotes, lists as "a, b", nested values as JSON-like text. */
export function displayText(value: unknown): string {
  if (Array.isArray(value))
    return joinRow(value.map((item) => (Array.isArray(item) ? nestedText(item) : displayText(item))));
  return value !== null && typeof value === "object" ? nestedText(value) : String(value);
}

function nestedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(nestedText).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const items = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${nestedText(item)}`);
  return `{${items.join(", ")}}`;
}
