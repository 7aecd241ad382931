import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { USERS, testApp, type Caller, type TestApp } from "../helpers/app.ts";
import { TestClock } from "../helpers/clock.ts";
import { runSteps, statusesByCaller } from "../helpers/request-steps.ts";

const clock = new TestClock();
let server: TestApp;
let workspaceId: number;
/** UUID of a new document of the owner. */
let doc: string;
let path: string;
beforeAll(async () => {
  server = await testApp({ clock });
  workspaceId = await server.must<number>("POST", "/api/orgs/current/workspaces", { name: "Shelf" });
});
beforeEach(async () => {
  doc = await make();
  path = `/api/docs/${doc}`;
});
afterAll(() => server[Symbol.asyncDispose]());

const make = (body: object = { name: "Ledger" }, workspace = workspaceId) =>
  server.must<string>("POST", `/api/workspaces/${workspace}/docs`, body);
const share = (what: string, users: Record<string, string | null>) =>
  server.must("PATCH", `${what}/access`, { delta: { users } });
const otherWorkspace = (domain = "current") =>
  server.must<number>("POST", `/api/orgs/${domain}/workspaces`, { name: "Drawer" });
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NEVER = "00000000-0000-4000-8000-000000000000";

describe("making", () => {
  const named: [body: object | undefined, shown: object][] = [
    [{ name: "A" }, { name: "A", isPinned: false, urlId: null, type: null, options: null }],
    [
      { name: ' a\n"b" ', isPinned: true },
      { name: ' a\n"b" ', isPinned: true },
    ],
    [{}, { name: "Untitled document" }],
    [undefined, { name: "Untitled document" }],
    [
      { type: "template", options: { description: "d", icon: null } },
      { type: "template", options: { description: "d" } },
    ],
  ];
  test.each(named)("%j", async (body, shown) => {
    const uuid = await server.must<string>("POST", `/api/workspaces/${workspaceId}/docs`, body);
    expect(uuid).toMatch(UUID);
    expect(await server.must("GET", `/api/docs/${uuid}`)).toMatchObject({ uuid, access: "owners", ...shown });
    expect(await server.must("GET", `/api/docs/${uuid}/tables`)).toMatchObject({ tables: [{ id: "Table1" }] });
  });

  test("refusals leave nothing behind", async () => {
    const at = `/api/workspaces/${workspaceId}/docs`;
    await make({ urlId: "taken-at-birth" });
    const before = readdirSync(join(server.folder, "docs")).length;
    await runSteps(server, [
      ["owner", "POST", at, { name: "" }, 400],
      ["owner", "POST", at, { name: null }, 400],
      ["owner", "POST", at, { name: "x", colour: "red" }, 400],
      ["owner", "POST", at, { name: "x", urlId: "taken-at-birth" }, 400],
      ["owner", "POST", at, { name: "x", urlId: "no good" }, 400],
      ["owner", "POST", at, { name: "x", type: "poster" }, 400],
      ["owner", "POST", at, [], 400],
      ["stranger", "POST", at, { name: "" }, 400],
      ["stranger", "POST", at, { colour: "red" }, 403],
      ["anon", "POST", at, {}, 403],
      ["owner", "POST", "/api/workspaces/99999/docs", {}, 404],
      ["owner", "POST", "/api/workspaces/many/docs", {}, 400],
    ]);
    expect(readdirSync(join(server.folder, "docs"))).toHaveLength(before);
  });
});

