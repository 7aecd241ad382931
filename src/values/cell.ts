/** A cell value in its JSON form: plain values unchanged, all others as a list whose first element is a code. */
export type CellValue = null | boolean | number | string | CodedValue;

/** A coded value: `["L", 1, 2]`, `["d", 86400]`, `["E", "ValueError"]`. */
export type CodedValue = [code: string, ...rest: unknown[]];

/** Codes that a coded value can begin with. */
export const CELL_CODES = {
  list: "L",
  /** Values to look up in the table that a reference points to: `["l", value, {column}?]`. */
  lookUp: "l",
  dict: "O",
  /** `["D", seconds, zone]` */
  dateTime: "D",
  /** `["d", seconds]`, at midnight UTC. */
  date: "d",
  skip: "S",
  /** `["C"]`: hidden from the reader by access rules. */
  censored: "C",
  /** `["R", table, id]`, or with a list of ids for a slice of a record set */
  reference: "R",
  /** `["r", table, [ids]]` */
  referenceList: "r",
  /** `["E", name, …]` */
  error: "E",
  /** `["P"]`: a formula that has not been evaluated yet. */
  pending: "P",
  /** `["U", text]`: a value without a serialized form. */
  unmarshallable: "U",
  versions: "V",
} as const;

const KNOWN_CODES: ReadonlySet<unknown> = new Set(Object.values(CELL_CODES));

/** Returns true for coded values, whether or not the code is known. */
export function isCoded(value: unknown): value is CodedValue {
  return Array.isArray(value) && typeof value[0] === "string";
}

/** Returns true for `["E", …]`: the cell of a formula that failed. */
export function isErrorCell(value: unknown): value is CodedValue {
  return Array.isArray(value) && value[0] === CELL_CODES.error;
}

/** Returns the name of the error in the cell of a formula that failed, such as `ZeroDivisionError`. */
export const errorNameOf = ([, name]: CodedValue): string => (typeof name === "string" ? name : "Error");

/** Returns true for `["L", …]`. */
export function isList(value: unknown): value is CodedValue {
  return Array.isArray(value) && value[0] === CELL_CODES.list;
}

/**
 * Returns true for values that a request may send as a cell: a plain JSON value, or a list that begins with a known
 * code.
 */
export function isCellInput(value: unknown): value is CellValue {
  if (typeof value !== "object") return typeof value !== "undefined";
  return value === null || (Array.isArray(value) && KNOWN_CODES.has(value[0]));
}
