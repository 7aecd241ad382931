import { CODES, type CellValue } from "../values/cell.ts";
import type { ColumnType } from "../values/column-type.ts";
import { isRepresentable } from "../values/calendar.ts";
import { zoneOrUtc } from "../values/zones.ts";
import { PyDate } from "./dates/date.ts";
import { PyDateTime } from "./dates/datetime.ts";
import { PyZone } from "./dates/tzinfo.ts";
import { notSupported, PyError } from "./errors.ts";
import { pyRepr, AltText, PyList, PyTuple, type PyValue } from "./values.ts";

/** Reads a cell that is neither empty nor an error; undefined when it is no value of the type. */
type ReadCell = (cell: CellValue, type: ColumnType) => PyValue | undefined;

/** How cells of each type look to formulas. */
const READERS: ReadonlyMap<string, ReadCell> = new Map<string, ReadCell>([
  ["Text", readText],
  ["Choice", readText],
  ["Int", readInt],
  ["Id", readInt],
  ["Numeric", readNumber],
  ["PositionNumber", readNumber],
  ["ManualSortPos", readNumber],
  ["Bool", (cell) => (typeof cell === "boolean" ? cell : undefined)],
  ["Date", (cell) => (typeof cell === "number" ? PyDate.fromSeconds(cell) : undefined)],
  ["DateTime", (cell, type) => (typeof cell === "number" ? readMoment(cell, type.zone) : undefined)],
  ["ChoiceList", readChoices],
  ["Any", readAny],
]);

/** True when formulas can read columns of a type. */
export const isReadable = (type: ColumnType): boolean => READERS.has(type.base);

/**
 * What a formula sees in a cell. Throws the error that the cell holds, and PyError NotImplementedError (see
 * `isNotSupported`) for types that formulas cannot read.
 */
export function cellToPython(cell: CellValue, type: ColumnType): PyValue {
  const read = READERS.get(type.base);
  if (!read) throw notSupported(`${type.base} columns`);
  if (cell === null) return type.base === "ChoiceList" ? NO_CHOICES : null;
  if (Array.isArray(cell) && cell[0] === CODES.error) throw storedError(cell);
  const value = read(cell, type);
  if (value !== undefined) return value;
  if (Array.isArray(cell)) throw notSupported(`${cell[0]} values in ${type.base} columns`);
  return new AltText(plainText(cell), type.base);
}

const NO_CHOICES = new PyTuple([]);

function storedError([, name, ...details]: readonly unknown[]): PyError {
  const typeName = typeof name === "string" ? name : "Exception";
  const texts = details.filter((detail) => typeof detail === "string");
  return new PyError(typeName, "a cell that is read holds this error", {
    details: typeName === "InvalidTypedValue" ? texts : [],
  });
}

/** The text of a plain value that lies in a column of another type. */
function plainText(cell: boolean | number | string): string {
  if (typeof cell === "string") return cell;
  return pyRepr(typeof cell === "number" ? wholeOrFloat(cell) : cell);
}

/** Cells do not tell 1 from 1.0; where the type does not either, a whole number is taken for an int. */
const wholeOrFloat = (cell: number): bigint | number => (Number.isSafeInteger(cell) ? BigInt(cell) : cell);

function readText(cell: CellValue): PyValue | undefined {
  return typeof cell === "string" ? cell : undefined;
}

function readInt(cell: CellValue): PyValue | undefined {
  return Number.isSafeInteger(cell) ? BigInt(Number(cell)) : undefined;
}

function readNumber(cell: CellValue): PyValue | undefined {
  return typeof cell === "number" ? cell : undefined;
}

/** A moment on the clock of its zone; undefined outside of the years that Python knows. */
function readMoment(seconds: number, zoneName: string | undefined): PyValue | undefined {
  return isRepresentable(seconds) ? PyDateTime.fromTimestamp(seconds, PyZone.of(zoneOrUtc(zoneName))) : undefined;
}

function readChoices(cell: CellValue): PyValue | undefined {
  if (!Array.isArray(cell) || cell[0] !== CODES.list) return undefined;
  return new PyTuple(cell.slice(1).map((choice) => (typeof choice === "string" ? choice : JSON.stringify(choice))));
}

function readAny(cell: CellValue): PyValue | undefined {
  if (typeof cell === "number") return wholeOrFloat(cell);
  if (!Array.isArray(cell)) return cell;
  const [code, first, second] = cell;
  if (code === CODES.date && typeof first === "number") return PyDate.fromSeconds(first);
  if (code === CODES.dateTime && typeof first === "number") {
    return readMoment(first, typeof second === "string" ? second : undefined);
  }
  if (code !== CODES.list) return undefined;
  const items = cell.slice(1).map((item) => (item === null ? null : readAny(item as CellValue)));
  const known = items.filter((item) => item !== undefined);
  return known.length === items.length ? new PyList(known) : undefined;
}
