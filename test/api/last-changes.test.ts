import { describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { join } from "node:path";
import { openHome } from "../../src/home/home.ts";
import { createLog } from "../../src/lib/observability/log.ts";
import { sampleDocument, testApp, type TestApp } from "../helpers/app.ts";
import { MINUTE, TestClock, TestTimers } from "../helpers/clock.ts";

interface Listed {
  readonly uuid: string;
  readonly updatedAt: string;
  readonly sizeBytes?: number;
}

/** Returns the document as all three places show it. */
async function shown(server: TestApp, workspaceId: number, doc: string): Promise<Listed[]> {
  const site = await server.must<{ id: number; docs: Listed[] }[]>("GET", "/api/orgs/current/workspaces");
  const workspace = await server.must<{ docs: Listed[] }>("GET", `/api/workspaces/${workspaceId}`);
  const listings = [...site.flatMap(({ docs }) => docs), ...workspace.docs].filter(({ uuid }) => uuid === doc);
  return [...listings, await server.must<Listed>("GET", `/api/docs/${doc}`)];
}

const timesOf = (listed: readonly Listed[]) => listed.map(({ updatedAt }) => Date.parse(updatedAt));

describe("the last change of a document", () => {
  test("includes changes of the content, and is persisted", async () => {
    const clock = new TestClock();
    await using server = await testApp({ clock });
    const { workspaceId, doc } = await sampleDocument(server);
    const made = clock.now();
    clock.pass(MINUTE);
    await server.must("GET", `/api/docs/${doc}/tables/Table1/records`);
    expect(timesOf(await shown(server, workspaceId, doc))).toEqual([made, made, made]);

    const changes: [method: string, path: string, body?: unknown][] = [
      ["POST", "/tables/Table1/records", { records: [{ fields: { A: 1 } }] }],
      ["PATCH", "/tables/Table1/records", { records: [{ id: 1, fields: { A: 2 } }] }],
      ["PUT", "/tables/Table1/records", { records: [{ require: { A: 2 }, fields: { B: 3 } }] }],
      ["POST", "/tables/Table1/data", { A: [4] }],
      ["POST", "/tables/Table1/data/delete", [2]],
      ["POST", "/tables", { tables: [{ id: "More", columns: [{ id: "X" }] }] }],
      ["POST", "/tables/More/columns", { columns: [{ id: "Y" }] }],
      ["PATCH", "/tables/More/columns", { columns: [{ id: "Y", fields: { label: "Why" } }] }],
      ["DELETE", "/tables/More/columns/X"],
      ["POST", "/apply", [["RemoveTable", "More"]]],
    ];
    for (const [method, path, body] of changes) {
      clock.pass(MINUTE);
      await server.must(method, `/api/docs/${doc}${path}`, body);
      expect([method, path, ...timesOf(await shown(server, workspaceId, doc))]).toEqual([
        method,
        path,
        ...Array.from({ length: 3 }, () => clock.now()),
      ]);
    }

    const last = clock.now();
    clock.pass(MINUTE);
    const refused = await server.call("owner", "PATCH", `/api/docs/${doc}/tables/Table1/records`, {
      records: [{ id: 99, fields: { A: 1 } }],
    });
    expect(refused.status).toBe(400);
    expect(timesOf(await shown(server, workspaceId, doc))).toEqual([last, last, last]);

    await server.app.close();
    using home = openHome(server.folder, { clock });
    const [id] = home.raw.values("select id from documents where uuid = ?", doc)[0] ?? [];
    expect(home.documents.byId(Number(id))?.updatedAt).toBe(last);
  });

  test("is never reset by an earlier recorded time", async () => {
    const clock = new TestClock();
    await using server = await testApp({ clock });
    const { workspaceId, doc } = await sampleDocument(server);
    await server.must("POST", `/api/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: 1 } }] });
    clock.pass(MINUTE);
    await server.must("PATCH", `/api/docs/${doc}`, { name: "Renamed" });
    server.app.ctx.lastChanges.flush();
    expect(timesOf(await shown(server, workspaceId, doc))).toEqual([clock.now(), clock.now(), clock.now()]);
  });
});

/** Locks the home database as another process would. */
function holdHome(folder: string): Disposable {
  const db = new Database(join(folder, "home.sqlite"));
  db.run("begin immediate");
  return { [Symbol.dispose]: () => db.close() };
}

describe("while another process locks the home database", () => {
  test("recorded times are kept, the failure is logged, and they are written when it is unlocked", async () => {
    const timers = new TestTimers();
    const events: string[] = [];
    const log = createLog({ level: "warn", write: (text) => void events.push(text) });
    await using server = await testApp({ clock: timers.clock, timers, log });
    const { doc } = await sampleDocument(server);
    timers.pass(MINUTE);
    await server.must("POST", `/api/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: 1 } }] });
    const changed = timers.clock.now();
    {
      using _held = holdHome(server.folder);
      timers.pass(MINUTE);
      timers.pass(MINUTE);
    }
    log.flush();
    expect(events.join("")).toContain("last_changes.write_failed");
    expect(events.join("")).toContain("last_uses.write_failed");
    const written = () => server.app.ctx.home.raw.values("select updated_at from documents where uuid = ?", doc);
    expect(written()).not.toEqual([[changed]]);
    timers.pass(MINUTE);
    expect(written()).toEqual([[changed]]);
    const [used] = server.app.ctx.home.raw.values("select max(last_used_at) from api_keys");
    expect(used).toEqual([changed]);
  });

  test("a server that stops waits for it, and writes them", async () => {
    const clock = new TestClock();
    using held = new DisposableStack();
    const log = createLog({ level: "warn", write: () => held.dispose() });
    await using server = await testApp({ clock, log });
    const { doc } = await sampleDocument(server);
    clock.pass(MINUTE);
    await server.must("POST", `/api/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: 1 } }] });
    held.use(holdHome(server.folder));
    // Released when the first attempt has failed and was logged.
    await server.app.close();
    using home = openHome(server.folder, { clock });
    expect(home.raw.values("select updated_at from documents where uuid = ?", doc)).toEqual([[clock.now()]]);
  });
});

describe("the size of a document", () => {
  test("is returned on request", async () => {
    await using server = await testApp();
    const { workspaceId, doc } = await sampleDocument(server);
    for (const { sizeBytes } of await shown(server, workspaceId, doc)) expect(sizeBytes).toBeUndefined();
    const file = `${server.folder}/docs/${doc}/document.grist`;
    const sizeIn = async (path: string) => {
      const found = await server.must<{ docs: Listed[] } | { docs: Listed[] }[]>("GET", path);
      return [found].flat().flatMap(({ docs }) => docs.map(({ sizeBytes }) => sizeBytes));
    };
    const size = statSync(file).size;
    expect(size).toBeGreaterThan(1000);
    expect(await sizeIn(`/api/workspaces/${workspaceId}?sizes=1`)).toEqual([size]);
    expect(await sizeIn("/api/orgs/current/workspaces?sizes=true")).toEqual([size]);
    await server.must("POST", `/api/docs/${doc}/tables/Table1/records`, {
      records: Array.from({ length: 500 }, () => ({ fields: { A: "x".repeat(1000) } })),
    });
    expect((await sizeIn(`/api/workspaces/${workspaceId}?sizes=1`))[0]).toBeGreaterThan(size + 500_000);
  });
});
