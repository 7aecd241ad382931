import { expect, test } from "bun:test";
import { Scratch } from "./scratch.ts";

/** The positions of rows after rows with these were added to a table that had 1, 2 and 3. */
function added(...places: (number | null)[]): unknown[] {
  using scratch = withThree();
  const given = places.length > 0 ? { manualSort: places } : {};
  scratch.do(
    "BulkAddRecord",
    "Table1",
    places.map(() => null),
    given,
  );
  return positions(scratch).slice(3);
}

function withThree(): Scratch {
  const scratch = new Scratch();
  scratch.do("BulkAddRecord", "Table1", [null, null, null], {});
  return scratch;
}

const positions = (scratch: Scratch): unknown[] =>
  Object.values(scratch.rows("Table1", "manualSort")).map(([position]) => position);

const cases: [places: (number | null)[], positions: number[]][] = [
  [[null], [4]],
  [[100], [4]],
  [
    [null, null],
    [4, 5],
  ],
  [[0.5], [0.5]],
  [[1], [0.5]],
  [[-3], [0.5]],
  [[2], [1.5]],
  [[1.25], [1.5]],
  [
    [2, 2],
    [1 + 1 / 3, 1 + 2 / 3],
  ],
  [
    [3, 1, null],
    [2.5, 0.5, 4],
  ],
];
for (const [places, expected] of cases) {
  test(`rows that ask for ${JSON.stringify(places)}`, () => {
    expect(added(...places)).toEqual(expected);
  });
}

test("a row is moved to the end by a position beyond it", () => {
  using scratch = withThree();
  scratch.do("UpdateRecord", "Table1", 1, { manualSort: 100 });
  expect(positions(scratch)).toEqual([4, 2, 3]);
  expect(scratch.do("AddRecord", "Table1", null, {})).toBe(4);
  expect(positions(scratch)).toEqual([4, 2, 3, 5]);
});

test("rows make room when there is no number left between two", () => {
  using scratch = withThree();
  for (let i = 0; i < 60; i++) scratch.do("AddRecord", "Table1", null, { manualSort: positions(scratch)[1] });
  const order = scratch.document.db.values("select id from Table1 order by manualSort").map(([id]) => id);
  expect(order).toEqual([1, ...Array.from({ length: 60 }, (_, i) => i + 4), 2, 3]);
  expect(new Set(positions(scratch)).size).toBe(63);
});

test("the end is found anew after rows went", () => {
  using scratch = withThree();
  scratch.do("RemoveRecord", "Table1", 3);
  scratch.do("AddRecord", "Table1", null, {});
  expect(positions(scratch)).toEqual([1, 2, 3]);
});

test("the end is found anew after a change was undone", () => {
  using scratch = withThree();
  expect(() => scratch.apply([["AddRecord", "Table1", null, {}], ["Teleport"]])).toThrow();
  scratch.do("AddRecord", "Table1", null, {});
  expect(positions(scratch)).toEqual([1, 2, 3, 4]);
});
