import type { RowColumn } from "../../../src/formula/codegen/row-function.ts";
import { columnType, type StoredValue } from "../../../src/values/column-type.ts";
import { marshal } from "../../../src/values/marshal.ts";
import { RandomFormulas } from "../random-formula.ts";

type Some<T> = readonly [T, ...T[]];

const column = (type: string, isFormula = false): RowColumn => ({ type: columnType(type), isFormula });

/** The columns of the random formulas. */
export const COLUMNS: ReadonlyMap<string, RowColumn> = new Map([
  ["Int", column("Int")],
  ["Num", column("Numeric")],
  ["Price", column("Numeric")],
  ["Text", column("Text")],
  ["Name", column("Text")],
  ["Choice", column("Choice")],
  ["Flag", column("Bool")],
  ["Any", column("Any")],
  ["Sum", column("Numeric", true)],
  ["Result", column("Any", true)],
  ["Floats", { ...column("Any", true), numbers: "float" }],
  ["Ints", { ...column("Any", true), numbers: "int" }],
  ["Day", column("Date")],
  ["Ref", column("Ref:Other")],
]);

export const RESULT_TYPES: Some<string> = [
  "Any",
  "Text",
  "Numeric",
  "Int",
  "Bool",
  "Choice",
  "Date",
  "DateTime:UTC",
  "ChoiceList",
  "Ref:Other",
];

const INTS: Some<number> = [
  0,
  1,
  -1,
  2,
  3,
  -7,
  10,
  100,
  2147483647,
  -2147483648,
  2147483648,
  2 ** 53 - 1,
  -(2 ** 53) + 1,
];
const FLOATS: Some<number> = [
  0.5,
  -0.5,
  1.5,
  2.5,
  7.25,
  1e-7,
  0.1,
  1e16,
  1e300,
  2 ** 53,
  -1.005,
  2.675,
  Infinity,
  -Infinity,
];
const TEXTS: Some<string> = [
  "",
  "a",
  "ab",
  "b",
  " padded  twice ",
  "ABC def",
  "12",
  "-1.5",
  "1e3",
  "true",
  "ß",
  "ǆ",
  "ΑΣ",
  "é\u0301",
  "😀",
  "a😀b\u{e000}",
  "\ud800",
  "x\ny",
  "0",
  "constructor",
  "abcabc".repeat(30),
  "long ".repeat(250),
];

/** Values that other programs may have stored, and encoded values: NaN, -0, errors, lists, texts and numbers. */
const ODD: Some<StoredValue> = [
  marshal(Number.NaN),
  marshal(-0),
  marshal(["E", "ValueError"]),
  marshal(["L", 1, 2]),
  marshal(["d", 86_400]),
  marshal(true),
  marshal(1),
  marshal("12"),
  new Uint8Array([1, 2, 3]),
  -0,
  10n,
  2n ** 60n,
];

/** Generates stored values of columns. */
export class RandomRows extends RandomFormulas {
  /** Mostly a usual value of the column, sometimes any other. */
  stored({ type, numbers }: RowColumn): StoredValue {
    if (numbers) {
      const number = numbers === "int" ? this.#int() : this.#float();
      return this.pick([number, number, number, this.pick(TEXTS), null, marshal(["E", "ValueError"])]);
    }
    const chance = this.below(20);
    if (chance === 0) return this.pick(ODD);
    if (chance === 1) return null;
    if (chance === 2) return this.pick([...TEXTS, ...INTS, ...FLOATS] as unknown as Some<StoredValue>);
    switch (type.base) {
      case "Int":
      case "Ref":
        return this.#int();
      case "Text":
      case "Choice":
        return this.pick(TEXTS);
      case "Bool":
        return this.below(2);
      case "Date":
        return this.below(30_000) * 86_400;
      case "Any":
        return this.pick([this.#int(), this.#float(), this.pick(TEXTS), null]);
      default:
        return this.#float();
    }
  }

  #int(): number {
    return this.below(3) === 0 ? this.pick(INTS) : this.below(200) - 100;
  }

  #float(): number {
    const chance = this.below(4);
    if (chance === 0) return this.pick(FLOATS);
    if (chance === 1) return this.#int();
    return (this.below(2_000_000) - 1_000_000) / 1000;
  }
}

/** Returns a row with a value of each column. */
export function randomRow(random: RandomRows, id: number): ReadonlyMap<string, StoredValue> {
  const cells = Array.from(COLUMNS, ([name, column]) => [name, random.stored(column)] as const);
  return new Map([...cells, ["id", id] as const]);
}
