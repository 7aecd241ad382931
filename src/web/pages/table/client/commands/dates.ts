import { civilTimeOf, secondsOf } from "../../../../../values/calendar.ts";
import { formatDate } from "../../../../../values/date-format.ts";
import { UTC, zoneOrUtc } from "../../../../../values/zones.ts";
import type { CellValue } from "../../../../../values/cell.ts";
import type { DocumentSettings } from "../../../../base/table-data.ts";
import type { Column } from "../columns/columns.ts";

/** The values that today's date and the current time have in cells. */

export type Moment = "today" | "now";

export interface MomentContext {
  readonly column: Pick<Column, "type">;
  readonly settings: Pick<DocumentSettings, "timezone">;
  /** Seconds since the epoch. */
  readonly nowS: number;
}

/** Returns the value of a cell; undefined for types that hold no dates. */
export function momentValue(moment: Moment, { column, settings, nowS }: MomentContext): CellValue | undefined {
  const { base, zone: zoneName } = column.type;
  const zone = zoneOrUtc(base === "DateTime" && zoneName ? zoneName : settings.timezone);
  const local = civilTimeOf(nowS + zone.offsetAt(nowS));
  const midnight = { ...local, hour: 0, minute: 0, second: 0 };
  switch (base) {
    case "Date":
      return secondsOf(midnight);
    case "DateTime":
      return moment === "today" ? zone.toUtc(midnight, "forward") : Math.floor(nowS / 60) * 60;
    case "Text":
    case "Any":
      return formatDate(secondsOf(local), moment === "today" ? "YYYY-MM-DD" : "YYYY-MM-DD HH:mm", UTC);
    default:
      return undefined;
  }
}
