import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isoTime } from "../../src/lib/time/clock.ts";
import { purgeTrash } from "../../src/services/documents/trash.ts";
import { USERS, testApp, type TestApp } from "../helpers/app.ts";
import { DAY, TestClock } from "../helpers/clock.ts";
import { createDocumentFixture, runSteps, statusesByCaller } from "../helpers/request-steps.ts";

const clock = new TestClock();
let server: TestApp;
let site: string;
let shelfId: number;
let shelf: string;
let uuid: string;
let doc: string;
beforeAll(async () => {
  server = await testApp({ clock });
});
beforeEach(async () => {
  ({ site, shelfId, shelf, uuid, doc } = await createDocumentFixture(server));
  await server.must("PATCH", `${doc}/access`, {
    delta: { users: { [USERS.editor.email]: "editors", [USERS.viewer.email]: "viewers" } },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const REMOVED = "?showRemoved=1";
const others = ["editor", "viewer", "stranger", "anon"] as const;

describe("a document", () => {
  test("in the trash can be read with showRemoved=1, and not be changed", async () => {
    await server.must("POST", `${doc}/tables/Table1/records`, { records: [{ fields: { A: "kept" } }] });
    const reading = ["tables", "tables/Table1/records", "tables/Table1/data", "tables/Table1/columns"];
    reading.push("snapshots", "download", "download/csv?tableId=Table1", "states", "attachments", "sql?q=select+1");
    const removed = (path: string) => `${doc}/${path}${path.includes("?") ? "&" : "?"}showRemoved=1`;
    for (const path of reading)
      expect([path, (await server.call("owner", "GET", removed(path))).status]).toEqual([path, 404]);
    await server.must("POST", `${doc}/remove`);
    for (const path of reading) {
      const people = ["owner", "editor", "viewer", "stranger", "anon"] as const;
      expect([path, await statusesByCaller(server, people, ["GET", removed(path)])]).toEqual([
        path,
        [200, 200, 200, 403, 403],
      ]);
      expect([path, (await server.call("owner", "GET", `${doc}/${path}`)).status]).toEqual([path, 404]);
    }
    const records = { records: [{ fields: { A: "more" } }] };
    await runSteps(server, [
      ["owner", "POST", removed("force-reload"), undefined, 200, null],
      ["viewer", "POST", removed("force-reload"), undefined, 403],
      ["owner", "POST", `${doc}/force-reload`, undefined, 404],
      ["owner", "POST", removed("tables/Table1/records"), records, 404],
      ["owner", "POST", removed("apply"), [], 404],
      ["owner", "POST", removed("attachments/updateUsed"), undefined, 404],
      ["owner", "GET", removed("events"), undefined, 404],
      ["owner", "GET", removed("tables/Table1/records"), undefined, 200, { records: [{ fields: { A: "kept" } }] }],
    ]);
    const { paths } = (await server.call("anon", "GET", "/openapi.json")).body as {
      paths: Record<string, Record<string, { parameters?: { name: string }[] }>>;
    };
    const names = (path: string, method: string) =>
      paths[`/api/docs/{docId}/${path}`]?.[method]?.parameters?.map(({ name }) => name) ?? [];
    expect(names("tables", "get")).toContain("showRemoved");
    expect(names("force-reload", "post")).toContain("showRemoved");
    expect(names("apply", "post")).not.toContain("showRemoved");
  });

  test("is moved to the trash and restored with its roles", async () => {
    expect(await statusesByCaller(server, others, ["POST", `${doc}/remove`])).toEqual([403, 403, 403, 403]);
    await runSteps(server, [
      ["owner", "POST", `${doc}/remove`, undefined, 200, null],
      ["owner", "GET", doc, undefined, 404],
      ["owner", "GET", `${doc}/tables`, undefined, 404],
      ["owner", "GET", `${doc}/tables${REMOVED}`, undefined, 200],
      ["viewer", "GET", doc, undefined, 404],
      ["stranger", "GET", doc, undefined, 404],
      ["owner", "GET", doc + REMOVED, undefined, 200, { name: "Paper", removedAt: isoTime(clock.now()) }],
      ["viewer", "GET", `${doc}?showRemoved=true`, undefined, 200, { access: "viewers", workspace: { access: null } }],
      ["stranger", "GET", doc + REMOVED, undefined, 403],
      ["owner", "GET", shelf, undefined, 200, { docs: [] }],
      ["owner", "GET", shelf + REMOVED, undefined, 200, { docs: [{ uuid, removedAt: expect.any(String) }] }],
      // A guest without any other access is a guest no longer.
      ["viewer", "GET", shelf, undefined, 403],
      ["viewer", "GET", site, undefined, 403],
      ["owner", "PATCH", doc, { name: "Renamed" }, 200, uuid],
      ["owner", "POST", `${doc}/copy`, { workspaceId: shelfId }, 404],
      ["owner", "PATCH", `${doc}/pin`, undefined, 404],
    ]);
    expect(await statusesByCaller(server, others, ["POST", `${doc}/unremove`])).toEqual([403, 403, 403, 403]);
    await runSteps(server, [
      ["owner", "POST", `${doc}/unremove`, undefined, 200, null],
      ["owner", "POST", `${doc}/unremove`, undefined, 200, null],
      ["viewer", "GET", doc, undefined, 200, { name: "Renamed", access: "viewers", workspace: { access: "viewers" } }],
      ["viewer", "GET", shelf, undefined, 200, { docs: [{ uuid }] }],
      ["owner", "GET", `${doc}/tables`, undefined, 200],
      ["owner", "GET", doc + REMOVED, undefined, 404],
    ]);
    expect(await server.must("GET", doc)).not.toHaveProperty("removedAt");
  });

  test("keeps the time it was first removed", async () => {
    const start = clock.now();
    await server.must("POST", `${doc}/remove`);
    clock.pass(DAY);
    await server.must("POST", `${doc}/remove`);
    const { removedAt } = await server.must<{ removedAt: string }>("GET", doc + REMOVED);
    expect(Date.parse(removedAt)).toBe(start);
  });

  const forGood = ["?permanent=1", "?permanent=true", "?permanent=YES", "?permanent=on"];
  test.each(forGood)("remove%s deletes it", async (query) => {
    await runSteps(server, [
      ["editor", "POST", `${doc}/remove${query}`, undefined, 403],
      ["owner", "POST", `${doc}/remove${query}`, undefined, 200, uuid],
      ["owner", "POST", `${doc}/unremove`, undefined, 404],
      ["owner", "GET", doc + REMOVED, undefined, 404],
    ]);
    expect(existsSync(join(server.folder, "docs", uuid))).toBe(false);
  });

  test.each(["?permanent=false", "?permanent=0", "?permanent=", "?other=1"])("remove%s does not", async (query) => {
    await runSteps(server, [
      ["owner", "POST", `${doc}/remove${query}`, undefined, 200, null],
      ["owner", "DELETE", doc, undefined, 200, uuid],
      ["owner", "GET", doc + REMOVED, undefined, 404],
    ]);
  });
});

describe("a workspace", () => {
  test("is removed with its documents and restored", async () => {
    expect(await statusesByCaller(server, others, ["POST", `${shelf}/remove`])).toEqual([403, 403, 403, 403]);
    await runSteps(server, [
      ["owner", "POST", `${shelf}/remove`, undefined, 200, null],
      ["owner", "POST", `${shelf}/remove`, undefined, 200, null],
      ["owner", "GET", shelf, undefined, 404],
      ["owner", "GET", doc, undefined, 404],
      ["viewer", "GET", `${doc}/tables`, undefined, 404],
      ["viewer", "GET", site, undefined, 403],
      ["owner", "GET", shelf + REMOVED, undefined, 200, { removedAt: expect.any(String), docs: [{ uuid }] }],
      ["owner", "GET", doc + REMOVED, undefined, 200, { workspace: { removedAt: expect.any(String) } }],
      ["owner", "POST", `${shelf}/docs`, { name: "x" }, 400],
      ["owner", "POST", "/api/docs", { workspaceId: shelfId }, 400],
      ["stranger", "POST", `${shelf}/docs`, { name: "x" }, 403],
      ["owner", "PATCH", shelf, { name: "Old shelf" }, 200, shelfId],
      ["owner", "GET", `${shelf}/access`, undefined, 200],
      ["owner", "PATCH", `${shelf}/access`, { delta: { users: { [USERS.stranger.email]: "viewers" } } }, 200],
    ]);
    const listed = async (query: string) =>
      (await server.must<{ id: number }[]>("GET", `${site}/workspaces${query}`)).some(({ id }) => id === shelfId);
    expect([await listed(""), await listed(REMOVED)]).toEqual([false, true]);
    expect(await statusesByCaller(server, others, ["POST", `${shelf}/unremove`])).toEqual([403, 403, 403, 403]);
    await runSteps(server, [
      ["owner", "POST", `${shelf}/unremove`, undefined, 200, null],
      ["owner", "POST", `${shelf}/unremove`, undefined, 200, null],
      ["stranger", "GET", shelf, undefined, 200, { name: "Old shelf", docs: [{ uuid }] }],
      ["owner", "GET", shelf + REMOVED, undefined, 404],
    ]);
    expect([await listed(""), await listed(REMOVED)]).toEqual([true, false]);
  });

  test("listing the trash excludes all other content", async () => {
    const kept = await server.must<string>("POST", `${shelf}/docs`, { name: "Kept" });
    await server.must("POST", `${doc}/remove`);
    const { docs } = await server.must<{ docs: { uuid: string }[] }>("GET", shelf + REMOVED);
    expect(docs.map((found) => found.uuid)).toEqual([uuid]);
    await server.must("POST", `${shelf}/remove`);
    const all = await server.must<{ docs: { uuid: string }[] }>("GET", shelf + REMOVED);
    expect(all.docs.map((found) => found.uuid)).toEqual([uuid, kept]);
    // Removed individually, a document stays in the trash when its workspace is restored.
    await server.must("POST", `${shelf}/unremove`);
    await runSteps(server, [
      ["owner", "GET", `/o/docs/api/docs/${kept}`, undefined, 200],
      ["owner", "GET", doc, undefined, 404],
    ]);
  });

  test("a guest of a site with nothing in the trash gets an empty list of removed workspaces", async () => {
    await runSteps(server, [
      ["viewer", "GET", `${site}/workspaces`, undefined, 200, [{ id: shelfId }]],
      ["viewer", "GET", `${site}/workspaces${REMOVED}`, undefined, 200, []],
      ["stranger", "GET", `${site}/workspaces${REMOVED}`, undefined, 403],
    ]);
    expect((await server.call("viewer", "GET", `${site}/workspaces${REMOVED}`)).body).toEqual([]);
  });

  test("documents can be moved out of a workspace in the trash, and into it", async () => {
    const other = await server.must<number>("POST", `${site}/workspaces`, { name: "Other" });
    await server.must("POST", `${shelf}/remove`);
    await runSteps(server, [
      ["owner", "PATCH", `${doc}/move`, { workspace: other }, 200, uuid],
      ["owner", "GET", doc, undefined, 200],
      ["owner", "PATCH", `${doc}/move`, { workspace: shelfId }, 200, uuid],
      ["owner", "GET", doc, undefined, 404],
    ]);
  });

  test("is permanently deleted, also from the trash", async () => {
    await server.must("POST", `${shelf}/remove`);
    await runSteps(server, [
      ["owner", "POST", `${shelf}/remove?permanent=1`, undefined, 200, shelfId],
      ["owner", "GET", shelf + REMOVED, undefined, 404],
      ["owner", "POST", "/api/workspaces/99999/remove", undefined, 404],
    ]);
    expect(existsSync(join(server.folder, "docs", uuid))).toBe(false);
  });
});

test("documents moved to the trash 30 days ago are deleted", async () => {
  clock.pass(31 * DAY);
  await purgeTrash(server.app.ctx);
  const second = await server.must<string>("POST", `${shelf}/docs`, { name: "Second" });
  const other = await server.must<number>("POST", `${site}/workspaces`, { name: "Other" });
  await server.must("POST", `${doc}/remove`);
  clock.pass(10 * DAY);
  await server.must("POST", `/o/docs/api/docs/${second}/remove`);
  await server.must("POST", `/o/docs/api/workspaces/${other}/remove`);
  clock.pass(20 * DAY);
  expect(await purgeTrash(server.app.ctx)).toBe(0);
  clock.pass(1);
  expect(await purgeTrash(server.app.ctx)).toBe(1);
  await runSteps(server, [
    ["owner", "GET", doc + REMOVED, undefined, 404],
    ["owner", "GET", `/o/docs/api/docs/${second}${REMOVED}`, undefined, 200],
    ["owner", "GET", `/o/docs/api/workspaces/${other}${REMOVED}`, undefined, 200],
  ]);
  expect(existsSync(join(server.folder, "docs", uuid))).toBe(false);
  clock.pass(10 * DAY);
  expect(await purgeTrash(server.app.ctx)).toBe(1);
  await runSteps(server, [["owner", "GET", `/o/docs/api/workspaces/${other}${REMOVED}`, undefined, 404]]);
  expect(existsSync(join(server.folder, "docs", second))).toBe(false);
});

describe("who moved something to the trash", () => {
  interface Removed {
    readonly removedBy?: { readonly id: number; readonly name: string };
    readonly docs: readonly { readonly uuid: string; readonly removedBy?: object }[];
  }

  /** Returns who removed the document and its workspace, as a user sees it. */
  async function removers(user: "owner" | "editor" | "viewer"): Promise<(object | undefined)[]> {
    const { body } = await server.call(user, "GET", `${site}/workspaces${REMOVED}`);
    expect(body).toBeArray();
    const found = (body as (Removed & { readonly id: number })[]).find(({ id }) => id === shelfId);
    expect(found?.docs.length).toBe(1);
    return [found?.docs.find((document) => document.uuid === uuid)?.removedBy, found?.removedBy];
  }

  const userNamed = (name: "owner" | "editor") => ({
    id: server.app.ctx.home.users.byEmail(USERS[name].email)?.id,
    name: USERS[name].name,
  });

  test("is seen by owners and editors", async () => {
    await server.must("PATCH", `${doc}/access`, { delta: { users: { [USERS.editor.email]: "owners" } } });
    const users = { [USERS.editor.email]: "editors", [USERS.viewer.email]: "viewers" };
    await server.must("PATCH", `${shelf}/access`, { delta: { users } });
    expect((await server.call("editor", "POST", `${doc}/remove`)).status).toBe(200);
    expect(await removers("owner")).toEqual([userNamed("editor"), undefined]);
    expect(await removers("viewer")).toEqual([undefined, undefined]);
    // The last removal counts, and a restored document has none.
    await server.must("POST", `${doc}/unremove`);
    const { body } = await server.call("owner", "GET", shelf);
    expect((body as Removed).docs[0]).not.toHaveProperty("removedBy");
    clock.pass(DAY);
    await server.must("POST", `${doc}/remove`);
    await server.must("PATCH", `${doc}/access`, { delta: { users: { [USERS.editor.email]: "editors" } } });
    expect(await removers("editor")).toEqual([userNamed("owner"), undefined]);
    await server.must("POST", `${shelf}/remove`);
    expect(await removers("owner")).toEqual([userNamed("owner"), userNamed("owner")]);
  });

  test("is unknown without an entry of the audit log", async () => {
    await server.must("POST", `${doc}/remove`);
    expect(await removers("owner")).toEqual([userNamed("owner"), undefined]);
    const { home } = server.app.ctx;
    home.audit.prune(clock.now() + DAY, 100_000);
    expect(await removers("owner")).toEqual([undefined, undefined]);
  });
});
