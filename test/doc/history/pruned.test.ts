import { expect, test } from "bun:test";
import { applyUserActions } from "../../../src/doc/actions/apply-user-actions.ts";
import type { HistoryLimits } from "../../../src/doc/history.ts";
import { listStates } from "../../../src/doc/history/states.ts";
import { ANN } from "../actions/scratch.ts";
import { sampleDocument } from "../read/sample.ts";

/** States are pruned in batches, and not before the limit is exceeded by a quarter. */
const SLACK = 1.25;
const LOT = 16;
const CHANGES = 200;

/** Returns how many states a document has after each of many changes that write a text of this length. */
function countsWithin(history: HistoryLimits, length: number): number[] {
  using document = sampleDocument([{ id: "Notes", columns: { Text: "Text" }, rows: [{ Text: "" }] }], { history });
  const counts = Array.from({ length: CHANGES }, (_, i) => {
    const text = String(i).padStart(length, "x");
    const actions = [["UpdateRecord", "Notes", 1, { Text: text }]];
    const { state } = applyUserActions(document, actions, { parse: false, user: ANN, nowMs: 0 });
    const states = listStates(document.db);
    expect(states[0]?.n).toBe(state?.actionNum);
    return states.length;
  });
  expect(document.db.values("pragma integrity_check")).toEqual([["ok"]]);
  return counts;
}

test("limits the number of states", () => {
  const counts = countsWithin({ states: 40, bytes: 1e9 }, 1);
  expect(Math.max(...counts)).toBeGreaterThan(40);
  expect(Math.max(...counts)).toBeLessThanOrEqual(40 * SLACK + LOT);
  expect(Math.min(...counts.slice(40))).toBe(40);
});

test("limits the size of the history", () => {
  // A change of a thousand letters takes about three thousand bytes: before, after, and the user action.
  const counts = countsWithin({ states: 1e6, bytes: 100_000 }, 1000);
  expect(Math.max(...counts)).toBeLessThanOrEqual((100_000 * SLACK) / 3000 + LOT);
  expect(Math.min(...counts.slice(100))).toBeGreaterThan(25);
});

test("keeps the newest state, however large it is", () => {
  const counts = countsWithin({ states: 1, bytes: 10 }, 1000);
  expect(Math.min(...counts)).toBe(1);
  expect(Math.max(...counts)).toBeLessThanOrEqual(LOT + 1);
});
