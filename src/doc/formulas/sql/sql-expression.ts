import { readerOf, type RowColumns } from "../../../formula/codegen/column-reads.ts";
import { FLOAT, INT, NUMBER } from "../../../formula/codegen/kinds.ts";
import type { FormulaTree } from "../../../formula/codegen/row-generator.ts";
import type { CompareOperator, Expression } from "../../../formula/parser/ast.ts";
import { quote } from "../../../sqlite/quote.ts";
import type { ColumnType } from "../../../values/column-type.ts";

/**
 * A formula of arithmetic as SQL. It contains quoted column ids, fixed words, numbers of this file, and parameters for
 * the numbers of the formula.
 */
export interface SqlExpression {
  /** Ids of the columns that it reads; `id` is the row id unless a column has this id. */
  readonly reads: readonly string[];
  /** The result as a number. */
  readonly result: string;
  /** The result as it is stored. */
  readonly stored: string;
  /**
   * True for rows whose stored result is exactly the one of the row function; false or NULL for rows with anything
   * unexpected.
   */
  readonly condition: string;
  /** Values of the parameters, from `firstParameter` on. */
  readonly constants: readonly number[];
  /** Steps that a row costs. */
  readonly steps: number;
}

export interface SqlExpressionOptions {
  /** The columns of the formula's table. */
  readonly columns: RowColumns;
  /** The type of the formula's column. */
  readonly resultType: ColumnType;
  /** The number of the first parameter. */
  readonly firstParameter: number;
}

/** Returns a formula as SQL; undefined if SQLite might compute something else than the interpreter. */
export function createSqlExpression(tree: FormulaTree, options: SqlExpressionOptions): SqlExpression | undefined {
  const [statement, ...others] = tree.fn.body;
  if (statement?.kind !== "return" || others.length > 0 || tree.isTable("rec")) return undefined;
  for (const leafBound of LEAF_BOUNDS) {
    try {
      return new SqlGenerator(options, leafBound).formula(statement.value);
    } catch (error) {
      if (error instanceof NotInSql) return undefined;
      if (!(error instanceof TooLarge)) throw error;
    }
  }
  return undefined;
}

/** Thrown for formulas that are not computed in SQL. */
class NotInSql extends Error {}

/** Thrown when a result may be too large if the cells are as large as the bound. */
class TooLarge extends Error {}

/** Rows with larger numbers are left to the row function. The first bound is used for which all results are exact. */
const LEAF_BOUNDS: readonly number[] = [53, 31, 26, 20, 15].map((bits) => 2 ** bits - 1);

const MAX_EXACT_INT = Number.MAX_SAFE_INTEGER;
const MAX_CELL_INT = 2 ** 31 - 1;
/** Far from infinity, so that there is no NaN either, which SQLite stores as NULL. */
const MAX_FLOAT = 1e300;
/** Smaller divisors are left to the row function. */
const MIN_DIVISOR = 1e-30;
/** Longer formulas gain little, and nest deeper. */
const MAX_NODES = 40;

/** An SQL expression of a number. It may be repeated. */
interface SqlNumber {
  readonly code: string;
  /** True for the formula's ints. */
  readonly isInt: boolean;
  /** True if SQLite computes a REAL; otherwise it may be an INTEGER. An int always is an INTEGER. */
  readonly isReal: boolean;
  /** The largest absolute value. */
  readonly max: number;
  /** Null if it is never -0; otherwise a condition that is true when it is not. */
  readonly isNoNegativeZero: string | null;
}

/** SQL of comparisons, whose operands are numbers. */
const COMPARISONS: ReadonlyMap<CompareOperator, string> = new Map([
  ["==", "="],
  ["!=", "<>"],
  ["<", "<"],
  ["<=", "<="],
  [">", ">"],
  [">=", ">="],
]);

const NUMBER_TYPES: readonly string[] = ["Numeric", "PositionNumber", "ManualSortPos"];

class SqlGenerator {
  readonly #columns: RowColumns;
  readonly #resultType: ColumnType;
  readonly #firstParameter: number;
  readonly #leafBound: number;
  readonly #reads: string[] = [];
  readonly #conditions: string[] = [];
  readonly #constants: number[] = [];
  #nodes = 0;

