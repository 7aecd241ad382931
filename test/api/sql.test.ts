import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sampleDocument, testApp, type Caller, type TestApp } from "../helpers/app.ts";

let server: TestApp;
let doc: string;

beforeAll(async () => {
  server = await testApp();
  ({ doc } = await sampleDocument(server));
  const columns = [
    { id: "Name", fields: { type: "Text" } },
    { id: "Age", fields: { type: "Numeric" } },
    { id: "Born", fields: { type: "Date" } },
    { id: "Tags", fields: { type: "ChoiceList" } },
  ];
  await server.must("POST", `/api/docs/${doc}/tables`, { tables: [{ id: "People", columns }] });
  await server.must("POST", `/api/docs/${doc}/tables/People/records`, {
    records: [
      { fields: { Name: "Ada", Age: 36, Born: "1815-12-10", Tags: ["L", "a", "b"] } },
      { fields: { Name: "Bob", Age: "old" } },
    ],
  });
  await server.must("PATCH", `/api/docs/${doc}/access`, {
    delta: { users: { "Emil@example.com": "editors", "vito@example.com": "viewers" } },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const path = (): string => `/api/docs/${doc}/sql`;
const get = (q: string, as: Caller = "owner") => server.call(as, "GET", `${path()}?q=${encodeURIComponent(q)}`);
const post = (body: unknown, as: Caller = "owner") => server.call(as, "POST", path(), body);

describe("a result", () => {
  test("has the statement and the rows, by GET and by POST", async () => {
    const q = "select id, Name from People order by id";
    const expected = {
      statement: q,
      records: [{ fields: { id: 1, Name: "Ada" } }, { fields: { id: 2, Name: "Bob" } }],
    };
    for (const reply of [await get(q), await post({ sql: q }), await post({ sql: q, more: "keys", args: null })]) {
      expect({ status: reply.status, body: reply.body }).toEqual({ status: 200, body: expected });
      expect(reply.headers.get("content-type")).toBe("application/json; charset=utf-8");
    }
  });

  test.each(["select 1 -- comment", "select 1; ", "select 1 ;\n-- comment", "select 1 /* comment */"])(
    "comes for a statement that ends with blanks or a comment: %j",
    async (q) => {
      const expected = { statement: q, records: [{ fields: { "1": 1 } }] };
      for (const { status, body } of [await get(q), await post({ sql: q })]) {
        expect({ status, body }).toEqual({ status: 200, body: expected });
      }
    },
  );

  test("describes its columns where requested: those of tables, also in other statements, and others", async () => {
    const describe = async (sql: string) => {
      const { status, body } = await post({ sql, columns: true });
      expect(status).toBe(200);
      return (body as { columns: { name: string; table: string | null; column: string | null }[] }).columns.map(
        ({ name, table, column }) => [name, table, column],
      );
    };
    expect(await describe('select Name, Born as [b"], Age + 1 as Age, 1 from People where 0')).toEqual([
      ["Name", "People", "Name"],
      ['b"', "People", "Born"],
      ["Age", null, null],
      ["1", null, null],
    ]);
    const nested = "with old as (select p.Born, p.id from People p) select a.Born, max(a.id), a.id from old a";
    expect(await describe(nested)).toEqual([
      ["Born", "People", "Born"],
      ["max(a.id)", null, null],
      ["id", "People", "id"],
    ]);
    expect(await describe("select Name, Name from People")).toEqual([
      ["Name", "People", "Name"],
      ["Name:1", "People", "Name"],
    ]);
    const plain = await post({ sql: "select 1", columns: false });
    expect(plain.body).toEqual({ statement: "select 1", records: [{ fields: { "1": 1 } }] });
    expect((await post({ sql: "select 1", columns: "yes" })).status).toBe(400);
  });

  test("has values as they are stored", async () => {
    const { body } = await get("select * from People");
    expect(body.records).toEqual([
      {
        fields: { id: 1, manualSort: 1, Name: "Ada", Age: 36, Born: Date.UTC(1815, 11, 10) / 1000, Tags: '["a","b"]' },
      },
      { fields: { id: 2, manualSort: 2, Name: "Bob", Age: "old", Born: null, Tags: null } },
    ]);
  });

  test("has texts that do not match their columns, however they are stored", async () => {
    const columns = [
      { id: "Amount", fields: { type: "Numeric" } },
      { id: "Items", fields: { type: "RefList:People" } },
      { id: "Wrong", fields: { formula: "1/0" } },
    ];
    await server.must("POST", `/api/docs/${doc}/tables`, { tables: [{ id: "Stray", columns }] });
    const records = [{ fields: { Amount: "1 é x", Items: "[7, 8]" } }, { fields: { Amount: 5, Items: ["L", 1] } }];
    await server.must("POST", `/api/docs/${doc}/tables/Stray/records`, { records });
    const { body } = await get("select Amount, Items as I, typeof(Items) as t, max(Items, '') as made from Stray");
    const [stray, fitting] = body.records.map(({ fields }: { fields: unknown }) => fields);
    expect(stray).toMatchObject({ Amount: "1 é x", I: "[7, 8]", t: "blob", made: { type: "Buffer" } });
    expect(fitting).toEqual({ Amount: 5, I: "[1]", t: "text", made: "[1]" });
    expect((await get("select Wrong from Stray")).body.records[0].fields.Wrong.type).toBe("Buffer");
    const read = await server.must("GET", `/api/docs/${doc}/tables/Stray/records?limit=1`);
    expect(read).toMatchObject({ records: [{ fields: { Items: "[7, 8]" } }] });
  });

  test("includes the latest writes", async () => {
    await server.must("POST", `/api/docs/${doc}/tables/Table1/records`, { records: [{ fields: {} }] });
    expect((await get("select count(*) as n from Table1")).body.records).toEqual([{ fields: { n: 1 } }]);
    await server.must("POST", `/api/docs/${doc}/tables`, { tables: [{ id: "Later", columns: [{ id: "X" }] }] });
    expect((await get("select tableId from _grist_Tables where tableId = 'Later'")).body.records).toHaveLength(1);
    expect((await get("select X from Later")).body.records).toEqual([]);
  });

  test("accepts args", async () => {
    const reply = await post({ sql: "select Name from People where Age > ? and Name <> ?", args: [30, "Bob"] });
    expect(reply.body.records).toEqual([{ fields: { Name: "Ada" } }]);
  });
});

describe("400", () => {
  test.each<[what: string, body: unknown]>([
    ["no statement", {}],
    ["a statement that is no text", { sql: 5 }],
    ["an empty statement", { sql: "" }],
    ["a statement that is too long", { sql: `select '${"x".repeat(1_000_000)}'` }],
    ["args that are no list", { sql: "select ?", args: "x" }],
    ["an object among args", { sql: "select ?", args: [{}] }],
    ["a list among args", { sql: "select ?", args: [[1]] }],
    ["too many args", { sql: "select ?", args: [1, 2] }],
    ["a timeout that is no number", { sql: "select 1", timeout: "1" }],
    ["a timeout of null", { sql: "select 1", timeout: null }],
    ["a negative timeout", { sql: "select 1", timeout: -1 }],
    ["a list for a body", [{ sql: "select 1" }]],
    ["something else than a SELECT", { sql: "delete from People where id in (select 1)" }],
    ["an unknown table", { sql: "select * from Nobody" }],
  ])("%s", async (_, body) => {
    const reply = await post(body);
    expect(reply.status).toBe(400);
    expect(reply.body.error.length).toBeGreaterThan(5);
  });

  test.each(["", "?q=", "?q=select+1&q=select+2", "?p=select+1"])("GET%s", async (query) => {
    expect((await server.call("owner", "GET", `${path()}${query}`)).status).toBe(400);
  });
});

test("a slow statement is interrupted, and other requests continue meanwhile and afterwards", async () => {
  const endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) as c from n";
  const long = post({ sql: endless, timeout: 300 });
  const write = await server.call("editor", "PATCH", `/api/docs/${doc}/tables/People/records`, {
    records: [{ id: 2, fields: { Name: "Bert" } }],
  });
  expect(write.status).toBe(200);
  const reply = await long;
  expect(reply.status).toBe(400);
  expect(reply.body.error).toContain("cancelled");
  expect((await get("select Name from People where id = 2")).body.records).toEqual([{ fields: { Name: "Bert" } }]);
});

describe("access", () => {
  test.each<[Caller, number]>([
    ["viewer", 200],
    ["editor", 200],
    ["stranger", 403],
    ["anon", 403],
    ["badkey", 401],
  ])("%s gets %p", async (as, status) => {
    expect((await get("select 1", as)).status).toBe(status);
    expect((await post({ sql: "select 1" }, as)).status).toBe(status);
  });

  test("an invalid body is refused before rules are checked", async () => {
    expect((await post({}, "viewer")).status).toBe(400);
    expect((await post({}, "stranger")).status).toBe(403);
  });
});

test("rules close SQL to all but owners, until they are removed", async () => {
  const apply = (...actions: unknown[]) =>
    server.must<{ retValues: number[] }>("POST", `/api/docs/${doc}/apply`, actions);
  const { retValues } = await apply(
    ["AddRecord", "_grist_ACLResources", -1, { tableId: "People", colIds: "Age" }],
    ["AddRecord", "_grist_ACLRules", null, { resource: -1, aclFormula: "user.Access != OWNER", permissionsText: "-R" }],
  );
  for (const as of ["viewer", "editor"] as const) {
    expect((await get("select 1", as)).status).toBe(403);
    expect((await post({ sql: "select Name from People" }, as)).status).toBe(403);
  }
  expect((await get("select Age from People where id = 1")).body.records).toEqual([{ fields: { Age: 36 } }]);
  await apply(["RemoveRecord", "_grist_ACLRules", retValues[1]], ["RemoveRecord", "_grist_ACLResources", retValues[0]]);
  expect((await get("select 1", "viewer")).status).toBe(200);
});

test("refused statements do not change the document, and its folder is clean when the server has closed it", async () => {
  await using other = await testApp();
  const sample = await sampleDocument(other);
  const folder = join(other.folder, "docs", sample.doc);
  const hash = () =>
    createHash("sha256")
      .update(readFileSync(join(folder, "document.grist")))
      .digest("hex");
  const read = () => other.must("GET", `/api/docs/${sample.doc}/tables/Table1/records`);
  await read();
  const before = hash();
  const texts = [
    "insert into Table1 default values",
    "drop table Table1",
    "attach 'x' as y",
    "pragma user_version = 1",
  ];
  for (const sql of texts.flatMap((text) => [text, `${text} -- select`, `select 1); ${text}; select (1`])) {
    expect((await other.call("owner", "POST", `/api/docs/${sample.doc}/sql`, { sql })).status).toBe(400);
  }
  expect(hash()).toBe(before);
  await other.must("POST", `/api/docs/${sample.doc}/sql`, { sql: "select 1" });
  await other.app.close();
  expect(readdirSync(folder)).toEqual(["document.grist"]);
});

test("an evicted document is opened for a query", async () => {
  await using other = await testApp({ flags: { "max-open": "1" } });
  const first = await sampleDocument(other);
  const second = await other.must<string>("POST", `/api/workspaces/${first.workspaceId}/docs`, { name: "Second" });
  for (let i = 0; i < 3; i++) {
    for (const uuid of [first.doc, second]) {
      await other.must("GET", `/api/docs/${uuid}/sql?q=select+count(*)+from+Table1`);
    }
  }
  const both = await Promise.all(
    [first.doc, second, first.doc, second].map((uuid) =>
      other.call("owner", "GET", `/api/docs/${uuid}/sql?q=select+1`),
    ),
  );
  // Each query may evict the document of the other on every attempt; then it is refused with a retry.
  for (const { status } of both) expect([200, 503]).toContain(status);
});

test("a document whose content was replaced is reopened", async () => {
  await using other = await testApp();
  const first = await sampleDocument(other);
  const second = await other.must<string>("POST", `/api/workspaces/${first.workspaceId}/docs`, { name: "Second" });
  const count = async (): Promise<unknown> => {
    const q = "select count(*) as n from Table1";
    return other.must("GET", `/api/docs/${first.doc}/sql?q=${encodeURIComponent(q)}`);
  };
  expect(await count()).toMatchObject({ records: [{ fields: { n: 0 } }] });
  await other.must("POST", `/api/docs/${second}/tables/Table1/records`, { records: [{ fields: {} }, { fields: {} }] });
  await other.must("POST", `/api/docs/${first.doc}/replace`, { sourceDocId: second });
  expect(await count()).toMatchObject({ records: [{ fields: { n: 2 } }] });
});

test("limits are configurable", async () => {
  await using other = await testApp({
    flags: { "sql-max-rows": "2", "sql-max-answer": "1KB", "sql-timeout-ms": "1500" },
  });
  const sample = await sampleDocument(other);
  const ask = (sql: string) => other.call("owner", "POST", `/api/docs/${sample.doc}/sql`, { sql, timeout: 10_000 });
  expect((await ask("select 1 union select 2")).status).toBe(200);
  expect((await ask("select 1 union select 2 union select 3")).body.error).toContain("exceeds 2 rows");
  expect((await ask("select hex(zeroblob(1000))")).body.error).toContain("exceeds 1024 bytes");
  const endless = await ask("with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n");
  expect(endless.body.error).toContain("longer than 1500 milliseconds");
});

test("the query of a caller who disconnects is cancelled", async () => {
  await using slow = await testApp({ flags: { "sql-timeout-ms": "60000", "sql-workers": "1" } });
  const { doc: id } = await sampleDocument(slow);
  const site = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => slow.app.handle(request) });
  const headers = { Authorization: `Bearer ${slow.keys.owner}`, "Content-Type": "application/json" };
  const ask = (sql: string, signal?: AbortSignal) =>
    fetch(`http://127.0.0.1:${site.port}/api/docs/${id}/sql`, {
      method: "POST",
      headers,
      body: JSON.stringify({ sql }),
      ...(signal && { signal }),
    });
  try {
    await ask("select 1");
    const [before = 0] = slow.app.ctx.sql.pids;
    const leaving = new AbortController();
    const endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";
    const left = ask(endless, leaving.signal).catch((error: unknown) => (error as Error).name);
    while (slow.app.ctx.sql.load().busy === 0) await Bun.sleep(1);
    leaving.abort();
    expect(await left).toBe("AbortError");
    // The only process has been replaced by now.
    expect((await ask("select 1")).status).toBe(200);
    expect(slow.app.ctx.sql.pids).not.toContain(before);
  } finally {
    await site.stop(true);
  }
});
