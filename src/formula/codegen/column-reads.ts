import type { ColumnType } from "../../values/column-type.ts";
import type { HelperName } from "./helpers.ts";
import { BOOL, FLOAT, INT, type Kinds, NULL, NUMBER, OBJECT, OTHER, TEXT } from "./kinds.ts";

/** A column of the formula's table. */
export interface RowColumn {
  readonly type: ColumnType;
  /** True for formula columns, whose cells may encode their results with loss. */
  readonly isFormula: boolean;
  /** For untyped formula columns: the type of all numbers in it, if it is known. See `RowFunction.numbers`. */
  readonly numbers?: NumberType | undefined;
}

export type NumberType = "int" | "float";

export type RowColumns = ReadonlyMap<string, RowColumn>;

/** How a row function uses a stored value of a column. */
export interface ColumnRead {
  /** Kinds of the stored value; includes OTHER for texts in cells of another type, errors and encoded values. */
  readonly kinds: Kinds;
  /** Returns a condition that recognizes numbers among all stored values; by default all JavaScript numbers. */
  readonly numberTest?: (id: string) => string;
  /** Returns a statement that converts the stored value at the start of the function. */
  readonly conversion?: (id: string) => string;
  /** The function that the conversion calls. */
  readonly helper?: HelperName;
  /** True if numbers that the test does not recognize have another type than the kinds tell. */
  readonly hidesNumbers?: true;
}

const TEXT_READ: ColumnRead = { kinds: TEXT | NULL | OTHER };
const FLOAT_READ: ColumnRead = { kinds: FLOAT | NULL | OTHER };
const isSafeInteger = (id: string): string => `Number.isSafeInteger(${id})`;
/** Ints have no -0. */
const withoutNegativeZero = (id: string): string => `if (${id} === 0) ${id} = 0;`;
const INT_READ: ColumnRead = {
  kinds: INT | NULL | OTHER,
  numberTest: isSafeInteger,
  conversion: withoutNegativeZero,
};

const READS: ReadonlyMap<string, ColumnRead> = new Map<string, ColumnRead>([
  ["Text", TEXT_READ],
  ["Choice", TEXT_READ],
  ["Numeric", FLOAT_READ],
  ["PositionNumber", FLOAT_READ],
  ["ManualSortPos", FLOAT_READ],
  [
    "Date",
    {
      kinds: OBJECT | NULL | OTHER,
      conversion: (id) => `if (typeof ${id} === "number") ${id} = dateOf(${id});`,
      helper: "dateOf",
    },
  ],
  ["Int", INT_READ],
  ["Id", INT_READ],
  [
    "Bool",
    {
      kinds: BOOL | NULL | OTHER,
      conversion: (id) => `if (${id} === 1) ${id} = true; else if (${id} === 0) ${id} = false;`,
    },
  ],
]);

/** In untyped data columns, whole numbers are ints. */
const ANY_READ: ColumnRead = { kinds: NUMBER | TEXT | NULL | OTHER, conversion: withoutNegativeZero };
/** In untyped formula columns, whole numbers may be ints or floats. */
const ANY_RESULT_READ: ColumnRead = {
  kinds: FLOAT | TEXT | NULL | OTHER,
  numberTest: (id) => `typeof ${id} === "number" && !Number.isInteger(${id})`,
  hidesNumbers: true,
};
const ANY_FLOAT_READ: ColumnRead = { kinds: FLOAT | TEXT | NULL | OTHER };
const ANY_INT_READ: ColumnRead = { ...INT_READ, kinds: INT | TEXT | NULL | OTHER };

/** Returns how to use a column's stored values; undefined for types and names that are left to the interpreter. */
export function readerOf(name: string, columns: RowColumns): ColumnRead | undefined {
  const column = columns.get(name);
  if (!column) return name === "id" ? { kinds: INT } : undefined;
  return column.type.base === "Any" ? untypedReader(column) : READS.get(column.type.base);
}

function untypedReader({ isFormula, numbers }: RowColumn): ColumnRead {
  if (!isFormula) return ANY_READ;
  if (numbers === undefined) return ANY_RESULT_READ;
  return numbers === "int" ? ANY_INT_READ : ANY_FLOAT_READ;
}
