/** Tests of forms in documents with access rules: members see their part of a form, visitors with the link what it asks. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Caller, testApp, type TestApp } from "../helpers/app.ts";
import { formScene, type Scene } from "./scene.ts";

let server: TestApp;
let scene: Scene;
beforeAll(async () => {
  server = await testApp();
  scene = await formScene(server);
  const users = { "Emil@example.com": "editors", "vito@example.com": "viewers" };
  await server.must("PATCH", `/api/docs/${scene.doc}/access`, { delta: { users } });
  const rule = (resource: number, permissionsText: string, aclFormula = "user.Access != OWNER") => [
    "AddRecord",
    "_grist_ACLRules",
    null,
    { resource, permissionsText, aclFormula },
  ];
  await scene.apply(
    ["AddRecord", "_grist_ACLResources", -1, { tableId: "Signup", colIds: "Age" }],
    ["AddRecord", "_grist_ACLResources", -2, { tableId: "Teams", colIds: "*" }],
    ["AddRecord", "_grist_ACLResources", -3, { tableId: "Signup", colIds: "*" }],
    rule(-1, "none"),
    rule(-2, "-R", "user.Access != OWNER and rec.Title == 'Red'"),
    rule(-3, "-CUD"),
  );
});
afterAll(() => server[Symbol.asyncDispose]());

interface Described {
  readonly formFieldsById: Record<string, { colId: string; refValues: unknown }>;
}

async function columnsFor(as: Caller, path = `/api/docs/${scene.doc}/forms/${scene.section}`) {
  const { status, body } = await server.call(as, "GET", path);
  expect(status).toBe(200);
  const fields = Object.values((body as Described).formFieldsById);
  return { ids: fields.map(({ colId }) => colId), rows: fields.find(({ colId }) => colId === "Team")?.refValues };
}

test("members see the columns and rows of a form that rules let them read", async () => {
  const all = ["Name", "Age", "Size", "Team"];
  const blue = [3, "Blue"];
  expect(await columnsFor("owner")).toEqual({ ids: all, rows: [[1, "Red"], blue] });
  for (const as of ["editor", "viewer"] as const) {
    expect(await columnsFor(as)).toEqual({ ids: ["Name", "Size", "Team"], rows: [blue] });
  }
});

test("rules do not apply over the link, for any caller", async () => {
  for (const as of ["anon", "viewer", "owner"] as const) {
    const form = await columnsFor(as, `/api/s/${scene.key}/forms/${scene.section}`);
    expect(form.ids).toEqual(["Name", "Age", "Size", "Team"]);
    const records = [{ fields: { Name: "Ann", Age: 3, Team: 1 } }];
    const reply = await server.call(as, "POST", `/api/s/${scene.key}/tables/Signup/records`, { records });
    expect(reply.status).toBe(200);
  }
  const direct = await server.call("editor", "POST", `/api/docs/${scene.doc}/tables/Signup/records`, {
    records: [{ fields: { Name: "Ben" } }],
  });
  expect(direct.status).toBe(403);
});

test("a form of a hidden table does not exist for members", async () => {
  const { records } = await server.must<{ records: { id: number; fields: { tableId: string; colIds: string } }[] }>(
    "GET",
    `/api/docs/${scene.doc}/tables/_grist_ACLResources/records`,
  );
  const whole = records.find(({ fields }) => fields.tableId === "Signup" && fields.colIds === "*");
  await scene.apply([
    "AddRecord",
    "_grist_ACLRules",
    null,
    { resource: whole?.id, permissionsText: "none", aclFormula: "user.Access == VIEWER", rulePos: 0 },
  ]);
  const reply = await server.call("viewer", "GET", `/api/docs/${scene.doc}/forms/${scene.section}`);
  const missing = await server.call("viewer", "GET", `/api/docs/${scene.doc}/forms/9999`);
  expect([reply.status, reply.body]).toEqual([404, missing.body]);
});
