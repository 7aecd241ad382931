import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { USERS, testApp, type TestApp } from "../helpers/app.ts";
import { runSteps, statusesByCaller, type RequestStep } from "../helpers/request-steps.ts";

let server: TestApp;
beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

const SITE = "/api/orgs/current/workspaces";
const make = (body: object = { name: "Shelf" }) => server.must<number>("POST", SITE, body);
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe("making", () => {
  const named: [body: object | undefined, name: string][] = [
    [{ name: "Shelf" }, "Shelf"],
    [{ name: "Shelf" }, "Shelf"],
    [{ name: "  two  blanks " }, "  two  blanks "],
    [{ name: "日本 \n é" }, "日本 \n é"],
    [{ name: "x".repeat(5000) }, "x".repeat(5000)],
    [{}, "Untitled workspace"],
    [undefined, "Untitled workspace"],
  ];
  test.each(named)("%j", async (body, name) => {
    const id = await server.must<number>("POST", SITE, body);
    expect(await server.must("GET", `/api/workspaces/${id}`)).toMatchObject({ id, name, access: "owners", docs: [] });
  });

  test("accepts timestamps", async () => {
    const id = await make({ name: "Old", createdAt: "2020-02-03T04:05:06Z", updatedAt: "2021-01-01T00:00:00+01:00" });
    const found = { createdAt: "2020-02-03T04:05:06.000Z", updatedAt: "2020-12-31T23:00:00.000Z" };
    await runSteps(server, [["owner", "GET", `/api/workspaces/${id}`, undefined, 200, found]]);
  });

  const refused: RequestStep[] = [
    ["owner", "POST", SITE, { name: "" }, 400],
    ["owner", "POST", SITE, { name: null }, 400],
    ["owner", "POST", SITE, { name: [] }, 400],
    ["owner", "POST", SITE, { name: "x", colour: "red" }, 400],
    ["owner", "POST", SITE, { name: "x", createdAt: "long ago" }, 400],
    ["owner", "POST", SITE, ["x"], 400],
    // An empty name is refused before existence and access are checked.
    ["owner", "POST", "/api/orgs/nosuchsite/workspaces", { name: "" }, 400],
    ["stranger", "POST", SITE, { name: "" }, 400],
    ["owner", "POST", "/api/orgs/nosuchsite/workspaces", { name: "x" }, 404],
    ["stranger", "POST", SITE, { name: "x", colour: "red" }, 403],
    ["anon", "POST", SITE, { name: "x" }, 403],
  ];
  test.each(refused.map((row) => [row]))("%j", (row) => runSteps(server, [row]));
});

describe("describing and changing", () => {
  test("returns all fields", async () => {
    const id = await make();
    const found = await server.must<Record<string, unknown>>("GET", `/api/workspaces/${id}`);
    expect(found).toEqual({
      id,
      name: "Shelf",
      access: "owners",
      owner: null,
      isSupportWorkspace: false,
      createdAt: expect.stringMatching(ISO),
      updatedAt: expect.stringMatching(ISO),
      docs: [],
      org: {
        id: expect.any(Number),
        name: "Team",
        domain: "team",
        host: null,
        owner: null,
        access: "owners",
        createdAt: expect.stringMatching(ISO),
        updatedAt: expect.stringMatching(ISO),
      },
    });
    const listed = (await server.must<{ id: number }[]>("GET", SITE)).find((workspace) => workspace.id === id);
    const { org: _, ...rest } = found;
    expect(listed).toEqual({ ...rest, orgDomain: "team" } as never);
  });

  test("a workspace is addressed by the leading digits", async () => {
    const id = await make();
    for (const ref of [`${id}`, `${id}x`, `${id}.5`, `+${id}`]) {
      expect(await server.must("GET", `/api/workspaces/${ref}`)).toMatchObject({ id });
    }
    await runSteps(server, [
      ["owner", "GET", "/api/workspaces/x7", undefined, 400],
      ["stranger", "GET", "/api/workspaces/current", undefined, 400],
      ["owner", "GET", "/api/workspaces/0", undefined, 404],
      ["owner", "GET", "/api/workspaces/-1", undefined, 404],
      ["owner", "GET", `/o/nosuchsite/api/workspaces/${id}`, undefined, 200],
      ["owner", "GET", `/o/docs/api/workspaces/${id}`, undefined, 200],
    ]);
  });

  test("renaming", async () => {
    const id = await make();
    const path = `/api/workspaces/${id}`;
    await runSteps(server, [
      ["owner", "PATCH", path, { name: "Rack" }, 200, id],
      ["owner", "PATCH", path, { name: "" }, 200, id],
      ["owner", "PATCH", path, { name: null }, 200, id],
      ["owner", "PATCH", path, {}, 200, id],
      ["owner", "PATCH", path, undefined, 200, id],
      ["owner", "PATCH", path, { name: "No", id: 5 }, 400],
      ["owner", "PATCH", path, { docs: [] }, 400],
      ["owner", "GET", path, undefined, 200, { name: "Rack" }],
      ["stranger", "PATCH", path, { docs: [] }, 403],
      ["owner", "PATCH", "/api/workspaces/99999", { name: "x" }, 404],
    ]);
  });

  test("workspaces are ordered by the code points of their names", async () => {
    const domain = "sorted";
    const id = await server.must<number>("POST", "/api/orgs", { name: "Sorted", domain });
    for (const name of ["éclair", "zebra", "Zebra", "apple", "😀", "\u{FFFD}", "Apple"]) {
      await server.must("POST", `/api/orgs/${id}/workspaces`, { name });
    }
    const found = await server.must<{ name: string }[]>("GET", `/api/orgs/${id}/workspaces`);
    expect(found.map(({ name }) => name)).toEqual([
      "Apple",
      "Home",
      "Zebra",
      "apple",
      "zebra",
      "éclair",
      "\u{FFFD}",
      "😀",
    ]);
  });
});

