import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { subscribeNow } from "../helpers/event-reader.ts";
import { setRules } from "../helpers/access-rules.ts";
import { type DocumentFixture, runSteps, statusesByCaller } from "../helpers/request-steps.ts";
import { createTeaFixture } from "../helpers/tea-fixture.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

beforeEach(async () => {
  place = await createTeaFixture(server);
});

interface Applied {
  actionNum: number;
  isModification: boolean;
}

const newest = async () =>
  (await server.must<{ states: { n: number }[] }>("GET", `${place.doc}/states`)).states[0]?.n ?? 0;
const apply = (...actions: unknown[][]) => server.must("POST", `${place.doc}/apply`, actions);
const restore = (n: number) => server.must<Applied>("POST", `${place.doc}/states/${n}/restore`);
const content = async () => ({
  tables: await server.must("GET", `${place.doc}/tables?expand=column`),
  rows: await server.must("GET", `${place.doc}/tables/Tea/records`),
});

test("reverts all later changes, by any user, and can be undone", async () => {
  const n = await newest();
  const before = await content();
  await apply(["UpdateRecord", "Tea", 1, { Name: "Darjeeling" }]);
  await server.call("editor", "POST", `${place.doc}/apply`, [["RemoveRecord", "Tea", 2]]);
  await apply(["AddTable", "Cups", [{ id: "Size" }]], ["RemoveColumn", "Tea", "Name"], ["RenameTable", "Tea", "Leaf"]);
  const { actionNum, isModification } = await restore(n);
  expect([actionNum, isModification]).toEqual([n + 4, true]);
  expect(await content()).toEqual(before);
  await server.must("POST", `${place.doc}/states/${actionNum}/undo`);
  const leaf = await server.must("GET", `${place.doc}/tables/Leaf/records`);
  expect(leaf).toMatchObject({ records: [{ id: 1, fields: { Friend: 0 } }] });
  await restore(n);
  expect(await content()).toEqual(before);
});

test("is one change for subscribers of the document", async () => {
  const n = await newest();
  for (const Name of ["a", "b", "c"]) await apply(["UpdateRecord", "Tea", 1, { Name }]);
  await using reader = await subscribeNow(server, "owner", place.doc);
  await restore(n);
  const { data } = await reader.until("change");
  expect(data).toMatchObject({ action: n + 4, actions: 1, tables: [{ table: "Tea", updated: [1] }] });
});

test("does nothing for the newest state", async () => {
  const n = await newest();
  expect(await restore(n)).toMatchObject({ actionNum: 0, isModification: false });
  expect(await newest()).toBe(n);
});

test("requires an owner, and an existing state", async () => {
  const n = await newest();
  await apply(["UpdateRecord", "Tea", 1, { Name: "Ceylon" }]);
  const path = `${place.doc}/states/${n}/restore`;
  expect(await statusesByCaller(server, ["editor", "viewer", "stranger", "anon"], ["POST", path, {}])).toEqual([
    403, 403, 403, 403,
  ]);
  await runSteps(server, [
    ["owner", "POST", `${place.doc}/states/999/restore`, undefined, 404],
    ["owner", "POST", `${place.doc}/states/0/restore`, undefined, 400],
    ["owner", "POST", `${place.doc}/states/x/restore`, undefined, 400],
    ["owner", "POST", `${place.doc}/states/remove`, { keep: 1 }, 200],
    ["owner", "POST", path, undefined, 404],
  ]);
  expect(await server.must("GET", `${place.doc}/tables/Tea/records`)).toMatchObject({
    records: [{ fields: { Name: "Ceylon" } }, {}],
  });
});

test("applies the access rules", async () => {
  await setRules(server, place.doc, { "Tea:*": [{ formula: "True", permissions: "-D" }] });
  const n = await newest();
  await apply(["AddRecord", "Tea", null, { Name: "New" }]);
  const reply = await server.call("owner", "POST", `${place.doc}/states/${n}/restore`);
  expect(reply.status).toBe(403);
  expect(await newest()).toBe(n + 1);
});
