import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { USERS, sampleDocument, testApp, type Caller, type UserName, type TestApp } from "../helpers/app.ts";

const idOf = (server: TestApp, person: UserName): number =>
  server.app.ctx.home.users.byEmail(USERS[person].email)?.id ?? 0;
const status = async (server: TestApp, as: Caller, method: string, path: string, body?: unknown) =>
  (await server.call(as, method, path, body)).status;

describe("DELETE /api/users/{userId}", () => {
  test("is refused for other users, without the name, and with another one", async () => {
    await using server = await testApp();
    const id = idOf(server, "stranger");
    const { name } = USERS.stranger;
    for (const [as, path, body, expected] of [
      ["stranger", id, undefined, 400],
      ["stranger", id, {}, 400],
      ["stranger", id, { name: 5 }, 400],
      ["stranger", id, { name: "Somebody" }, 400],
      ["stranger", "abc", { name }, 400],
      ["stranger", idOf(server, "editor"), { name: USERS.editor.name }, 403],
      ["owner", id, { name }, 403],
      ["anon", id, { name }, 401],
      ["badkey", id, { name }, 401],
    ] as const) {
      expect([as, path, body, await status(server, as, "DELETE", `/api/users/${path}`, body)]).toEqual([
        as,
        path,
        body,
        expected,
      ]);
    }
    expect(await status(server, "stranger", "GET", "/api/profile/user")).toBe(200);
  });

  test("deletes the user with their personal documents and files, and preserves their content elsewhere", async () => {
    await using server = await testApp();
    const { workspaceId } = await sampleDocument(server);
    await server.must("PATCH", `/api/workspaces/${workspaceId}/access`, {
      delta: { users: { [USERS.editor.email]: "editors" } },
    });
    const shared = (await server.call("editor", "POST", `/api/workspaces/${workspaceId}/docs`, { name: "Shared" }))
      .body as string;
    await server.call("editor", "PATCH", `/api/docs/${shared}/access`, { delta: { maxInheritedRole: null } });
    expect(await status(server, "owner", "GET", `/api/docs/${shared}`)).toBe(403);

    const [home] = (await server.call("editor", "GET", "/o/docs/api/orgs/current/workspaces")).body as { id: number }[];
    const own = (await server.call("editor", "POST", `/api/workspaces/${home?.id}/docs`, { name: "Own" }))
      .body as string;
    const folder = join(server.folder, "docs", own);
    expect(existsSync(folder)).toBe(true);

    const reply = await server.call("editor", "DELETE", `/api/users/${idOf(server, "editor")}`, {
      name: USERS.editor.name,
    });
    expect([reply.status, reply.body]).toEqual([200, null]);
    expect(existsSync(folder)).toBe(false);
    expect(await status(server, "editor", "GET", "/api/profile/user")).toBe(401);
    expect(await status(server, "owner", "GET", `/o/docs/api/docs/${own}`)).toBe(404);
    expect((await server.call("owner", "GET", `/api/docs/${shared}`)).body).toMatchObject({
      name: "Shared",
      access: "owners",
    });
    const { users } = await server.must<{ users: { name: string }[] }>("GET", `/api/workspaces/${workspaceId}/access`);
    expect(users.map(({ name }) => name)).toEqual([USERS.owner.name]);
  });

  test("is refused while a team site has no other owner", async () => {
    await using server = await testApp();
    const path = `/api/users/${idOf(server, "owner")}`;
    expect(await status(server, "owner", "DELETE", path, { name: USERS.owner.name })).toBe(400);
    await server.must("PATCH", "/api/orgs/team/access", { delta: { users: { [USERS.editor.email]: "owners" } } });
    expect(await status(server, "owner", "DELETE", path, { name: USERS.owner.name })).toBe(200);
    expect((await server.call("editor", "GET", "/api/orgs/team")).body.access).toBe("owners");
  });
});

describe("POST /api/users/{userId}/disable and enable", () => {
  test("a disabled user's key, and keys of their service accounts, are 403 everywhere, expired ones 401", async () => {
    await using server = await testApp();
    const { home } = server.app.ctx;
    const id = idOf(server, "viewer");
    const create = (expiresAt: string) => server.call("viewer", "POST", "/api/service-accounts", { expiresAt });
    const { key: live } = (await create("2999-01-01")).body as { key: string };
    const { key: expired } = (await create("2001-01-01")).body as { key: string };
    const withKey = async (key: string) => {
      const headers = { Authorization: `Bearer ${key}` };
      return (await server.call("anon", "GET", "/api/profile/user", undefined, { headers })).status;
    };
    expect([await withKey(live), await withKey(expired)]).toEqual([200, 401]);
    home.transaction(() => home.users.change(id, { disabledAt: 1 }));
    for (const path of ["/api/orgs", "/api/profile/user", "/api/session/access/active", "/api/nothing"]) {
      expect([path, await status(server, "viewer", "GET", path)]).toEqual([path, 403]);
    }
    expect([await withKey(live), await withKey(expired)]).toEqual([403, 401]);
  });

  test("requires an administrator, and is refused for the caller's own account", async () => {
    await using server = await testApp();
    const { home } = server.app.ctx;
    home.users.change(idOf(server, "owner"), { isAdmin: true });
    const path = `/api/users/${idOf(server, "viewer")}`;
    for (const verb of ["disable", "enable"]) {
      expect(await status(server, "stranger", "POST", `${path}/${verb}`, {})).toBe(403);
      expect(await status(server, "anon", "POST", `${path}/${verb}`, {})).toBe(401);
      expect(await status(server, "owner", "POST", `/api/users/987654/${verb}`, {})).toBe(404);
      expect(await status(server, "owner", "POST", `/api/users/abc/${verb}`, {})).toBe(400);
      expect(await status(server, "owner", "POST", `/api/users/${idOf(server, "owner")}/${verb}`, {})).toBe(400);
    }
    expect(await server.must("POST", `${path}/disable`, {})).toBeNull();
    expect(await status(server, "viewer", "GET", "/api/orgs")).toBe(403);
    expect(await server.must("POST", `${path}/enable`)).toBeNull();
    expect(await status(server, "viewer", "GET", "/api/orgs")).toBe(200);
  });
});
