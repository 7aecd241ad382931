import type { WidgetOptions } from "../values/column-type.ts";

/** Parses the options of a column or field; empty when they are not a JSON object. */
export function widgetOptions(text: string): WidgetOptions {
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as WidgetOptions) : {};
  } catch {
    return {};
  }
}
