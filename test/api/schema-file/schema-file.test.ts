import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { setRules } from "../../helpers/access-rules.ts";
import { type Caller, testApp, type TestApp } from "../../helpers/app.ts";
import { createSharedFixture } from "../../helpers/request-steps.ts";
import { createTeaFixture } from "../../helpers/tea-fixture.ts";

let server: TestApp;
beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

interface Changes {
  readonly version: string;
  readonly changes: readonly { readonly kind: string; readonly path: string; readonly loss?: object }[];
  readonly losesData: boolean;
}

const pull = async (doc: string): Promise<string> =>
  String((await server.call("owner", "GET", `${doc}/schema.yaml`)).body);
const send = (doc: string, action: "diff" | "apply", body: object, as: Caller = "owner") =>
  server.call(as, "POST", `${doc}/schema/${action}`, body);
const diff = async (doc: string, schema: string): Promise<Changes> => {
  const { status, body } = await send(doc, "diff", { schema });
  expect([status, body]).toEqual([200, expect.anything()]);
  return body as Changes;
};
const apply = async (doc: string, schema: string, options: object = {}): Promise<Changes> => {
  const { status, body } = await send(doc, "apply", { schema, ...options });
  expect([status, body]).toEqual([200, expect.anything()]);
  return body as Changes;
};
const codeOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { details?: { code?: string } }).details?.code,
];

describe("a pulled schema", () => {
  test("is the same when it is pulled again, and no change when it is applied", async () => {
    const { doc } = await createTeaFixture(server);
    const pulled = await pull(doc);
    expect(await pull(doc)).toBe(pulled);
    expect((await diff(doc, pulled)).changes).toEqual([]);
    const states = await server.must("GET", `${doc}/states`);
    expect((await apply(doc, pulled)).changes).toEqual([]);
    expect(await server.must("GET", `${doc}/states`)).toEqual(states);
    expect(await pull(doc)).toBe(pulled);
  });

  test("creates an equal schema in another document", async () => {
    const { doc } = await createTeaFixture(server);
    const pulled = await pull(doc);
    const other = (await createSharedFixture(server)).doc;
    await apply(other, pulled, { allowDataLoss: true });
    expect(await pull(other)).toBe(pulled);
  });

  test("renames by key: formulas follow, and the file stays applied", async () => {
    const { doc } = await createTeaFixture(server);
    const file = (await pull(doc)).replace("id: Name", "id: Title").replace("id: Tea\n", "id: Drink\n");
    const { changes, losesData } = await apply(doc, file);
    expect(losesData).toBe(false);
    expect(changes.map(({ kind, path }) => [kind, path])).toEqual([
      ["rename", "tables.Tea.id"],
      ["rename", "tables.Tea.columns.Name.id"],
      ["change", "tables.Tea.columns.Name.label"],
    ]);
    expect(await pull(doc)).toContain("formula: len($Title)");
    // The formula in the file still has the former id.
    expect(file).toContain("formula: len($Name)");
    expect((await diff(doc, file)).changes).toEqual([]);
    const { records } = await server.must<{ records: { fields: object }[] }>("GET", `${doc}/tables/Drink/records`);
    expect(records.map(({ fields }) => fields)).toEqual([
      { Title: "Assam", Friend: 2, Length: 5 },
      { Title: "Sencha", Friend: 1, Length: 6 },
    ]);
  });

  test("is JSON, too", async () => {
    const { doc } = await createTeaFixture(server);
    const { schema, version } = await server.must<{ schema: object; version: string }>("GET", `${doc}/schema`);
    const { body } = await send(doc, "diff", { schema, version });
    expect(body).toEqual({ version, changes: [], losesData: false });
    await server.must("POST", `${doc}/tables/Tea/records`, { records: [{ fields: { Name: "Mate" } }] });
    expect(codeOf(await send(doc, "apply", { schema, version }))).toEqual([409, "schema.version_changed"]);
  });
});

test("data is lost only if that is allowed, and one undo brings it back", async () => {
  const { doc } = await createTeaFixture(server);
  const pulled = await pull(doc);
  const file = pulled.replace(/      Name:\n(        .*\n)+/, "");
  expect(file).not.toBe(pulled);
  expect(await diff(doc, file)).toMatchObject({
    changes: [{ kind: "remove", path: "tables.Tea.columns.Name", loss: { cells: 2 } }],
    losesData: true,
  });
  expect(codeOf(await send(doc, "apply", { schema: file }))).toEqual([400, "schema.data_loss"]);
  expect(await pull(doc)).toBe(pulled);
  await apply(doc, file, { allowDataLoss: true });
  const { states } = await server.must<{ states: { n: number }[] }>("GET", `${doc}/states`);
  await server.must("POST", `${doc}/states/${states[0]?.n}/undo`, {});
  expect(await pull(doc)).toBe(pulled);
});

test("only owners who can read everything see and change it", async () => {
  const { doc } = await createTeaFixture(server);
  const schema = await pull(doc);
  const all = async (as: Caller) => [
    (await server.call(as, "GET", `${doc}/schema`)).status,
    (await server.call(as, "GET", `${doc}/schema.yaml`)).status,
    (await send(doc, "diff", { schema }, as)).status,
    (await send(doc, "apply", { schema }, as)).status,
  ];
  expect(await all("editor")).toEqual([403, 403, 403, 403]);
  expect(await all("viewer")).toEqual([403, 403, 403, 403]);
  expect(await all("owner")).toEqual([200, 200, 200, 200]);
  await setRules(server, doc, {
    "*SPECIAL:FullCopies": [{ permissions: "-R" }],
    "Tea:*": [{ permissions: "-R" }],
  });
  expect(await all("owner")).toEqual([403, 403, 403, 403]);
});
