import { describe, expect, test } from "bun:test";
import { createSqlExpression, type SqlExpression } from "../../../../src/doc/formulas/sql/sql-expression.ts";
import { computeCell } from "../../../../src/formula/compute-cell.ts";
import { compileFormula, type CompiledFormula } from "../../../../src/formula/formula.ts";
import { FORMULA_LIMITS } from "../../../../src/formula/runtime/budget.ts";
import { Database, type SqlValue } from "../../../../src/sqlite/database.ts";
import { quote } from "../../../../src/sqlite/quote.ts";
import { columnType, type StoredValue } from "../../../../src/values/column-type.ts";
import { marshal } from "../../../../src/values/marshal.ts";
import { interpretedRow, measured } from "../../../formula/codegen/compare.ts";
import { COLUMNS, RandomRows } from "../../../formula/codegen/random-rows.ts";
import { randomNumbers } from "../../../formula/random-formula.ts";

/** `QUERN_TEST_SQL_FORMULAS=100000` compares more formulas, `QUERN_TEST_SEED=7` others. */
const FORMULAS = Number(process.env["QUERN_TEST_SQL_FORMULAS"] ?? 2000);
const SEED = Number(process.env["QUERN_TEST_SEED"] ?? 1);
const ROWS = 30;

type Some<T> = readonly [T, ...T[]];

const RESULT_TYPES: Some<string> = [
  "Any",
  "Any",
  "Numeric",
  "Numeric",
  "Int",
  "Int",
  "Bool",
  "PositionNumber",
  "Id",
  "Text",
  "Date",
  "Choice",
  "Ref:Other",
];
const LEAVES: Some<string> = ["$Int", "$Num", "$Price", "$Sum", "$Floats", "$Ints", "$id"];
const CONSTANTS: Some<string> = [
  "0 1 2 3 10 100 1000 0.5 1.5 7.25 0.0 -0.0 3.0 1e-20 1e-31 1e-300 1e150 1e300 1e308 1e400",
  "2147483647 2147483648 9007199254740991 9007199254740992 9007199254740993 9007199254740993.0 True None",
]
  .join(" ")
  .split(" ") as unknown as Some<string>;
const OTHERS: Some<string> = [
  "$Any",
  "$Flag",
  "$Text",
  "$Day",
  "$Result",
  "$Missing",
  "'1'",
  "abs($Num)",
  "($Int or 1)",
];

/** Values at the borders of what is exact in SQL. */
const BORDERS: Some<StoredValue> = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  2 ** 15 - 1,
  2 ** 15,
  2 ** 26 - 1,
  -(2 ** 26),
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 31,
  2 ** 51,
  2 ** 51 + 1,
  2 ** 52 + 1,
  2 ** 53 - 1,
  -(2 ** 53) + 1,
  2 ** 53,
  2n ** 53n + 1n,
  -(2n ** 53n),
  2n ** 60n,
  1e17,
  1e154,
  -1e200,
  1e308,
  1e-30,
  1e-31,
  -1e-200,
  5e-324,
  -5e-324,
  Infinity,
  -Infinity,
  null,
  "",
  "12",
  "abc",
  marshal(Number.NaN),
  marshal(-0),
  marshal(1),
  marshal("12"),
  marshal(true),
  marshal(["E", "ValueError"]),
  new Uint8Array([1, 2, 3]),
];

/** Generates formulas that are mostly arithmetic. */
class RandomArithmetic extends RandomRows {
  override formula(): string {
    const compare = () => this.pick(["<", "<=", ">", ">=", "==", "!=", "is"]);
    const depth = this.below(4);
    if (this.below(5) > 0) return this.#number(depth);
    return `${this.#number(depth)} ${compare()} ${this.#number(1)}`;
  }

  /** Like `stored`, with more values at borders. */
  cell(column: Parameters<RandomRows["stored"]>[0]): StoredValue {
    return this.below(6) === 0 ? this.pick(BORDERS) : this.stored(column);
  }

  #number(depth: number): string {
    const chance = this.below(60);
    if (chance === 0) return this.pick(OTHERS);
    if (depth <= 0) return this.below(4) === 0 ? this.pick(CONSTANTS) : this.pick(LEAVES);
    if (chance < 8) return `(${this.pick(["-", "-", "+", "not "])}${this.#number(depth - 1)})`;
    const operator = this.pick(["+", "-", "*", "*", "/", this.below(20) === 0 ? "//" : "*"]);
    return `(${this.#number(depth - 1)} ${operator} ${this.#number(this.below(depth))})`;
  }
}

/** The column of the results, and one for those of the interpreter. */
const RESULT = "F";
const EXPECTED = "G";

interface Outcome {
  readonly isInSql: boolean;
  /** The number of rows that SQLite computed. */
  readonly computed: number;
  readonly difference: string | undefined;
}

