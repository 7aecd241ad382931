import { expect, test } from "bun:test";
import { Change } from "../../../src/doc/actions/change.ts";
import { calculationFor } from "../../../src/doc/formulas/calculation-cache.ts";
import { Evaluation } from "../../../src/doc/formulas/evaluation.ts";
import { TimedEvaluation } from "../../../src/doc/formulas/timed-evaluation.ts";
import {
  saveTiming,
  restoreTiming,
  startTiming,
  stopTiming,
  readTiming,
} from "../../../src/doc/formulas/timing-session.ts";
import { SYSTEM_USER } from "../../../src/doc/user-info.ts";
import { Scratch } from "../actions/scratch.ts";

function evaluationOf({ document }: Scratch): Evaluation {
  const change = new Change(document, { parse: false, user: SYSTEM_USER, nowMs: 0 });
  return calculationFor(change, { isReplayed: false }).calculation.evaluation;
}

test("uses the evaluation class without timing unless a session is active", () => {
  using scratch = new Scratch();
  scratch.do("AddTable", "Work", [{ id: "F", isFormula: true, formula: "$id * 2" }]);
  scratch.do("AddRecord", "Work", null, {});
  expect(Object.getPrototypeOf(evaluationOf(scratch))).toBe(Evaluation.prototype);
  startTiming(scratch.document, "it");
  expect(evaluationOf(scratch)).toBeInstanceOf(TimedEvaluation);
  scratch.do("AddRecord", "Work", null, {});
  expect(stopTiming(scratch.document, "it")).toMatchObject([{ tableId: "Work", colId: "F", count: 1 }]);
  expect(Object.getPrototypeOf(evaluationOf(scratch))).toBe(Evaluation.prototype);
  expect(readTiming(scratch.document)).toBeNull();
});

test("counts a postponed cell once, with its total time", () => {
  using scratch = new Scratch();
  // Each cell reads the previous one, deeper than the limit of nested evaluations.
  const formula = "($id > 1 and Work.lookupOne(id=$id - 1).Chain or 0) + 1";
  scratch.do("AddTable", "Work", [{ id: "Chain", isFormula: true, formula }]);
  startTiming(scratch.document, "it");
  scratch.do(
    "BulkAddRecord",
    "Work",
    Array.from({ length: 200 }, () => null),
    {},
  );
  expect(scratch.rows("Work", "Chain")[200]).toEqual([200]);
  const [chain] = readTiming(scratch.document) ?? [];
  expect(chain).toMatchObject({ count: 200 });
  expect(chain?.max).toBeLessThanOrEqual(chain?.sum ?? 0);
});

test("adds up timings of two threads for a moved document, and keeps nothing after stopping", () => {
  using scratch = new Scratch();
  const { document } = scratch;
  scratch.do("AddTable", "Work", [{ id: "F", isFormula: true, formula: "$id * 2" }]);
  startTiming(document, "it");
  scratch.do("AddRecord", "Work", null, {});
  saveTiming(document);
  expect(readTiming(document)).toBeNull();
  restoreTiming(document);
  scratch.do("BulkAddRecord", "Work", [null, null], {});
  expect(readTiming(document)).toMatchObject([{ count: 3 }]);
  saveTiming(document);
  restoreTiming(document);
  expect(readTiming(document)).toMatchObject([{ count: 3 }]);
  document.db.exec("drop table _quern_timing");
  saveTiming(document);
  expect(readTiming(document)).toBeNull();
});
