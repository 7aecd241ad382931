import { describe, expect, test } from "bun:test";
import { openHome } from "../../src/home/home.ts";
import { openHomeDatabase } from "../../src/home/database.ts";
import { MIGRATIONS, OLDEST_USABLE_VERSION } from "../../src/home/migrations/index.ts";
import { createVisits, MAX_VISITS } from "../../src/home/visits.ts";
import { writeNotes } from "../../src/services/notes.ts";
import { sampleDocument, type TestApp, USERS } from "../helpers/app.ts";
import { isoTime } from "../../src/lib/time/clock.ts";
import { MINUTE, TestClock } from "../helpers/clock.ts";
import { limitedKey, NOWHERE } from "../helpers/limited-keys.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { adasApp, type Visitor } from "../web/visitor.ts";

type Server = TestApp & { ada: Visitor };

/** Recent documents as the API lists them for the session of a visitor. */
async function recent(visitor: Visitor): Promise<string[]> {
  const { status, html } = await visitor.get("/api/recent", { Accept: "application/json" });
  expect(status).toBe(200);
  return (JSON.parse(html) as { documents: { name: string }[] }).documents.map(({ name }) => name);
}

const share = (server: Server, doc: string, role: "viewers" | null, email = "ada@example.com") =>
  server.must("PATCH", `/api/docs/${doc}/access`, { delta: { users: { [email]: role } } });

/** Creates a document of the owner that Ada can see. */
async function shared(server: Server, workspaceId: number, name: string): Promise<string> {
  const doc = await server.must<string>("POST", `/api/workspaces/${workspaceId}/docs`, { name });
  await share(server, doc, "viewers");
  return doc;
}

async function open(visitor: Visitor, clock: TestClock, doc: string): Promise<void> {
  clock.pass(MINUTE);
  const first = await visitor.get(`/docs/${doc}`);
  expect(first.status).toBe(302);
  expect((await visitor.get(first.headers.get("location") ?? "")).status).toBe(200);
}

