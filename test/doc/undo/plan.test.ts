import { expect, test } from "bun:test";
import type { DocumentGrant } from "../../../src/authorization.ts";
import { newestState } from "../../../src/doc/history.ts";
import { describeUndo } from "../../../src/doc/undo/describe-undo.ts";
import { planUndo } from "../../../src/doc/undo/plan-undo.ts";
import { ANN, Scratch } from "../actions/scratch.ts";

const KEY = 7;
const grant = {
  uuid: "document",
  role: "owners",
  actor: { kind: "user", userId: ANN.userId, email: ANN.email, name: "Ann", ref: "ann", via: "key", keyId: KEY },
  request: { origin: null, linkKey: {} },
} as unknown as DocumentGrant;

function setUp(): { scratch: Scratch; since: number } {
  const scratch = new Scratch();
  scratch.apply([
    ["AddTable", "Notes", [{ id: "Text", type: "Text", isFormula: false }]],
    ["BulkAddRecord", "Notes", [1, 2], { Text: ["a", "b"] }],
  ]);
  return { scratch, since: newestState(scratch.document.db)?.actionNum ?? 0 };
}

const own = (scratch: Scratch, ...action: unknown[]) => scratch.apply([action], { user: { keyId: KEY } });

test("a cell that changed without a state is a conflict", () => {
  const { scratch, since } = setUp();
  using _ = scratch;
  own(scratch, "BulkUpdateRecord", "Notes", [1, 2], { Text: ["x", "y"] });
  scratch.document.db.run("update Notes set Text = 'z' where id = 2");
  expect(describeUndo(grant, planUndo(scratch.document, grant, since))).toMatchObject({
    cells: [{ row: 1, from: "x", to: "a" }],
    conflicts: [{ row: 2, column: "Text", reason: "changed_since" }],
  });
});

test("an incomplete history is refused", () => {
  const { scratch, since } = setUp();
  using _ = scratch;
  for (const text of ["x", "y", "z"]) own(scratch, "UpdateRecord", "Notes", 1, { Text: text });
  scratch.document.db.run("delete from _gristsys_ActionHistory where actionNum = ?", since + 2);
  expect(() => planUndo(scratch.document, grant, since)).toThrow("is not complete");
});

test("too many changes are refused, but not those before the first one of the key", () => {
  const { scratch, since } = setUp();
  using _ = scratch;
  for (const letter of ["x", "y", "z"]) scratch.do("UpdateRecord", "Notes", 1, { Text: letter.repeat(2 ** 22) });
  own(scratch, "UpdateRecord", "Notes", 2, { Text: "x" });
  expect(describeUndo(grant, planUndo(scratch.document, grant, since)).counts).toMatchObject({ cells: 1 });
  for (const letter of ["a", "b", "c"]) scratch.do("UpdateRecord", "Notes", 1, { Text: letter.repeat(2 ** 22) });
  expect(() => planUndo(scratch.document, grant, since)).toThrow("too many changes");
});

test("lists are cut and counted; too many rows are refused", () => {
  const { scratch, since } = setUp();
  using _ = scratch;
  const ids = Array.from({ length: 50_001 }, (_each, at) => at + 10);
  own(scratch, "BulkAddRecord", "Notes", ids.slice(1), {});
  const plan = describeUndo(grant, planUndo(scratch.document, grant, since));
  expect([plan.counts.removedRows, plan.removedRows.length, plan.isComplete]).toEqual([50_000, 100, false]);
  own(scratch, "AddRecord", "Notes", 10, {});
  expect(() => planUndo(scratch.document, grant, since)).toThrow("50001 cells and rows");
});

test("plans belong to a document, a caller and a state, and to all of their cells", () => {
  const { scratch, since } = setUp();
  using _ = scratch;
  own(scratch, "BulkUpdateRecord", "Notes", [1, 2], { Text: ["x", "y"] });
  const planIdOf = (from: number, by = grant) => describeUndo(by, planUndo(scratch.document, grant, from)).planId;
  const first = planIdOf(since);
  expect(planIdOf(since)).toBe(first);
  expect(planIdOf(since - 1)).not.toBe(first);
  expect(planIdOf(since, { ...grant, uuid: "copy" })).not.toBe(first);
  const other = { ...grant.actor, keyId: 8 } as DocumentGrant["actor"];
  expect(planIdOf(since, { ...grant, actor: other })).not.toBe(first);
  scratch.do("UpdateRecord", "Notes", 2, { Text: "z" });
  expect(planIdOf(since)).not.toBe(first);
});
