import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DAY, TestTimers } from "../helpers/clock.ts";
import { type Caller, type Reply, testApp, type TestApp } from "../helpers/app.ts";
import {
  ADD,
  createTarget as createTargetOn,
  isReplay,
  newKey,
  records,
  type Sent,
  sendWithKey,
  type Target,
  withKey,
} from "../helpers/idempotency.ts";
import { line, lines, NDJSON } from "../helpers/record-lines.ts";
import { createSharedFixture } from "../helpers/request-steps.ts";

const timers = new TestTimers();
let server: TestApp;

beforeAll(async () => {
  server = await testApp({
    clock: timers.clock,
    timers,
    flags: { "doc-threads": "0", "client-timeout-s": "100" },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const createTarget = (): Promise<Target> => createTargetOn(server);
const send = (at: Target, key: string, sent: Sent, as: Caller = "owner"): Promise<Reply> =>
  sendWithKey(server, at, sent, { key, as });

describe("a key is for one request of one caller", () => {
  const other = (change: Partial<Sent>, answer: object, as?: Caller) => ({ change, answer, as });
  const CASES = {
    "another body": other({ body: () => records("other") }, { status: 422, code: "idempotency.body_differs", rows: 3 }),
    "another body, which is not valid": other(
      { options: () => ({ raw: "{}" }) },
      { status: 422, code: "idempotency.body_differs", rows: 3 },
    ),
    "no body": other({ body: () => undefined }, { status: 422, code: "idempotency.body_differs", rows: 3 }),
    "the same values as lines": other(
      { options: () => ({ raw: `{"A":"new"}\n`, headers: NDJSON }) },
      { status: 422, code: "idempotency.body_differs", rows: 3 },
    ),
    "another query": other({ path: ({ table }) => `${table}/records?return=ids` }, { status: 200, rows: 4 }),
    "another method": other(
      { method: "PUT", body: () => ({ records: [{ require: { A: "new" } }] }) },
      { status: 200, rows: 3 },
    ),
    "another path": other(
      { path: ({ table }) => `${table}/data`, body: () => ({ A: ["x"] }) },
      { status: 200, rows: 4 },
    ),
    "another user": other({}, { status: 200, rows: 4 }, "editor"),
    "another user with another body": other({ body: () => records("x") }, { status: 200, rows: 4 }, "editor"),
    "a user who may not write": other({}, { status: 403, code: "access.edit_denied", rows: 3 }, "viewer"),
    "a user without access": other({}, { status: 403, code: "access.view_denied", rows: 3 }, "stranger"),
  };
  for (const [name, { change, answer, as = "owner" }] of Object.entries(CASES)) {
    test(name, async () => {
      const at = await createTarget();
      const key = newKey();
      expect((await send(at, key, ADD)).status).toBe(200);
      const reply = await send(at, key, { ...ADD, ...change }, as);
      const { records: rows } = await server.must<{ records: unknown[] }>("GET", `${at.table}/records`);
      const { status, body } = reply;
      expect(isReplay(reply)).toBe(false);
      expect({ status, code: body?.details?.code, rows: rows.length }).toMatchObject(answer);
      // The first answer is still kept.
      expect(isReplay(await send(at, key, ADD))).toBe(true);
    });
  }

  test("two API keys of a user are two callers", async () => {
    const at = await createTarget();
    const key = newKey();
    await send(at, key, ADD);
    const { key: secret } = await server.must<{ key: string }>("POST", "/o/docs/api/profile/keys", { label: key });
    const sent = { ...ADD, options: () => ({ headers: { Authorization: `Bearer ${secret}` } }) };
    expect(isReplay(await send(at, key, sent))).toBe(false);
    expect(isReplay(await send(at, key, sent))).toBe(true);
  });
});

describe("keys are refused", () => {
  const long = "k".repeat(256);
  for (const [name, key, status] of [
    ["empty", "", 400],
    ["of 256 characters", long, 400],
    ["with other characters", "clé", 400],
    ["of 255 characters", long.slice(1), 200],
    ["with spaces and punctuation", 'a "b"; c=~', 200],
  ] as const) {
    test(name, async () => {
      const reply = await send(await createTarget(), key, ADD);
      expect(reply.status).toBe(status);
      if (status === 400) expect(reply.body.details.code).toBe("idempotency.key");
    });
  }

  test("of callers without an account", async () => {
    const at = await createTarget();
    await server.must("PATCH", `${at.doc}/access`, { delta: { users: { "anon@getgrist.com": "editors" } } });
    const reply = await send(at, newKey(), ADD, "anon");
    expect([reply.status, reply.body.details.code]).toEqual([401, "auth.required"]);
    expect((await server.call("anon", "POST", ADD.path(at), ADD.body?.(at))).status).toBe(200);
  });
});

describe("access is checked before an answer is repeated", () => {
  interface Revocation {
    readonly sent?: Sent;
    readonly revoke: (at: Target) => Promise<unknown>;
    readonly status: number;
  }
  const role = (name: string | null) => (at: Target) =>
    server.must("PATCH", `${at.doc}/access`, { delta: { users: { "emil@example.com": name } } });
  const RETURNED: Sent = { ...ADD, path: ({ table }) => `${table}/records?return=records` };
  const CASES: Readonly<Record<string, Revocation>> = {
    "a viewer": { revoke: role("viewers"), status: 403 },
    "no role": { revoke: role(null), status: 403 },
    "a document in the trash": { revoke: ({ doc }) => server.must("POST", `${doc}/remove`), status: 404 },
    "a deleted document": { revoke: ({ doc }) => server.must("DELETE", doc), status: 404 },
  };
  for (const [name, { sent = ADD, revoke, status }] of Object.entries(CASES)) {
    test(name, async () => {
      const at = await createTarget();
      const key = newKey();
      expect((await send(at, key, sent, "editor")).status).toBe(200);
      await revoke(at);
      const plain = await server.call("editor", sent.method ?? "POST", sent.path(at), sent.body?.(at));
      const reply = await send(at, key, sent, "editor");
      expect([reply.status, isReplay(reply)]).toEqual([status, false]);
      expect(reply.body).toEqual(plain.body);
    });
  }

  test("rules that hide what was returned leave the ids", async () => {
    const at = await createTarget();
    const key = newKey();
    const first = await send(at, key, RETURNED, "editor");
    expect(first.body.records[0].fields.A).toBe("new");
    expect((await send(at, key, RETURNED, "editor")).body).toEqual(first.body);
    await hideColumn(at);
    const reply = await send(at, key, RETURNED, "editor");
    expect([reply.status, isReplay(reply), reply.body]).toEqual([200, true, { partial: true, ids: [3] }]);
  });

  test("a user who was removed cannot repeat the deletion of a document", async () => {
    const at = await createTarget();
    const key = newKey();
    const sent: Sent = { method: "DELETE", path: ({ doc }) => doc };
    expect((await send(at, key, sent, "editor")).status).toBe(403);
    expect((await send(at, key, sent)).status).toBe(200);
    expect((await send(at, key, sent, "editor")).status).toBe(404);
    expect((await send(at, newKey(), sent)).status).toBe(404);
    expect(isReplay(await send(at, key, sent))).toBe(true);
  });
});

/** Hides the column A of Table1 from all callers but owners. */
async function hideColumn(at: Target): Promise<void> {
  await server.must("POST", `${at.doc}/apply`, [
    ["AddRecord", "_grist_ACLResources", -1, { tableId: "Table1", colIds: "A" }],
    [
      "AddRecord",
      "_grist_ACLRules",
      null,
      { resource: -1, aclFormula: "user.Access != OWNER", permissionsText: "-R", rulePos: 1 },
    ],
  ]);
}

describe("limits of kept answers", () => {
  test("answers expire after 24 hours", async () => {
    const at = await createTarget();
    const keys = [newKey(), newKey()] as const;
    const workspace: Sent = { path: ({ site }) => `${site}/workspaces`, body: () => ({ name: "Timed" }) };
    const sendBoth = async () => [await send(at, keys[0], ADD), await send(at, keys[1], workspace)].map(isReplay);
    expect(await sendBoth()).toEqual([false, false]);
    timers.clock.pass(DAY - 1000);
    expect(await sendBoth()).toEqual([true, true]);
    timers.clock.pass(2000);
    expect(await sendBoth()).toEqual([false, false]);
    expect(await sendBoth()).toEqual([true, true]);
  });

  const many = (count: number) => ({ records: Array.from({ length: count }, () => ({ fields: { A: "x" } })) });
  const ids = (count: number) => Array.from({ length: count }, (_, at) => at + 3);
  const CASES: Readonly<Record<string, readonly [Sent, unknown]>> = {
    "ids of records": [{ ...ADD, body: () => many(8000) }, ids(8000)],
    "ids of returned records": [
      { ...ADD, path: ({ table }) => `${table}/records?return=records`, body: () => many(2000) },
      ids(2000),
    ],
    "ids of data": [
      { path: ({ table }) => `${table}/data`, body: () => ({ A: Array.from({ length: 15_000 }, () => "x") }) },
      ids(15_000),
    ],
    "ids of each operation of a batch": [
      {
        path: ({ doc }) => `${doc}/batch`,
        body: () => ({ operations: [1, 2].map(() => ({ op: "add", table: "Table1", ...many(8000) })) }),
      },
      [ids(8000), ids(16_000).slice(8000)],
    ],
  };
  for (const [name, [sent, expected]] of Object.entries(CASES)) {
    test(`of a large answer: ${name}`, async () => {
      const at = await createTarget();
      const key = newKey();
      const first = await send(at, key, sent);
      expect([first.status, isReplay(first)]).toEqual([200, false]);
      const reply = await send(at, key, sent);
      expect([reply.status, isReplay(reply), reply.body]).toEqual([200, true, { partial: true, ids: expected }]);
    });
  }
});

describe("requests with the same key at the same time", () => {
  for (const [name, sent] of Object.entries({
    records: ADD,
    workspaces: { path: ({ site }: Target) => `${site}/workspaces`, body: () => ({ name: "W" }) },
    documents: { path: ({ shelf }: Target) => `${shelf}/docs`, body: () => ({ name: "D" }) },
    job: {
      path: ({ table }: Target) => `${table}/records?onError=skip`,
      options: () => ({ raw: `${lines(3).join("\n")}\n`, headers: NDJSON }),
    },
  })) {
    test(`${name}: one is applied, the others get its answer`, async () => {
      const at = await createTarget();
      const key = newKey();
      const replies = await Promise.all(Array.from({ length: 8 }, () => send(at, key, sent)));
      expect(replies.filter(isReplay)).toHaveLength(7);
      for (const { status, body } of replies) expect([status, body]).toEqual([replies[0]?.status, replies[0]?.body]);
    });
  }

  test("a duplicate waits for 30 s, and is refused; it gets the answer later", async () => {
    const at = await createTarget();
    const key = newKey();
    const body = new TransformStream<Uint8Array, Uint8Array>();
    const writer = body.writable.getWriter();
    const first = server.app.handle(
      new Request(`http://quern.test${at.table}/records`, {
        method: "POST",
        headers: {
          Host: "quern.test",
          Authorization: `Bearer ${server.keys.owner}`,
          "Idempotency-Key": key,
          ...NDJSON,
        },
        body: body.readable,
      }),
    );
    await writer.write(Buffer.from(`{"A":"slow"}\n`));
    const sent: Sent = {
      path: ({ table }) => `${table}/records`,
      options: () => ({ raw: `{"A":"slow"}\n`, headers: NDJSON }),
    };
    const duplicate = send(at, key, sent);
    const patient = () => Promise.race([duplicate, new Promise((resolve) => setImmediate(resolve, null))]);
    expect(await patient()).toBe(null);
    timers.pass(29_000);
    expect(await patient()).toBe(null);
    timers.pass(1001);
    const refused = await duplicate;
    expect([refused.status, refused.body.details.code]).toEqual([409, "idempotency.in_progress"]);
    // Other callers and other keys do not wait.
    expect((await send(at, key, ADD, "editor")).status).toBe(200);
    expect((await send(at, newKey(), ADD)).status).toBe(200);
    await writer.close();
    expect((await first).status).toBe(200);
    expect(isReplay(await send(at, key, sent))).toBe(true);
  });
});

describe("the header is ignored", () => {
  const CASES: Readonly<Record<string, Sent>> = {
    "by reads of records": { path: ({ table }) => `${table}/records/list`, body: () => ({}) },
    "by aggregations": { path: ({ table }) => `${table}/aggregate`, body: () => ({ measures: { n: "count" } }) },
    "by SQL": { path: ({ doc }) => `${doc}/sql`, body: () => ({ sql: "select 1" }) },
    "by dry runs": { ...ADD, path: ({ table }) => `${table}/records?dryrun=1` },
    "by GET": { method: "GET", path: ({ table }) => `${table}/records` },
  };
  for (const [name, sent] of Object.entries(CASES)) {
    test(name, async () => {
      const at = await createTarget();
      const key = newKey();
      expect((await send(at, key, sent, "editor")).status).toBe(200);
      expect(isReplay(await send(at, key, sent, "editor"))).toBe(false);
    });
  }

  test("by routes whose answers contain secrets, which are stored nowhere", async () => {
    await using own = await testApp();
    const { doc } = await createSharedFixture(own);
    const fields = { url: "https://example.com/hook", eventTypes: ["add"], tableId: "Table1" };
    type SecretCase = readonly [as: Caller, path: string, body: unknown, secret: RegExp];
    const cases: readonly SecretCase[] = [
      ["owner", "/o/docs/api/profile/keys", { label: "Laptop" }, /"key":"([^"]+)"/],
      ["owner", "/o/docs/api/service-accounts", { label: "Robot", expiresAt: "2099-06-01" }, /"key":"([^"]+)"/],
      ["owner", `${doc}/webhooks?secrets=1`, { webhooks: [{ fields }] }, /"secret":"([^"]+)"/],
      [
        "owner",
        `${doc}/tables/Table1/_subscribe`,
        { url: fields.url, eventTypes: ["add"] },
        /"unsubscribeKey":"([^"]+)"/,
      ],
      // Replaces the key of the request.
      ["editor", "/o/docs/api/profile/apikey", { force: true }, /"(.+)"/],
    ];
    const secrets: string[] = [];
    for (const [as, path, body, secret] of cases) {
      const key = newKey();
      const reply = await own.call(as, "POST", path, body, withKey(key));
      expect([path, reply.status]).toEqual([path, 200]);
      const [, found = ""] = secret.exec(JSON.stringify(reply.body)) ?? [];
      expect(found).toMatch(/^\S{20,}$/);
      secrets.push(found);
      expect(isReplay(await own.call(as, "POST", path, body, withKey(key)))).toBe(false);
    }
    const [anyFile, ...moreFiles] = filesIn(own.folder).filter((path) => /\.(sqlite|grist)(-wal)?$/.test(path));
    expect(anyFile).toBeDefined();
    // Home needs this one, to compare it with the key of a request.
    const stored = secrets.filter((_, at) => at !== 3);
    for (const path of [anyFile ?? "", ...moreFiles]) {
      const content = readFileSync(path);
      expect(stored.filter((found) => content.includes(found))).toEqual([]);
    }
    expect(own.app.ctx.home.raw.all("select * from idempotency_answers")).toEqual([]);
  });
});

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe("kept answers stay where they are", () => {
  test("a repeated request is no change of the document", async () => {
    const at = await createTarget();
    const key = newKey();
    const refused: Sent = { ...ADD, body: () => ({ records: [{ fields: { Nope: 1 } }] }) };
    const requests = [
      [key, ADD],
      [newKey(), refused],
    ] as const;
    await send(at, key, ADD);
    const { updatedAt } = await server.must<{ updatedAt: string }>("GET", at.doc);
    timers.clock.pass(60_000);
    for (const _ of [1, 2]) for (const [own, sent] of requests) await send(at, own, sent);
    expect(await server.must<object>("GET", at.doc)).toMatchObject({ updatedAt });
    await send(at, newKey(), ADD);
    expect(await server.must<object>("GET", at.doc)).not.toMatchObject({ updatedAt });
  });

  test("copies and downloads do not contain them", async () => {
    const at = await createTarget();
    const key = newKey();
    await send(at, key, ADD);
    const copy = await server.must<string>("POST", `${at.doc}/copy`, { workspaceId: at.shelfId, documentName: "Copy" });
    const reply = await server.call(
      "owner",
      "POST",
      `/o/docs/api/docs/${copy}/tables/Table1/records`,
      records("new"),
      withKey(key),
    );
    expect([reply.status, isReplay(reply)]).toEqual([200, false]);
    const { tables } = await server.must<{ tables: { id: string }[] }>("GET", `${at.doc}/tables`);
    expect(tables.map(({ id }) => id)).toEqual(["Table1"]);
    expect((await server.call("owner", "GET", `${at.doc}/sql?q=select%20*%20from%20_quern_idempotency`)).status).toBe(
      400,
    );
  });

  test("requests without the header create no table", async () => {
    const at = await createTarget();
    expect((await server.call("owner", "POST", ADD.path(at), records(line(1)))).status).toBe(200);
    const file = filesIn(server.folder).filter((path) => path.includes(at.uuid));
    expect(file.some((path) => readFileSync(path).includes("_quern_idempotency"))).toBe(false);
  });
});
