import { CELL_CODES, type CellValue, isCoded } from "../../../values/cell.ts";
import type { ColumnType } from "../../../values/column-type.ts";
import { formatDate } from "../../../values/date-format.ts";
import { UTC, type Zone, zoneOrUtc } from "../../../values/zones.ts";

const LIST_TYPES: ReadonlySet<string> = new Set(["ChoiceList", "RefList", "Attachments"]);

/**
 * Returns the function that converts cells, as `decodeRaw` returns them, to plain JSON: dates as ISO 8601, in the zone
 * of their column, references as ids, lists as arrays, empty ones included. An empty reference is null.
 */
export function isoCell({ base, zone }: Pick<ColumnType, "base" | "zone">): (value: CellValue) => unknown {
  switch (base) {
    case "Date":
      return (value) => (typeof value === "number" ? isoDate(value) : isoValue(value));
    case "DateTime": {
      const local = zoneOrUtc(zone);
      return (value) => (typeof value === "number" ? isoDateTime(value, local) : isoValue(value));
    }
    case "Ref":
      return (value) => (value === 0 ? null : isoValue(value));
    default:
      return LIST_TYPES.has(base) ? (value) => (value === null ? [] : isoValue(value)) : isoValue;
  }
}

/** Converts a value without regard to its column. */
function isoValue(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (!isCoded(value)) return value ?? null;
  const [code, first, second] = value;
  switch (code) {
    case CELL_CODES.list:
      return value.slice(1).map(isoValue);
    case CELL_CODES.dict:
      return isoObject(first);
    case CELL_CODES.date:
      return isoDate(Number(first));
    case CELL_CODES.dateTime:
      return isoDateTime(Number(first), zoneOrUtc(String(second)));
    case CELL_CODES.reference:
      return second === 0 ? null : isoValue(second);
    case CELL_CODES.referenceList:
      return Array.isArray(second) ? second.map(isoValue) : [];
    case CELL_CODES.unmarshallable:
      return String(first);
    default:
      return null;
  }
}

const isoObject = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, isoValue(item)]))
    : null;

const isoDate = (seconds: number): string | null => isoText(seconds, "YYYY-MM-DD", UTC);

const isoDateTime = (seconds: number, zone: Zone): string | null =>
  isoText(seconds, Number.isInteger(seconds) ? "YYYY-MM-DDTHH:mm:ssZ" : "YYYY-MM-DDTHH:mm:ss.SSSZ", zone);

function isoText(seconds: number, format: string, zone: Zone): string | null {
  return Number.isFinite(new Date(seconds * 1000).getTime()) ? formatDate(seconds, format, zone) : null;
}