describe("access", () => {
  test("each role on the site", async () => {
    const id = await make({ name: "Roles" });
    await server.must("PATCH", "/api/orgs/current/access", {
      delta: { users: { [USERS.editor.email]: "editors", [USERS.viewer.email]: "viewers" } },
    });
    const all = ["owner", "editor", "viewer", "stranger", "anon", "badkey"] as const;
    const path = `/api/workspaces/${id}`;
    expect(await statusesByCaller(server, all, ["GET", path])).toEqual([200, 200, 200, 403, 403, 401]);
    expect(await statusesByCaller(server, all, ["POST", SITE, { name: "x" }])).toEqual([200, 200, 403, 403, 403, 401]);
    expect(await statusesByCaller(server, all, ["POST", `${path}/docs`, {}])).toEqual([200, 200, 403, 403, 403, 401]);
    expect(await statusesByCaller(server, all, ["PATCH", path, { name: "x" }])).toEqual([200, 403, 403, 403, 403, 401]);
    expect(await statusesByCaller(server, all, ["GET", SITE])).toEqual([200, 200, 200, 403, 403, 401]);
    const others = ["editor", "viewer", "stranger", "anon"] as const;
    expect(await statusesByCaller(server, others, ["POST", `${path}/remove`])).toEqual([403, 403, 403, 403]);
    expect(await statusesByCaller(server, others, ["DELETE", path])).toEqual([403, 403, 403, 403]);
    // The creator owns it, whatever their role on the site.
    const made = (await server.call("editor", "POST", SITE, { name: "Mine" })).body;
    expect(await statusesByCaller(server, ["editor"], ["PATCH", `/api/workspaces/${made}`, { name: "Still" }])).toEqual(
      [200],
    );
  });

  test("users who can add documents see that there are inaccessible ones; other users do not", async () => {
    const id = await make({ name: "Mixed" });
    const open = await server.must<string>("POST", `/api/workspaces/${id}/docs`, { name: "Open" });
    const shut = await server.must<string>("POST", `/api/workspaces/${id}/docs`, { name: "Shut" });
    await server.must("PATCH", `/api/docs/${shut}/access`, { delta: { maxInheritedRole: null } });
    await server.must("PATCH", `/api/workspaces/${id}/access`, {
      delta: { maxInheritedRole: null, users: { [USERS.editor.email]: "editors", [USERS.viewer.email]: "viewers" } },
    });
    const seen = async (as: "editor" | "viewer"): Promise<unknown> =>
      (await server.call(as, "GET", `/api/workspaces/${id}`)).body.docs.map((d: { uuid: string; access: string }) => [
        d.uuid,
        d.access,
      ]);
    expect(await seen("editor")).toEqual([
      [open, "editors"],
      [shut, null],
    ]);
    expect(await seen("viewer")).toEqual([[open, "viewers"]]);
  });

  test("deleting deletes the documents", async () => {
    const id = await make({ name: "Doomed" });
    const doc = await server.must<string>("POST", `/api/workspaces/${id}/docs`, {});
    await runSteps(server, [
      ["owner", "DELETE", `/api/workspaces/${id}`, undefined, 200, id],
      ["owner", "GET", `/api/docs/${doc}`, undefined, 404],
      ["owner", "GET", `/api/docs/${doc}/tables`, undefined, 404],
      ["owner", "DELETE", `/api/workspaces/${id}`, undefined, 404],
    ]);
  });
});
