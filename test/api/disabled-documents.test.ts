/** Documents that administrators of the installation disable and enable. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { USERS, testApp, type TestApp } from "../helpers/app.ts";
import { type DocumentFixture, runSteps, createSharedFixture, statusesByCaller } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;
beforeAll(async () => {
  server = await testApp();
  place = await createSharedFixture(server);
  const { home } = server.app.ctx;
  // An administrator without any role on the document.
  const id = home.users.byEmail(USERS.stranger.email)?.id ?? 0;
  home.transaction(() => home.users.change(id, { isAdmin: true }));
});
afterAll(() => server[Symbol.asyncDispose]());

const everybody = ["owner", "editor", "viewer", "stranger", "anon", "badkey"] as const;

test("only administrators of the installation disable and enable documents", async () => {
  for (const verb of ["disable", "enable"]) {
    const path = `${place.doc}/${verb}`;
    expect(await statusesByCaller(server, everybody, ["POST", path])).toEqual([403, 403, 403, 200, 401, 401]);
  }
  await runSteps(server, [
    ["stranger", "POST", "/o/docs/api/docs/00000000-0000-4000-8000-000000000000/disable", undefined, 404],
    ["owner", "POST", "/o/docs/api/docs/00000000-0000-4000-8000-000000000000/disable", undefined, 404],
  ]);
});

test("the content and metadata of a disabled document are refused to all callers, its description and deletion are not", async () => {
  const { doc, shelf, shelfId } = place;
  await runSteps(server, [["stranger", "POST", `${doc}/disable`, undefined, 200, null]]);
  const { disabledAt } = await server.must<{ disabledAt: string }>("GET", doc);
  expect(disabledAt).toMatch(/^\d{4}-.*Z$/);
  await runSteps(server, [
    ["stranger", "POST", `${doc}/disable`, undefined, 200, null],
    ["viewer", "GET", doc, undefined, 200, { disabledAt }],
    ["owner", "GET", shelf, undefined, 200, { docs: [{ disabledAt }] }],
    ["viewer", "GET", `${doc}/access`, undefined, 200],
  ]);
  const content = ["tables", "tables/Table1/records", "download", "snapshots", "sql?q=select+1", "events", "states"];
  for (const path of content) {
    expect([path, await statusesByCaller(server, everybody, ["GET", `${doc}/${path}`])]).toEqual([
      path,
      [403, 403, 403, 403, 403, 401],
    ]);
  }
  const changes: [method: string, path: string, body: unknown][] = [
    ["POST", "/apply", []],
    ["POST", "/tables/Table1/records", { records: [{ fields: {} }] }],
    ["POST", "/force-reload", undefined],
    ["POST", "/copy", { workspaceId: shelfId }],
    ["PATCH", "", { name: "Renamed" }],
    ["PATCH", "/access", { delta: { users: {} } }],
    ["PATCH", "/move", { workspace: shelfId }],
    ["PATCH", "/pin", undefined],
  ];
  for (const [method, path, body] of changes) {
    const { status, body: answer } = await server.call("owner", method, doc + path, body);
    const refusal = { error: "Document is disabled", details: { code: "document.disabled" } };
    expect({ path, status, answer }).toMatchObject({ path, status: 403, answer: refusal });
  }
  // Callers without access get the usual refusal.
  expect((await server.call("viewer", "PATCH", doc, { name: "x" })).body.error).not.toBe("Document is disabled");
  await runSteps(server, [
    ["stranger", "POST", `${doc}/enable`, undefined, 200, null],
    ["viewer", "GET", `${doc}/tables`, undefined, 200],
    ["owner", "PATCH", doc, { name: "Renamed" }, 200],
  ]);
  expect(await server.must("GET", doc)).not.toHaveProperty("disabledAt");
});

test("a disabled document cannot be copied or used as a replacement, but removed and deleted", async () => {
  const other = await createSharedFixture(server);
  const { doc, uuid, shelfId } = await createSharedFixture(server);
  await runSteps(server, [
    ["stranger", "POST", `${doc}/disable`, undefined, 200, null],
    ["owner", "POST", `${other.doc}/replace`, { sourceDocId: uuid }, 403],
    ["owner", "POST", "/o/docs/api/docs", { sourceDocumentId: uuid, workspaceId: shelfId }, 403],
    ["owner", "GET", `${other.doc}/compare/${uuid}`, undefined, 403],
    ["owner", "POST", `${doc}/remove`, undefined, 200, null],
    ["owner", "GET", `${doc}/tables?showRemoved=1`, undefined, 403],
    ["owner", "GET", `${doc}?showRemoved=1`, undefined, 200, { disabledAt: expect.any(String) }],
    ["stranger", "POST", `${doc}/enable`, undefined, 200, null],
    ["stranger", "POST", `${doc}/disable`, undefined, 200, null],
    ["owner", "POST", `${doc}/unremove`, undefined, 200, null],
    ["owner", "DELETE", doc, undefined, 200, uuid],
    ["owner", "GET", doc, undefined, 404],
  ]);
});