/** Computes rows in SQL, then the same rows with the interpreter, and compares the stored results. */
function compareWithInterpreter(text: string, type: string, rows: readonly (readonly StoredValue[])[]): Outcome {
  const resultType = columnType(type);
  const formula = compileFormula(text, { isTable: () => false });
  const expression =
    formula.tree && createSqlExpression(formula.tree, { columns: COLUMNS, resultType, firstParameter: 1 });
  if (!expression) return { isInSql: false, computed: 0, difference: undefined };
  using db = new Database(":memory:");
  const declared = [...COLUMNS].map(([id, column]) => `${quote(id)} ${column.type.sqlType}`);
  db.exec(
    `create table T (id integer primary key, ${declared.join(", ")},
       ${RESULT} ${resultType.sqlType} default 'none', ${EXPECTED} ${resultType.sqlType})`,
  );
  const names = ["id", ...COLUMNS.keys()];
  const places = names.map(() => "?").join(", ");
  for (const [r, row] of rows.entries())
    db.run(`insert into T (${names.join(", ")}) values (${places})`, r + 1, ...row);
  db.run(updateOf(expression), ...expression.constants);
  const computed = db.values(`select ${names.join(", ")} from T where ${RESULT} is not 'none'`);
  const difference = computed
    .map((row) =>
      differenceOf(db, new Map(names.map((name, c) => [name, row[c] ?? null])), { formula, expression, type }),
    )
    .find((found) => found !== undefined);
  return {
    isInSql: true,
    computed: computed.length,
    difference: difference === undefined ? undefined : `${text}\nas ${type}: ${difference}`,
  };
}

const updateOf = ({ stored, condition, result }: SqlExpression): string =>
  `update T set ${RESULT} = ${stored} where ${condition} and ${RESULT} is not ${result}`;

function differenceOf(
  db: Database,
  row: ReadonlyMap<string, SqlValue>,
  { formula, expression, type }: { formula: CompiledFormula; expression: SqlExpression; type: string },
): string | undefined {
  const id = Number(row.get("id"));
  const kind = columnType(type);
  const { cell, steps, bytes } = measured(
    FORMULA_LIMITS,
    () => computeCell(formula, interpretedRow(row, COLUMNS), kind).cell,
  );
  db.run(`update T set ${EXPECTED} = ? where id = ?`, kind.encode(cell), id);
  const read = (name: string) => {
    const [found] = db.values(`select typeof(${name}), quote(${name}), ${name} from T where id = ?`, id);
    return [...(found ?? []).slice(0, 2), Object.is(found?.[2], -0)].join(" ");
  };
  const [actual, expected] = [read(RESULT), read(EXPECTED)];
  const cells = expression.reads.map((name) => `${name}=${String(row.get(name))}`).join(", ");
  if (actual !== expected) return `${cells}: ${expected} became ${actual}`;
  return steps === expression.steps && bytes === 0 ? undefined : `${cells}: costs ${steps} steps and ${bytes} bytes`;
}

function randomCase(seed: number): { text: string; type: string; rows: StoredValue[][] } {
  const random = new RandomArithmetic(randomNumbers(seed));
  const rows = Array.from({ length: ROWS }, () => Array.from(COLUMNS.values(), (column) => random.cell(column)));
  return { text: random.formula(), type: random.pick(RESULT_TYPES), rows };
}

/** Rows with all pairs of border values in two columns. */
function pairs(first: string, second: string): StoredValue[][] {
  return BORDERS.flatMap((a) =>
    BORDERS.map((b) => Array.from(COLUMNS.keys(), (id) => (id === first ? a : id === second ? b : 1))),
  );
}

