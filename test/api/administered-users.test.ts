/** Users as administrators of the installation see and change them. */
import { describe, expect, test } from "bun:test";
import { createGroup } from "../../src/services/accounts/groups.ts";
import { findOrInvite, findUser, revokeUserAccess } from "../../src/services/accounts/users.ts";
import { serializeSessionCookie } from "../../src/lib/network/session-cookie.ts";
import { type Caller, type Reply, sampleDocument, type TestApp, testApp, USERS } from "../helpers/app.ts";
import { enrolledUser, signedInUser } from "../helpers/second-factor.ts";

const idOf = ({ app }: TestApp, email: string): number => app.ctx.home.users.byEmail(email)?.id ?? 0;

interface Window {
  readonly userId: number;
  call(this: void, method: string, path: string, body?: unknown): Promise<Reply>;
}

interface Listed {
  readonly email: string;
  readonly name: string;
}

/** Signs a new administrator in: keys may not do everything. */
async function administrator(server: TestApp, email = "root@example.com"): Promise<Window> {
  const { token, grant } = await signedInUser(server.app.ctx, email, { isAdmin: true });
  const cookie = serializeSessionCookie(token, { maxAgeS: 60, secure: false }).split(";")[0] ?? "";
  return {
    userId: grant.actor.userId,
    call: (method, path, body) =>
      server.call("anon", method, path, body, {
        headers: { Cookie: cookie, Origin: "http://quern.test", "X-Requested-With": "XMLHttpRequest" },
      }),
  };
}

const lastEvents = ({ app }: TestApp, count: number) =>
  app.ctx.home.raw.all<{ event: string }>("select event from audit_entries order by number desc limit ?", count);

describe("GET /api/users", () => {
  test("lists users with how they sign in, in pages, sorted and selected", async () => {
    await using server = await testApp();
    const { ctx } = server.app;
    const root = await administrator(server);
    const { userId } = await enrolledUser(ctx, "erin@example.com");
    ctx.home.identities.add({ issuer: "https://id.example.com", subject: "1", provider: "okta", userId, email: "" });
    findOrInvite(ctx, "pending@example.com");
    revokeUserAccess(ctx, findUser(ctx, idOf(server, USERS.stranger.email)));
    const list = async (query: string) =>
      (await root.call("GET", `/api/users?${query}`)).body as { users: Listed[]; total: number };
    const emails = async (query: string) => (await list(query)).users.map(({ email }) => email);

    const { users } = await list("q=erin");
    expect(users as readonly unknown[]).toEqual([
      {
        id: userId,
        email: "erin@example.com",
        name: "erin",
        isAdmin: false,
        isService: false,
        isDisabled: false,
        isPending: false,
        hasPassword: true,
        hasAuthenticator: true,
        passkeys: 0,
        hasSecondFactor: true,
        providers: ["okta"],
        keys: 0,
        createdAt: expect.any(String),
        lastActiveAt: expect.any(String),
      },
    ]);
    expect(await emails("show=pending")).toEqual(["pending@example.com"]);
    expect(await emails("show=administrators")).toEqual(["root@example.com"]);
    expect(await emails("show=disabled")).toEqual([USERS.stranger.email]);
    const withoutFactor = await emails("show=withoutSecondFactor");
    expect(withoutFactor).toContain("root@example.com");
    for (const email of ["erin@example.com", "pending@example.com", USERS.stranger.email])
      expect(withoutFactor).not.toContain(email);
    const sorted = (await list("sort=name")).users.map(({ name, email }) => name || email);
    expect(sorted).toEqual(sorted.toSorted((a, b) => a.localeCompare(b, "en")));
    expect(await emails("sort=-email&limit=1")).toEqual(["vito@example.com"]);
    expect((await emails("sort=role"))[0]).toBe("root@example.com");
    expect(await emails("sort=email&offset=1&limit=2")).toEqual((await emails("sort=email")).slice(1, 3));
    expect((await list("limit=2")).total).toBe(7);
    for (const query of ["sort=colour", "show=nobody", "limit=0", "limit=1001", "offset=-1"])
      expect([query, (await root.call("GET", `/api/users?${query}`)).status]).toEqual([query, 400]);
  });
});

