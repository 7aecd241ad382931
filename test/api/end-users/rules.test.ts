/** Access rules, formulas, the history and webhooks see the address of the token, and nothing of an account. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { setRules } from "../../helpers/access-rules.ts";
import { callWithToken, createToken, type TokenBody } from "../../helpers/end-users.ts";
import { createSharedFixture, type DocumentFixture } from "../../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;
let doc: string;

beforeAll(async () => {
  server = await testApp();
  place = await createSharedFixture(server, { "everyone@getgrist.com": "editors" });
  ({ doc } = place);
  const { must } = server;
  await must("POST", `${doc}/tables`, {
    tables: [
      { id: "Orders", columns: [{ id: "Customer" }, { id: "Item" }] },
      { id: "People", columns: [{ id: "Mail" }, { id: "Customer" }] },
      {
        id: "Seen",
        columns: PROPERTIES.map((id) => ({
          id,
          fields: { type: "Text", isFormula: false, formula: `str(user.${id})` },
        })),
      },
    ],
  });
  await must("POST", `${doc}/tables/Orders/records`, {
    records: [{ fields: { Customer: "red", Item: "Bell" } }, { fields: { Customer: "blue", Item: "Chain" } }],
  });
  await must("POST", `${doc}/tables/People/records`, {
    records: [
      { fields: { Mail: "Rita@app.example", Customer: "red" } },
      { fields: { Mail: "vito@example.com", Customer: "blue" } },
    ],
  });
  await setRules(server, doc, {
    "*:*": [
      {
        userAttributes: JSON.stringify({ name: "Person", tableId: "People", lookupColId: "Mail", charId: "Email" }),
      },
    ],
    "People:*": [{ formula: "user.Access == OWNER", permissions: "all" }, { permissions: "none" }],
    "Orders:*": [
      { formula: "user.Access == OWNER", permissions: "all" },
      { formula: "rec.Customer == user.Person.Customer", permissions: "+R" },
      { permissions: "none" },
    ],
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const PROPERTIES = ["Email", "Name", "Access", "UserID", "UserRef", "IsLoggedIn", "SessionID"] as const;

const items = async (token: string): Promise<string[]> => {
  const { body } = await callWithToken(server, token, ["GET", `${doc}/tables/Orders/records`]);
  return (body.records as { fields: { Item: string } }[]).map(({ fields }) => fields.Item);
};

/** The properties of `user` for a token, as a formula sees them. */
async function seen(given: TokenBody, headers: Record<string, string> = {}): Promise<Record<string, string>> {
  const token = await createToken(server, doc, given);
  const added = await callWithToken(
    server,
    token,
    ["POST", `${doc}/tables/Seen/records?return=records`, { records: [{ fields: {} }] }],
    { headers },
  );
  expect(added.status).toBe(200);
  return added.body.records[0].fields as Record<string, string>;
}

describe("attributes are looked up by the address", () => {
  test.each<[who: string, given: TokenBody, items: string[]]>([
    ["a person of the table", { email: "rita@app.example" }, ["Bell"]],
    ["another case", { email: "RITA@App.Example" }, ["Bell"]],
    ["a viewer", { email: "rita@app.example", role: "viewers" }, ["Bell"]],
    ["an address of the table with an account", { email: "vito@example.com" }, ["Chain"]],
    ["an unknown address", { email: "eve@app.example" }, []],
    ["the address of the owner", { email: "olga@example.com" }, []],
  ])("%s", async (_, given, expected) => {
    expect(await items(await createToken(server, doc, given))).toEqual(expected);
  });
});

describe("formulas see", () => {
  test.each<[who: string, email: string]>([
    ["an unknown address", "eve@app.example"],
    ["the address of an account", "olga@example.com"],
  ])("nothing but the address: %s", async (_, email) => {
    expect(await seen({ email })).toMatchObject({
      Email: email,
      Name: email,
      Access: "editors",
      UserID: "None",
      UserRef: "None",
      IsLoggedIn: "True",
      SessionID: expect.stringMatching(/^t[0-9a-f]{16}$/),
    });
  });

  test("the same session for an address, and another for another one", async () => {
    const [first, again, other] = [
      await seen({ email: "a@app.example" }),
      await seen({ email: "A@app.example" }),
      await seen({ email: "b@app.example" }),
    ];
    expect(again["SessionID"]).toBe(first["SessionID"] ?? "");
    expect(other["SessionID"]).not.toBe(first["SessionID"] ?? "");
  });
});

describe("the role is that of the token", () => {
  test("though everyone may edit the document, and the account of the address owns it", async () => {
    const token = await createToken(server, doc, { email: "olga@example.com", role: "viewers" });
    const add = { records: [{ fields: {} }] };
    const reply = await callWithToken(server, token, ["POST", `${doc}/tables/Seen/records`, add]);
    expect([reply.status, reply.body.details.code]).toEqual([403, "access.edit_denied"]);
  });

  test("rules for owners do not apply to the address of an owner", async () => {
    const token = await createToken(server, doc, { email: "olga@example.com" });
    const reply = await callWithToken(server, token, ["GET", `${doc}/tables/People/records`]);
    expect([reply.status, reply.body.details?.code]).toEqual([403, "access.rules"]);
  });

  test("access rules cannot be changed", async () => {
    const token = await createToken(server, doc, { email: "olga@example.com" });
    const actions = [["AddRecord", "_grist_ACLRules", null, { permissionsText: "all" }]];
    const reply = await callWithToken(server, token, ["POST", `${doc}/apply`, actions]);
    expect(reply.status).toBe(403);
  });
});

describe("the history", () => {
  const newest = async (as: "owner" | "editor") => {
    const { body } = await server.call(as, "GET", `${doc}/history?limit=1`);
    return (body as { states: { user: unknown }[] }).states[0]?.user;
  };

  test("names the address", async () => {
    await seen({ email: "eve@app.example" });
    expect(await newest("owner")).toEqual({ id: null, email: "eve@app.example", name: null });
  });

  test("does not tell an end user which addresses have an account", async () => {
    const open = await createSharedFixture(server);
    const add = { records: [{ fields: {} }] };
    await server.must("POST", `${open.doc}/tables/Table1/records`, add);
    const token = await createToken(server, open.doc, { email: "eve@app.example" });
    const reply = await callWithToken(server, token, ["GET", `${open.doc}/history?limit=1`]);
    expect(reply.body.states[0].user).toEqual({ id: null, email: "olga@example.com", name: null });
  });
});
