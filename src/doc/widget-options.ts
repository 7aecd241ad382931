import type { WidgetOptions } from "../values/column-type.ts";

/** What the JSON text of a column's or field's options says; nothing where it is no JSON object. */
export function widgetOptions(text: string): WidgetOptions {
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as WidgetOptions) : {};
  } catch {
    return {};
  }
}
