import { expect, test } from "bun:test";
import { describeServer, searchDocuments } from "../../../src/services/administration/administration.ts";
import { searchUsers } from "../../../src/services/administration/users.ts";
import { findOrInvite } from "../../../src/services/accounts/users.ts";
import { sampleDocument, testApp } from "../../helpers/app.ts";
import { grantOf, createUser, errorCodeOf } from "../../helpers/users.ts";

const all = { search: "", limit: 100 };
const allUsers = { ...all, show: "all", sort: "added", offset: 0 } as const;

test("administrators see the documents of all sites, with location and size", async () => {
  await using t = await testApp();
  const { ctx } = t.app;
  const admin = createUser(ctx, "root@example.com", { isAdmin: true });
  const { workspaceId, doc } = await sampleDocument(t);
  const [home] = await t.must<{ id: number }[]>("GET", "/o/docs/api/orgs/current/workspaces");
  await t.must("POST", `/o/docs/api/workspaces/${home?.id}/docs`, { name: "Diary" });
  const { items, total } = await searchDocuments(ctx, admin, all);
  expect(total).toBe(2);
  expect(
    items.map(({ name, siteName, workspaceName, role, isRemoved }) => [name, siteName, workspaceName, role, isRemoved]),
  ).toEqual(
    expect.arrayContaining([
      ["Sample", expect.any(String), "Work", null, false],
      ["Diary", "Olga Owner – Personal", "Home", null, false],
    ]),
  );
  expect(items.every(({ sizeBytes }) => (sizeBytes ?? 0) > 10_000)).toBe(true);

  await t.must("POST", `/api/docs/${doc}/apply`, [["AddTable", "Big", [{ id: "A", type: "Text" }]]]);
  const largest = await searchDocuments(ctx, admin, { search: "", limit: 1 });
  expect([largest.items.map(({ uuid }) => uuid), largest.total]).toEqual([[doc], 2]);
  expect((await searchDocuments(ctx, admin, { search: "diary OLGA", limit: 9 })).items).toHaveLength(1);

  await t.must("POST", `/api/workspaces/${workspaceId}/remove`, {});
  const removed = await searchDocuments(ctx, admin, { search: "sample", limit: 9 });
  expect(removed.items.map(({ isRemoved }) => isRemoved)).toEqual([true]);
});

test("administrators see their own role on documents", async () => {
  await using t = await testApp();
  const admin = createUser(t.app.ctx, "root@example.com", { isAdmin: true });
  const { doc } = await sampleDocument(t);
  await t.must("PATCH", `/api/docs/${doc}/access`, { delta: { users: { "root@example.com": "viewers" } } });
  const { items } = await searchDocuments(t.app.ctx, admin, all);
  expect(items.map(({ role }) => role)).toEqual(["viewers"]);
});

test("users are found by name and address in any spelling", async () => {
  await using t = await testApp();
  const { ctx } = t.app;
  const admin = createUser(ctx, "root@example.com", { isAdmin: true });
  findOrInvite(ctx, "Zoe@example.com");
  const found = (search: string) => searchUsers(ctx, admin, { ...allUsers, search }).users.map(({ email }) => email);
  expect(found("EDITOR emil")).toEqual(["Emil@example.com"]);
  expect(found("zoe")).toEqual(["Zoe@example.com"]);
  expect(found("nobody")).toEqual([]);
  const { users, total } = searchUsers(ctx, admin, { ...allUsers, limit: 2 });
  expect([users.length, total]).toEqual([2, 6]);
});

test("the server's figures match its content", async () => {
  await using t = await testApp();
  const admin = createUser(t.app.ctx, "root@example.com", { isAdmin: true });
  await sampleDocument(t);
  const server = await describeServer(t.app.ctx, admin, t.folder);
  expect(server).toMatchObject({ users: 5, documents: 1 });
  expect(server.documentBytes).toBeGreaterThan(10_000);
  expect(server.memoryBytes).toBeGreaterThan(1_000_000);
  expect(server.disk?.sizeBytes).toBeGreaterThan(server.disk?.freeBytes ?? 0);
});

test("other callers are refused", async () => {
  await using t = await testApp();
  const { ctx } = t.app;
  const olga = grantOf(ctx, "olga@example.com");
  expect(await errorCodeOf(() => searchUsers(ctx, olga, allUsers))).toBe("forbidden");
  expect(await errorCodeOf(() => searchDocuments(ctx, olga, all))).toBe("forbidden");
  expect(await errorCodeOf(() => describeServer(ctx, olga, t.folder))).toBe("forbidden");
});
