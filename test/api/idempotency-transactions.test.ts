import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type Reply, testApp, type TestApp } from "../helpers/app.ts";
import {
  ADD,
  createTarget as createTargetOn,
  isReplay,
  newKey,
  type Sent,
  sendWithKey,
  type Target,
} from "../helpers/idempotency.ts";

let server: TestApp;
beforeAll(async () => {
  server = await testApp({ flags: { "doc-threads": "0" } });
});
afterAll(() => server[Symbol.asyncDispose]());

const createTarget = (): Promise<Target> => createTargetOn(server);
const send = (at: Target, key: string, sent: Sent): Promise<Reply> => sendWithKey(server, at, sent, { key });

describe("an answer is written in the transaction of its change: if it cannot be, nothing is changed", () => {
  const FAIL = "begin select raise(abort, 'no more answers'); end";
  /** Has the document refuse further answers. */
  const failInDocument = async ({ uuid, doc }: Target): Promise<void> => {
    await server.must("POST", `${doc}/force-reload`);
    using db = new Database(join(server.folder, "docs", uuid, "document.grist"));
    db.run(`create trigger no_answers before insert on _quern_idempotency ${FAIL}`);
  };
  const failInHome = async (): Promise<void> =>
    server.app.ctx.home.raw.exec(`create trigger no_answers before insert on idempotency_answers ${FAIL}`);
  const rows = async ({ table }: Target) =>
    (await server.must<{ records: unknown[] }>("GET", `${table}/records`)).records.length;
  const workspaces = async ({ site }: Target) => (await server.must<unknown[]>("GET", `${site}/workspaces`)).length;
  const documents = async ({ shelf }: Target) => (await server.must<{ docs: unknown[] }>("GET", shelf)).docs.length;

  const CASES: Readonly<
    Record<string, readonly [Sent, (at: Target) => Promise<void>, (at: Target) => Promise<number>]>
  > = {
    "rows of a document": [ADD, failInDocument, rows],
    "a batch": [
      {
        path: ({ doc }) => `${doc}/batch`,
        body: () => ({ operations: [{ op: "add", table: "Table1", records: [{ fields: { A: "b" } }] }] }),
      },
      failInDocument,
      rows,
    ],
    "a workspace": [
      { path: ({ site }) => `${site}/workspaces`, body: () => ({ name: "Other" }) },
      failInHome,
      workspaces,
    ],
    "a document": [{ path: ({ shelf }) => `${shelf}/docs`, body: () => ({ name: "Second" }) }, failInHome, documents],
    "the deletion of a document": [{ method: "DELETE", path: ({ doc }) => doc }, failInHome, documents],
  };
  for (const [name, [sent, fail, count]] of Object.entries(CASES)) {
    test(name, async () => {
      const at = await createTarget();
      await send(at, newKey(), ADD);
      const before = await count(at);
      await fail(at);
      try {
        expect((await send(at, newKey(), sent)).status).toBe(500);
        expect(await count(at)).toBe(before);
      } finally {
        server.app.ctx.home.raw.exec("drop trigger if exists no_answers");
      }
    });
  }
});

describe("refusals that are not about the content are not kept", () => {
  test("403 of the document's role, and then access", async () => {
    const at = await createTarget();
    const key = newKey();
    expect((await sendWithKey(server, at, ADD, { key, as: "viewer" })).status).toBe(403);
    await server.must("PATCH", `${at.doc}/access`, { delta: { users: { "vito@example.com": "editors" } } });
    const reply = await sendWithKey(server, at, ADD, { key, as: "viewer" });
    expect([reply.status, isReplay(reply)]).toEqual([200, false]);
  });

  test("403 of access rules, and then permission", async () => {
    const at = await createTarget();
    const key = newKey();
    const rule = { resource: -1, aclFormula: "user.Access != OWNER", permissionsText: "-C", rulePos: 1 };
    await server.must("POST", `${at.doc}/apply`, [
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "Table1", colIds: "*" }],
      ["AddRecord", "_grist_ACLRules", null, rule],
    ]);
    const refused = await sendWithKey(server, at, ADD, { key, as: "editor" });
    expect([refused.status, refused.body.details.code]).toEqual([403, "access.rules"]);
    const { records } = await server.must<{ records: { id: number; fields: { aclFormula: string } }[] }>(
      "GET",
      `${at.doc}/tables/_grist_ACLRules/records`,
    );
    const added = records.find(({ fields }) => fields.aclFormula === rule.aclFormula);
    await server.must("POST", `${at.doc}/apply`, [["RemoveRecord", "_grist_ACLRules", added?.id]]);
    const reply = await sendWithKey(server, at, ADD, { key, as: "editor" });
    expect([reply.status, isReplay(reply)]).toEqual([200, false]);
  });

  test("404 of a table that is created then is kept", async () => {
    const at = await createTarget();
    const key = newKey();
    const sent: Sent = { ...ADD, path: ({ doc }) => `${doc}/tables/Later/records` };
    expect((await send(at, key, sent)).status).toBe(404);
    await server.must("POST", `${at.doc}/tables`, { tables: [{ id: "Later", columns: [{ id: "A" }] }] });
    const reply = await send(at, key, sent);
    expect([reply.status, isReplay(reply)]).toEqual([404, true]);
    expect((await send(at, newKey(), sent)).status).toBe(200);
  });
});
