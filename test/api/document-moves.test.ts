import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { USERS, testApp, type Caller, type TestApp } from "../helpers/app.ts";
import { runSteps, statusesByCaller, type RequestStep } from "../helpers/request-steps.ts";

let server: TestApp;
let workspaceId: number;
/** UUID of a new document of the owner. */
let doc: string;
let path: string;
beforeAll(async () => {
  server = await testApp();
  workspaceId = await server.must<number>("POST", "/api/orgs/current/workspaces", { name: "Shelf" });
});
beforeEach(async () => {
  doc = await make();
  path = `/api/docs/${doc}`;
});
afterAll(() => server[Symbol.asyncDispose]());

const make = () => server.must<string>("POST", `/api/workspaces/${workspaceId}/docs`, { name: "Ledger" });
const share = (what: string, users: Record<string, string | null>) =>
  server.must("PATCH", `${what}/access`, { delta: { users } });
const otherWorkspace = () => server.must<number>("POST", "/api/orgs/current/workspaces", { name: "Drawer" });
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NEVER = "00000000-0000-4000-8000-000000000000";

describe("moving", () => {
  test("inherited roles change immediately, direct ones stay, guests follow", async () => {
    const target = await otherWorkspace();
    await share(`/api/workspaces/${target}`, { [USERS.editor.email]: "editors" });
    await share(path, { [USERS.viewer.email]: "viewers" });
    expect(await statusesByCaller(server, ["editor", "viewer"], ["GET", path])).toEqual([403, 200]);
    await runSteps(server, [["owner", "PATCH", `${path}/move`, { workspace: target }, 200, doc]]);
    expect(await statusesByCaller(server, ["editor", "viewer"], ["GET", path])).toEqual([200, 200]);
    await runSteps(server, [
      ["viewer", "GET", `/api/workspaces/${workspaceId}`, undefined, 403],
      ["viewer", "GET", `/api/workspaces/${target}`, undefined, 200, { docs: [{ uuid: doc }] }],
      ["owner", "PATCH", `${path}/move`, { workspace: String(workspaceId) }, 200, doc],
    ]);
    expect(await statusesByCaller(server, ["editor", "viewer"], ["GET", path])).toEqual([403, 200]);
  });

  test("requires an owner of the document with the right to add documents to the target", async () => {
    const target = await otherWorkspace();
    await share(path, { [USERS.editor.email]: "editors", [USERS.viewer.email]: "owners" });
    const move = (workspace: unknown, as: Caller = "owner", status = 400): RequestStep => [
      as,
      "PATCH",
      `${path}/move`,
      { workspace },
      status,
    ];
    await runSteps(server, [
      move(workspaceId),
      move("attic"),
      move(null),
      move({}),
      ["owner", "PATCH", `${path}/move`, {}, 400],
      move(99_999, "owner", 404),
      move(target, "editor", 403),
      move(target, "viewer", 403),
      move(target, "anon", 403),
      ["owner", "PATCH", `/api/docs/${NEVER}/move`, { workspace: target }, 404],
    ]);
    await share(`/api/workspaces/${target}`, { [USERS.viewer.email]: "editors" });
    await runSteps(server, [move(target, "viewer", 200)]);
  });
});

describe("copying", () => {
  test("the caller is the only owner of the copy, and the two are independent", async () => {
    await share(path, { [USERS.viewer.email]: "viewers", [USERS.editor.email]: "editors" });
    const [home] = (await server.call("viewer", "GET", "/o/docs/api/orgs/current/workspaces")).body;
    const { status, body } = await server.call("viewer", "POST", `${path}/copy`, {
      workspaceId: home.id,
      documentName: "Mine",
    });
    expect(status).toBe(200);
    expect(body).toMatch(UUID);
    await runSteps(server, [
      [
        "viewer",
        "GET",
        `/o/docs/api/docs/${body}`,
        undefined,
        200,
        { name: "Mine", access: "owners", isPinned: false },
      ],
      ["owner", "GET", `/o/docs/api/docs/${body}`, undefined, 403],
      ["editor", "GET", `/o/docs/api/docs/${body}`, undefined, 403],
      ["viewer", "GET", `/o/docs/api/docs/${body}/tables`, undefined, 200, { tables: [{ id: "Table1" }] }],
      ["viewer", "DELETE", `/o/docs/api/docs/${body}`, undefined, 200, body],
      ["owner", "GET", path, undefined, 200],
    ]);
  });

  test("without a name it is named by the source's id; POST /api/docs does the same", async () => {
    const copied = await server.must<string>("POST", `${path}/copy`, { workspaceId });
    const again = await server.must<string>("POST", "/api/docs", {
      sourceDocumentId: doc,
      workspaceId: String(workspaceId),
      documentName: "Again",
      asTemplate: true,
    });
    await runSteps(server, [
      ["owner", "GET", `/api/docs/${copied}`, undefined, 200, { name: doc, workspace: { id: workspaceId } }],
      ["owner", "GET", `/api/docs/${again}`, undefined, 200, { name: "Again" }],
    ]);
  });

  const copy = (body: object, status: number, as: Caller = "owner"): [Caller, object, number] => [as, body, status];
  test.each([
    copy({}, 400),
    copy({ workspaceId: "attic" }, 400),
    copy({ workspaceId: null }, 400),
    copy({ workspaceId: 99_999 }, 404),
    copy({ asTemplate: null }, 400),
    copy({ asTemplate: "maybe" }, 400),
    copy({ asTemplate: 2 }, 400),
    copy({}, 403, "stranger"),
    copy({}, 403, "anon"),
  ])("%s %j → %i", async (as, body, status) => {
    const whole = "asTemplate" in body ? { workspaceId, ...body } : body;
    const before = readdirSync(join(server.folder, "docs")).length;
    await runSteps(server, [[as, "POST", `${path}/copy`, whole, status]]);
    if (as === "owner") {
      await runSteps(server, [[as, "POST", "/api/docs", { sourceDocumentId: doc, ...whole }, status]]);
    }
    expect(readdirSync(join(server.folder, "docs"))).toHaveLength(before);
  });

  test("requires the right to add documents, and access to the source", async () => {
    await share(path, { [USERS.viewer.email]: "viewers" });
    await runSteps(server, [
      ["viewer", "POST", `${path}/copy`, { workspaceId }, 403],
      ["viewer", "POST", "/api/docs", { workspaceId, sourceDocumentId: doc }, 403],
      ["owner", "POST", "/api/docs", { workspaceId, sourceDocumentId: NEVER }, 404],
      ["anon", "POST", "/api/docs", { workspaceId }, 403],
    ]);
    const empty = await server.must<string>("POST", "/api/docs", { workspaceId });
    await runSteps(server, [["owner", "GET", `/api/docs/${empty}`, undefined, 200, { name: "Untitled document" }]]);
  });
});
