import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { newJobId, parseJobId } from "../../src/services/jobs/job-ids.ts";
import { guardDocument } from "../../src/services/access/guards.ts";
import { actorForCommand } from "../../src/services/accounts/actors.ts";
import { setRules } from "../helpers/access-rules.ts";
import { TickingClock } from "../helpers/clock.ts";
import { type Caller, type Reply, TEST_FLAGS, testApp, type TestApp, USERS } from "../helpers/app.ts";
import {
  countOf,
  FULL,
  line,
  lines,
  lineTable,
  NDJSON,
  rowsOf,
  sendLines,
  type SentLines,
} from "../helpers/record-lines.ts";
import { createSharedFixture, type DocumentFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp();
  place = await createSharedFixture(server);
});
afterAll(() => server[Symbol.asyncDispose]());

const send = (table: string, raw: string, sent?: SentLines): Promise<Reply> => sendLines(server, table, raw, sent);

const jobPath = (job: Reply): string => `/o/docs/api/jobs/${job.body.id}`;

/** Sends lines, waits until the job has ended, and returns it. */
async function runJob(table: string, raw: string, sent: SentLines = {}): Promise<Reply["body"]> {
  const started = await send(table, raw, sent);
  expect(started).toMatchObject({ status: 202, body: { lines: expect.any(Number) } });
  expect(started.headers.get("location")).toBe(jobPath(started).replace("/o/docs", ""));
  await server.app.ctx.jobs.whenIdle();
  const job = await server.call(sent.as ?? "owner", "GET", jobPath(started));
  expect(job.status).toBe(200);
  return job.body;
}

/** Numbers of lines are from 1. */
const withLines = (list: string[], changes: Record<number, string>): string => {
  for (const [number, text] of Object.entries(changes)) list[Number(number) - 1] = text;
  return `${list.join("\n")}\n`;
};

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
const without = (count: number, ...left: number[]): number[] => upTo(count).filter((n) => !left.includes(n));

