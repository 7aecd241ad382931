/** Time and size of dry runs. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { setRules } from "../../helpers/access-rules.ts";
import { type Caller, testApp, type TestApp } from "../../helpers/app.ts";
import { NDJSON } from "../../helpers/record-lines.ts";
import { createSharedFixture } from "../../helpers/request-steps.ts";
import { fileBytes } from "./scene.ts";

let server: TestApp;
beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

async function createTable(columns: object[], rows: number): Promise<string> {
  const { doc } = await createSharedFixture(server);
  await server.must("POST", `${doc}/apply`, [["AddTable", "Items", columns]]);
  const ids = Array.from({ length: rows }, () => null);
  await server.must("POST", `${doc}/apply`, [["BulkAddRecord", "Items", ids, { A: ids.map((_, at) => at) }]]);
  return doc;
}

const NUMBER = { id: "A", type: "Int", isFormula: false };

test("a change of 100,000 rows leaves the file and its log as they are", async () => {
  // Without formulas: the change itself exceeds SQLite's cache.
  const doc = await createTable([NUMBER, { id: "B", type: "Text", isFormula: false }], 100_000);
  const before = fileBytes(server, doc);
  const text = "x".repeat(200);
  const path = `${doc}/tables/Items/records?dryrun=1&maxRows=100000&filter={"id":{"gt":0}}`;
  const { status, body } = await server.call("owner", "PATCH", path, { fields: { B: text } });
  const after = fileBytes(server, doc);
  expect(after.map((bytes, at) => bytes?.equals(before[at] ?? Buffer.of()))).toEqual([true, true]);
  // A loaded machine may need longer than a dry run may take.
  if (status === 409) return expect(body.details.code).toBe("dry_run.time_limit");
  expect(body.tables).toMatchObject([
    { rows: { added: 0, changed: 100_000, removed: 0 }, cells: { changed: 100_000 } },
  ]);
  expect([body.isTruncated, body.tables[0].changed.length]).toEqual([true, 100]);
});

describe("a dry run that takes too long", () => {
  const SLOW = {
    id: "Slow",
    type: "Any",
    isFormula: true,
    formula: "sum(i for i in range(400000 if $A >= 0 and $B else 1))",
  };
  let doc: string;
  beforeAll(async () => {
    doc = await createTable([NUMBER, { id: "B", type: "Bool", isFormula: false }, SLOW], 2000);
  });

  const run = (as: Caller) =>
    server.call(as, "PATCH", `${doc}/tables/Items/records?dryrun=1&maxRows=2000&filter={"id":{"gt":0}}`, {
      fields: { B: true },
    });

  test("is refused with partial results, and changes nothing", async () => {
    const before = fileBytes(server, doc);
    const start = performance.now();
    const { status, body } = await run("owner");
    const seconds = (performance.now() - start) / 1000;
    expect([status, body.details]).toMatchObject([
      409,
      { code: "dry_run.time_limit", tables: [{ table: "Items", rows: { added: 0, changed: 2000, removed: 0 } }] },
    ]);
    expect(fileBytes(server, doc)).toEqual(before);
    expect(seconds).toBeGreaterThan(1.9);
    const { records } = await server.must<{ records: { fields: { B: boolean; Slow: number } }[] }>(
      "GET",
      `${doc}/tables/Items/records?limit=1`,
    );
    expect(records[0]?.fields).toMatchObject({ B: false, Slow: 0 });
  });

  test("gives callers under rules no partial results", async () => {
    await setRules(server, doc, { "Items:A": [{ formula: "user.Access != OWNER", permissions: "-R" }] });
    expect(await run("editor")).toMatchObject({
      status: 409,
      body: { details: { code: "dry_run.time_limit", tables: [] } },
    });
  });
});

describe("NDJSON", () => {
  const send = (doc: string, lines: number, query = "") => {
    const raw = Array.from({ length: lines }, (_, at) => JSON.stringify({ A: at })).join("\n");
    return server.call("owner", "POST", `${doc}/tables/Items/records?dryrun=1${query}`, undefined, {
      raw,
      headers: NDJSON,
    });
  };

  test.each<[lines: number, query: string, status: number]>([
    [1000, "", 200],
    [1001, "", 400],
    [5, "&onError=skip", 400],
    [1000, "&atomic=1", 200],
    [1001, "&atomic=1", 400],
  ])("%d lines %s: %d", async (lines, query, status) => {
    const doc = await createTable([NUMBER], 1);
    const reply = await send(doc, lines, query);
    expect(reply.status).toBe(status);
    if (status === 200) expect(reply.body.tables).toMatchObject([{ rows: { added: lines } }]);
    else expect(reply.body.details.code).toBe("request.invalid");
    expect((await server.must<{ jobs: unknown[] }>("GET", `${doc}/jobs`)).jobs).toEqual([]);
    expect((await server.must<{ records: unknown[] }>("GET", `${doc}/tables/Items/records`)).records).toHaveLength(1);
  });
});
