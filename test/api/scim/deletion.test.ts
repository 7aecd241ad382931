import { expect, test } from "bun:test";
import { purgeTrash } from "../../../src/services/documents/trash.ts";
import { createKey } from "../../../src/services/accounts/keys.ts";
import { actorForCommand } from "../../../src/services/accounts/actors.ts";
import { guardSignedIn } from "../../../src/services/access/guards.ts";
import { TestClock } from "../../helpers/clock.ts";
import { USERS, testApp, type TestApp } from "../../helpers/app.ts";

const DAY_MS = 24 * 3_600_000;
const PERSON = "wanda@example.com";

/** Starts a server on which Wanda has a document in their personal site, shared with Emil. */
async function withPerson(clock = new TestClock()) {
  const server = await testApp({ flags: { scim: "on" }, clock });
  const { ctx } = server.app;
  ctx.home.users.change(ctx.home.users.byEmail(USERS.owner.email)?.id ?? 0, { isAdmin: true });
  const id = Number((await scim(server, "POST", "/Users", { userName: PERSON, displayName: "Wanda" })).body.id);
  const key = createKey(ctx, guardSignedIn(actorForCommand(ctx, PERSON)), { label: "test" });
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const request = new Request(`http://quern.test/o/docs${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const response = await server.app.handle(request);
    return { status: response.status, body: await response.json() };
  };
  const [home] = (await call("GET", "/api/orgs/current/workspaces")).body as { id: number }[];
  const doc = (await call("POST", `/api/workspaces/${home?.id}/docs`, { name: "Diary" })).body as string;
  await call("PATCH", `/api/docs/${doc}/access`, { delta: { users: { [USERS.editor.email]: "owners" } } });
  const group = (await scim(server, "POST", "/Groups", { displayName: "Crew", members: [{ value: String(id) }] })).body
    .id as string;
  return { server, id, doc, group, call, workspaceId: home?.id ?? 0, clock };
}

const scim = (server: TestApp, method: string, path: string, body?: unknown) =>
  server.call("owner", method, `/api/scim/v2${path}`, body);

test("a deleted user is gone with every role, and the address is free at once", async () => {
  const { server, id, doc, group, call, workspaceId } = await withPerson();
  await using _ = server;
  const { home } = server.app.ctx;
  expect((await server.call("editor", "GET", `/o/docs/api/docs/${doc}`)).status).toBe(200);
  expect((await scim(server, "DELETE", `/Users/${id}`)).status).toBe(204);
  expect((await call("GET", "/api/profile/user")).status).toBe(401);
  expect((await scim(server, "GET", `/Groups/${group}`)).body.members).toEqual([]);
  expect((await scim(server, "GET", `/Users/${id}`)).status).toBe(404);
  expect(home.users.byEmail(PERSON)).toBeNull();
  // No user reaches the site, and others with a role on its documents cannot restore it.
  expect((await server.call("editor", "GET", `/o/docs/api/docs/${doc}`)).status).toBe(404);
  expect((await server.call("editor", "POST", `/o/docs/api/workspaces/${workspaceId}/unremove`)).status).toBe(403);
  expect(
    (await server.call("editor", "GET", "/o/docs/api/orgs")).body.map((org: { name: string }) => org.name),
  ).not.toContain("~deleted");
  const again = await scim(server, "POST", "/Users", { userName: PERSON });
  expect([again.status, Number(again.body.id) > id]).toEqual([201, true]);
});

test("an administrator restores the site for another user, with what was shared", async () => {
  const { server, id, doc } = await withPerson();
  await using _ = server;
  const { home } = server.app.ctx;
  await scim(server, "DELETE", `/Users/${id}`);
  const [site] = home.deletedSites.list();
  expect(site).toMatchObject({ formerOwner: PERSON, documents: 1 });
  const heir = home.users.byEmail(USERS.stranger.email)?.id ?? 0;
  expect((await server.call("stranger", "GET", `/o/docs/api/docs/${doc}`)).status).toBe(404);
  expect(home.deletedSites.restore(site?.id ?? 0, heir)).toBe(1);
  expect(home.deletedSites.list()).toEqual([]);
  expect((await server.call("stranger", "GET", `/o/docs/api/docs/${doc}`)).body.access).toBe("owners");
  expect((await server.call("editor", "GET", `/o/docs/api/docs/${doc}`)).body.access).toBe("owners");
});

test("after 30 days in the trash it is deleted with its files", async () => {
  const { server, id, doc, clock } = await withPerson();
  await using _ = server;
  const { ctx } = server.app;
  await scim(server, "DELETE", `/Users/${id}`);
  clock.pass(29 * DAY_MS);
  expect(await purgeTrash(ctx)).toBe(0);
  expect(ctx.home.deletedSites.list()).toHaveLength(1);
  clock.pass(2 * DAY_MS);
  expect(await purgeTrash(ctx)).toBe(1);
  expect([ctx.home.deletedSites.list(), ctx.home.documents.isUuid(doc)]).toEqual([[], false]);
});

test("workspaces of the site cannot be restored one by one", async () => {
  const { server, id, workspaceId, call } = await withPerson();
  await using _ = server;
  await call("PATCH", `/api/workspaces/${workspaceId}/access`, {
    delta: { users: { [USERS.editor.email]: "owners" } },
  });
  await scim(server, "DELETE", `/Users/${id}`);
  expect((await server.call("editor", "POST", `/o/docs/api/workspaces/${workspaceId}/unremove`)).status).toBe(409);
});
