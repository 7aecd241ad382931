import { afterAll, describe, expect, test } from "bun:test";
import type { OpenDocument } from "../../../src/doc/document.ts";
import { AppError } from "../../../src/errors.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { fetchIds, listIds, sampleDocument } from "./sample.ts";

/** Cells in the expected order; the test stores them in another one. */
const orders: [name: string, type: string, sort: string, sorted: CellValue[]][] = [
  ["numbers, null, strays", "Numeric", "V", [-7.25, -1, 0, 0.5, 12, 1e20, null, "", "eleven", "ten"]],
  ["numbers beyond all", "Numeric", "V", [-Infinity, -5, 5, Infinity, null, "x"]],
  ["descending is the reverse", "Numeric", "-V", ["ten", "eleven", "", null, 12, 0.5, 0, -1]],
  ["strays that look like numbers", "Int", "V", [1, 3, null, "10 apples", "9 apples", "pear"]],
  ["empty last among numbers", "Int", "V:emptyLast", [-3, 0, 4, "stray", null, ""]],
  ["empty last, reversed", "Int", "-V:emptyLast", ["", null, "stray", 4, 0, -3]],
  ["blanks last among numbers", "Int", "V:blanksLast", [-3, 0, 4, "stray", null, ""]],
  ["blanks last among numbers, descending", "Int", "-V:blanksLast", ["stray", 4, 0, -3, null]],
  ["blanks last among numbers only, descending", "Numeric", "-V:blanksLast", [4, 0.5, 0, -3, null]],
  ["blanks last among texts", "Text", "V:blanksLast", ["10", "9", "a", null, ""]],
  ["blanks last among texts, descending", "Text", "-V:blanksLast", ["b", "a", "9", "10", "", null]],
  ["blanks last among references, descending", "Ref:Other", "-V:blanksLast", [10, 2, 0]],
  ["blanks last among booleans, descending", "Bool", "-V:blanksLast", ["sometimes", true, false]],
  ["booleans", "Bool", "V", [false, true, 1, 7, null, "sometimes"]],
  ["booleans, empty last", "Bool", "V:emptyLast", [true, 7, "sometimes", false, null, ""]],
  ["dates", "Date", "V", [-86_400, 0, 86_400, 864_000, null, "soon"]],
  ["references by id", "Ref:Other", "V", [0, 2, 10, "nobody"]],
  ["texts", "Text", "V", [null, "", " x", "-", "10", "9", "a b", "a-b", "a10", "a9", "ab", "Ab", "áb", "zoo", "дом"]],
  ["numbers inside texts", "Text", "V:naturalSort", [null, "", "2", "10", "a 1", "a 02", "a 10", "b2c9x", "b2c10"]],
  ["texts, empty last", "Text", "V:emptyLast", ["10", "9", "a", "b", null, ""]],
  ["both options", "Text", "V:emptyLast;naturalSort", ["9", "10", null, ""]],
  ["unknown options", "Text", "V:Emptylast;whatever", [null, "", "10", "9"]],
  ["lists", "ChoiceList", "V", [null, ["L", "a"], ["L", "a", "b"], ["L", "a10"], ["L", "a9"], ["L", "b"], "a"]],
  ["lists of ids", "RefList:Other", "-V", ["stray", ["L", 10], ["L", 2, 1], ["L", 2], null]],
  ["everything in one", "Any", "V", [false, true, -1, 2, null, ["d", 5], ["L", 1], ["L", "a"], "", "text"]],
  ["choices as texts", "Choice", "V", ["", "amber", "green", "other", "red"]],
  ["choices in their order", "Choice", "V:orderByChoice", [null, "", "red", "amber", "green", "other"]],
  ["choices in their order, reversed", "Choice", "-V:orderByChoice", ["other", "green", "amber", "red", "", null]],
  ["only choices have an order", "Text", "V:orderByChoice", ["amber", "green", "red"]],
];

describe.each(orders)("%s", (_name, type, sort, sorted) => {
  // The last one first, then every second one, so that neither direction is the order of the rows already.
  const mixed = [...sorted.keys()].toReversed().toSorted((a, b) => (a % 2) - (b % 2));
  const document = sampleDocument([
    {
      id: "T",
      columns: { V: type },
      widgetOptions: { V: { choices: ["red", "amber", "green"] } },
      rows: mixed.map((place) => ({ id: place + 1, V: sorted[place] ?? null })),
    },
  ]);
  afterAll(() => document.close());

  test("orders all rows, and the first ones with a limit", () => {
    const expected = expectedOrder(sorted);
    expect(fetchIds(document, { table: "T", sort })).toEqual(expected);
    for (const limit of [1, 2, 3, sorted.length, 999]) {
      expect(fetchIds(document, { table: "T", sort, limit: String(limit) })).toEqual(expected.slice(0, limit));
    }
  });
});

