import { isoTime } from "../../../lib/time/clock.ts";
import type { PlainTexts } from "../../texts/texts.ts";

/** Formats a cell of a history, as far as possible without the document. */

/** A formatted cell: a text, or a time that the page shows in the user's zone. */
export type CellDisplay = { readonly text: string } | { readonly time: string };

const MAX_CHARACTERS = 300;

/** @param type the column's current type; "Any" when it no longer exists */
export function formatCell(t: PlainTexts, value: unknown, type: string): CellDisplay {
  if (typeof value === "number") return formatNumber(t, value, type);
  if (Array.isArray(value)) return formatEncodedCell(t, value, type);
  return { text: truncate(formatPlainValue(value)) };
}

function formatNumber(t: PlainTexts, value: number, type: string): CellDisplay {
  if (type === "Date") return dateDisplay(value);
  if (type.startsWith("DateTime")) return timeDisplay(value);
  if (type.startsWith("Ref:")) return { text: value === 0 ? "" : formatReference(t, type, value) };
  // Without the rounding error of binary fractions: 0.1 + 0.2 is 0.3.
  return { text: String(Number(value.toPrecision(15))) };
}

/** Values that are not plain are lists whose first item, a letter, is the type. */
function formatEncodedCell(t: PlainTexts, [code, ...items]: readonly unknown[], type: string): CellDisplay {
  const [first, second] = items;
  switch (code) {
    case "L":
      return { text: truncate(items.map((item) => formatListItem(t, item, type)).join(", ")) };
    case "d":
      return typeof first === "number" ? dateDisplay(first) : { text: "" };
    case "D":
      return typeof first === "number" ? timeDisplay(first) : { text: "" };
    case "R":
      return { text: t("history.cell.row", { row: formatPlainValue(second), table: formatPlainValue(first) }) };
    case "r":
      return {
        text: truncate(t("history.cell.rows", { rows: formatPlainValue(second), table: formatPlainValue(first) })),
      };
    case "E":
      return { text: truncate(errorText(t, [first, second])) };
    case "P":
      return { text: t("history.cell.pending") };
    case "U":
      return { text: truncate(formatPlainValue(first)) };
    case "C":
      return { text: t("history.cell.hidden") };
    default:
      return { text: truncate(formatPlainValue(items.length === 1 ? first : items)) };
  }
}

function formatListItem(t: PlainTexts, item: unknown, type: string): string {
  if (typeof item === "number" && type.startsWith("RefList:")) return formatReference(t, type, item);
  if (type === "Attachments" && typeof item === "number") return t("history.cell.attachment", { id: String(item) });
  const shown = formatCell(t, item, "Any");
  return "text" in shown ? shown.text : shown.time;
}

const formatReference = (t: PlainTexts, type: string, id: number): string =>
  t("history.cell.row", { row: String(id), table: type.replace(/^Ref(List)?:/, "") });

const errorText = (t: PlainTexts, parts: readonly unknown[]): string =>
  t("history.cell.error", { error: parts.filter((part) => typeof part === "string").join(": ") });

function formatPlainValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const isValidTime = (seconds: number): boolean => Math.abs(seconds) < 8.64e12;

const dateDisplay = (seconds: number): CellDisplay => ({
  text: isValidTime(seconds) ? isoTime(seconds * 1000).replace(/T.*/, "") : String(seconds),
});

const timeDisplay = (seconds: number): CellDisplay =>
  isValidTime(seconds) ? { time: isoTime(seconds * 1000) } : { text: String(seconds) };

const truncate = (text: string): string => (text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text);