describe("describing", () => {
  test("returns all fields", async () => {
    const found = await server.must<{ id: number; workspace: { org: object } }>("GET", path);
    expect(found).toEqual({
      id: expect.any(Number),
      uuid: doc,
      name: "Ledger",
      isPinned: false,
      urlId: null,
      access: "owners",
      type: null,
      trunkId: null,
      options: null,
      forks: [],
      aliases: [],
      createdAt: expect.stringMatching(ISO),
      updatedAt: expect.stringMatching(ISO),
      workspace: {
        id: workspaceId,
        name: "Shelf",
        access: "owners",
        owner: null,
        createdAt: expect.stringMatching(ISO),
        updatedAt: expect.stringMatching(ISO),
        org: expect.objectContaining({ name: "Team", domain: "team", access: "owners", owner: null, host: null }),
      },
    } as never);
    const { docs } = await server.must<{ docs: { uuid: string }[] }>("GET", `/api/workspaces/${workspaceId}`);
    expect(docs.find(({ uuid }) => uuid === doc)).toEqual({
      id: found.id,
      uuid: doc,
      name: "Ledger",
      isPinned: false,
      urlId: null,
      access: "owners",
      type: null,
      trunkId: null,
      createdAt: expect.stringMatching(ISO),
      updatedAt: expect.stringMatching(ISO),
    } as never);
  });

  test("every path accepts UUID, integer id and urlId", async () => {
    const { id } = await server.must<{ id: number }>("GET", path);
    await server.must("PATCH", path, { urlId: "Main-Ledger" });
    for (const ref of [doc, id, "Main-Ledger"]) {
      expect(await server.must("GET", `/api/docs/${ref}`)).toMatchObject({ id, uuid: doc });
      expect(await server.must("GET", `/api/docs/${ref}/tables`)).toMatchObject({ tables: [{ id: "Table1" }] });
      expect(await server.must("PATCH", `/api/docs/${ref}`, {})).toBe(doc);
    }
    await runSteps(server, [["owner", "GET", "/api/docs/main-ledger", undefined, 404]]);
  });

  test("the address of a team site finds only its documents, the personal one all", async () => {
    await server.must("POST", "/api/orgs", { name: "Other" });
    const [home] = await server.must<{ id: number }[]>("GET", "/o/docs/api/orgs/current/workspaces");
    const own = await make({ name: "Diary" }, home?.id);
    await runSteps(server, [
      ["owner", "GET", `/api/docs/${own}`, undefined, 404],
      ["owner", "GET", `/api/docs/${own}/tables`, undefined, 404],
      ["owner", "GET", `/o/docs/api/docs/${own}`, undefined, 200, { workspace: { owner: { name: USERS.owner.name } } }],
      ["owner", "GET", `/o/docs${path}`, undefined, 200, { uuid: doc }],
      ["stranger", "GET", `/o/docs/api/docs/${own}`, undefined, 403],
      ["stranger", "GET", `/api/docs/${own}`, undefined, 404],
      ["owner", "GET", `/api/docs/${NEVER}`, undefined, 404],
      ["anon", "GET", `/api/docs/${NEVER}`, undefined, 404],
    ]);
  });

  test("shows guests the workspace and site of the document", async () => {
    await share(path, { [USERS.viewer.email]: "viewers", [USERS.editor.email]: "editors" });
    for (const as of ["viewer", "editor"] as const) {
      const { body } = await server.call(as, "GET", path);
      expect(body).toMatchObject({ access: `${as}s`, workspace: { access: "viewers", org: { access: "viewers" } } });
      expect((await server.call(as, "GET", `/api/workspaces/${workspaceId}`)).body).toMatchObject({
        access: "viewers",
        docs: [{ uuid: doc, access: `${as}s` }],
        org: { access: "viewers" },
      });
    }
  });
});

test("assigning a document to a worker group returns false, for editors and owners", async () => {
  await share(path, { [USERS.editor.email]: "editors", [USERS.viewer.email]: "viewers" });
  await runSteps(server, [
    ["editor", "POST", `${path}/assign`, undefined, 200, false],
    ["owner", "POST", `${path}/assign?group=blue`, undefined, 200, false],
    ["viewer", "POST", `${path}/assign`, undefined, 403],
  ]);
});