describe("more lines become a job", () => {
  const bad = '{"Nope":1}';
  interface JobCase {
    readonly name: string;
    readonly raw: () => string;
    readonly query?: string;
    readonly method?: string;
    readonly job: object;
    /** The numbers of the lines that must have been applied. */
    readonly applied: number[];
  }
  const cases: readonly JobCase[] = [
    {
      name: "all lines",
      raw: () => lines(2 * FULL + 5).join("\n"),
      job: { status: "completed", lines: 2 * FULL + 5, processed: 2 * FULL + 5, skipped: 0, errors: [] },
      applied: upTo(2 * FULL + 5),
    },
    {
      name: "upserts, some of the same row",
      raw: () =>
        upTo(FULL + 10)
          .map((n) => JSON.stringify({ require: { City: `c${n > FULL ? n - FULL : n}` }, fields: { Count: n } }))
          .join("\n"),
      method: "PUT",
      job: { status: "completed", method: "upsert", processed: FULL + 10 },
      applied: [...upTo(10).map((n) => n + FULL), ...upTo(FULL).slice(10)],
    },
    {
      name: "stops at a line that is not JSON",
      raw: () => withLines(lines(FULL + 500), { [FULL + 100]: "{" }),
      job: {
        status: "failed",
        processed: FULL + 99,
        lastLine: FULL + 99,
        skipped: 0,
        errors: [{ line: FULL + 100, code: "body.invalid_json", error: expect.any(String) }],
      },
      applied: upTo(FULL + 99),
    },
    {
      name: "stops at an unknown column",
      raw: () => withLines(lines(FULL + 500), { 700: bad, 900: bad }),
      job: {
        status: "failed",
        processed: 699,
        errors: [{ line: 700, code: "column.unknown", error: expect.stringMatching(/Nope/) }],
      },
      applied: upTo(699),
    },
    {
      name: "skips lines",
      raw: () =>
        withLines(lines(FULL + 500), { 1: bad, 2: "[]", 700: '{"City":{"a":1}}', [FULL]: "x", [FULL + 500]: bad }),
      query: "?onError=skip",
      job: {
        status: "completed",
        processed: FULL + 500,
        skipped: 5,
        errors: [
          { line: 1, code: "column.unknown" },
          { line: 2, code: "body.invalid_json" },
          { line: 700, code: "payload.invalid", error: expect.stringMatching(/^City |^fields\.City /) },
          { line: FULL, code: "body.invalid_json" },
          { line: FULL + 500, code: "column.unknown" },
        ],
      },
      applied: without(FULL + 500, 1, 2, 700, FULL, FULL + 500),
    },
    {
      name: "skip is always a job, and numbers count blank lines",
      raw: () => `\n${line(1)}\n\n{\n${line(2)}`,
      query: "?onError=skip",
      job: { status: "completed", lines: 3, processed: 3, skipped: 1, lastLine: 5, errors: [{ line: 4 }] },
      applied: upTo(2),
    },
    {
      name: "all lines in one transaction",
      raw: () => lines(2 * FULL).join("\n"),
      query: "?atomic=1",
      job: { status: "completed", atomic: true, processed: 2 * FULL, errors: [] },
      applied: upTo(2 * FULL),
    },
    {
      name: "no line in one transaction",
      raw: () => withLines(lines(2 * FULL), { [2 * FULL]: "{" }),
      query: "?atomic=1",
      job: { status: "failed", processed: 0, lastLine: 0, errors: [{ line: 2 * FULL, code: "body.invalid_json" }] },
      applied: [],
    },
    {
      name: "no line in one transaction with an unknown column",
      raw: () => withLines(lines(2 * FULL), { [FULL + 1]: bad }),
      query: "?atomic=1",
      job: { status: "failed", processed: 0, errors: [{ line: null, code: "column.unknown" }] },
      applied: [],
    },
  ];
  test.each(cases.map((one) => [one.name, one] as const))(
    "%s",
    async (_, { raw, query = "", method = "POST", job, applied }) => {
      const table = await lineTable(server, place);
      expect(await runJob(table, raw(), { query, method })).toMatchObject(job);
      const counts = (await rowsOf(server, table)).map(([, count]) => Number(count));
      expect(counts.toSorted((a, b) => a - b)).toEqual(applied.toSorted((a, b) => a - b));
      expect((await rowsOf(server, table)).every(([, count, twice]) => twice === 2 * Number(count))).toBe(true);
    },
  );

  test("at most 1,000 errors are listed", async () => {
    const table = await lineTable(server, place);
    const raw = [...Array.from({ length: 2 * FULL }, () => "{"), line(1)].join("\n");
    const job = await runJob(table, raw, { query: "?onError=skip" });
    expect(job).toMatchObject({ status: "completed", skipped: 2 * FULL, processed: 2 * FULL + 1 });
    expect(job.errors).toHaveLength(1000);
    expect(await countOf(server, table)).toBe(1);
  });

  test("rows that access rules refuse are skipped, and the others are written", async () => {
    await using other = await testApp();
    const shared = await createSharedFixture(other);
    const table = await lineTable(other, shared);
    await setRules(other, shared.doc, {
      [`${table.split("/").at(-1)}:*`]: [
        { formula: "user.Access != OWNER and newRec.Count == 3", permissions: "-C", memo: "no three" },
      ],
    });
    const raw = lines(5).join("\n");
    const options = { raw, headers: NDJSON };
    expect((await other.call("editor", "POST", `${table}/records`, undefined, options)).status).toBe(403);
    const started = await other.call("editor", "POST", `${table}/records?onError=skip`, undefined, options);
    expect(started.status).toBe(202);
    await other.app.ctx.jobs.whenIdle();
    const job = await other.call("editor", "GET", jobPath(started));
    expect(job.body).toMatchObject({ status: "completed", skipped: 1, errors: [{ line: 3, code: "access.rules" }] });
    expect(await countOf(other, table)).toBe(4);
  });
});

test("a transaction that takes long ends early, and the next one continues behind it", async () => {
  // Each look at the clock takes longer than a transaction may.
  await using other = await testApp({ clock: new TickingClock(300), flags: { "doc-threads": "0" } });
  const { doc } = await createSharedFixture(other);
  await other.must("POST", `${doc}/tables`, {
    tables: [{ id: "Lines", columns: [{ id: "Count", fields: { type: "Int" } }] }],
  });
  const table = `${doc}/tables/Lines`;
  const raw = withLines(lines(20), { 3: "{", 11: '{"Nope":1}' }).replaceAll(/"City":"\w+",/g, "");
  const before = (await other.must<{ states: unknown[] }>("GET", `${doc}/states`)).states.length;
  const started = await other.call("owner", "POST", `${table}/records?onError=skip`, undefined, {
    raw,
    headers: NDJSON,
  });
  expect(started.status).toBe(202);
  await other.app.ctx.jobs.whenIdle();
  const job = await other.call("owner", "GET", jobPath(started));
  expect(job.body).toMatchObject({
    status: "completed",
    processed: 20,
    skipped: 2,
    errors: [{ line: 3 }, { line: 11 }],
  });
  const { records } = await other.must<{ records: { fields: { Count: number } }[] }>("GET", `${table}/records`);
  expect(records.map(({ fields }) => fields.Count)).toEqual(without(20, 3, 11));
  const { states } = await other.must<{ states: unknown[] }>("GET", `${doc}/states`);
  expect(states.length - before).toBeGreaterThan(2);
});

