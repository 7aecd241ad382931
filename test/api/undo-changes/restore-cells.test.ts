/** Rows, columns and cells return to what they were at a state. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { setRules } from "../../helpers/access-rules.ts";
import type { RestoredCells } from "../../../src/wire/documents/restore.ts";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { type UndoSetting, undoSetting } from "./setting.ts";

let server: TestApp;
let setting: UndoSetting;
let since: number;

beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

beforeEach(async () => {
  setting = await undoSetting(server);
  since = await setting.newest();
});

type Answer = RestoredCells & { readonly details: { readonly code: string; readonly plan: RestoredCells } };

const send = (body: object, { by = "own", state = since } = {}) =>
  setting.call(by, "POST", `/states/${state}/restore-cells`, { table: "People", ...body });

async function plan(body: object): Promise<Answer> {
  const { status, body: answer } = await send(body);
  expect([status, answer]).toEqual([200, expect.objectContaining({ isApplied: false, state: null, from: since })]);
  return answer as Answer;
}

async function restore(body: object): Promise<Answer> {
  const { planId } = await plan(body);
  const { status, body: answer } = await send({ ...body, planId });
  expect([status, answer]).toEqual([200, expect.objectContaining({ isApplied: true, planId })]);
  return answer as Answer;
}

const update = (by: string, row: number, fields: object, table = "People") =>
  setting.make([[by, "UpdateRecord", table, row, fields]]);

const ages = async () => Object.values(await setting.rows("People")).map(({ Age }) => Age);

test("a column gets its values back, also cells of other authors", async () => {
  await setting.make([["own", "BulkUpdateRecord", "People", [1, 2, 3], { Age: [0, 0, 0] }]]);
  await update("editor", 2, { Age: 7, Name: "Bea" });
  const planned = await plan({ columns: ["Age"] });
  expect(planned.columns).toEqual([{ table: "People", column: "Age", cells: 3 }]);
  expect(planned.cells[1]).toEqual({ table: "People", row: 2, column: "Age", from: 7, to: 40 });
  expect(await ages()).toEqual([0, 7, 0]);
  const { state } = await restore({ columns: ["Age"] });
  expect(await ages()).toEqual([30, 40, 50]);
  expect((await setting.rows("People"))[2]).toMatchObject({ Name: "Bea" });
  // One change of the history, which can be undone.
  const { body } = await setting.call("own", "GET", "/history?limit=1");
  expect(body.states[0]).toMatchObject({ n: state, note: `Restored from state ${since}` });
  expect((await setting.call("own", "POST", `/states/${state}/undo`)).status).toBe(200);
  expect(await ages()).toEqual([0, 7, 0]);
});

test("cells changed after the last seen state are left alone", async () => {
  await update("own", 1, { Age: 31 });
  await update("own", 2, { Age: 41 });
  await update("editor", 2, { Age: 42 });
  const answer = await restore({ columns: ["Age"], unchangedSince: since + 2 });
  expect(answer.conflicts).toEqual([{ table: "People", row: 2, column: "Age", reason: "changed_since" }]);
  expect(await ages()).toEqual([30, 42, 50]);
});

test("single cells and whole rows, with their names of today", async () => {
  await update("own", 1, { Age: 31, Name: "Ann" });
  await update("own", 2, { Age: 41, Name: "Bo" });
  await setting.make([["own", "RenameColumn", "People", "Age", "Years"]]);
  await setting.make([["own", "RenameTable", "People", "Staff"]]);
  await restore({ table: "Staff", rows: [1], columns: ["Years"] });
  expect((await setting.rows("Staff"))[1]).toMatchObject({ Years: 30, Name: "Ann" });
  await restore({ table: "Staff", rows: [2] });
  expect((await setting.rows("Staff"))[2]).toMatchObject({ Years: 40, Name: "Bob" });
});

test("a deleted row returns with its id, and references to it are set again", async () => {
  const before = await setting.rows("People");
  await setting.make([["editor", "RemoveRecord", "People", 1]]);
  expect((await setting.rows("Orders"))[1]).toMatchObject({ Buyer: 0 });
  const answer = await restore({ rows: [1] });
  expect(answer.restoredRows).toMatchObject([{ table: "People", row: 1, fields: { Name: "Ada", Age: 30 } }]);
  expect(answer.columns).toEqual([{ table: "Orders", column: "Buyer", cells: 1 }]);
  expect(await setting.rows("People")).toEqual(before);
  expect((await setting.rows("Orders"))[1]).toMatchObject({ Buyer: 1 });
});

test("references stay as they are if they were set since, or by request", async () => {
  await setting.make([["own", "RemoveRecord", "People", 1]]);
  expect((await plan({ rows: [1], references: false })).columns).toEqual([]);
  await update("own", 1, { Buyer: 3 }, "Orders");
  await restore({ rows: [1] });
  expect((await setting.rows("Orders"))[1]).toMatchObject({ Buyer: 3 });
});

test("a lost target leaves the cell of the restored row empty", async () => {
  await update("own", 1, { Friend: 2 });
  const state = await setting.newest();
  await setting.make([["own", "BulkRemoveRecord", "People", [1, 2]]]);
  const { body } = await send({ rows: [1] }, { state });
  expect(body.conflicts).toEqual([{ table: "People", row: 1, column: "Friend", reason: "missing_reference" }]);
  // Both together refer to each other again.
  expect((await send({ rows: [1, 2] }, { state })).body.conflicts).toEqual([]);
});

test("a row whose id another row has now returns under a new id, without references to it", async () => {
  await update("own", 1, { Friend: 3 });
  const before = await setting.rows("People");
  const state = await setting.newest();
  await setting.make([["own", "RemoveRecord", "People", 3]]);
  await setting.make([["own", "AddRecord", "People", 3, { Name: "New", Age: 1 }]]);
  const at = { state };
  const body = { rows: [3], newIds: true };
  expect((await send({ rows: [3] }, at)).body).toMatchObject({
    restoredRows: [],
    conflicts: [{ reason: "id_in_use" }],
  });
  // Single cells do not return as rows.
  expect((await send({ ...body, columns: ["Age"] }, at)).body.restoredRows).toEqual([]);
  const stale = (await send(body, at)).body;
  expect(stale).toMatchObject({ restoredRows: [{ row: 4 }], cells: [], conflicts: [] });
  // Another row takes the id: the plan is another one.
  await setting.make([["own", "AddRecord", "People", 4, { Name: "Fourth" }]]);
  const refused = await send({ ...body, planId: stale.planId }, at);
  expect([refused.status, refused.body.details.code]).toEqual([409, "undo.plan_changed"]);
  const planned = (await send(body, at)).body;
  const applied = await send({ ...body, planId: planned.planId }, at);
  expect(applied.body).toMatchObject({ isApplied: true, restoredRows: [{ row: 5 }], cells: [] });
  const people = await setting.rows("People");
  const names = Object.values(people).map(({ Name }) => Name);
  expect(names).toEqual(["Ada", "Bob", "New", "Fourth", "Cid"]);
  expect(people[5]).toEqual(before[3]);
  expect(people[1]).toMatchObject({ Friend: 0 });
  expect((await setting.call("own", "POST", `/states/${applied.body.state}/undo`)).status).toBe(200);
  expect(Object.keys(await setting.rows("People"))).toHaveLength(4);
});

test("a new id is not that of another row that returns", async () => {
  await setting.make([["own", "AddRecord", "People", 4, { Name: "Last" }]]);
  const state = await setting.newest();
  await setting.make([["own", "BulkRemoveRecord", "People", [3, 4]]]);
  await setting.make([["own", "AddRecord", "People", 3, { Name: "New" }]]);
  const { body } = await send({ rows: [3, 4], newIds: true }, { state });
  const names = body.restoredRows.map(({ row, fields }: RestoredCells["restoredRows"][number]) => [
    row,
    fields["Name"],
  ]);
  expect(names.toSorted()).toEqual([
    [4, "Last"],
    [5, "Cid"],
  ]);
});

test("references to a row that is gone do not lead to one that gets its id", async () => {
  await setting.make([["own", "AddRecord", "People", 4, { Name: "Last" }]]);
  await update("own", 1, { Friend: 4 });
  const state = await setting.newest();
  await setting.make([["own", "BulkRemoveRecord", "People", [3, 4]]]);
  await setting.make([["own", "AddRecord", "People", 3, { Name: "New" }]]);
  const { body } = await send({ rows: [3], newIds: true }, { state });
  expect(body).toMatchObject({ restoredRows: [{ row: 4 }], cells: [], conflicts: [] });
});

test.each([
  [
    "id_in_use",
    [
      ["RemoveRecord", "People", 1],
      ["AddRecord", "People", 1, { Name: "New" }],
    ],
    { rows: [1] },
  ],
  ["not_in_state", [["AddRecord", "People", 4, { Name: "New" }]], { rows: [4] }],
  ["removed_since", [["RemoveRecord", "People", 1]], { rows: [1], columns: ["Age"] }],
  ["column_changed", [["ModifyColumn", "People", "Age", { type: "Text" }]], { columns: ["Age"] }],
  ["column_removed", [["RemoveColumn", "People", "Age"]], { columns: ["Age"] }],
  [
    "column_changed",
    [["ModifyColumn", "People", "Length", { isFormula: false, formula: "" }]],
    { columns: ["Length"] },
  ],
  ["computed", [["UpdateRecord", "People", 1, { Name: "A" }]], { columns: ["Length"] }],
  ["table_removed", [["RemoveTable", "Orders"]], { table: "Orders" }],
])("%s is reported as a conflict, and nothing is changed", async (reason, actions, body) => {
  await setting.make(actions.map((action) => ["own", ...action] as const));
  const newest = await setting.newest();
  const answer = await restore(body);
  expect(answer.conflicts.map((conflict): string => conflict.reason)).toEqual([reason]);
  expect([answer.counts.cells, answer.counts.restoredRows, answer.state]).toEqual([0, 0, null]);
  expect(await setting.newest()).toBe(newest);
});

test("a plan that has become different is refused with the present one", async () => {
  await update("own", 1, { Age: 31 });
  const { planId } = await plan({ columns: ["Age"] });
  await update("editor", 2, { Age: 41 });
  const { status, body } = await send({ columns: ["Age"], planId });
  expect([status, body.details.code]).toEqual([409, "undo.plan_changed"]);
  expect(body.details.plan.counts).toMatchObject({ cells: 2 });
  expect(await ages()).toEqual([31, 41, 50]);
});

test.each([
  [{ table: "Nothing" }, 404, "table.not_found"],
  [{ columns: ["Nothing"] }, 400, "column.unknown"],
  [{ columns: ["manualSort"] }, 400, "column.unknown"],
  [{ rows: [] }, 400, "payload.invalid"],
  [{ rows: ["1"] }, 400, "payload.invalid"],
  [{ unchangedSince: 9999 }, 404, "state.not_found"],
])("%j is refused", async (body, status, code) => {
  const reply = await send(body);
  expect([reply.status, reply.body.details.code]).toEqual([status, code]);
});

test("viewers cannot restore, nor can editors from whom rules hide a part", async () => {
  await update("own", 1, { Age: 31 });
  expect((await send({ rows: [1] }, { by: "viewer" })).status).toBe(403);
  expect((await send({ rows: [1] }, { by: "editor" })).status).toBe(200);
  await setRules(server, setting.doc, { "People:Age": [{ formula: "user.Access != OWNER", permissions: "-R" }] });
  expect((await send({ rows: [1] }, { by: "editor" })).status).toBe(403);
  expect((await send({ rows: [1] }, { by: "own" })).status).toBe(200);
});

test("cells that rules protect from the caller are left alone", async () => {
  await update("own", 1, { Age: 31, Name: "Ann" });
  await setRules(server, setting.doc, {
    "People:Age": [{ formula: "user.Access != OWNER", permissions: "-U" }],
    "*SPECIAL:FullCopies": [{ formula: "user.Access == EDITOR", permissions: "+R" }],
  });
  const { status, body } = await send({ rows: [1] }, { by: "editor" });
  expect([status, body.error]).toEqual([200, undefined]);
  expect(body.conflicts).toContainEqual({ table: "People", row: 1, column: "Age", reason: "not_permitted" });
  expect(body.columns.map(({ column }: { column: string }) => column)).not.toContain("Age");
});
