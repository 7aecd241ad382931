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

test("an undone change is reverted, including references and formulas; undone again, it is restored", async () => {
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

test("later changes of other users are preserved", async () => {
  const mine = await apply(["UpdateRecord", "Tea", 1, { Name: "Darjeeling" }]);
  await server.call("editor", "PATCH", `${place.doc}/tables/Tea/records`, {
    records: [{ id: 2, fields: { Name: "Gyokuro" } }],
  });
  await undo(mine);
  expect(await rows()).toMatchObject({ records: [{ fields: { Name: "Assam" } }, { fields: { Name: "Gyokuro" } }] });
});

test("columns and tables are restored with their content", async () => {
  const before = await rows();
  await undo(await apply(["RemoveColumn", "Tea", "Name"]));
  expect(await rows()).toEqual(before);
  await undo(await apply(["RemoveTable", "Tea"]));
  expect(await rows()).toEqual(before);
  await undo(await apply(["RenameTable", "Tea", "Leaf"]));
  expect(await rows()).toEqual(before);
});

test("only the caller's own changes are undone, and only existing states", async () => {
  const mine = await apply(["UpdateRecord", "Tea", 1, { Name: "Ceylon" }]);
  const path = `${place.doc}/states/${mine}/undo`;
  expect((await server.call("editor", "POST", path)).status).toBe(403);
  expect((await server.call("viewer", "POST", path)).status).toBe(403);
  expect((await server.call("owner", "POST", `${place.doc}/states/999/undo`)).status).toBe(404);
  expect((await server.call("owner", "POST", `${place.doc}/states/0/undo`)).status).toBe(400);
  expect(await rows()).toMatchObject({ records: [{ fields: { Name: "Ceylon" } }, {}] });
});

test("a change that conflicts with later ones is refused, and nothing changes", async () => {
  const update = await apply(["UpdateRecord", "Tea", 2, { Name: "Oolong" }]);
  const removed = await apply(["RemoveRecord", "Tea", 2]);
  const before = await rows();
  const reply = await server.call("owner", "POST", `${place.doc}/states/${update}/undo`);
  expect([reply.status, typeof reply.body.error]).toEqual([400, "string"]);
  expect(await rows()).toEqual(before);
  await undo(removed);
});

test("applies the access rules, as for all writes", async () => {
  const { body } = await server.call("editor", "POST", `${place.doc}/apply`, [
    ["AddRecord", "Tea", null, { Name: "New" }],
  ]);
  await setRules(server, place.doc, { "Tea:*": [{ formula: "user.Access == EDITOR", permissions: "-D" }] });
  const reply = await server.call("editor", "POST", `${place.doc}/states/${body.actionNum}/undo`);
  expect(reply.status).toBe(403);
});