describe("recent documents", () => {
  test("are the documents that the user opened last, and are persisted", async () => {
    const clock = new TestClock();
    await using server = await adasApp({ clock });
    const { workspaceId } = await sampleDocument(server);
    const [first, second, third] = [
      await shared(server, workspaceId, "First"),
      await shared(server, workspaceId, "Second"),
      await shared(server, workspaceId, "Third"),
    ];
    expect(await recent(server.ada)).toEqual([]);
    for (const doc of [first, second, third, first]) await open(server.ada, clock, doc);
    expect(await recent(server.ada)).toEqual(["First", "Third", "Second"]);
    server.app.ctx.lastVisits.flush();
    expect(await recent(server.ada)).toEqual(["First", "Third", "Second"]);
    await open(server.ada, clock, second);
    // A visit that is not written yet counts as well.
    expect(await recent(server.ada)).toEqual(["Second", "First", "Third"]);
    // A later message of another node about an earlier visit does not replace a later one.
    server.app.ctx.lastVisits.flush();
    const { home } = server.app.ctx;
    const userId = home.users.byEmail("ada@example.com")?.id ?? 0;
    writeNotes(home, {
      visits: [
        [userId, second, 5],
        [userId, "unknown", 6],
        [987_654, second, 7],
      ],
    });
    expect(await recent(server.ada)).toEqual(["Second", "First", "Third"]);
    // The documents of others are not among them; nothing for callers without an account.
    expect((await server.call("owner", "GET", "/api/recent")).body).toEqual({ documents: [] });
    expect((await server.call("anon", "GET", "/api/recent")).status).toBe(401);
    const { documents } = JSON.parse((await server.ada.get("/api/recent")).html) as { documents: object[] };
    expect(documents[0]).toMatchObject({
      uuid: second,
      access: "viewers",
      isPinned: false,
      openedAt: isoTime(clock.now()),
      workspace: { id: workspaceId, name: "Work" },
      sizeBytes: expect.any(Number),
    });
    await server.app.close();
    using after = openHome(server.folder, { clock });
    expect(after.visits.listOf(userId).map(({ uuid }) => uuid)).toEqual([second, first, third]);
  });

  test("are at most twenty", async () => {
    const clock = new TestClock();
    await using server = await adasApp({ clock });
    const { workspaceId, doc } = await sampleDocument(server);
    await share(server, doc, "viewers");
    await open(server.ada, clock, doc);
    server.app.ctx.lastVisits.flush();
    for (let at = 0; at < MAX_VISITS; at++) {
      await open(server.ada, clock, await shared(server, workspaceId, `Document ${at}`));
    }
    const expected = Array.from({ length: MAX_VISITS }, (_, at) => `Document ${MAX_VISITS - 1 - at}`);
    expect(await recent(server.ada)).toEqual(expected);
    server.app.ctx.lastVisits.flush();
    expect(await recent(server.ada)).toEqual(expected);
    const { home } = server.app.ctx;
    expect(home.raw.values("select count(*) from document_visits")).toEqual([[MAX_VISITS]]);
  });

  test("are only documents that the user can open", async () => {
    const clock = new TestClock();
    await using server = await adasApp({ clock });
    const { workspaceId } = await sampleDocument(server);
    const docs: Record<string, string> = {};
    for (const name of ["Kept", "Unshared", "Removed", "Disabled", "Deleted"]) {
      docs[name] = await shared(server, workspaceId, name);
      await open(server.ada, clock, docs[name]);
    }
    server.app.ctx.lastVisits.flush();
    await share(server, docs["Unshared"] ?? "", null);
    await server.must("POST", `/api/docs/${docs["Removed"]}/remove`);
    await server.must("DELETE", `/api/docs/${docs["Deleted"]}`);
    const { home } = server.app.ctx;
    const disabled = home.documents.listAll(0).find(({ uuid }) => uuid === docs["Disabled"]);
    home.documents.change(disabled?.id ?? 0, { disabledAt: clock.now() });
    expect(await recent(server.ada)).toEqual(["Kept"]);
    const { html } = await server.ada.get("/");
    for (const name of ["Unshared", "Removed", "Deleted"]) expect([name, html.includes(name)]).toEqual([name, false]);
    // Those of a deleted document are gone.
    expect(home.raw.values("select count(*) from document_visits")).toEqual([[4]]);
    // Restored access shows them again.
    await server.must("POST", `/api/docs/${docs["Removed"]}/unremove`);
    await share(server, docs["Unshared"] ?? "", "viewers");
    expect(await recent(server.ada)).toEqual(["Removed", "Unshared", "Kept"]);
    await server.must("POST", `/api/workspaces/${workspaceId}/remove`);
    expect(await recent(server.ada)).toEqual([]);
  });

  test("have nothing of a page that was refused", async () => {
    const clock = new TestClock();
    await using server = await adasApp({ clock });
    const { doc } = await sampleDocument(server);
    expect((await server.ada.get(`/docs/${doc}`)).status).toBe(403);
    await share(server, doc, "viewers");
    expect(await recent(server.ada)).toEqual([]);
  });

  test("of a restricted key are the ones that it reaches", async () => {
    const clock = new TestClock();
    await using server = await adasApp({ clock });
    const { workspaceId, doc: inside } = await sampleDocument(server);
    const outside = await server.must<string>("POST", `/api/workspaces/${workspaceId}/docs`, { name: "Outside" });
    const { ctx } = server.app;
    const userId = ctx.home.users.byEmail(USERS.owner.email)?.id ?? 0;
    for (const doc of [inside, outside]) {
      clock.pass(MINUTE);
      ctx.lastVisits.record(userId, doc);
    }
    const namesWith = async (limits: Parameters<typeof limitedKey>[2]) => {
      const headers = { Authorization: `Bearer ${limitedKey(server, "owner", limits)}` };
      const { status, body } = await server.call("anon", "GET", "/api/recent", undefined, { headers });
      return status === 200 ? (body.documents as { name: string }[]).map(({ name }) => name) : status;
    };
    const scopes = ["documents:read"] as const;
    expect(await namesWith({ scopes })).toEqual(["Outside", "Sample"]);
    expect(await namesWith({ scopes, restrictions: { ...NOWHERE, documents: [inside] } })).toEqual(["Sample"]);
    expect(await namesWith({ scopes, restrictions: { ...NOWHERE, tables: { [inside]: ["Table1"] } } })).toEqual([
      "Sample",
    ]);
    expect(await namesWith({ scopes: ["profile:write"] })).toBe(403);
  });
});

test("a home database that is not upgraded yet has no visits, and takes none", () => {
  const migrations = MIGRATIONS.slice(0, OLDEST_USABLE_VERSION);
  const database = openHomeDatabase(tempFolder(), { migrations });
  const visits = createVisits(database);
  visits.record([{ userId: 1, uuid: "a", openedAt: 1 }]);
  expect(visits.listOf(1)).toEqual([]);
  database.raw.close();
});