describe("formulas as SQL", () => {
  test.each([
    ["a product of an int and a float", "$Int * $Num", "Any", "Int", "Num"],
    ["a product with a sign of zero", "$Num * $Price", "Any", "Num", "Price"],
    ["a product with a sign of zero among untyped floats", "$Num * $Floats", "Numeric", "Num", "Floats"],
    ["sums of negative zeros", "$Num * $Price + $Price * $Num", "Numeric", "Num", "Price"],
    ["differences of zeros of both signs", "$Num * $Price - $Price * $Price", "Any", "Num", "Price"],
    ["the opposite of a float", "-$Num", "Any", "Num", "Price"],
    ["products of ints near 2^53", "$Int * $Ints", "Numeric", "Int", "Ints"],
    ["products of ints near 2^53 as untyped cells", "$Int * $Ints - 1", "Any", "Int", "Ints"],
    ["sums of ints near 2^31", "$Int + $Ints", "Int", "Int", "Ints"],
    ["ints in a column of ints with fractions", "$Int - $Ints * 0", "Any", "Int", "Ints"],
    ["products of three floats", "$Num * $Price * $Num", "Any", "Num", "Price"],
    ["divisions by zero and by small numbers", "$Num / $Price", "Any", "Num", "Price"],
    ["divisions of ints", "$Int / $Ints", "Any", "Int", "Ints"],
    ["divisions by a sum", "1 / ($Num + $Price) - 1 / ($Num - $Price)", "Numeric", "Num", "Price"],
    ["comparisons of an int and a float", "$Int <= $Num * 1.5", "Bool", "Int", "Num"],
    ["equal numbers of different types", "$Ints == $Floats", "Bool", "Ints", "Floats"],
    ["an untyped column of floats", "$Floats + $Price", "Any", "Floats", "Price"],
  ])("store what the interpreter would for %s", (_, text, type, first, second) => {
    const outcome = compareWithInterpreter(text, type, pairs(first, second));
    expect(outcome).toMatchObject({ isInSql: true, difference: undefined });
    expect(outcome.computed).toBeGreaterThan(0);
  });

  test("store what the interpreter would for random formulas and cells", () => {
    const differences: string[] = [];
    let inSql = 0;
    let computed = 0;
    for (let index = 0; index < FORMULAS && differences.length < 5; index++) {
      const { text, type, rows } = randomCase(SEED * 1_000_003 + index);
      const outcome = compareWithInterpreter(text, type, rows);
      if (outcome.difference !== undefined) differences.push(`formula ${index}: ${outcome.difference}`);
      if (outcome.isInSql) inSql++;
      computed += outcome.computed;
    }
    expect(differences).toEqual([]);
    // Otherwise the formulas would show nothing.
    expect(inSql).toBeGreaterThan(FORMULAS / 5);
    expect(computed).toBeGreaterThan(FORMULAS);
    if (process.env["QUERN_TEST_SQL_FORMULAS"]) console.log({ inSql, computed });
  });

  test.each([
    ["an attribute of another name", "math.Num * 2", "Any"],
    ["a comparison of three numbers", "1 < $Num < 3", "Bool"],
    ["a comparison whose result is untyped", "1 < $Num", "Any"],
    ["a generator", "return $Num * 2\nyield 1", "Any"],
    ["an untyped column of ints and floats", "$Result * 2", "Any"],
    ["a variable", "x = $Num\nreturn x * 2", "Any"],
    ["a condition", "$Num if $Int else 1", "Any"],
    ["a text", "$Text + 'x'", "Any"],
    ["a column of any values", "$Any * 2", "Any"],
    ["a constant alone", "1 + 2", "Any"],
    ["a constant that is infinite", "$Num * 1e999", "Any"],
    ["products that may be infinite", "$Num * 1e200 * 1e200 - $Price * 1e200 * 1e200", "Any"],
    ["a big int", "$Num + 99999999999999999999", "Any"],
    ["ints that are large in any case", "$Int * 9007199254740991 * 9007199254740991", "Any"],
    ["a long formula", Array.from({ length: 30 }, () => "$Num").join(" + "), "Any"],
  ])("are not created for %s", (_, text, type) => {
    const { tree } = compileFormula(text, { isTable: () => false });
    expect(tree && createSqlExpression(tree, optionsFor(type))).toBe(undefined);
  });

  test("are not created if a table has the name of the record", () => {
    const { tree } = compileFormula("$Num * 2", { isTable: () => false });
    expect(tree && createSqlExpression(tree, optionsFor("Any"))).toBeDefined();
    expect(tree && createSqlExpression({ ...tree, isTable: (name) => name === "rec" }, optionsFor("Any"))).toBe(
      undefined,
    );
  });

  test("contain column ids as quoted names and numbers as parameters only", () => {
    const { tree } = compileFormula("$a_1 * 123456.5 + 987", { isTable: () => false });
    const name = 'a_1" or 1 --';
    const expression =
      tree &&
      createSqlExpression(renamed(tree, name), {
        columns: new Map([[name, { type: columnType("Numeric"), isFormula: false }]]),
        resultType: columnType("Numeric"),
        firstParameter: 3,
      });
    expect(expression?.constants).toEqual([123456.5, 987]);
    expect(expression?.result).toBe(`(("a_1"" or 1 --" * ?3) + ?4)`);
    expect(expression?.condition).not.toContain("987");
  });
});

const optionsFor = (type: string) => ({ columns: COLUMNS, resultType: columnType(type), firstParameter: 1 });

type Tree = NonNullable<CompiledFormula["tree"]>;

/** Returns the tree with another column id, which no formula can contain. */
const renamed = ({ fn, isTable }: Tree, name: string): Tree => {
  const text = JSON.stringify(fn, (_, value: unknown) =>
    typeof value === "bigint" ? { big: String(value) } : value === "a_1" ? name : value,
  );
  const revive = (_: string, value: unknown) =>
    typeof value === "object" && value !== null && "big" in value ? BigInt(String(value.big)) : value;
  return { fn: JSON.parse(text, revive) as Tree["fn"], isTable };
};
