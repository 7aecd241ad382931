/**
 * What a cell holds, in the form it has in JSON: plain values as they are, everything else as a list whose first
 * element is a code.
 */
export type CellValue = null | boolean | number | string | CodedValue;

/** A coded value: `["L", 1, 2]`, `["d", 86400]`, `["E", "ValueError"]`. */
export type CodedValue = [code: string, ...rest: unknown[]];

/** What the first element of a coded value may be, and what it means. */
export const CELL_CODES = {
  list: "L",
  /** Values to be looked up in the table a reference points to: `["l", value, {column}?]`. */
  lookUp: "l",
  dict: "O",
  /** `["D", seconds, zone]` */
  dateTime: "D",
  /** `["d", seconds]`, at midnight UTC. */
  date: "d",
  skip: "S",
  /** `["C"]`: kept from the reader by access rules. */
  censored: "C",
  /** `["R", table, id]`, or with a list of ids for a slice of a record set */
  reference: "R",
  /** `["r", table, [ids]]` */
  referenceList: "r",
  /** `["E", name, …]` */
  error: "E",
  /** `["P"]`: a formula that was not computed yet. */
  pending: "P",
  /** `["U", text]`: a value that has no form of its own. */
  unmarshallable: "U",
  versions: "V",
} as const;

const KNOWN_CODES: ReadonlySet<unknown> = new Set(Object.values(CELL_CODES));

/** True for coded values, with a known code or not. */
export function isCoded(value: unknown): value is CodedValue {
  return Array.isArray(value) && typeof value[0] === "string";
}

/** True for `["E", …]`: the cell of a formula that failed. */
export function isErrorCell(value: unknown): value is CodedValue {
  return Array.isArray(value) && value[0] === CELL_CODES.error;
}

/** True for `["L", …]`. */
export function isList(value: unknown): value is CodedValue {
  return Array.isArray(value) && value[0] === CELL_CODES.list;
}

/** True for what a request may give as a cell: a plain JSON value, or a list that begins with a known code. */
export function isCellInput(value: unknown): value is CellValue {
  if (typeof value !== "object") return typeof value !== "undefined";
  return value === null || (Array.isArray(value) && KNOWN_CODES.has(value[0]));
}