test("jobs belong to their caller", async () => {
  const table = await lineTable(server, place);
  const started = await send(table, lines(FULL + 1).join("\n"), { as: "editor" });
  await server.app.ctx.jobs.whenIdle();
  const path = jobPath(started);
  const unknown = `/o/docs/api/jobs/${String(started.body.id).split("-")[0]}-${newJobId()}`;
  const answers: readonly [Caller, string, number][] = [
    ["editor", path, 200],
    ["owner", path, 404],
    ["viewer", path, 404],
    ["stranger", path, 404],
    ["anon", path, 404],
    ["badkey", path, 401],
    ["editor", unknown, 404],
    ["stranger", unknown, 404],
    ["editor", "/o/docs/api/jobs/x", 404],
  ];
  for (const method of ["GET", "DELETE"]) {
    for (const [as, at, status] of answers) {
      const reply = await server.call(as, method, at);
      expect([method, as, at, reply.status]).toEqual([method, as, at, status]);
      if (status === 404) {
        expect(reply.body).toEqual({ error: "Job not found", details: { code: "job.not_found" } });
      }
    }
  }
  const idsFor = async (as: Caller): Promise<string[]> => {
    const { jobs } = (await server.call(as, "GET", `${place.doc}/jobs`)).body as { jobs: { id: string }[] };
    return jobs.map(({ id }) => id);
  };
  expect(await idsFor("editor")).toEqual([String(started.body.id)]);
  expect(await idsFor("viewer")).toEqual([]);
  expect((await server.call("stranger", "GET", `${place.doc}/jobs`)).status).toBe(403);
});

test("callers without an account can write up to 1,000 lines", async () => {
  await using other = await testApp();
  const { doc } = await createSharedFixture(other);
  await other.must("PATCH", `${doc}/access`, { delta: { users: { "everyone@getgrist.com": "editors" } } });
  const table = await lineTable(other, { doc });
  const post = (raw: string) =>
    other.call("anon", "POST", `${table}/records`, undefined, {
      raw,
      headers: { ...NDJSON, "X-Requested-With": "XMLHttpRequest" },
    });
  expect((await post(line(1))).status).toBe(200);
  expect(await post(lines(FULL + 1).join("\n"))).toMatchObject({
    status: 401,
    body: { details: { code: "auth.required" } },
  });
  expect(await countOf(other, table)).toBe(1);
});

test("the number of unfinished jobs of a caller is limited; cancelled ones do not run", async () => {
  await using other = await testApp();
  const { doc } = await createSharedFixture(other);
  const table = await lineTable(other, { doc });
  await other.app.ctx.jobs.stop();
  const post = (as: Caller) =>
    other.call(as, "POST", `${table}/records`, undefined, { raw: lines(FULL + 1).join("\n"), headers: NDJSON });
  const started: Reply[] = [];
  for (let i = 0; i < 5; i++) started.push(await post("editor"));
  expect(started.map(({ status, body }): unknown[] => [status, body.status])).toEqual(
    Array.from({ length: 5 }, () => [202, "waiting"]),
  );
  const refused = await post("editor");
  expect(refused).toMatchObject({ status: 429, body: { details: { code: "limit.jobs" } } });
  expect(refused.headers.get("retry-after")).toBe("5");
  expect((await post("owner")).status).toBe(202);
  for (const job of started) {
    expect(await other.call("editor", "DELETE", jobPath(job))).toMatchObject({
      status: 200,
      body: { status: "cancelled", processed: 0, endedAt: expect.any(String) },
    });
  }
  expect((await post("editor")).status).toBe(202);
  expect(await countOf(other, table)).toBe(0);
  // What was cancelled leaves no lines in the document.
  const tablesOf = await other.must<{ records: unknown[] }>("POST", `${doc}/sql`, {
    sql: "select name from sqlite_master",
  });
  expect(JSON.stringify(tablesOf)).not.toContain("_quern_");
});