/** True and 1 are equal in a column of booleans. */
const expectedOrder = (sorted: CellValue[]): number[] => sorted.map((_, place) => place + 1);

describe("several keys, ties, ids", () => {
  const document = sampleDocument([
    {
      id: "T",
      columns: { A: "Text", N: "Int", Empty: "Any" },
      // Positions are in reverse order of ids.
      rows: [
        { A: "x", N: 2, manualSort: 6 },
        { A: "x", N: 1, manualSort: 5 },
        { A: "y", N: 2, manualSort: 4 },
        { A: "y", N: 1, manualSort: 3 },
        { A: "x", N: 2, manualSort: 2 },
        { A: "x", N: null, manualSort: 1 },
      ],
    },
  ]);
  afterAll(() => document.close());

  const cases: [sort: string, ids: number[]][] = [
    ["N", [4, 2, 5, 3, 1, 6]],
    ["-N", [6, 5, 3, 1, 4, 2]],
    ["A", [6, 5, 2, 1, 4, 3]],
    ["-A", [4, 3, 6, 5, 2, 1]],
    ["A,N", [2, 5, 1, 6, 4, 3]],
    ["N,-A", [4, 2, 3, 5, 1, 6]],
    ["A,-id", [6, 5, 2, 1, 4, 3]],
    ["A,id", [1, 2, 5, 6, 3, 4]],
    ["N,-id", [4, 2, 5, 3, 1, 6]],
    ["-id", [6, 5, 4, 3, 2, 1]],
    ["-id,A", [6, 5, 4, 3, 2, 1]],
    ["manualSort", [6, 5, 4, 3, 2, 1]],
    ["-manualSort", [1, 2, 3, 4, 5, 6]],
    ["Empty", [6, 5, 4, 3, 2, 1]],
    ["A N", [6, 5, 2, 1, 4, 3]],
    ["N,N", [4, 2, 5, 3, 1, 6]],
    ["A,-A,N,A:emptyLast,-N", [2, 5, 1, 6, 4, 3]],
    ["", [1, 2, 3, 4, 5, 6]],
  ];
  test.each(cases)("sort=%s", (sort, ids) => {
    expect(fetchIds(document, { table: "T", sort })).toEqual(ids);
    expect(fetchIds(document, { table: "T", sort, limit: "4" })).toEqual(ids.slice(0, 4));
    const odd = ids.filter((id) => id % 2 === 1);
    expect(fetchIds(document, { table: "T", sort, filter: '{"id":[1,3,5]}' })).toEqual(odd);
  });

  test("accepts a column's ref in place of its id", () => {
    const ref = document.schema.tableById.get("T")?.columnById.get("N")?.ref;
    expect(fetchIds(document, { table: "T", sort: `-${ref}` })).toEqual([6, 5, 3, 1, 4, 2]);
  });

  test.each(["Nope", "a", "A,", ",A", "A,,N", "--A", "+A", " A", "-", "1", "99999"])("sort=%s is refused", (sort) => {
    // Column 1 belongs to another table.
    expectRefusal(document, sort);
  });

  test("an empty list in a body orders by position, none by id", () => {
    expect(listIds(document, "T", { sort: [] })).toEqual([6, 5, 4, 3, 2, 1]);
    expect(listIds(document, "T", {})).toEqual([1, 2, 3, 4, 5, 6]);
    expect(listIds(document, "T", undefined)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(listIds(document, "T", { sort: ["A", "-N"], limit: 2.9 })).toEqual([6, 5]);
  });
});

function expectRefusal(document: OpenDocument, sort: string): void {
  expect(() => fetchIds(document, { table: "T", sort })).toThrow(AppError);
}

test("fast comparisons agree with the collator", () => {
  // Texts of a few characters, varying in case, spaces, digits, accents and length, after a common prefix.
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const letters = ["a", "B", "b", "C", " ", "0", "9", "10", "-", "_", "é", "ab", "ß", "ä"];
  const texts = Array.from(
    { length: 600 },
    () => `Plot ${Array.from({ length: random(14) }, () => letters[random(letters.length)]).join("")}`,
  );
  using document = sampleDocument([{ id: "T", columns: { V: "Text" }, rows: texts.map((V) => ({ V })) }]);
  const expected = (options: Intl.CollatorOptions) => {
    const { compare } = new Intl.Collator("en-US", options);
    return texts.map((text, at) => ({ text, id: at + 1 })).toSorted((a, b) => compare(a.text, b.text) || a.id - b.id);
  };
  const plain = expected({}).map(({ id }) => id);
  const natural = expected({ numeric: true }).map(({ id }) => id);
  expect(fetchIds(document, { table: "T", sort: "V" })).toEqual(plain);
  expect(fetchIds(document, { table: "T", sort: "V", limit: "50" })).toEqual(plain.slice(0, 50));
  expect(fetchIds(document, { table: "T", sort: "V:naturalSort" })).toEqual(natural);
});
