import { CELL_CODES, isCoded, isList, type CellValue, type CodedValue } from "./cell.ts";
import type { ColumnType } from "./column-type.ts";
import { formatDate } from "./date-format.ts";
import { DEFAULT_DATE_FORMAT } from "./date-parse.ts";
import { numberFormatter } from "./number-format.ts";
import { numberLocaleOf } from "./number-parse.ts";
import { displayText } from "./display-text.ts";
import type { ParseSettings, WidgetOptions } from "./types/type-interfaces.ts";
import { UTC, zoneOrUtc } from "./zones.ts";

export const DEFAULT_TIME_FORMAT = "h:mma";
/** Format of date-times outside of DateTime columns. */
const DEFAULT_DATE_TIME_FORMAT = "YYYY-MM-DD HH:mm:ssZ";

/** Properties of a column type that affect formatting. */
export type FormattedType = Pick<ColumnType, "base" | "target" | "zone">;

/**
 * Returns the function that formats the cells of a column for display: numbers and dates by the column's options, lists
 * separated by commas, errors as `#Name`. It takes values in the form that `decodeRaw` returns. References are
 * formatted as table and id; callers that can resolve them display the referenced value instead.
 */
export function cellFormatter(type: FormattedType, settings: ParseSettings): (value: CellValue) => string {
  const formatNumber = numericCellFormatter(type, settings);
  const formatList = listFormatter(type);
  return (value) => {
    if (value === null) return "";
    if (typeof value === "string") return value;
    if (typeof value === "boolean") return String(value);
    if (typeof value === "number") return formatNumber(value);
    return isList(value) ? formatList(value.slice(1)) : displayText(plainValue(value));
  };
}

function numericCellFormatter(type: FormattedType, settings: ParseSettings): (value: number) => string {
  const options: WidgetOptions = settings.widgetOptions ?? {};
  switch (type.base) {
    case "Numeric":
    case "PositionNumber":
    case "ManualSortPos":
      return plainNumberFormatter(options, settings);
    case "Int":
    case "Id":
      return plainNumberFormatter(options, settings, 0);
    case "Date":
      return (value) => formatDate(value, dateFormatOf(options), UTC);
    case "DateTime": {
      const zone = zoneOrUtc(type.zone);
      const format = `${dateFormatOf(options)} ${textOption(options.timeFormat) ?? DEFAULT_TIME_FORMAT}`;
      return (value) => formatDate(value, format, zone);
    }
    case "Ref":
      return (value) => (value === 0 ? "" : `${type.target ?? ""}[${value}]`);
    default:
      return fullPrecisionText;
  }
}

function listFormatter(type: FormattedType): (items: readonly unknown[]) => string {
  if (type.base === "RefList") return (ids) => ids.map((id) => `${type.target ?? ""}[${displayText(id)}]`).join(", ");
  return (items) => displayText(items.map(plainValue));
}

function plainNumberFormatter(
  options: WidgetOptions,
  settings: ParseSettings,
  decimals?: number,
): (value: number) => string {
  const formatter = numberFormatter(options, numberLocaleOf(settings), decimals);
  return (value) => formatter.format(value);
}

const dateFormatOf = (options: WidgetOptions): string => textOption(options.dateFormat) ?? DEFAULT_DATE_FORMAT;

const textOption = (option: unknown): string | undefined =>
  typeof option === "string" && option !== "" ? option : undefined;

/** Numbers outside of numeric columns are formatted with full precision. */
const fullPrecisionText = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "-∞";

/** Returns the decoded value of a coded value where it can be displayed; lists and mappings keep their structure. */
function plainValue(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : fullPrecisionText(value);
  if (isCoded(value)) return decodedValue(value);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainValue(item)]));
}

/** Returns the display text of a formula error, with the expected type and the actual value where they are known. */
function errorText([, name, type, text]: CodedValue): string {
  if (name === "ZeroDivisionError") return "#DIV/0!";
  const isInvalid = name === "InvalidTypedValue" && typeof type === "string" && typeof text === "string";
  return isInvalid ? `#Invalid ${type}: ${text}` : `#${String(name)}`;
}

function decodedValue(value: CodedValue): unknown {
  const [code, first, second] = value;
  switch (code) {
    case CELL_CODES.list:
      return value.slice(1).map(plainValue);
    case CELL_CODES.dict:
      return plainValue(first);
    case CELL_CODES.date:
      return formatDate(Number(first), DEFAULT_DATE_FORMAT, UTC);
    case CELL_CODES.dateTime:
      return formatDate(Number(first), DEFAULT_DATE_TIME_FORMAT, zoneOrUtc(String(second)));
    case CELL_CODES.reference:
      return second === 0 ? "" : `${String(first)}[${String(second)}]`;
    case CELL_CODES.referenceList:
      return Array.isArray(second) ? `${String(first)}[${JSON.stringify(second)}]` : "";
    case CELL_CODES.error:
      return errorText(value);
    case CELL_CODES.unmarshallable:
      return String(first);
    case CELL_CODES.censored:
      return "CENSORED";
    default:
      return "";
  }
}
