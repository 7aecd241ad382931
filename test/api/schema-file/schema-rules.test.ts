import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { setRules } from "../../helpers/access-rules.ts";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { createSharedFixture } from "../../helpers/request-steps.ts";
import { createTeaFixture } from "../../helpers/tea-fixture.ts";

let server: TestApp;
let doc: string;
beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  ({ doc } = await createTeaFixture(server));
});

const pull = async (path = doc): Promise<string> =>
  String((await server.call("owner", "GET", `${path}/schema.yaml`)).body);
const apply = async (schema: string, path = doc): Promise<unknown[]> => {
  const { status, body } = await server.call("owner", "POST", `${path}/schema/apply`, { schema, allowDataLoss: true });
  return [status, (body as { details?: { code?: string } }).details?.code];
};
const withAccess = (schema: string, access: string): string => schema.replace("access: {}", access);

const RULES = `access:
  userAttributes:
    - name: Cup
      table: Tea
      column: Name
      property: Email
  tables:
    Tea:
      columns:
        - columns:
            - Name
            - Friend
          rules:
            - if: user.Access == EDITOR and rec.Name == user.Cup.Name
              permissions: -U
              memo: Ask an owner
      rules:
        - if: user.Access == VIEWER
          permissions: -R
        - permissions: all
  default:
    - if: user.Access != OWNER
      permissions: -S
  special:
    AccessRules:
      - if: user.Access == EDITOR
        permissions: +R`;

test("access rules are applied, pulled as they are, follow renames, and come to other documents", async () => {
  const file = withAccess(await pull(), RULES);
  expect(await apply(file)).toEqual([200, undefined]);
  expect(await pull()).toBe(file);
  expect((await server.call("viewer", "GET", `${doc}/tables/Tea/records`)).status).toBe(403);
  const renamed = file.replace("id: Name", "id: Title");
  expect(await apply(renamed)).toEqual([200, undefined]);
  expect(await pull()).toContain("rec.Title == user.Cup.Title");
  const other = (await createSharedFixture(server)).doc;
  expect(await apply(await pull(), other)).toEqual([200, undefined]);
  expect(await pull(other)).toBe(await pull());
  // Without the part, they stay; an empty part removes them.
  expect(await apply("version: 1\n")).toEqual([200, undefined]);
  expect(await pull()).toContain("memo: Ask an owner");
  expect(await apply("version: 1\naccess: {}\n")).toEqual([200, undefined]);
  expect(await pull()).toContain("access: {}");
});

describe("rules are refused", () => {
  test.each<[name: string, access: string, refused: [status: number, code: string]]>([
    [
      "that hide a table from the caller",
      "access: {special: {FullCopies: [{permissions: -R}]}, tables: {Tea: {rules: [{permissions: none}]}}}",
      [400, "schema.locks_out"],
    ],
    [
      "that hide access rules from the caller",
      "access: {special: {AccessRules: [{permissions: -R}]}, tables: {Tea: {rules: [{if: user.Access == OWNER, permissions: -R}]}}}",
      [400, "schema.locks_out"],
    ],
    ["that refuse changes of tables", "access: {default: [{permissions: -S}]}", [400, "schema.locks_out"]],
    ["with an unknown name", "access: {default: [{if: 'nobody == 1', permissions: -S}]}", [400, "schema.invalid"]],
    ["that cannot be parsed", "access: {default: [{if: 'user.Access ==', permissions: -S}]}", [400, "schema.invalid"]],
    ["with unknown permissions", "access: {default: [{permissions: -X}]}", [400, "schema.invalid"]],
    ["that are unreachable", "access: {default: [{permissions: all}, {permissions: all}]}", [400, "schema.invalid"]],
    [
      "for a column that does not exist",
      "access: {tables: {Tea: {columns: [{columns: [No], rules: [{permissions: -U}]}]}}}",
      [400, "schema.invalid"],
    ],
  ])("%s", async (_, access, refused) => {
    const before = await pull();
    expect(await apply(withAccess(before, access))).toEqual(refused);
    expect(await pull()).toBe(before);
  });
});

describe("ids are swapped", () => {
  test.each<[name: string, edit: (file: string) => string, rows: object]>([
    [
      "between two columns",
      (file) =>
        file.replace("id: Name", "id: Swap").replace("id: Friend", "id: Name").replace("id: Swap", "id: Friend"),
      { Friend: "Assam", Name: 2 },
    ],
    [
      "between three columns",
      (file) =>
        file
          .replace("id: Name", "id: X")
          .replace("id: Friend", "id: Y")
          .replace("id: Length", "id: Name")
          .replace("id: X", "id: Friend")
          .replace("id: Y", "id: Length"),
      { Friend: "Assam", Length: 2 },
    ],
  ])("%s", async (_, edit, row) => {
    expect(await apply(edit(await pull()))).toEqual([200, undefined]);
    const { records } = await server.must<{ records: { fields: object }[] }>("GET", `${doc}/tables/Tea/records`);
    expect(records[0]?.fields).toMatchObject(row);
  });

  test("between two tables", async () => {
    const file = await pull();
    const swapped = file
      .replace("id: Tea\n", "id: Swap\n")
      .replace("id: Table1\n", "id: Tea\n")
      .replace("id: Swap\n", "id: Table1\n");
    expect(await apply(swapped)).toEqual([200, undefined]);
    const { records } = await server.must<{ records: { fields: object }[] }>("GET", `${doc}/tables/Table1/records`);
    expect(records[0]?.fields).toMatchObject({ Name: "Assam", Friend: 2 });
  });
});

test("a key that lacks a scope can only compare or read", async () => {
  const keyWith = async (scopes: string[]) =>
    (await server.must<{ key: string }>("POST", "/api/profile/keys", { label: scopes.join(), scopes })).key;
  const schema = await pull();
  const status = async (key: string, method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const request = new Request(`http://localhost${doc}/${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await server.app.handle(request)).status;
  };
  const all = async (key: string) => [
    await status(key, "GET", "schema"),
    await status(key, "POST", "schema/diff", { schema }),
    await status(key, "POST", "schema/apply", { schema }),
  ];
  expect(await all(await keyWith(["schema:read"]))).toEqual([403, 403, 403]);
  expect(await all(await keyWith(["schema:read", "access:read"]))).toEqual([200, 200, 403]);
  const writer = ["schema:read", "access:read", "records:write", "schema:write", "access:manage"];
  expect(await all(await keyWith(writer))).toEqual([200, 200, 200]);
});

test("rules that hide a document's part from an owner refuse the schema, and nothing is inferable from the refusal", async () => {
  await setRules(server, doc, { "*SPECIAL:FullCopies": [{ permissions: "-R" }], "Tea:*": [{ permissions: "-R" }] });
  const refused = await apply("version: 1\n");
  expect(refused).toEqual([403, "access.rules"]);
});