  constructor({ columns, resultType, firstParameter }: SqlExpressionOptions, leafBound: number) {
    this.#columns = columns;
    this.#resultType = resultType;
    this.#firstParameter = firstParameter;
    this.#leafBound = leafBound;
  }

  formula(node: Expression): SqlExpression {
    const isComparison = node.kind === "compare";
    const result = isComparison ? this.#comparison(node) : this.#expression(node);
    if (this.#reads.length === 0) throw new NotInSql("a constant");
    const stored = isComparison ? result.code : this.#storedNumber(result);
    const condition = this.#conditions.map((each) => `(${each})`).join(" and ");
    return {
      reads: this.#reads,
      result: result.code,
      stored,
      condition,
      constants: this.#constants,
      steps: isComparison ? 1 : 0,
    };
  }

  /** Adds the conditions for a result that is stored as it is, and returns how it is stored. */
  #storedNumber(result: SqlNumber): string {
    const { base } = this.#resultType;
    const { code, isInt, max, isNoNegativeZero } = result;
    if (isInt && (base === "Any" || base === "Int")) {
      if (max > MAX_CELL_INT) this.#conditions.push(`${code} between ${-MAX_CELL_INT - 1} and ${MAX_CELL_INT}`);
      return code;
    }
    // -0 is stored as a BLOB.
    if (isNoNegativeZero !== null) this.#conditions.push(isNoNegativeZero);
    if (NUMBER_TYPES.includes(base)) return code;
    if (base !== "Any") throw new NotInSql("a result of this type");
    // Whole numbers are stored as INTEGER; only columns of other types convert them.
    const isWhole = `${code} = (${code} | 0)`;
    const isStoredAsInt =
      max > MAX_EXACT_INT ? `${isWhole} and ${code} between ${-MAX_EXACT_INT} and ${MAX_EXACT_INT}` : isWhole;
    return `case when ${isStoredAsInt} then (${code} | 0) else ${code} end`;
  }

