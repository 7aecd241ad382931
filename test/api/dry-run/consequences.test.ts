/** A dry run reports what the same write then does, and changes nothing. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Caller, type Reply, testApp, type TestApp } from "../../helpers/app.ts";
import { NDJSON } from "../../helpers/record-lines.ts";
import { difference, readContent, reported } from "./observed.ts";
import { type Operation, OPERATIONS, REFUSED } from "./operations.ts";
import { createScene, fileBytes } from "./scene.ts";

let server: TestApp;
let doc: string;
beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  doc = await createScene(server);
});

const newestState = async (): Promise<number> =>
  (await server.must<{ states: { n: number }[] }>("GET", `${doc}/states`)).states[0]?.n ?? 0;

async function send(
  { method, path, body, lines }: Operation,
  { dryRun, as = "owner" }: { dryRun: boolean; as?: Caller },
): Promise<Reply> {
  const filled = path.includes("$newest") ? path.replace("$newest", String(await newestState())) : path;
  const target = `${doc}/${filled}${dryRun ? `${path.includes("?") ? "&" : "?"}dryrun=1` : ""}`;
  if (!lines) return server.call(as, method, target, body);
  return server.call(as, method, target, undefined, {
    raw: lines.map((line) => JSON.stringify(line)).join("\n"),
    headers: NDJSON,
  });
}

const etag = async (): Promise<string | null> =>
  (await server.call("owner", "GET", `${doc}/tables/Customers/records`)).headers.get("etag");

describe("a dry run reports what the write then does", () => {
  test.each(OPERATIONS)("%s", async (_, operation) => {
    const before = await readContent(server, doc);
    const [files, tag] = [fileBytes(server, doc), await etag()];
    const dry = await send(operation, { dryRun: true });
    expect(dry).toMatchObject({ status: 200, body: { isTruncated: false } });
    expect(fileBytes(server, doc)).toEqual(files);
    expect(await etag()).toBe(tag);
    expect((await send(operation, { dryRun: false })).status).toBe(200);
    const observed = difference(before, await readContent(server, doc));
    expect(Object.keys(observed)).not.toEqual([]);
    expect(reported(dry.body)).toEqual(observed);
  });
});

test("a table that takes the name of a removed one is another table", async () => {
  const path = `${doc}/apply?dryrun=1`;
  const { body } = await server.call("owner", "POST", path, [
    ["RemoveTable", "Orders"],
    ["AddTable", "Orders", [{ id: "X", type: "Int", isFormula: false }]],
    ["AddRecord", "Orders", null, { X: 1 }],
  ]);
  const { tables, schema } = body as { tables: { table: string; rows: object }[]; schema: object };
  expect(tables.filter(({ table }) => table === "Orders").map(({ rows }) => rows)).toEqual([
    { added: 1, changed: 0, removed: 0 },
    { added: 0, changed: 0, removed: 4 },
  ]);
  expect(schema).toMatchObject({ tables: { added: ["Orders"], removed: ["Orders", "Orders_summary_Status"] } });
});

describe("a write that is refused has the same refusal in a dry run", () => {
  test.each(REFUSED)("%s", async (_, operation, status, code) => {
    const files = fileBytes(server, doc);
    const dry = await send(operation, { dryRun: true });
    expect(dry).toMatchObject({ status, body: { details: { code } } });
    expect(fileBytes(server, doc)).toEqual(files);
    expect((await send(operation, { dryRun: false })).body).toEqual(dry.body);
  });

  test.each(["viewer", "stranger", "anon"] as const)("%s", async (as) => {
    for (const [, operation] of OPERATIONS) {
      const dry = await send(operation, { dryRun: true, as });
      const { status, body } = await send(operation, { dryRun: false, as });
      expect([dry.status, dry.body]).toEqual([status, body]);
      expect(status).toBeGreaterThanOrEqual(400);
    }
  });
});
