import { CELL_CODES, type CellValue } from "../values/cell.ts";
import type { ColumnType } from "../values/column-type.ts";
import { isRepresentable } from "../values/calendar.ts";
import { zoneOrUtc } from "../values/zones.ts";
import { PyDate } from "./dates/date.ts";
import { PyDateTime } from "./dates/datetime.ts";
import { PyZone } from "./dates/tzinfo.ts";
import { PyDict } from "./runtime/collections/dicts.ts";
import { PyError } from "./runtime/errors.ts";
import type { TrackedTable } from "./records/tracked-table.ts";
import { PyRecord } from "./records/record.ts";
import { PyRecordSet, PyRecordSlice } from "./records/record-set.ts";
import { pyRepr, AltText, PyList, PyTuple, type PyValue } from "./runtime/values.ts";

/** Returns the table that a reference column refers to, as reached from the cell's row. */
export type ResolveTable = (table: string) => TrackedTable;

/** Converts a cell that is neither empty nor an error; returns undefined if it is not a valid value of the type. */
type ReadCell = (cell: CellValue, type: ColumnType, resolveTable: ResolveTable) => PyValue | undefined;

/** Conversions of cells to Python values by column type. */
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
  ["DateTime", (cell, type) => (typeof cell === "number" ? readDateTime(cell, type.zone) : undefined)],
  ["ChoiceList", readChoices],
  ["Ref", readReference],
  ["RefList", readReferences],
  ["Attachments", readReferences],
]);

/** Returns a cell's value for formulas. Throws the error stored in an error cell. */
export function cellToPython(cell: CellValue, type: ColumnType, resolveTable: ResolveTable = unresolvedTable): PyValue {
  const read = READERS.get(type.base) ?? readAny;
  if (cell === null) return emptyValue(type, resolveTable);
  if (Array.isArray(cell) && cell[0] === CELL_CODES.error) throw errorFromCell(cell);
  const value = read(cell, type, resolveTable);
  if (value !== undefined) return value;
  return new AltText(Array.isArray(cell) ? JSON.stringify(cell) : textOfPlainValue(cell), type.base);
}

function emptyValue({ base, target }: ColumnType, resolveTable: ResolveTable): PyValue {
  if (base === "ChoiceList") return NO_CHOICES;
  if (target === undefined) return null;
  return base === "Ref" ? new PyRecord(resolveTable(target), 0) : new PyRecordSet(resolveTable(target), []);
}

const unresolvedTable: ResolveTable = (table) => {
  throw new PyError("NameError", `table ${table} cannot be reached`);
};

const NO_CHOICES = new PyTuple([]);

function errorFromCell([, name, ...details]: readonly unknown[]): PyError {
  const typeName = typeof name === "string" ? name : "Exception";
  const texts = details.filter((detail) => typeof detail === "string");
  return new PyError(typeName, "a cell that is read holds this error", {
    details: typeName === "InvalidTypedValue" ? texts : [],
  });
}

/** Returns the text of a plain value in a column of another type. */
function textOfPlainValue(cell: boolean | number | string): string {
  if (typeof cell === "string") return cell;
  return pyRepr(typeof cell === "number" ? intOrFloat(cell) : cell);
}

/** Cells do not distinguish 1 from 1.0; where the type does not either, a whole number becomes an int. */
const intOrFloat = (cell: number): bigint | number => (Number.isSafeInteger(cell) ? BigInt(cell) : cell);

function readText(cell: CellValue): PyValue | undefined {
  return typeof cell === "string" ? cell : undefined;
}

function readInt(cell: CellValue): PyValue | undefined {
  return Number.isSafeInteger(cell) ? BigInt(Number(cell)) : undefined;
}

function readNumber(cell: CellValue): PyValue | undefined {
  return typeof cell === "number" ? cell : undefined;
}

/** Returns a timestamp as a datetime in its zone; undefined outside of the years that Python supports. */
function readDateTime(seconds: number, zoneName: string | undefined): PyValue | undefined {
  return isRepresentable(seconds) ? PyDateTime.fromTimestamp(seconds, PyZone.of(zoneOrUtc(zoneName))) : undefined;
}

function readChoices(cell: CellValue): PyValue | undefined {
  if (!Array.isArray(cell) || cell[0] !== CELL_CODES.list) return undefined;
  return new PyTuple(cell.slice(1).map((choice) => (typeof choice === "string" ? choice : JSON.stringify(choice))));
}

function readReference(cell: CellValue, { target = "" }: ColumnType, resolveTable: ResolveTable): PyValue | undefined {
  return Number.isSafeInteger(cell) ? new PyRecord(resolveTable(target), Number(cell)) : undefined;
}

function readReferences(cell: CellValue, { target = "" }: ColumnType, resolveTable: ResolveTable): PyValue | undefined {
  if (!Array.isArray(cell) || cell[0] !== CELL_CODES.list) return undefined;
  return new PyRecordSet(resolveTable(target), cell.slice(1).map(Number));
}

function readAny(cell: CellValue, type: ColumnType, resolveTable: ResolveTable): PyValue | undefined {
  if (typeof cell === "number") return intOrFloat(cell);
  if (!Array.isArray(cell)) return cell;
  const [code, first, second] = cell;
  if (code === CELL_CODES.reference && typeof first === "string") {
    if (Array.isArray(second)) return new PyRecordSlice(resolveTable(first), second.map(Number));
    return new PyRecord(resolveTable(first), Number(second));
  }
  if (code === CELL_CODES.referenceList && typeof first === "string" && Array.isArray(second)) {
    return new PyRecordSet(resolveTable(first), second.map(Number));
  }
  if (code === CELL_CODES.dict && typeof first === "object" && first !== null) {
    const entries = Object.entries(first).map(
      ([key, item]) => [key, readAny(item as CellValue, type, resolveTable)] as const,
    );
    return entries.every((entry): entry is [string, PyValue] => entry[1] !== undefined)
      ? PyDict.of(new Map(entries))
      : undefined;
  }
  if (code === CELL_CODES.date && typeof first === "number") return PyDate.fromSeconds(first);
  if (code === CELL_CODES.dateTime && typeof first === "number") {
    return readDateTime(first, typeof second === "string" ? second : undefined);
  }
  if (code !== CELL_CODES.list) return undefined;
  const items = cell.slice(1).map((item) => (item === null ? null : readAny(item as CellValue, type, resolveTable)));
  const known = items.filter((item) => item !== undefined);
  return known.length === items.length ? new PyList(known) : undefined;
}