  #comparison({ first, rest }: Expression & { kind: "compare" }): SqlNumber {
    const [next, ...others] = rest;
    const operator = next && COMPARISONS.get(next.operator);
    if (!operator || others.length > 0 || this.#resultType.base !== "Bool") throw new NotInSql("such a comparison");
    const [left, right] = [this.#expression(first), this.#expression(next.operand)];
    const code = `(${left.code} ${operator} ${right.code})`;
    return { code, isInt: true, isReal: false, max: 1, isNoNegativeZero: null };
  }

  #expression(node: Expression): SqlNumber {
    if (++this.#nodes > MAX_NODES) throw new NotInSql("a long formula");
    if (node.kind === "constant") return this.#constant(node.value);
    if (node.kind === "attribute" && node.object.kind === "name" && node.object.name === "rec") {
      return this.#column(node.name);
    }
    if (node.kind === "unary" && node.operator === "+") return this.#expression(node.operand);
    if (node.kind === "unary" && node.operator === "-") return this.#opposite(this.#expression(node.operand));
    if (node.kind !== "binary") throw new NotInSql(node.kind);
    const { operator } = node;
    const operands = [this.#expression(node.left), this.#expression(node.right)] as const;
    if (operator === "/") return this.#quotient(...operands);
    if (operator !== "+" && operator !== "-" && operator !== "*") throw new NotInSql(operator);
    return operands[0].isInt && operands[1].isInt
      ? this.#ofInts(operator, ...operands)
      : this.#ofFloats(operator, ...operands);
  }

  #constant(value: unknown): SqlNumber {
    const isInt = typeof value === "bigint";
    const number = isInt ? Number(value) : value;
    if (typeof number !== "number") throw new NotInSql("another constant");
    const max = Math.abs(number);
    if (!(max <= (isInt ? MAX_EXACT_INT : MAX_FLOAT))) throw new NotInSql("a large constant");
    const code = `?${this.#firstParameter + this.#constants.push(number) - 1}`;
    // bun:sqlite binds whole numbers as INTEGER.
    return { code, isInt, isReal: !Number.isInteger(number), max, isNoNegativeZero: null };
  }

  #column(name: string): SqlNumber {
    const read = readerOf(name, this.#columns);
    if (!read || read.hidesNumbers) throw new NotInSql("a column of another type");
    const numbers = read.kinds & NUMBER;
    if (numbers !== INT && numbers !== FLOAT) throw new NotInSql("a column without numbers");
    const code = quote(name);
    // SQLite converts REAL to INTEGER where it loses nothing, -0 included, unless the column is a BLOB.
    const sqlType = this.#columns.get(name)?.type.sqlType;
    const isBlob = sqlType !== undefined && sqlType !== "INTEGER" && sqlType !== "NUMERIC";
    if (!this.#reads.includes(name)) {
      this.#reads.push(name);
      // False for texts and BLOBs, which are greater than all numbers, and NULL for NULL.
      this.#conditions.push(`${code} between ${-this.#leafBound} and ${this.#leafBound}`);
      if (numbers === INT) this.#conditions.push(isBlob ? `typeof(${code}) = 'integer'` : `${code} = (${code} | 0)`);
    }
    const isNoNegativeZero = isBlob && numbers === FLOAT ? `${code} <> 0` : null;
    return { code, isInt: numbers === INT, isReal: false, max: this.#leafBound, isNoNegativeZero };
  }

  #ofInts(operator: "+" | "-" | "*", left: SqlNumber, right: SqlNumber): SqlNumber {
    const max = operator === "*" ? left.max * right.max : left.max + right.max;
    // Beyond it the interpreter has a big int.
    if (max > MAX_EXACT_INT) throw new TooLarge();
    return {
      code: `(${left.code} ${operator} ${right.code})`,
      isInt: true,
      isReal: false,
      max,
      isNoNegativeZero: null,
    };
  }

  #ofFloats(operator: "+" | "-" | "*", left: SqlNumber, right: SqlNumber): SqlNumber {
    const code = `(${hasReal(left, right)} ${operator} ${right.code})`;
    const max = checkFloat(operator === "*" ? left.max * right.max : left.max + right.max);
    if (operator === "*") return { code, isInt: false, isReal: true, max, isNoNegativeZero: signOf(code, left, right) };
    // A sum is -0 if both operands are, a difference if the first one is.
    const mayBeNegativeZero = left.isNoNegativeZero !== null && (operator === "-" || right.isNoNegativeZero !== null);
    return { code, isInt: false, isReal: true, max, isNoNegativeZero: mayBeNegativeZero ? `${code} <> 0` : null };
  }

  #quotient(left: SqlNumber, right: SqlNumber): SqlNumber {
    const min = right.isInt ? 1 : MIN_DIVISOR;
    this.#conditions.push(
      right.isInt ? `${right.code} <> 0` : `${right.code} not between ${-MIN_DIVISOR} and ${MIN_DIVISOR}`,
    );
    const code = `(${hasReal(left, right)} / ${right.code})`;
    const max = checkFloat(left.max / min);
    return { code, isInt: false, isReal: true, max, isNoNegativeZero: signOf(code, left, right) };
  }

  #opposite(operand: SqlNumber): SqlNumber {
    if (operand.isInt) return { ...operand, code: `(0 - ${operand.code})` };
    // SQLite computes -x as 0 - x, which is never -0.
    const code = `(${operand.code} * -1.0)`;
    return { code, isInt: false, isReal: true, max: operand.max, isNoNegativeZero: `${code} <> 0` };
  }
}

function checkFloat(max: number): number {
  if (max > MAX_FLOAT) throw new TooLarge();
  return max;
}

/** Returns the left operand, as a REAL unless the right one is: SQLite computes with INTEGERs otherwise. */
const hasReal = (left: SqlNumber, right: SqlNumber): string =>
  left.isReal || right.isReal ? left.code : `(${left.code} * 1.0)`;

/** Returns a condition that is true when a product or quotient is not -0. */
function signOf(code: string, left: SqlNumber, right: SqlNumber): string {
  if (left.isNoNegativeZero !== null || right.isNoNegativeZero !== null) return `${code} <> 0`;
  return `${code} <> 0 or (${left.code} >= 0 and ${right.code} >= 0)`;
}
