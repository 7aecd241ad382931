import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Caller, testApp, type TestApp } from "../helpers/app.ts";
import { setRules } from "../helpers/access-rules.ts";
import { createSharedFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let doc: string;

beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

beforeEach(async () => {
  ({ doc } = await createSharedFixture(server));
  const { must } = server;
  const columns = [
    { id: "Title", fields: { type: "Text" } },
    { id: "Pages", fields: { type: "Int" } },
    { id: "Read", fields: { type: "Date" } },
    { id: "Half", fields: { isFormula: true, formula: "$Pages / 2" } },
    { id: "Bad", fields: { isFormula: true, formula: "1 / 0" } },
  ];
  await must("POST", `${doc}/tables`, {
    tables: [
      { id: "Books", columns },
      { id: "Vault", columns: [{ id: "Key" }] },
    ],
  });
  await must("POST", `${doc}/tables/Books/records`, {
    records: [
      { fields: { Title: "Ash", Pages: 30, Read: 86_400 } },
      { fields: { Title: "Elm", Pages: 10 } },
      { fields: { Title: "Fir", Pages: 20 } },
    ],
  });
});

/** Hides row 2, one cell of row 3, and the table Vault, from the editor and the viewer. */
const hide = () =>
  setRules(server, doc, {
    "Books:Title": [{ formula: "rec.Pages == 20 and user.Access != OWNER", permissions: "-R" }],
    "Books:*": [{ formula: "rec.Pages == 10 and user.Access != OWNER", permissions: "-R" }],
    "Vault:*": [{ formula: "user.Access != OWNER", permissions: "-R" }],
  });

const ASH = { id: 1, fields: { Title: "Ash", Pages: 30, Read: 86_400, Half: 15, Bad: null } };
const ERRORS = { Bad: "ZeroDivisionError" };
const notFound = (row: string) => ({ error: `Record not found "${row}"`, details: { code: "record.not_found" } });

describe("GET", () => {
  test.each<[path: string, status: number, body: unknown]>([
    ["Books/records/1", 200, { ...ASH, errors: ERRORS }],
    [
      "Books/records/1?cellFormat=typed",
      200,
      { id: 1, fields: { ...ASH.fields, Read: ["d", 86_400], Bad: ["E", "ZeroDivisionError"] } },
    ],
    ["Books/records/1?hidden=true", 200, { ...ASH, fields: { ...ASH.fields, manualSort: 1 }, errors: ERRORS }],
    ["2/records/1", 200, { ...ASH, errors: ERRORS }],
    ["_grist_Tables/records/2", 200, { id: 2, fields: expect.objectContaining({ tableId: "Books" }) }],
    ["Books/records/4", 404, notFound("4")],
    ["Books/records/0", 404, notFound("0")],
    ["Books/records/-1", 404, notFound("-1")],
    ["Books/records/01", 404, notFound("01")],
    ["Books/records/1.5", 404, notFound("1.5")],
    ["Books/records/one", 404, notFound("one")],
    ["Books/records/list", 404, notFound("list")],
    ["Books/records/9007199254740993", 404, notFound("9007199254740993")],
    ["Nope/records/1", 404, { error: 'Table not found "Nope"', details: { code: "table.not_found" } }],
    ["Books/records/1?cellFormat=odd", 400, { details: expect.objectContaining({ code: "payload.invalid" }) }],
  ])("%s", async (path, status, body) => {
    const reply = await server.call("viewer", "GET", `${doc}/tables/${path}`);
    expect([reply.status, reply.body]).toEqual([status, status < 400 ? body : expect.objectContaining(body as object)]);
  });

  test("a cached answer is confirmed until the record's document changes", async () => {
    const path = `${doc}/tables/Books/records/1`;
    const first = await server.call("viewer", "GET", path);
    const again = () =>
      server.call("viewer", "GET", path, undefined, { headers: { "If-None-Match": first.headers.get("etag") ?? "" } });
    expect((await again()).status).toBe(304);
    await server.must("PATCH", path, { fields: { Title: "Oak" } });
    expect((await again()).status).toBe(200);
  });
});

test.each<[as: Caller, row: string, status: number, body: unknown]>([
  ["owner", "2", 200, expect.objectContaining({ id: 2 })],
  ["viewer", "1", 200, { ...ASH, errors: ERRORS }],
  ["viewer", "2", 404, notFound("2")],
  ["viewer", "9", 404, notFound("9")],
  ["viewer", "3", 200, { id: 3, fields: { Title: ["C"], Pages: 20, Read: null, Half: 10, Bad: null }, errors: ERRORS }],
])("under rules, the %s reads record %s: %d", async (as, row, status, body) => {
  await hide();
  const reply = await server.call(as, "GET", `${doc}/tables/Books/records/${row}`);
  expect([reply.status, reply.body]).toEqual([status, body]);
});

const titles = async (): Promise<Record<number, unknown>> => {
  const { records } = await server.must<{ records: { id: number; fields: { Title: unknown } }[] }>(
    "GET",
    `${doc}/tables/Books/records`,
  );
  return Object.fromEntries(records.map(({ id, fields }) => [id, fields.Title]));
};

const ALL = { 1: "Ash", 2: "Elm", 3: "Fir" };

/** Whether rules apply, caller, method, row, body → status, code, titles afterwards. */
test.each<
  [
    rules: boolean,
    as: Caller,
    method: string,
    row: string,
    body: unknown,
    status: number,
    code: string | null,
    after: Record<number, unknown>,
  ]
>([
  [false, "editor", "PATCH", "2", { fields: { Title: "Oak" } }, 200, null, { ...ALL, 2: "Oak" }],
  [false, "editor", "PATCH", "2", { fields: {} }, 200, null, ALL],
  [false, "editor", "PATCH", "9", { fields: { Title: "Oak" } }, 404, "record.not_found", ALL],
  [false, "editor", "PATCH", "x", { fields: { Title: "Oak" } }, 404, "record.not_found", ALL],
  [false, "editor", "PATCH", "2", { fields: { Nope: 1 } }, 400, "column.unknown", ALL],
  [false, "editor", "PATCH", "2", { fields: { Half: 1 } }, 400, "column.read_only", ALL],
  [false, "editor", "PATCH", "2", { fields: { Title: {} } }, 400, "payload.invalid", ALL],
  [false, "editor", "PATCH", "2", { fields: [] }, 400, "payload.invalid", ALL],
  [false, "editor", "PATCH", "2", {}, 400, "payload.invalid", ALL],
  [false, "viewer", "PATCH", "2", { fields: { Title: "Oak" } }, 403, "access.edit_denied", ALL],
  [false, "editor", "DELETE", "2", undefined, 200, null, { 1: "Ash", 3: "Fir" }],
  [false, "editor", "DELETE", "9", undefined, 404, "record.not_found", ALL],
  [false, "viewer", "DELETE", "2", undefined, 403, "access.edit_denied", ALL],
  [true, "editor", "PATCH", "1", { fields: { Title: "Oak" } }, 200, null, { ...ALL, 1: "Oak" }],
  [true, "editor", "PATCH", "2", { fields: { Title: "Oak" } }, 404, "record.not_found", ALL],
  [true, "editor", "PATCH", "2", { fields: {} }, 404, "record.not_found", ALL],
  [true, "editor", "DELETE", "2", undefined, 404, "record.not_found", ALL],
  [true, "editor", "DELETE", "9", undefined, 404, "record.not_found", ALL],
  [true, "editor", "DELETE", "1", undefined, 200, null, { 2: "Elm", 3: "Fir" }],
])("rules %p: %s %s record %s %j: %d", async (rules, as, method, row, body, status, code, after) => {
  if (rules) await hide();
  const reply = await server.call(as, method, `${doc}/tables/Books/records/${row}`, body);
  expect([reply.status, reply.body?.details?.code ?? null]).toEqual([status, code]);
  if (status === 200) expect(reply.body).toBeNull();
  expect(await titles()).toEqual(after);
});

const tables = async (): Promise<string[]> =>
  (await server.must<{ tables: { id: string }[] }>("GET", `${doc}/tables`)).tables.map(({ id }) => id);

test.each<[rules: boolean, as: Caller, table: string, status: number, left: string[]]>([
  [false, "owner", "Books", 200, ["Table1", "Vault"]],
  [false, "editor", "2", 200, ["Table1", "Vault"]],
  [false, "editor", "Nope", 404, ["Table1", "Books", "Vault"]],
  [false, "editor", "_grist_Tables", 400, ["Table1", "Books", "Vault"]],
  [false, "viewer", "Books", 403, ["Table1", "Books", "Vault"]],
  [true, "editor", "Vault", 404, ["Table1", "Books", "Vault"]],
])("rules %p: the %s deletes table %s: %d", async (rules, as, table, status, left) => {
  if (rules) await hide();
  const reply = await server.call(as, "DELETE", `${doc}/tables/${table}`);
  expect(reply.status).toBe(status);
  expect(await tables()).toEqual(left);
});

test("a deleted table comes back by undoing the state", async () => {
  await server.must("DELETE", `${doc}/tables/Books`);
  const { states } = await server.must<{ states: { n: number }[] }>("GET", `${doc}/states`);
  await server.must("POST", `${doc}/states/${states[0]?.n}/undo`, {});
  expect(await titles()).toEqual(ALL);
});
