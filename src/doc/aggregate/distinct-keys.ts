import type { CellValue } from "../../values/cell.ts";
import { DAY_S } from "../../values/calendar.ts";
import type { CellReader } from "./aggregate-plan.ts";
import type { DistinctValue } from "./distinct-values.ts";

/** Returns a function that returns a value that is equal for cells that are the same in answers. */
export function distinctKeys({ field, shown }: CellReader): (raw: CellValue) => DistinctValue {
  const base = field?.type.base;
  return (raw) => {
    if (typeof raw === "number") {
      // Answers have the day of a date, and whole seconds of a time unless it has milliseconds: formatting takes longer than all the rest.
      if (base === "Date") return Math.floor(raw / DAY_S);
      if (base !== "DateTime" || Number.isInteger(raw)) return raw;
    }
    if (typeof raw === "boolean" || typeof raw === "string") return raw;
    const value = shown(raw);
    if (typeof value === "number" || typeof value === "boolean" || typeof value === "string") return value;
    // A prefix keeps lists apart from texts that look like them.
    return `\u0000${JSON.stringify(value)}`;
  };
}
