/** Groups, as administrators manage them without SCIM. */
import { describe, expect, test } from "bun:test";
import { serializeSessionCookie } from "../../src/lib/network/session-cookie.ts";
import { createGroup } from "../../src/services/accounts/groups.ts";
import { type Reply, sampleDocument, type TestApp, testApp, USERS } from "../helpers/app.ts";
import { signedInUser } from "../helpers/second-factor.ts";

interface Fixture extends TestApp {
  asRoot(this: void, method: string, path: string, body?: unknown): Promise<Reply>;
  idOf(this: void, email: string): number;
}

async function setUp(): Promise<Fixture> {
  const server = await testApp();
  const { token } = await signedInUser(server.app.ctx, "root@example.com", { isAdmin: true });
  const cookie = serializeSessionCookie(token, { maxAgeS: 60, secure: false }).split(";")[0] ?? "";
  const headers = { Cookie: cookie, Origin: "http://quern.test", "X-Requested-With": "XMLHttpRequest" };
  return {
    ...server,
    asRoot: (method, path, body) => server.call("anon", method, path, body, { headers }),
    idOf: (email) => server.app.ctx.home.users.byEmail(email)?.id ?? 0,
  };
}

describe("groups", () => {
  test("are created, renamed, filled and deleted, with entries in the audit log", async () => {
    await using t = await setUp();
    const { asRoot, call, idOf } = t;
    const { ctx } = t.app;
    const { workspaceId, doc } = await sampleDocument(t);
    const { body: group } = await asRoot("POST", "/api/groups", { name: "  Crew " });
    expect(group).toEqual({ id: group.id, name: "Crew", source: "here", provider: null, members: [], roles: [] });
    expect((await asRoot("POST", "/api/groups", { name: "Crew" })).status).toBe(409);
    expect((await asRoot("POST", "/api/groups", { name: " " })).status).toBe(400);
    const path = `/api/groups/${group.id}`;
    expect((await asRoot("PATCH", path, { name: "Bakers" })).body.name).toBe("Bakers");
    ctx.home.groups.grant({ kind: "workspace", id: workspaceId }, group.id, "editors");
    expect((await call("editor", "GET", `/api/docs/${doc}`)).status).toBe(403);
    const member = `${path}/members/${idOf(USERS.editor.email)}`;
    for (const _ of [1, 2]) expect((await asRoot("PUT", member)).status).toBe(200);
    expect((await call("editor", "GET", `/api/docs/${doc}`)).status).toBe(200);
    expect((await asRoot("GET", path)).body).toMatchObject({
      members: [{ email: USERS.editor.email, name: USERS.editor.name }],
      roles: [{ kind: "workspace", name: "Work", role: "editors" }],
    });
    expect((await asRoot("GET", "/api/groups")).body.groups).toMatchObject([{ name: "Bakers", members: 1, roles: 1 }]);
    expect((await asRoot("DELETE", member)).status).toBe(200);
    expect((await call("editor", "GET", `/api/docs/${doc}`)).status).toBe(403);
    await asRoot("PUT", member);
    expect((await asRoot("DELETE", path)).status).toBe(200);
    expect((await call("editor", "GET", `/api/docs/${doc}`)).status).toBe(403);
    expect((await asRoot("GET", path)).body.details.code).toBe("group.not_found");
    const events = ctx.home.raw.all<{ event: string }>(
      "select event from audit_entries where target like '%\"group\"%' order by number",
    );
    expect(events.map(({ event }) => event)).toEqual([
      "group.created",
      "group.changed",
      "access.changed",
      "access.changed",
      "access.changed",
      "access.changed",
      "group.deleted",
    ]);
  });

  test("of an identity provider are read only", async () => {
    await using t = await setUp();
    const { asRoot, idOf } = t;
    const { ctx } = t.app;
    const managed = createGroup(ctx, { name: "Okta", managedBy: "okta", externalId: null });
    const scim = createGroup(ctx, { name: "Scim", managedBy: null, externalId: "00g1" });
    const { groups } = (await asRoot("GET", "/api/groups")).body;
    expect(groups).toMatchObject([
      { name: "Okta", source: "provider", provider: "okta" },
      { name: "Scim", source: "scim", provider: null },
    ]);
    for (const { id } of [managed, scim]) {
      expect((await asRoot("PATCH", `/api/groups/${id}`, { name: "New" })).status).toBe(400);
      expect((await asRoot("PUT", `/api/groups/${id}/members/${idOf(USERS.editor.email)}`)).status).toBe(400);
      expect(ctx.home.groups.membersOf(id)).toEqual([]);
    }
    expect((await asRoot("DELETE", `/api/groups/${scim.id}`)).status).toBe(400);
    expect((await asRoot("DELETE", `/api/groups/${managed.id}`)).status).toBe(200);
  });

  test("are closed to all other callers, whether or not they exist, and changes to keys", async () => {
    await using t = await setUp();
    const { asRoot, call, idOf } = t;
    const { ctx } = t.app;
    const { id } = createGroup(ctx, { name: "Crew", managedBy: null, externalId: null });
    const user = idOf(USERS.stranger.email);
    const routes = [
      ["GET", "/api/groups"],
      ["POST", "/api/groups", { name: "Own" }],
      ["GET", "/api/groups/{id}"],
      ["PATCH", "/api/groups/{id}", { name: "Own" }],
      ["DELETE", "/api/groups/{id}"],
      ["PUT", `/api/groups/{id}/members/${user}`],
      ["DELETE", `/api/groups/{id}/members/${user}`],
    ] as const;
    for (const [method, path, body] of routes) {
      const known = await call("stranger", method, path.replace("{id}", String(id)), body);
      const unknown = await call("stranger", method, path.replace("{id}", "99999"), body);
      expect([path, known.status, known.body]).toEqual([path, 403, unknown.body]);
      expect((await call("anon", method, path.replace("{id}", String(id)), body)).status).toBe(401);
    }
    ctx.home.users.change(user, { isAdmin: true });
    for (const [method, path, body] of routes.filter(([each]) => each !== "GET")) {
      const reply = await call("stranger", method, path.replace("{id}", String(id)), body);
      expect([path, reply.body.details?.code]).toEqual([path, "access.session_required"]);
    }
    expect(ctx.home.groups.list().map(({ name }) => name)).toEqual(["Crew"]);
    expect(ctx.home.groups.membersOf(id)).toEqual([]);
    expect((await asRoot("PUT", `/api/groups/${id}/members/99999`)).body.details.code).toBe("user.not_found");
    expect((await asRoot("PUT", `/api/groups/99999/members/${user}`)).body.details.code).toBe("group.not_found");
  });
});
