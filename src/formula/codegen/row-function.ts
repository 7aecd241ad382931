import type { CellValue } from "../../values/cell.ts";
import type { ColumnType, StoredValue } from "../../values/column-type.ts";
import type { CompiledFormula } from "../formula.ts";
import type { NumberType, RowColumns } from "./column-reads.ts";
import { FormulaGenerator } from "./formula-generator.ts";
import { generateResult } from "./generate-result.ts";
import { type FALLBACK, HELPERS } from "./helpers.ts";
import { FLOAT, INT, type Kinds, NULL, NUMERIC } from "./kinds.ts";
import type { FormulaTree } from "./row-generator.ts";
import { NotSimple, type RowWriter, type Value } from "./row-writer.ts";

export { FALLBACK } from "./helpers.ts";
export type { NumberType, RowColumn, RowColumns } from "./column-reads.ts";

/** A cell, or FALLBACK for a row that has to be evaluated by the interpreter. Nothing is charged for such a row. */
export type RowResult = CellValue | typeof FALLBACK;

/** Stored values as SQLite returns them. */
export type RowValues = readonly (StoredValue | undefined)[];

/**
 * A formula as a JavaScript function of a row's own cells. It returns the same cells as `computeCell` and charges the
 * same steps and bytes to the change's budget. Rows that would raise an error, exceed a limit, or contain anything
 * other than plain values of the columns' types are left to the interpreter.
 */
export interface RowFunction {
  /** Ids of the columns that it reads; `id` is the row id unless a column has this id. */
  readonly reads: readonly string[];
  /**
   * The type of all numbers that the formula can return, also for rows that are left to the interpreter; undefined if
   * it may differ. It tells `1` from `1.0` in cells of an untyped column.
   */
  readonly numbers: NumberType | undefined;
  /** Evaluates a row, given the values of `reads`. */
  evaluate(values: RowValues): RowResult;
  /**
   * Evaluates rows, from index `from` on, whose values of `reads` begin at index `first`. Sets `results[i]` for each row
   * up to the first one that is left to the interpreter, and returns its index: cells are charged in the order of rows,
   * so the caller evaluates that row before it continues. Returns the number of rows when none is left.
   */
  evaluateRows(rows: readonly RowValues[], at: { first: number; from: number }, results: CellValue[]): number;
}

export interface RowFunctionOptions {
  /** The columns of the formula's table. */
  readonly columns: RowColumns;
  /** The type of the formula's column. */
  readonly resultType: ColumnType;
}

/** Compiles a formula to a row function; returns undefined for formulas that are left to the interpreter. */
export function compileRowFunction(formula: CompiledFormula, options: RowFunctionOptions): RowFunction | undefined {
  try {
    const generated = formula.tree && generateRowFunction(formula.tree, options);
    return generated && instantiate(generated);
  } catch (error) {
    // Nested too deeply for the stack of the generator, or of the engine's parser.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The source of a row function. */
export interface GeneratedRowFunction {
  readonly reads: readonly string[];
  /** JavaScript that refers to texts and numbers of the formula by their position among the constants. */
  readonly source: string;
  readonly constants: readonly unknown[];
  readonly numbers: NumberType | undefined;
  /** The kinds of all results, except for rows that are left to the interpreter. */
  readonly kinds: Kinds;
}

/** Generates the source of a row function. */
export function generateRowFunction(
  tree: FormulaTree,
  { columns, resultType }: RowFunctionOptions,
): GeneratedRowFunction | undefined {
  if (tree.fn.isGenerator) return undefined;
  const generator = new FormulaGenerator(tree, columns);
  const { writer, reads } = generator;
  try {
    const end = (result: Value) => generateResult(generator, result, resultType);
    generator.block(tree.fn.body, end);
    if (!writer.isDone) end(NONE);
  } catch (error) {
    if (error instanceof NotSimple) return undefined;
    throw error;
  }
  const { constants, resultKinds: kinds } = writer;
  return { reads, source: sourceOf(generator), constants, numbers: numbersOf(writer), kinds };
}

/** Returns the source of a function of constants and helpers that returns the row function. */
function sourceOf({ writer, reads, prologue }: FormulaGenerator): string {
  const parameters = reads.map((_, index) => `c${index}`).join(", ");
  const valuesIn = (row: string, offset: string) => reads.map((_, index) => `${row}[${offset}${index}]`).join(", ");
  // Functions of the interpreter spend the budget step by step and may raise errors.
  const [evaluate, checked] = writer.usesBudget ? ["checked", checkedFunction(parameters)] : ["row", []];
  return [
    '"use strict";',
    ...writer.constants.map((_, index) => `const k${index} = K[${index}];`),
    `const { ${["F", "openRow", "abandonRow", "failed", ...writer.helpers].join(", ")} } = H;`,
    `function row(${parameters}) {`,
    ...prologue,
    ...writer.lines,
    "}",
    ...checked,
    "function rows(list, { first, from }, results) {",
    "for (let i = from; i < list.length; i++) {",
    "const r = list[i];",
    `const result = ${evaluate}(${valuesIn("r", "first + ")});`,
    "if (result === F) return i;",
    "results[i] = result;",
    "}",
    "return list.length;",
    "}",
    `return { evaluate: (r) => ${evaluate}(${valuesIn("r", "")}), evaluateRows: rows };`,
  ].join("\n");
}

const checkedFunction = (parameters: string): string[] => [
  `function checked(${parameters}) {`,
  "openRow();",
  "try {",
  `const result = row(${parameters});`,
  "abandonRow();",
  "return result;",
  "} catch (error) {",
  "return failed(error);",
  "}",
  "}",
];

function numbersOf({ hidesNumbers, resultKinds }: RowWriter): NumberType | undefined {
  // Formulas that read a bool use it as an int.
  const kinds = resultKinds & NUMERIC;
  if (hidesNumbers || (kinds !== INT && kinds !== FLOAT)) return undefined;
  return kinds === INT ? "int" : "float";
}

const NONE: Value = { code: "null", kinds: NULL, isAtom: true };

type Instance = Pick<RowFunction, "evaluate" | "evaluateRows">;

function instantiate({ reads, source, constants, numbers }: GeneratedRowFunction): RowFunction {
  // oxlint-disable-next-line typescript/no-implied-eval -- the source holds no text of the formula: see RowWriter
  const create = new Function("K", "H", source) as (constants: readonly unknown[], helpers: typeof HELPERS) => Instance;
  return { reads, numbers, ...create(constants, HELPERS) };
}
