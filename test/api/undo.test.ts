import { afterAll, beforeAll, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { setRules } from "../helpers/access-rules.ts";
import type { DocumentFixture } from "../helpers/request-steps.ts";
import { createTeaFixture } from "../helpers/tea-fixture.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp();
  place = await createTeaFixture(server);
});
afterAll(() => server[Symbol.asyncDispose]());

const apply = async (...actions: unknown[][]): Promise<number> =>
  (await server.must<{ actionNum: number }>("POST", `${place.doc}/apply`, actions)).actionNum;
const undo = async (state: number): Promise<number> =>
  (await server.must<{ actionNum: number }>("POST", `${place.doc}/states/${state}/undo`)).actionNum;
const rows = () => server.must("GET", `${place.doc}/tables/Tea/records`);

test("an undone change is as if it had not been, references and formulas included; undone again, it is back", async () => {
  const before = await rows();
  const removed = await apply(["BulkRemoveRecord", "Tea", [2]]);
  const after = await rows();
  expect(after).not.toEqual(before);
  const undone = await undo(removed);
  expect(undone).toBe(removed + 1);
  expect(await rows()).toEqual(before);
  const again = await undo(undone);
  expect(await rows()).toEqual(after);
  await undo(again);
  expect(await rows()).toEqual(before);
});

test("what others did since stays", async () => {
  const mine = await apply(["UpdateRecord", "Tea", 1, { Name: "Darjeeling" }]);
  await server.call("editor", "PATCH", `${place.doc}/tables/Tea/records`, {
    records: [{ id: 2, fields: { Name: "Gyokuro" } }],
  });
  await undo(mine);
  expect(await rows()).toMatchObject({ records: [{ fields: { Name: "Assam" } }, { fields: { Name: "Gyokuro" } }] });
});

test("columns and tables come back with what was in them", async () => {
  const before = await rows();
  await undo(await apply(["RemoveColumn", "Tea", "Name"]));
  expect(await rows()).toEqual(before);
  await undo(await apply(["RemoveTable", "Tea"]));
  expect(await rows()).toEqual(before);
  await undo(await apply(["RenameTable", "Tea", "Leaf"]));
  expect(await rows()).toEqual(before);
});

test("only one's own changes are undone, and only states that there are", async () => {
  const mine = await apply(["UpdateRecord", "Tea", 1, { Name: "Ceylon" }]);
  const path = `${place.doc}/states/${mine}/undo`;
  expect((await server.call("editor", "POST", path)).status).toBe(403);
  expect((await server.call("viewer", "POST", path)).status).toBe(403);
  expect((await server.call("owner", "POST", `${place.doc}/states/999/undo`)).status).toBe(404);
  expect((await server.call("owner", "POST", `${place.doc}/states/0/undo`)).status).toBe(400);
  expect(await rows()).toMatchObject({ records: [{ fields: { Name: "Ceylon" } }, {}] });
});

test("a change that does not fit any more is refused, and nothing changed", async () => {
  const update = await apply(["UpdateRecord", "Tea", 2, { Name: "Oolong" }]);
  const removed = await apply(["RemoveRecord", "Tea", 2]);
  const before = await rows();
  const reply = await server.call("owner", "POST", `${place.doc}/states/${update}/undo`);
  expect([reply.status, typeof reply.body.error]).toEqual([400, "string"]);
  expect(await rows()).toEqual(before);
  await undo(removed);
});

test("access rules hold for it as for everything that is written", async () => {
  const { body } = await server.call("editor", "POST", `${place.doc}/apply`, [
    ["AddRecord", "Tea", null, { Name: "New" }],
  ]);
  await setRules(server, place.doc, { "Tea:*": [{ formula: "user.Access == EDITOR", permissions: "-D" }] });
  const reply = await server.call("editor", "POST", `${place.doc}/states/${body.actionNum}/undo`);
  expect(reply.status).toBe(403);
});
