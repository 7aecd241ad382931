import { expect, test } from "bun:test";
import { decidePruning } from "../../../src/cluster/protocol/retention.ts";

const bases = [
  { ref: "b1", seq: 10, publishedAtMs: 1000 },
  { ref: "b2", seq: 20, publishedAtMs: 2000 },
  { ref: "b3", seq: 30, publishedAtMs: 3000 },
];

test.each<[string, number, string | null, string[], number]>([
  ["nothing before the first base is old enough", 999, null, [], 0],
  ["rows of the first base", 1000, "b1", [], 10],
  ["what is older than the newest old base", 2999, "b2", ["b1"], 20],
  ["all but the newest base", 9000, "b3", ["b1", "b2"], 30],
])("prunes %s", (_, startMs, keepFrom, deleteRefs, deleteRowsTo) => {
  const decision = decidePruning(bases.toReversed(), startMs);
  expect(decision.keepFrom?.ref ?? null).toBe(keepFrom);
  expect(decision.deleteRefs.toSorted()).toEqual(deleteRefs);
  expect(decision.deleteRowsTo).toBe(deleteRowsTo);
});

test("keeps the current base when an older one has the same content", () => {
  const again = { ref: "b4", seq: 30, publishedAtMs: 4000 };
  expect(decidePruning([...bases, again], 3000).deleteRefs).toEqual(["b1", "b2"]);
  expect(decidePruning([...bases, again], 4000).deleteRefs).toEqual(["b1", "b2", "b3"]);
});
