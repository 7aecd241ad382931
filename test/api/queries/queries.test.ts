import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Database } from "../../../src/sqlite/database.ts";
import { setRules } from "../../helpers/access-rules.ts";
import { type Caller, testApp, type TestApp } from "../../helpers/app.ts";
import { createSharedFixture, runSteps } from "../../helpers/request-steps.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app?.[Symbol.asyncDispose]());

const QUERY = { name: "Revenue", sql: "select sum(A) from Table1 where B > :least", args: [10] };
const HOSTILE = { name: `"><img src=x>`, sql: "select '</script>'", args: ["__proto__", null, true, -1.5] };

interface Listed {
  queries: { id: number; name: string; sql: string; args: unknown[]; author: string; createdAt: string }[];
}
const list = async (doc: string): Promise<Listed["queries"]> =>
  (await app.must<Listed>("GET", `${doc}/queries`)).queries;
const shown = async (doc: string) => (await list(doc)).map(({ name, sql, args }) => ({ name, sql, args }));

describe("saved queries", () => {
  test("are listed by name, changed and deleted", async () => {
    const { doc } = await createSharedFixture(app);
    expect(await list(doc)).toEqual([]);
    await runSteps(app, [
      ["editor", "POST", `${doc}/queries`, QUERY, 200, { id: 1, ...QUERY, author: expect.any(String) }],
      ["owner", "POST", `${doc}/queries`, HOSTILE, 200, { id: 2, ...HOSTILE }],
      ["viewer", "GET", `${doc}/queries`, undefined, 200, { queries: [{ id: 2 }, { id: 1 }] }],
      ["viewer", "POST", `${doc}/queries`, QUERY, 403],
      ["viewer", "PATCH", `${doc}/queries/1`, { name: "X" }, 403],
      ["viewer", "DELETE", `${doc}/queries/1`, undefined, 403],
      ["stranger", "GET", `${doc}/queries`, undefined, 403],
      ["owner", "PATCH", `${doc}/queries/1`, { name: "Income" }, 200, { ...QUERY, name: "Income" }],
      ["owner", "PATCH", `${doc}/queries/9`, { name: "X" }, 404],
      ["owner", "PATCH", `${doc}/queries/x`, { name: "X" }, 400],
      ["owner", "POST", `${doc}/queries`, { ...QUERY, name: " " }, 400],
      ["owner", "POST", `${doc}/queries`, { ...QUERY, args: [{}] }, 400],
      ["owner", "DELETE", `${doc}/queries/9`, undefined, 404],
      ["editor", "DELETE", `${doc}/queries/2`, undefined, 200],
    ]);
    expect(await shown(doc)).toEqual([{ ...QUERY, name: "Income" }]);
  });

  test("are only for callers who may read the whole document", async () => {
    const { doc } = await createSharedFixture(app);
    await app.must("POST", `${doc}/queries`, QUERY);
    await setRules(app, doc, { "Table1:A": [{ formula: "user.Access != OWNER", permissions: "-R" }] });
    for (const as of ["viewer", "editor"] satisfies Caller[]) {
      const reply = await app.call(as, "GET", `${doc}/queries`);
      expect(reply.status).toBe(403);
      expect(JSON.stringify(reply.body)).not.toContain("Revenue");
    }
    expect((await app.call("editor", "POST", `${doc}/queries`, QUERY)).status).toBe(403);
    expect((await app.call("editor", "PATCH", `${doc}/queries/1`, { name: "X" })).status).toBe(403);
    expect((await app.call("editor", "DELETE", `${doc}/queries/1`)).status).toBe(403);
    expect((await app.call("owner", "GET", `${doc}/queries`)).status).toBe(200);
  });

  test("are neither tables of the document nor readable by SQL", async () => {
    const { doc } = await createSharedFixture(app);
    await app.must("POST", `${doc}/queries`, QUERY);
    const tables = await app.must<{ tables: { id: string }[] }>("GET", `${doc}/tables`);
    expect(tables.tables.map(({ id }) => id)).not.toContain("_quern_queries");
    expect((await app.call("owner", "GET", `${doc}/tables/_quern_queries/records`)).status).toBe(404);
    const query = await app.call("owner", "POST", `${doc}/sql`, { sql: "select * from _quern_queries" });
    expect(query.status).toBe(400);
  });

  test("stay in copies, downloads and uploads, without values in templates", async () => {
    const { doc, shelf, shelfId } = await createSharedFixture(app);
    await app.must("POST", `${doc}/queries`, QUERY);
    const copy = async (asTemplate: boolean) =>
      `/o/docs/api/docs/${await app.must<string>("POST", `${doc}/copy`, { workspaceId: shelfId, documentName: "C", asTemplate })}`;
    expect(await shown(await copy(false))).toEqual([QUERY]);
    expect(await shown(await copy(true))).toEqual([{ ...QUERY, args: [] }]);
    const file = await download(doc);
    expect(await shown(await upload(shelf, file))).toEqual([QUERY]);
    expect(await shown(await upload(shelf, await download(doc, "?template=true")))).toEqual([{ ...QUERY, args: [] }]);
  });

  test("of uploaded files are read only in their form", async () => {
    const { doc, shelf } = await createSharedFixture(app);
    await app.must("POST", `${doc}/queries`, QUERY);
    const path = join(tempFolder(), "changed.grist");
    await Bun.write(path, await download(doc));
    {
      using db = new Database(path);
      db.exec(`insert into _quern_queries (name, sql, args, createdAt, updatedAt) values
        (x'00', 'select 1', '[]', 1, 1), ('No SQL', null, '[]', 1, 1), ('Times', 'select 1', '{', 1e300, 'x'),
        ('Arguments', 'select 1', '[{"a": 1}, 2]', 1, 1);
        create trigger t after insert on _quern_queries begin delete from _quern_queries; end`);
      db.exec("create table _quern_outbox (id integer primary key, hooks text)");
    }
    const uploaded = await upload(shelf, Bun.file(path));
    expect(await shown(uploaded)).toEqual([
      { name: "Arguments", sql: "select 1", args: [null, 2] },
      QUERY,
      { name: "Times", sql: "select 1", args: [] },
    ]);
    await app.must("POST", `${uploaded}/queries`, { ...QUERY, name: "More" });
    expect(await shown(uploaded)).toHaveLength(4);
  });

  test("are limited in number", async () => {
    const { doc } = await createSharedFixture(app);
    for (let at = 0; at < 500; at++) await app.must("POST", `${doc}/queries`, { name: `q${at}`, sql: "select 1" });
    const { status, body } = await app.call("owner", "POST", `${doc}/queries`, QUERY);
    expect([status, (body as { details: unknown }).details]).toEqual([400, { code: "limit.exceeded" }]);
    expect(await list(doc)).toHaveLength(500);
  });
});

async function download(doc: string, query = ""): Promise<Blob> {
  const headers = { Host: "quern.test", Authorization: `Bearer ${app.keys.owner}` };
  const answer = await app.app.handle(new Request(`http://quern.test${doc}/download${query}`, { headers }));
  expect(answer.status).toBe(200);
  return answer.blob();
}

async function upload(workspace: string, file: Blob): Promise<string> {
  const form = new FormData();
  form.append("upload", new File([file], "copy.grist"));
  const reply = await app.call("owner", "POST", `${workspace}/import`, undefined, { raw: form });
  expect(reply).toMatchObject({ status: 200 });
  return `/o/docs/api/docs/${(reply.body as { id: string }).id}`;
}