describe("changing", () => {
  const ICON = "https://example.com/icon.png";
  const kept: [change: unknown, shown: object][] = [
    [{ name: "Book" }, { name: "Book" }],
    [{ name: "x".repeat(300) }, { name: "x".repeat(300) }],
    [{ name: "" }, { name: "Ledger" }],
    [{ name: null }, { name: "Ledger" }],
    [{}, { name: "Ledger" }],
    [undefined, { name: "Ledger" }],
    [{ isPinned: true }, { isPinned: true }],
    [{ type: "tutorial" }, { type: "tutorial" }],
    [{ type: null }, { type: null }],
    [{ options: { icon: ICON, n: 1 } }, { options: { icon: ICON, n: 1 } }],
    [{ options: null }, { options: null }],
  ];
  test.each(kept)("%j", async (change, shown) => {
    expect(await server.must("PATCH", path, change)).toBe(doc);
    expect(await server.must("GET", path)).toMatchObject(shown);
  });

  test("refuses a list", async () => {
    await runSteps(server, [["owner", "PATCH", path, [], 400]]);
  });

  const refused = [
    { name: "Never", colour: "red" },
    { isPinned: "yes" },
    { name: 12 },
    { id: 5 },
    { workspace: 1 },
    { access: "owners" },
    { isPinned: null },
    { type: "poster" },
    { type: 5 },
    { options: "open" },
    { options: [] },
    { name: {} },
  ];
  test.each(refused)("refuses %j and changes nothing", async (change) => {
    await runSteps(server, [
      ["owner", "PATCH", path, { name: "Never", ...change }, 400],
      ["owner", "GET", path, undefined, 200, { name: "Ledger", isPinned: false, type: null, options: null }],
    ]);
  });

  test.each(["i", "http://example.com/icon.png", "javascript:alert(1)", "data:image/png;base64,AA==", "", 5])(
    "an icon must be an https address: %j is refused",
    async (icon) => {
      await runSteps(server, [
        ["owner", "PATCH", path, { name: "Never", options: { icon } }, 400],
        ["owner", "POST", `/api/workspaces/${workspaceId}/docs`, { name: "Never", options: { icon } }, 400],
        ["owner", "GET", path, undefined, 200, { name: "Ledger", options: null }],
      ]);
    },
  );

  test("options are merged by key", async () => {
    await server.must("PATCH", path, { options: { description: "a", icon: ICON } });
    await server.must("PATCH", path, { options: { icon: null, openMode: "fork" } });
    expect((await server.must<{ options: object }>("GET", path)).options).toEqual({
      description: "a",
      openMode: "fork",
    });
    await server.must("PATCH", path, { options: { description: null, openMode: null } });
    expect((await server.must<{ options: object | null }>("GET", path)).options).toBeNull();
  });

  test("requires an owner of the document", async () => {
    await share(path, { [USERS.editor.email]: "editors", [USERS.viewer.email]: "viewers" });
    const others = ["editor", "viewer", "stranger", "anon", "badkey"] as const;
    for (const body of [{ name: "x" }, { colour: 1 }, {}]) {
      expect(await statusesByCaller(server, others, ["PATCH", path, body])).toEqual([403, 403, 403, 403, 401]);
    }
  });

  test("a change of metadata updates updatedAt", async () => {
    const before = await server.must<{ updatedAt: string }>("GET", path);
    clock.pass(1);
    await server.must("PATCH", path, { name: "Later" });
    const after = await server.must<{ updatedAt: string }>("GET", path);
    expect(Date.parse(after.updatedAt) - Date.parse(before.updatedAt)).toBe(1);
  });
});

describe("addresses", () => {
  const bad = ["", "new", "not valid", "a_b", "a.b", "ünï", "12345", "x".repeat(101), NEVER, 5, {}, true];
  test.each(bad)("refuses %j", async (urlId) => {
    await runSteps(server, [["owner", "PATCH", path, { name: "Never", urlId }, 400]]);
    expect(await server.must("GET", path)).toMatchObject({ name: "Ledger", urlId: null });
  });

  test("are unique within a site among current ones; a previous one still works until it is reused", async () => {
    const next = await make({ name: "Next" });
    await runSteps(server, [
      ["owner", "PATCH", path, { urlId: "first-name" }, 200, doc],
      ["owner", "PATCH", path, { urlId: "first-name" }, 200, doc],
      ["owner", "PATCH", `/api/docs/${next}`, { urlId: "first-name" }, 400],
      ["owner", "PATCH", path, { urlId: "second-name" }, 200, doc],
      ["owner", "GET", "/api/docs/first-name", undefined, 200, { uuid: doc, urlId: "second-name" }],
      ["owner", "PATCH", `/api/docs/${next}`, { urlId: "first-name" }, 200, next],
      ["owner", "GET", "/api/docs/first-name", undefined, 200, { uuid: next }],
      ["owner", "GET", "/api/docs/second-name", undefined, 200, { uuid: doc }],
      ["owner", "PATCH", path, { urlId: null }, 200, doc],
      ["owner", "GET", path, undefined, 200, { urlId: null }],
      ["owner", "GET", "/api/docs/second-name", undefined, 200, { uuid: doc }],
      ["owner", "DELETE", `/api/docs/${next}`, undefined, 200, next],
      ["owner", "GET", "/api/docs/first-name", undefined, 404],
      ["owner", "PATCH", path, { urlId: "first-name" }, 200, doc],
    ]);
    const { aliases } = await server.must<{ aliases: { urlId: string }[] }>("GET", path);
    expect(aliases.map(({ urlId }) => urlId).toSorted()).toEqual(["first-name", "second-name"]);
  });

  test("the same urlId in two sites is 400 without a site in the path, for callers with access to both", async () => {
    const id = await server.must<number>("POST", "/api/orgs", { name: "Twin" });
    const other = await make({ urlId: "twin-name" }, await otherWorkspace(String(id)));
    await server.must("PATCH", path, { urlId: "twin-name" });
    await share(path, { [USERS.viewer.email]: "viewers" });
    await runSteps(server, [
      ["owner", "GET", "/o/docs/api/docs/twin-name", undefined, 400],
      ["owner", "PATCH", "/o/docs/api/docs/twin-name", { name: "Which" }, 400],
      ["owner", "GET", "/o/docs/api/docs/twin-name/tables", undefined, 400],
      ["viewer", "GET", "/o/docs/api/docs/twin-name", undefined, 200, { uuid: doc }],
      ["stranger", "GET", "/o/docs/api/docs/twin-name", undefined, 403],
      ["owner", "GET", "/api/docs/twin-name", undefined, 200, { uuid: doc }],
      ["owner", "GET", `/o/o-${id}/api/docs/twin-name`, undefined, 200, { uuid: other }],
      ["owner", "GET", `/o/docs/api/docs/${other}`, undefined, 200, { name: "Untitled document" }],
    ]);
  });

  test("can be reused in another site, and are removed by a move to it", async () => {
    const id = await server.must<number>("POST", "/api/orgs", { name: "Elsewhere" });
    const there = await otherWorkspace(String(id));
    const other = await make({ urlId: "shared-name" }, there);
    await runSteps(server, [
      ["owner", "PATCH", path, { urlId: "shared-name" }, 200, doc],
      ["owner", "GET", "/api/docs/shared-name", undefined, 200, { uuid: doc }],
      ["owner", "GET", `/o/o-${id}/api/docs/shared-name`, undefined, 200, { uuid: other }],
      ["owner", "PATCH", `${path}/move`, { workspace: there }, 200, doc],
      ["owner", "GET", `/o/o-${id}${path}`, undefined, 200, { urlId: null, aliases: [] }],
      ["owner", "GET", "/api/docs/shared-name", undefined, 404],
    ]);
  });
});

