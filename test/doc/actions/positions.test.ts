import { expect, test } from "bun:test";
import { Scratch } from "./scratch.ts";

/** Returns the positions after adding rows at `requested` to a table with positions 1, 2 and 3. */
function added(...requested: (number | null)[]): unknown[] {
  using scratch = withThree();
  const given = requested.length > 0 ? { manualSort: requested } : {};
  scratch.do(
    "BulkAddRecord",
    "Table1",
    requested.map(() => null),
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

const cases: [requested: (number | null)[], positions: number[]][] = [
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
for (const [requested, expected] of cases) {
  test(`allocates positions for ${JSON.stringify(requested)}`, () => {
    expect(added(...requested)).toEqual(expected);
  });
}

test("moves a row to the end for a position beyond it", () => {
  using scratch = withThree();
  scratch.do("UpdateRecord", "Table1", 1, { manualSort: 100 });
  expect(positions(scratch)).toEqual([4, 2, 3]);
  expect(scratch.do("AddRecord", "Table1", null, {})).toBe(4);
  expect(positions(scratch)).toEqual([4, 2, 3, 5]);
});

test("renumbers rows when no number is left between two positions", () => {
  using scratch = withThree();
  for (let i = 0; i < 60; i++) scratch.do("AddRecord", "Table1", null, { manualSort: positions(scratch)[1] });
  const order = scratch.document.db.values("select id from Table1 order by manualSort").map(([id]) => id);
  expect(order).toEqual([1, ...Array.from({ length: 60 }, (_, i) => i + 4), 2, 3]);
  expect(new Set(positions(scratch)).size).toBe(63);
});

test("recomputes the last position after rows were removed", () => {
  using scratch = withThree();
  scratch.do("RemoveRecord", "Table1", 3);
  scratch.do("AddRecord", "Table1", null, {});
  expect(positions(scratch)).toEqual([1, 2, 3]);
});

test("recomputes the last position after a rollback", () => {
  using scratch = withThree();
  expect(() => scratch.apply([["AddRecord", "Table1", null, {}], ["Teleport"]])).toThrow();
  scratch.do("AddRecord", "Table1", null, {});
  expect(positions(scratch)).toEqual([1, 2, 3, 4]);
});
