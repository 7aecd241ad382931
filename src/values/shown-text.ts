import { joinRow } from "./csv-row.ts";

/** What stands in JSON as people see it: texts bare, lists as "a, b", anything inside those as JSON-like text. */
export function shownText(value: unknown): string {
  if (Array.isArray(value))
    return joinRow(value.map((item) => (Array.isArray(item) ? innerText(item) : shownText(item))));
  return value !== null && typeof value === "object" ? innerText(value) : String(value);
}

function innerText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(innerText).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const items = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${innerText(item)}`);
  return `{${items.join(", ")}}`;
}
