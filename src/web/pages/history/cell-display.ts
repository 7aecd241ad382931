import { isoTime } from "../../../lib/time/clock.ts";

/** Formats a cell of a history, as far as possible without the document. */

/** A formatted cell: a text, or a time that the page shows in the user's zone. */
export type CellDisplay = { readonly text: string } | { readonly time: string };

const MAX_CHARACTERS = 300;

/** @param type the column's current type; "Any" when it no longer exists */
export function formatCell(value: unknown, type: string): CellDisplay {
  if (typeof value === "number") return formatNumber(value, type);
  if (Array.isArray(value)) return formatEncodedCell(value, type);
  return { text: truncate(formatPlainValue(value)) };
}

function formatNumber(value: number, type: string): CellDisplay {
  if (type === "Date") return dateDisplay(value);
  if (type.startsWith("DateTime")) return timeDisplay(value);
  if (type.startsWith("Ref:")) return { text: value === 0 ? "" : formatReference(type, value) };
  // Without the rounding error of binary fractions: 0.1 + 0.2 is 0.3.
  return { text: String(Number(value.toPrecision(15))) };
}

/** Values that are not plain are lists whose first item, a letter, is the type. */
function formatEncodedCell([code, ...items]: readonly unknown[], type: string): CellDisplay {
  const [first, second] = items;
  switch (code) {
    case "L":
      return { text: truncate(items.map((item) => formatListItem(item, type)).join(", ")) };
    case "d":
      return typeof first === "number" ? dateDisplay(first) : { text: "" };
    case "D":
      return typeof first === "number" ? timeDisplay(first) : { text: "" };
    case "R":
      return { text: `row ${formatPlainValue(second)} of ${formatPlainValue(first)}` };
    case "r":
      return { text: truncate(`rows ${formatPlainValue(second)} of ${formatPlainValue(first)}`) };
    case "E":
      return { text: truncate(`Error: ${[first, second].filter((part) => typeof part === "string").join(": ")}`) };
    case "P":
      return { text: "not computed yet" };
    case "U":
      return { text: truncate(formatPlainValue(first)) };
    case "C":
      return { text: "hidden" };
    default:
      return { text: truncate(formatPlainValue(items.length === 1 ? first : items)) };
  }
}

function formatListItem(item: unknown, type: string): string {
  if (typeof item === "number" && type.startsWith("RefList:")) return formatReference(type, item);
  if (type === "Attachments" && typeof item === "number") return `attachment ${item}`;
  const shown = formatCell(item, "Any");
  return "text" in shown ? shown.text : shown.time;
}

const formatReference = (type: string, id: number): string => `row ${id} of ${type.replace(/^Ref(List)?:/, "")}`;

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