describe("changes of other users", () => {
  test("administrators are made and withdrawn, but never the last one", async () => {
    await using server = await testApp();
    const { home } = server.app.ctx;
    const root = await administrator(server);
    const path = `/api/users/${idOf(server, USERS.editor.email)}`;
    const own = `/api/users/${root.userId}`;
    expect((await root.call("PATCH", path, { isAdmin: true })).body).toMatchObject({ isAdmin: true });
    expect(lastEvents(server, 1)).toEqual([{ event: "user.administrator_changed" }]);
    expect((await root.call("PATCH", path, { isAdmin: false })).body).toMatchObject({ isAdmin: false });
    const refused = { status: 409, body: { details: { code: "user.last_administrator" } } };
    expect(await root.call("PATCH", own, { isAdmin: false })).toMatchObject(refused);

    // An administrator who cannot sign in does not count.
    const invited = findOrInvite(server.app.ctx, "soon@example.com");
    expect((await root.call("PATCH", `/api/users/${invited.id}`, { isAdmin: true })).status).toBe(200);
    expect(await root.call("PATCH", own, { isAdmin: false })).toMatchObject(refused);
    await root.call("PATCH", path, { isAdmin: true });
    await root.call("POST", `${path}/disable`);
    expect(await root.call("PATCH", own, { isAdmin: false })).toMatchObject(refused);
    await root.call("POST", `${path}/enable`);
    expect((await root.call("PATCH", own, { isAdmin: false })).status).toBe(200);
    expect((await root.call("GET", own)).status).toBe(403);
    expect(home.users.byId(root.userId)?.isAdmin).toBe(false);
  });

  test("shows sessions, keys and roles, also through groups, and no secret", async () => {
    await using server = await testApp();
    const { ctx } = server.app;
    const root = await administrator(server);
    const { doc, workspaceId } = await sampleDocument(server);
    const email = USERS.editor.email;
    await server.must("PATCH", `/api/docs/${doc}/access`, { delta: { users: { [email]: "editors" } } });
    const group = createGroup(ctx, { name: "Crew", managedBy: null, externalId: null });
    ctx.home.groups.addMember(group.id, idOf(server, email));
    ctx.home.groups.grant({ kind: "workspace", id: workspaceId }, group.id, "viewers");
    const { body } = await root.call("GET", `/api/users/${idOf(server, email)}`);
    expect(body).toMatchObject({
      sessions: [],
      apiKeys: [{ label: null, prefix: server.keys.editor.slice(0, 6) }],
      memberships: [
        { kind: "workspace", name: "Work", siteName: "Team", role: "viewers", groupName: "Crew" },
        { kind: "document", uuid: doc, name: "Sample", workspaceName: "Work", role: "editors", groupName: null },
      ],
      groups: [{ id: group.id, name: "Crew" }],
      personalDocuments: 0,
    });
    expect(JSON.stringify(body)).not.toContain(server.keys.editor);
    const own = await root.call("GET", `/api/users/${root.userId}`);
    expect(own.body.sessions).toHaveLength(1);
    const { hash } = ctx.home.sessions.list(root.userId)[0] ?? { hash: "?" };
    expect(JSON.stringify(own.body)).not.toContain(hash);
  });

  test("sessions end, and keys stay", async () => {
    await using server = await testApp();
    const root = await administrator(server);
    const { grant } = await signedInUser(server.app.ctx, "erin@example.com");
    const { userId } = grant.actor;
    expect((await root.call("POST", `/api/users/${userId}/end-sessions`)).status).toBe(200);
    expect(server.app.ctx.home.sessions.list(userId)).toEqual([]);
    expect(lastEvents(server, 1)).toEqual([{ event: "sessions.ended" }]);
    await root.call("POST", `/api/users/${idOf(server, USERS.editor.email)}/end-sessions`);
    expect((await server.call("editor", "GET", "/api/profile/user")).status).toBe(200);
  });

  test("a deleted user loses all, the personal site waits in the trash, and others keep what is theirs", async () => {
    await using server = await testApp();
    const root = await administrator(server);
    const { workspaceId } = await sampleDocument(server);
    await server.must("PATCH", `/api/workspaces/${workspaceId}/access`, {
      delta: { users: { [USERS.editor.email]: "editors" } },
    });
    const shared = await server.call("editor", "POST", `/api/workspaces/${workspaceId}/docs`, { name: "Shared" });
    const id = idOf(server, USERS.editor.email);
    expect((await root.call("POST", `/api/users/${id}/remove`)).status).toBe(200);
    expect(lastEvents(server, 1)).toEqual([{ event: "user.deleted" }]);
    expect((await server.call("editor", "GET", "/api/profile/user")).status).toBe(401);
    expect((await server.call("owner", "GET", `/api/docs/${shared.body}`)).status).toBe(200);
    expect(server.app.ctx.home.deletedSites.list().map(({ formerOwner }) => formerOwner)).toEqual([USERS.editor.email]);
    expect((await root.call("POST", `/api/users/${id}/remove`)).status).toBe(404);
    expect((await root.call("POST", `/api/users/${root.userId}/remove`)).status).toBe(400);
  });

  test("the only owner of a team site is not deleted", async () => {
    await using server = await testApp();
    const root = await administrator(server);
    const path = `/api/users/${idOf(server, USERS.owner.email)}/remove`;
    const { status, body } = await root.call("POST", path);
    expect([status, body.error]).toEqual([400, "Add another owner to Team or delete it first"]);
    await server.must("PATCH", "/api/orgs/team/access", { delta: { users: { [USERS.editor.email]: "owners" } } });
    expect((await root.call("POST", path)).status).toBe(200);
  });

  test("no other caller learns or changes anything, whether or not the user exists", async () => {
    await using server = await testApp();
    const root = await administrator(server);
    for (const [method, path, body] of [
      ["GET", "/api/users"],
      ["GET", "/api/users?show=administrators"],
      ["GET", "/api/users/{id}"],
      ["PATCH", "/api/users/{id}", { isAdmin: true }],
      ["POST", "/api/users/{id}/end-sessions"],
      ["POST", "/api/users/{id}/remove"],
    ] as const) {
      for (const as of ["owner", "anon"] as const satisfies readonly Caller[]) {
        const known = await server.call(as, method, path.replace("{id}", String(root.userId)), body);
        const unknown = await server.call(as, method, path.replace("{id}", "999999"), body);
        expect([path, as, known.status]).toEqual([path, as, as === "anon" ? 401 : 403]);
        expect(known.body).toEqual(unknown.body);
      }
    }
    expect(server.app.ctx.home.sessions.list(root.userId)).toHaveLength(1);
  });

  test("a key of an administrator neither makes administrators nor deletes users", async () => {
    await using server = await testApp();
    const { home } = server.app.ctx;
    home.users.change(idOf(server, USERS.owner.email), { isAdmin: true });
    const path = `/api/users/${idOf(server, USERS.stranger.email)}`;
    expect((await server.call("owner", "PATCH", path, { isAdmin: true })).body.details.code).toBe(
      "access.session_required",
    );
    expect((await server.call("owner", "POST", `${path}/remove`)).body.details.code).toBe("access.session_required");
    expect((await server.call("owner", "GET", path)).body).toMatchObject({ isAdmin: false });
  });
});