describe("pinning", () => {
  test("requires an owner or editor of the site with access to the document", async () => {
    await share("/api/orgs/current", { [USERS.editor.email]: "editors", [USERS.viewer.email]: "viewers" });
    await share(path, { [USERS.viewer.email]: "owners", [USERS.stranger.email]: "owners" });
    const all: Caller[] = ["owner", "editor", "viewer", "stranger", "anon", "badkey"];
    expect(await statusesByCaller(server, all, ["PATCH", `${path}/pin`])).toEqual([200, 200, 403, 403, 403, 401]);
    await runSteps(server, [
      ["owner", "GET", path, undefined, 200, { isPinned: true }],
      ["editor", "PATCH", `${path}/unpin`, undefined, 200, null],
      ["owner", "GET", path, undefined, 200, { isPinned: false }],
      ["owner", "POST", `${path}/pin`, undefined, 404],
      ["owner", "PATCH", `/api/docs/${NEVER}/pin`, undefined, 404],
    ]);
    await share("/api/orgs/current", { [USERS.editor.email]: null, [USERS.viewer.email]: null });
  });
});

test("deleting removes row and files", async () => {
  await share(path, { [USERS.editor.email]: "editors" });
  expect(existsSync(join(server.folder, "docs", doc))).toBe(true);
  await runSteps(server, [
    ["editor", "DELETE", path, undefined, 403],
    ["owner", "DELETE", path, undefined, 200, doc],
    ["owner", "GET", path, undefined, 404],
    ["owner", "DELETE", path, undefined, 404],
    ["editor", "GET", path, undefined, 404],
  ]);
  expect(existsSync(join(server.folder, "docs", doc))).toBe(false);
});

test("listings and descriptions contain UUIDs if configured", async () => {
  await using other = await testApp({ flags: { "doc-ids": "uuid" } });
  const shelf = await other.must<number>("POST", "/api/orgs/current/workspaces", {});
  const uuid = await other.must<string>("POST", `/api/workspaces/${shelf}/docs`, {});
  await runSteps(other, [
    ["owner", "GET", `/api/docs/${uuid}`, undefined, 200, { id: uuid, uuid }],
    ["owner", "GET", `/api/workspaces/${shelf}`, undefined, 200, { id: shelf, docs: [{ id: uuid, uuid }] }],
  ]);
  const listed = await other.must<{ docs: { id: string }[] }[]>("GET", "/api/orgs/current/workspaces");
  expect(listed.flatMap(({ docs }) => docs.map(({ id }) => id))).toEqual([uuid]);
});
