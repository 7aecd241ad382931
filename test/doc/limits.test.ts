import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { LIMITS } from "../../src/doc/limits.ts";
import { AppError } from "../../src/errors.ts";
import { Scratch } from "./actions/scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.do("AddTable", "T", [{ id: "A" }, { id: "L", type: "ChoiceList" }]);
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

/** Expects a refusal with this code and text, after an accepted action that must leave no trace. */
function refused(actions: readonly unknown[][], code: string, says: string): void {
  const before = [scratch.content(), scratch.states()];
  let error: unknown;
  try {
    scratch.apply([["AddTable", "Other", [{ id: "A" }]], ...actions]);
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(AppError);
  expect(error).toMatchObject({ code });
  expect(String(error)).toContain(says);
  expect([scratch.content(), scratch.states()]).toEqual(before);
}

test("limits the rows of a request", () => {
  const ids = Array.from({ length: LIMITS.rows + 1 }, () => null);
  refused([["BulkAddRecord", "T", ids, {}]], "tooLarge", "action 1 (BulkAddRecord)");
  const half = Array.from({ length: LIMITS.rows / 2 }, (_, i) => i + 1);
  const twice = [half, half].map((list) => ["BulkRemoveRecord", "T", list]);
  refused([...twice, ["RemoveRecord", "T", 1]], "tooLarge", `${LIMITS.rows} rows`);
  refused([["BulkAddOrUpdateRecord", "T", { A: ids }, {}, {}]], "tooLarge", "BulkAddOrUpdateRecord");
});

test("limits the actions of a request", () => {
  const actions = Array.from({ length: LIMITS.actions }, () => ["Calculate"]);
  refused(actions, "tooLarge", `this one has ${LIMITS.actions + 1}`);
});

test("limits the bytes of a cell", () => {
  const most = "é".repeat(LIMITS.cellBytes / 2);
  scratch.do("AddRecord", "T", null, { A: most });
  expect(scratch.rows("T", "A")[1]).toEqual([most]);
  refused([["BulkAddRecord", "T", [null, null], { A: ["x", `${most}x`] }]], "tooLarge", '"A", value 2 of 2');
  refused([["UpdateRecord", "T", 1, { A: `${most}x` }]], "tooLarge", '"A"');
  refused([["UpdateRecord", "T", 1, { L: ["L", `${most}x`] }]], "tooLarge", '"L"');
  refused([["AddOrUpdateRecord", "T", { A: `${most}x` }, {}, {}]], "tooLarge", '"A"');
});

test("limits the columns of a table to SQLite's maximum, which works", () => {
  // One is `id`, one contains positions.
  const columns = Array.from({ length: LIMITS.columns - 2 }, (_, i) => ({ id: `c${i}` }));
  refused([["AddTable", "Wide", [...columns, { id: "more" }]]], "invalid", `${LIMITS.columns} columns`);
  scratch.do("AddTable", "Wide", columns);
  scratch.do("AddRecord", "Wide", null, { c0: "first", c1997: "last" });
  expect(scratch.rows("Wide", "c0", "c1997")).toEqual({ 1: ["first", "last"] });
  refused([["AddColumn", "Wide", "more", {}]], "invalid", '"Wide" would have more');
  refused([["SetDisplayFormula", "Wide", null, "c0", "$c1"]], "invalid", '"Wide" would have more');
  scratch.do("ModifyColumn", "Wide", "c5", { type: "Int" });
  scratch.do("RemoveColumn", "Wide", "c5");
  scratch.do("AddColumn", "Wide", "more", {});
});

test("limits the text properties of tables and columns", () => {
  const name = "x".repeat(LIMITS.nameLength + 1);
  const text = "x".repeat(LIMITS.textLength + 1);
  refused([["AddTable", name, []]], "invalid", '"id"');
  refused([["RenameTable", "T", name]], "invalid", '"tableId"');
  refused([["AddColumn", "T", name, {}]], "invalid", '"id"');
  refused([["AddTable", "New", [{ id: name }]]], "invalid", '"id"');
  refused([["RenameColumn", "T", "A", name]], "invalid", '"colId"');
  refused([["ModifyColumn", "T", "A", { formula: "1".repeat(LIMITS.formulaLength + 1) }]], "invalid", '"formula"');
  for (const field of ["label", "description", "widgetOptions"]) {
    const untied = { untieColIdFromLabel: true, [field]: text };
    refused([["ModifyColumn", "T", "A", untied]], "invalid", field === "widgetOptions" ? '"widgetOptions"' : '"label"');
  }
});

test("docs/limits.md documents all limits", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../docs/limits.md")).text();
  for (const limit of Object.values(LIMITS)) expect(page).toContain(limit.toLocaleString("en-US"));
});
