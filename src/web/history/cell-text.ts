import { isoTime } from "../../lib/clock.ts";

/** A cell of a history as people read it, as far as that is known without the document around it. */

/** A cell to be shown: a text, or a time that the page shows in the reader's zone. */
export type ShownCell = { readonly text: string } | { readonly time: string };

const MOST_CHARACTERS = 300;

/** @param type of the column as it is now; "Any" where there is none any more */
export function shownCell(value: unknown, type: string): ShownCell {
  if (typeof value === "number") return ofNumber(value, type);
  if (Array.isArray(value)) return coded(value, type);
  return { text: shortened(plain(value)) };
}

function ofNumber(value: number, type: string): ShownCell {
  if (type === "Date") return day(value);
  if (type.startsWith("DateTime")) return moment(value);
  if (type.startsWith("Ref:")) return { text: value === 0 ? "" : rowOf(type, value) };
  // Without what only comes of how numbers are kept: 0.1 + 0.2 is 0.3.
  return { text: String(Number(value.toPrecision(15))) };
}

/** What is no plain value stands in a list, with a letter first that says what it is. */
function coded([code, ...items]: readonly unknown[], type: string): ShownCell {
  const [first, second] = items;
  switch (code) {
    case "L":
      return { text: shortened(items.map((item) => inList(item, type)).join(", ")) };
    case "d":
      return typeof first === "number" ? day(first) : { text: "" };
    case "D":
      return typeof first === "number" ? moment(first) : { text: "" };
    case "R":
      return { text: `row ${plain(second)} of ${plain(first)}` };
    case "r":
      return { text: shortened(`rows ${plain(second)} of ${plain(first)}`) };
    case "E":
      return { text: shortened(`Error: ${[first, second].filter((part) => typeof part === "string").join(": ")}`) };
    case "P":
      return { text: "not computed yet" };
    case "U":
      return { text: shortened(plain(first)) };
    case "C":
      return { text: "hidden" };
    default:
      return { text: shortened(plain(items.length === 1 ? first : items)) };
  }
}

function inList(item: unknown, type: string): string {
  if (typeof item === "number" && type.startsWith("RefList:")) return rowOf(type, item);
  if (type === "Attachments" && typeof item === "number") return `attachment ${item}`;
  const shown = shownCell(item, "Any");
  return "text" in shown ? shown.text : shown.time;
}

const rowOf = (type: string, id: number): string => `row ${id} of ${type.replace(/^Ref(List)?:/, "")}`;

function plain(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const isTime = (seconds: number): boolean => Math.abs(seconds) < 8.64e12;

const day = (seconds: number): ShownCell => ({
  text: isTime(seconds) ? isoTime(seconds * 1000).replace(/T.*/, "") : String(seconds),
});

const moment = (seconds: number): ShownCell =>
  isTime(seconds) ? { time: isoTime(seconds * 1000) } : { text: String(seconds) };

const shortened = (text: string): string =>
  text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
