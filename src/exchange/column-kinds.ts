import type { CellValue } from "../values/cell.ts";
import { parseIsoDate, parseIsoDateTime } from "../values/iso-date.ts";
import { UTC } from "../values/zones.ts";
import type { TextMeaning } from "./table-parts.ts";

/** What a cell could be, on its own. */
type Kind = "number" | "bool" | "date" | "dateTime" | "text";

const TYPES: Readonly<Record<Kind, string>> = {
  number: "Numeric",
  bool: "Bool",
  date: "Date",
  dateTime: "DateTime:UTC",
  text: "Text",
};

/**
 * The type of a column by all its values, told one after the other: numbers, truth values, dates, or dates with a time
 * when all that are not empty are such; else texts.
 */
export class ColumnKinds {
  readonly #texts: TextMeaning;
  readonly #seen = new Set<Kind>();
  #hasDateText = false;

  constructor(texts: TextMeaning) {
    this.#texts = texts;
  }

  add(value: CellValue): void {
    // Once there is a text, nothing can change that.
    if (value === null || value === "" || this.#seen.has("text")) return;
    this.#seen.add(this.#kindOf(value));
  }

  /** True when there was no value at all. */
  get isEmpty(): boolean {
    return this.#seen.size === 0;
  }

  get type(): string {
    const [first = "text", ...others] = this.#seen;
    if (others.length === 0) return TYPES[first];
    // Dates that are written as texts are of one form in one column.
    const areDates = !this.#hasDateText && [...this.#seen].every((kind) => kind === "date" || kind === "dateTime");
    return TYPES[areDates ? "dateTime" : "text"];
  }

  #kindOf(value: Exclude<CellValue, null>): Kind {
    if (typeof value === "number") return "number";
    if (typeof value === "boolean") return "bool";
    if (typeof value !== "string") return value[0] === "d" ? "date" : value[0] === "D" ? "dateTime" : "text";
    if (this.#texts === "text") return "text";
    if (this.#texts === "anything" && isPlainNumber(value.trim())) return "number";
    const kind = dateKind(value.trim());
    this.#hasDateText ||= kind !== "text";
    return kind;
  }
}

/** No grouping, no leading zeros or plus: those are codes and telephone numbers. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d{1,3})?$/;
/** So many digits survive being made a number. */
const MOST_DIGITS = 15;

function isPlainNumber(text: string): boolean {
  const found = NUMBER.exec(text);
  if (!found) return false;
  const [, whole = "", fraction = ""] = found;
  const digits = `${whole}${fraction.slice(1)}`.replace(/^0+/, "");
  return digits.length <= MOST_DIGITS && Number.isFinite(Number(text));
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_TIME = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[-+]\d\d:?(\d\d)?)?$/;

function dateKind(text: string): "date" | "dateTime" | "text" {
  if (DATE.test(text) && parseIsoDate(text) !== undefined) return "date";
  return DATE_TIME.test(text) && parseIsoDateTime(text, UTC) !== undefined ? "dateTime" : "text";
}
