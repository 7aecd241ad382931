import { afterAll, beforeEach, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { runSteps, createSharedFixture } from "../helpers/request-steps.ts";

let server: TestApp | undefined;
/** Path of a document with the table `Boats`, shared with `editor` and `viewer`. */
let doc = "";

async function started(): Promise<TestApp> {
  server ??= await testApp({ flags: { "cors-origins": "https://boats.example.com" } });
  return server;
}
afterAll(() => server?.[Symbol.asyncDispose]());

beforeEach(async () => {
  const app = await started();
  ({ doc } = await createSharedFixture(app, { "anon@getgrist.com": "viewers" }));
  const columns = [
    { id: "Name", fields: { type: "Text" } },
    { id: "Port", fields: { type: "Text" } },
  ];
  await app.must("POST", `${doc}/tables`, { tables: [{ id: "Boats", columns }] });
  const records = [{ fields: { Name: "Nina", Port: "Kiel" } }, { fields: { Name: "Pinta", Port: "Oban" } }];
  await app.must("POST", `${doc}/tables/Boats/records`, { records });
});

interface Rule {
  aclFormula?: string;
  permissionsText?: string;
  userAttributes?: string;
  memo?: string;
}

/** Adds a resource and its rules as records, like clients that have no rules API. */
async function addRules(tableId: string, colIds: string, rules: Rule[]): Promise<number[]> {
  const app = await started();
  const resource = { records: [{ fields: { tableId, colIds } }] };
  const added = await app.must<{ records: { id: number }[] }>(
    "POST",
    `${doc}/tables/_grist_ACLResources/records`,
    resource,
  );
  const fields = rules.map((rule) => ({ fields: { resource: added.records[0]?.id, ...rule } }));
  const path = `${doc}/tables/_grist_ACLRules/records`;
  return (await app.must<{ records: { id: number }[] }>("POST", path, { records: fields })).records.map(({ id }) => id);
}

const boats = () => `${doc}/tables/Boats/records`;
const names = (...list: string[]) => ({ records: list.map((Name) => ({ fields: { Name } })) });

test("rules apply from the next request on, for all callers, and end as soon", async () => {
  const app = await started();
  const [rule = 0] = await addRules("Boats", "*", [
    { aclFormula: "rec.Port != 'Kiel' and user.Access != OWNER", permissionsText: "-RUD", memo: "Kiel only" },
  ]);
  const patch = (id: number) => ({ records: [{ id, fields: { Name: "Santa" } }] });
  await runSteps(app, [
    ["viewer", "GET", boats(), undefined, 200, names("Nina")],
    ["editor", "GET", boats(), undefined, 200, names("Nina")],
    ["anon", "GET", boats(), undefined, 200, names("Nina")],
    ["owner", "GET", boats(), undefined, 200, names("Nina", "Pinta")],
    ["editor", "PATCH", boats(), patch(1), 200, null],
    ["editor", "PATCH", boats(), { records: [...patch(1).records, ...patch(2).records] }, 403],
    ["editor", "POST", `${boats()}/delete`, [1, 2], 403],
    ["viewer", "PATCH", boats(), patch(1), 403],
    ["editor", "PUT", boats(), { records: [{ require: { Name: "Santa" }, fields: { Port: "Bari" } }] }, 403],
    ["editor", "POST", boats(), names("Elba"), 200],
    ["owner", "GET", boats(), undefined, 200, names("Santa", "Pinta", "Elba")],
    ["owner", "POST", `${doc}/tables/_grist_ACLRules/records/delete`, [rule], 200],
    ["editor", "PATCH", boats(), patch(2), 200],
    ["viewer", "GET", boats(), undefined, 200, names("Santa", "Santa", "Elba")],
  ]);
});

test("a refusal has the memo of the rule", async () => {
  const app = await started();
  await addRules("Boats", "Port", [
    { aclFormula: "user.Access == EDITOR and newRec.Port == ''", permissionsText: "-U", memo: "a port is needed" },
  ]);
  const { status, body } = await app.call("editor", "PATCH", boats(), { records: [{ id: 1, fields: { Port: "" } }] });
  expect(status).toBe(403);
  expect(body).toEqual({
    error: "Blocked by column update access rules",
    details: { code: "access.rules", memos: [{ kind: "reason", text: "a port is needed" }] },
  });
});

test("only owners write rules, and invalid ones are refused", async () => {
  const app = await started();
  const resources = `${doc}/tables/_grist_ACLResources/records`;
  const rules = `${doc}/tables/_grist_ACLRules/records`;
  await addRules("Boats", "*", [{ aclFormula: "user.Access == VIEWER", permissionsText: "-R" }]);
  const wrong = (fields: object) => ({ records: [{ id: 2, fields }] });
  await runSteps(app, [
    ["editor", "POST", resources, { records: [{ fields: { tableId: "Boats", colIds: "Name" } }] }, 403],
    ["viewer", "POST", rules, { records: [{ fields: { resource: 1 } }] }, 403],
    ["editor", "POST", `${rules}/delete`, [2], 403],
    ["owner", "PATCH", rules, wrong({ aclFormula: "1 <" }), 400],
    ["owner", "PATCH", rules, wrong({ aclFormula: "boat == 1" }), 400],
    ["owner", "PATCH", rules, wrong({ permissionsText: "R" }), 400],
    ["owner", "PATCH", rules, wrong({ resource: 9 }), 400],
    ["owner", "PATCH", resources, wrong({ tableId: "Ships" }), 400],
    ["viewer", "GET", boats(), undefined, 403],
    ["viewer", "GET", rules, undefined, 200, { records: [] }],
    [
      "owner",
      "GET",
      rules,
      undefined,
      200,
      {
        records: [
          { id: 1 },
          { id: 2, fields: { aclFormulaParsed: '["Eq", ["Attr", ["Name", "user"], "Access"], ["Name", "VIEWER"]]' } },
        ],
      },
    ],
  ]);
});

test("owners who lock themselves out can still open the document", async () => {
  const app = await started();
  await addRules("*", "*", [{ permissionsText: "none" }]);
  await runSteps(app, [
    ["owner", "GET", boats(), undefined, 403],
    ["owner", "POST", boats(), names("Elba"), 403],
    ["owner", "POST", `${doc}/tables`, { tables: [{ columns: [{ id: "A" }] }] }, 403],
    [
      "owner",
      "PATCH",
      `${doc}/tables/_grist_ACLRules/records`,
      { records: [{ id: 2, fields: { permissionsText: "all" } }] },
      200,
    ],
    ["viewer", "GET", boats(), undefined, 200, names("Nina", "Pinta")],
  ]);
});

test("user attributes apply immediately, and invalidate cached responses", async () => {
  const app = await started();
  const columns = [
    { id: "Mail", fields: { type: "Text" } },
    { id: "Port", fields: { type: "Text" } },
  ];
  await app.must("POST", `${doc}/tables`, { tables: [{ id: "Crew", columns }] });
  const crew = `${doc}/tables/Crew/records`;
  await app.must("POST", crew, { records: [{ fields: { Mail: "VITO@example.com", Port: "Oban" } }] });
  const attribute = { name: "Sailor", tableId: "Crew", lookupColId: "Mail", charId: "Email" };
  await addRules("*", "*", [{ userAttributes: JSON.stringify(attribute) }]);
  await addRules("Boats", "*", [
    { aclFormula: "user.Sailor.Port != rec.Port and user.Access != OWNER", permissionsText: "-R" },
  ]);
  const first = await app.call("viewer", "GET", boats());
  expect(first.body).toMatchObject(names("Pinta"));
  const kept = { headers: { "If-None-Match": first.headers.get("etag") ?? "" } };
  expect((await app.call("viewer", "GET", boats(), undefined, kept)).status).toBe(304);
  await app.must("PATCH", crew, { records: [{ id: 1, fields: { Port: "Kiel" } }] });
  expect((await app.call("viewer", "GET", boats(), undefined, kept)).body).toMatchObject(names("Nina"));
  expect((await app.call("editor", "GET", boats())).body).toEqual({ records: [] });
});

test("rules can use link parameters and the origin of a request", async () => {
  const app = await started();
  await addRules("Boats", "*", [
    {
      aclFormula: "user.LinkKey.Port == rec.Port or user.Origin == 'https://boats.example.com'",
      permissionsText: "+R",
    },
    { aclFormula: "user.Access == VIEWER", permissionsText: "-R" },
  ]);
  const read = async (query: string, headers?: Record<string, string>): Promise<unknown> =>
    (await app.call("viewer", "GET", `${boats()}${query}`, undefined, headers && { headers })).body.records.length;
  expect(await read("")).toBe(0);
  expect(await read("?Port_=Oban")).toBe(1);
  expect(await read("", { Origin: "https://boats.example.com" })).toBe(2);
});