describe("a job survives the server, and checks access at every transaction", () => {
  const restarts: readonly [
    name: string,
    prepare: (at: TestApp, doc: string, table: string) => Promise<unknown>,
    job: object | null,
    rows: number,
  ][] = [
    ["nothing happens meanwhile", () => Promise.resolve(), { status: "completed", processed: 3 * FULL }, 3 * FULL],
    [
      "the caller becomes a viewer",
      (at, doc) => at.must("PATCH", `${doc}/access`, { delta: { users: { [USERS.editor.email]: "viewers" } } }),
      { status: "failed", processed: FULL, errors: [{ line: null, code: "access.edit_denied" }] },
      FULL,
    ],
    [
      "the table is removed",
      (at, doc, table) => at.must("POST", `${doc}/apply`, [["RemoveTable", table.split("/").at(-1)]]),
      { status: "failed", processed: FULL, errors: [{ line: null, code: "table.not_found" }] },
      0,
    ],
    [
      "the key is revoked",
      async ({ app: { ctx } }) => {
        const { userId } = actorForCommand(ctx, USERS.editor.email);
        for (const { id } of ctx.home.keys.listOf(userId)) ctx.home.keys.remove(id);
      },
      null,
      FULL,
    ],
    [
      "the user is disabled",
      async ({ app: { ctx } }) => {
        const { userId } = actorForCommand(ctx, USERS.editor.email);
        ctx.home.users.change(userId, { disabledAt: 1 });
      },
      null,
      FULL,
    ],
  ];
  test.each(restarts)("%s", async (_, prepare, expected, rows) => {
    const first = await testApp();
    const { doc, uuid } = await createSharedFixture(first);
    const table = await lineTable(first, { doc });
    await first.app.ctx.jobs.stop();
    const started = await first.call("editor", "POST", `${table}/records`, undefined, {
      raw: lines(3 * FULL).join("\n"),
      headers: NDJSON,
    });
    expect(started.status).toBe(202);
    const { id } = parseJobId(started.body.id) ?? { id: "" };
    const { ctx } = first.app;
    const editor = actorForCommand(ctx, USERS.editor.email);
    const grant = guardDocument(ctx, editor, { kind: "personal" }, uuid, "editors");
    expect(await ctx.documents.call(grant, "jobs.step", { id })).toBe(true);
    expect(await countOf(first, table)).toBe(FULL);
    await prepare(first, doc, table);
    await first.app.close();

    await using second = createApp(readConfig({ data: first.folder, ...TEST_FLAGS }, {}));
    await second.ctx.jobs.whenIdle();
    const call = async (path: string, key = first.keys.editor) => {
      const headers = { Host: "quern.test", Authorization: `Bearer ${key}` };
      const response = await second.handle(new Request(`http://quern.test${path}`, { headers }));
      // oxlint-disable-next-line typescript/no-explicit-any -- tests access responses freely
      return { status: response.status, body: (await response.json()) as any };
    };
    if (expected) expect((await call(jobPath(started).replace("/o/docs", ""))).body).toMatchObject(expected);
    const found = await call(`${table.replace("/o/docs", "")}/records`, first.keys.owner);
    if (rows > 0) expect(found.body.records).toHaveLength(rows);
    else expect(found.status).toBe(404);
  });
});

test("jobs and their lines are left out of copies and downloads", async () => {
  await using other = await testApp();
  const { doc, shelfId } = await createSharedFixture(other);
  const table = await lineTable(other, { doc });
  await other.app.ctx.jobs.stop();
  const secret = "not-in-any-copy";
  const raw = `${lines(FULL).join("\n")}\n${JSON.stringify({ City: secret })}`;
  expect((await other.call("owner", "POST", `${table}/records`, undefined, { raw, headers: NDJSON })).status).toBe(202);
  const file = await other.app.handle(
    new Request(`http://quern.test${doc}/download`, {
      headers: { Host: "quern.test", Authorization: `Bearer ${other.keys.owner}` },
    }),
  );
  expect(Buffer.from(await file.arrayBuffer()).includes("_quern_job")).toBe(false);
  const copy = await other.must<string>("POST", `${doc}/copy`, { workspaceId: shelfId, documentName: "Copy" });
  expect(await other.must<{ jobs: unknown[] }>("GET", `/o/docs/api/docs/${copy}/jobs`)).toEqual({ jobs: [] });
});
