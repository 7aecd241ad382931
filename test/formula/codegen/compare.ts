import { cellToPython } from "../../../src/formula/cell-to-python.ts";
import {
  compileRowFunction,
  FALLBACK,
  type NumberType,
  type RowColumns,
} from "../../../src/formula/codegen/row-function.ts";
import { computeCell } from "../../../src/formula/compute-cell.ts";
import { type CompiledFormula, compileFormula } from "../../../src/formula/formula.ts";
import type { FormulaRow } from "../../../src/formula/formula-row.ts";
import {
  FORMULA_LIMITS,
  type FormulaLimits,
  remainingOfChange,
  withChangeBudget,
} from "../../../src/formula/runtime/budget.ts";
import { unknownColumn } from "../../../src/formula/runtime/errors.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { columnType, type StoredValue } from "../../../src/values/column-type.ts";
import { rowOf } from "../evaluate.ts";

/** Stored values of a row by column id. */
export type StoredRow = ReadonlyMap<string, StoredValue>;

/** Returns the row as the interpreter reads it. */
export function interpretedRow(row: StoredRow, columns: RowColumns): FormulaRow {
  return rowOf((id) => {
    const column = columns.get(id);
    const stored = row.get(id);
    if (!column && id === "id") return BigInt(Number(stored));
    if (!column || stored === undefined) throw unknownColumn(id);
    const cell = column.type.decodeRaw(stored);
    return column.numbers === "float" && typeof cell === "number" ? cell : cellToPython(cell, column.type);
  });
}

interface Outcome<T> {
  readonly cell: T;
  readonly steps: number;
  readonly bytes: number;
}

export function measured<T>(limits: FormulaLimits, evaluate: () => T): Outcome<T> {
  return withChangeBudget(limits, () => {
    const before = remainingOfChange();
    const cell = evaluate();
    const after = remainingOfChange();
    return { cell, steps: before.steps - after.steps, bytes: before.bytes - after.bytes };
  });
}

/** JSON does not distinguish these from other values. */
function describe(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "number" && (Object.is(part, -0) || !Number.isFinite(part))
      ? `number ${Object.is(part, -0) ? "-0" : part}`
      : typeof part === "string"
        ? `text ${part}`
        : part,
  );
}

/** Steps of big ints are fractions whose sums depend on their order in the last digits. */
const isSame = (a: Outcome<unknown>, b: Outcome<unknown>): boolean =>
  describe(a.cell) === describe(b.cell) && a.bytes === b.bytes && Math.abs(a.steps - b.steps) < 1e-3;

export interface Comparison {
  /** Whether the formula compiles to a row function. */
  readonly isCompiled: boolean;
  /** The number of rows that the row function evaluated. */
  readonly evaluated: number;
  /** The first difference between the results of the interpreter and the row function. */
  readonly difference: string | undefined;
}

/** Evaluates a formula for rows in both ways. */
export function compareResults(
  text: string,
  {
    columns,
    type,
    rows,
    limits = FORMULA_LIMITS,
  }: {
    columns: RowColumns;
    type: string;
    rows: readonly StoredRow[];
    limits?: FormulaLimits;
  },
): Comparison {
  const resultType = columnType(type);
  const formula: CompiledFormula = compileFormula(text, { isTable: () => false });
  const compiled = compileRowFunction(formula, { columns, resultType });
  if (!compiled) return { isCompiled: false, evaluated: 0, difference: undefined };
  const lists = rows.map((row) => ["unused", ...compiled.reads.map((id) => row.get(id))]);
  const interpret = (row: StoredRow | undefined) =>
    computeCell(formula, interpretedRow(row ?? new Map(), columns), resultType);
  let evaluated = 0;
  let number: NumberType | undefined;
  for (const [index, row] of rows.entries()) {
    const generated = measured(limits, () => compiled.evaluate((lists[index] ?? []).slice(1)));
    const expected = measured(limits, () => {
      const { cell, value } = interpret(row);
      number = typeof value === "number" ? "float" : typeof value === "bigint" ? "int" : undefined;
      return cell;
    });
    if (compiled.numbers && number && number !== compiled.numbers) return differing(text, type, row, `the ${number}`);
    if (generated.cell === FALLBACK) {
      if (generated.steps !== 0 || generated.bytes !== 0) return differing(text, type, row, "a fallback was charged");
      continue;
    }
    evaluated++;
    if (!isSame(expected, generated)) {
      return differing(text, type, row, `${describe(expected)} became ${describe(generated)}`);
    }
  }
  const inBlock = measured(limits, () => {
    const results: CellValue[] = [];
    for (let from = 0; from < lists.length; from++) {
      from = compiled.evaluateRows(lists, { first: 1, from }, results);
      if (from < lists.length) results[from] = interpret(rows[from]).cell;
    }
    return results;
  });
  const oneByOne = measured(limits, () => rows.map((row) => interpret(row).cell));
  const difference = isSame(oneByOne, inBlock) ? undefined : `${text}\nas ${type}: differs in a block`;
  return { isCompiled: true, evaluated, difference };
}

function differing(text: string, type: string, row: StoredRow, what: string): Comparison {
  const cells = JSON.stringify(Object.fromEntries(row), (_, value: unknown) =>
    typeof value === "bigint" ? `${value}n` : value,
  );
  return { isCompiled: true, evaluated: 0, difference: `${text}\nas ${type}, ${cells}: ${what}` };
}
