import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { USERS, testApp, type TestApp } from "../helpers/app.ts";
import { runSteps, statusesByCaller, type RequestStep } from "../helpers/request-steps.ts";

let server: TestApp;
let teamId: number;
let ownerId: number;
beforeAll(async () => {
  server = await testApp();
  teamId = (await server.must<{ id: number }>("GET", "/api/orgs/current")).id;
  ownerId = (await server.must<{ id: number }>("GET", "/api/profile/user")).id;
});
afterAll(() => server[Symbol.asyncDispose]());

const TEAM = { name: "Team", domain: "team", host: null, owner: null, access: "owners" };
const CURRENT = "/api/orgs/current";

describe("listing and describing", () => {
  test("the caller's personal site comes first, with its owner; team sites have none", async () => {
    const [personal, team, ...more] = await server.must<Record<string, unknown>[]>("GET", "/api/orgs");
    expect(personal).toMatchObject({ name: "Personal", domain: `docs-${ownerId}`, access: "owners", host: null });
    expect(personal?.["owner"]).toMatchObject({ id: ownerId, name: USERS.owner.name, picture: null, type: "login" });
    expect(team).toMatchObject({ id: teamId, ...TEAM, createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) });
    expect(more).toEqual([]);
  });

  test("merged, all personal sites are one", async () => {
    const [personal, team] = await server.must<Record<string, unknown>[]>("GET", "/api/orgs?merged=1");
    expect(personal).toMatchObject({ id: 0, domain: "docs", access: "owners" });
    expect(team).toMatchObject({ id: teamId });
  });

  test("other users find only their own site, callers without a key none", async () => {
    expect((await server.call("stranger", "GET", "/api/orgs")).body).toHaveLength(1);
    expect((await server.call("anon", "GET", "/api/orgs")).body).toEqual([]);
  });

  test("a site shared with anonymous users is listed for them as public", async () => {
    const id = await server.must<number>("POST", "/api/orgs", { name: "Open", domain: "open" });
    await server.must("PATCH", `/api/orgs/${id}/access`, delta({ "anon@getgrist.com": "viewers" }));
    const [home] = await server.must<{ id: number }[]>("GET", `/api/orgs/team/workspaces`);
    const doc = await server.must<string>("POST", `/api/workspaces/${home?.id}/docs`, {});
    await server.must("PATCH", `/api/docs/${doc}/access`, delta({ "anon@getgrist.com": "viewers" }));
    const shown = { id, name: "Open", domain: "open", access: "viewers", public: true };
    const { body: listed } = await server.call("anon", "GET", "/api/orgs");
    expect(listed).toMatchObject([shown]);
    expect((await server.call("anon", "GET", "/api/orgs/open")).body).toMatchObject(shown);
    expect((await server.call("anon", "GET", "/api/session/access/all")).body.orgs).toEqual(listed);
    expect((await server.call("stranger", "GET", "/api/orgs")).body).toHaveLength(1);
    expect(await server.must("GET", "/api/orgs/open")).not.toHaveProperty("public");
    await server.must("PATCH", `/api/orgs/${id}/access`, delta({ "anon@getgrist.com": null }));
    expect((await server.call("anon", "GET", "/api/orgs")).body).toEqual([]);
    await server.must("DELETE", `/api/orgs/${id}/open`);
  });

  test("sites are ordered: the caller's own, teams by name, other personal ones by owner", async () => {
    await runSteps(server, [
      ["editor", "POST", "/api/orgs", { name: "Zeta" }, 200],
      ["editor", "POST", "/api/orgs", { name: "Alpha", domain: "alpha" }, 200],
      ["editor", "PATCH", "/api/orgs/alpha/access", { delta: { users: { [USERS.viewer.email]: "viewers" } } }, 200],
      ["stranger", "PATCH", "/o/docs/api/orgs/current/access", delta({ [USERS.viewer.email]: "members" }), 200],
      ["editor", "PATCH", "/o/docs/api/orgs/current/access", delta({ [USERS.viewer.email]: "viewers" }), 200],
    ]);
    const { body } = await server.call("viewer", "GET", "/api/orgs");
    const shown = body.map((org: { name: string; owner: { name: string } | null; access: string }) => [
      org.owner?.name ?? org.name,
      org.access,
    ]);
    expect(shown).toEqual([
      [USERS.viewer.name, "owners"],
      ["Alpha", "viewers"],
      [USERS.editor.name, "viewers"],
      // A member is shown as a viewer.
      [USERS.stranger.name, "viewers"],
    ]);
  });

  test("a site is found by id, domain, current, and its owner's id", async () => {
    for (const ref of [teamId, "team", "current"]) {
      expect(await server.must("GET", `/api/orgs/${ref}`)).toMatchObject({ id: teamId, ...TEAM });
    }
    const personal = await server.must<{ id: number }>("GET", "/o/docs/api/orgs/current");
    for (const ref of [personal.id, `docs-${ownerId}`]) {
      expect(await server.must("GET", `/api/orgs/${ref}`)).toMatchObject({ id: personal.id });
    }
    expect(await server.must("GET", `/o/docs-${ownerId}/api/orgs/current`)).toMatchObject({ id: personal.id });
  });

  const rows: RequestStep[] = [
    ["owner", "GET", "/api/orgs/nosuchsite", undefined, 404],
    ["owner", "GET", "/api/orgs/99999", undefined, 404],
    ["owner", "GET", "/api/orgs/0", undefined, 404],
    ["owner", "GET", "/api/orgs/99999999999999999999999", undefined, 404],
    ["owner", "GET", "/api/orgs/Current", undefined, 404],
    ["owner", "GET", "/api/orgs/Team", undefined, 404],
    ["owner", "GET", "/o/TEAM/api/orgs/current", undefined, 200, TEAM],
    ["owner", "GET", "/o/nosuchsite/api/orgs/current", undefined, 404],
    ["owner", "GET", "/o/nosuchsite/api/orgs/team", undefined, 200, TEAM],
    ["stranger", "GET", CURRENT, undefined, 403],
    ["anon", "GET", CURRENT, undefined, 403],
    ["anon", "GET", "/o/docs/api/orgs/current", undefined, 403],
    ["anon", "GET", "/api/orgs/nosuchsite", undefined, 404],
  ];
  test.each(rows.map((row) => [row]))("%j", (row) => runSteps(server, [row]));
});

const delta = (users: Record<string, unknown>) => ({ delta: { users } });

describe("changing", () => {
  test("name and domain", async () => {
    await runSteps(server, [
      ["owner", "PATCH", CURRENT, { name: "Renamed" }, 200, null],
      ["owner", "GET", CURRENT, undefined, 200, { name: "Renamed" }],
      ["owner", "PATCH", CURRENT, { name: "", domain: null }, 200, null],
      ["owner", "PATCH", CURRENT, { name: null, domain: "" }, 200, null],
      ["owner", "PATCH", CURRENT, {}, 200, null],
      ["owner", "PATCH", CURRENT, [], 400],
      ["owner", "PATCH", CURRENT, undefined, 200, null],
      ["owner", "PATCH", CURRENT, { name: "Never", colour: "red" }, 400],
      ["owner", "PATCH", CURRENT, { name: {} }, 400],
      ["owner", "PATCH", CURRENT, { name: 12 }, 400],
      ["owner", "GET", CURRENT, undefined, 200, { name: "Renamed", domain: "team" }],
      ["owner", "PATCH", CURRENT, { domain: "team" }, 200, null],
      ["owner", "PATCH", CURRENT, { domain: "crew", name: "Crew" }, 200, null],
      ["owner", "GET", "/o/crew/api/orgs/current", undefined, 200, { id: teamId, name: "Crew" }],
      ["owner", "GET", CURRENT, undefined, 404],
      ["owner", "PATCH", "/api/orgs/crew", { domain: "team", name: "Team" }, 200, null],
    ]);
  });

  const bad = ["ab", "Team2", "-abc", "with space", "a.b.c", "docs-9", "o-7", "doc-worker-x", "v1-x", "www", "api"];
  test.each([...bad, "x".repeat(64), 5, {}])("the domain %j is refused, and nothing changes", async (domain) => {
    await runSteps(server, [
      ["owner", "PATCH", CURRENT, { name: "Never", domain }, 400],
      ["owner", "GET", CURRENT, undefined, 200, { name: "Team", domain: "team" }],
    ]);
  });

  test("a personal site can be renamed and given a domain, and is still found by its owner's id", async () => {
    await runSteps(server, [
      ["stranger", "PATCH", "/o/docs/api/orgs/current", { name: "Stan's", domain: "stans" }, 200, null],
      ["stranger", "GET", "/o/docs/api/orgs/current", undefined, 200, { name: "Stan's", domain: "stans" }],
      ["stranger", "GET", "/api/orgs/stans", undefined, 200, { name: "Stan's", access: "owners" }],
    ]);
    const { body } = await server.call("stranger", "GET", "/api/profile/user");
    await runSteps(server, [["stranger", "GET", `/api/orgs/docs-${body.id}`, undefined, 200, { domain: "stans" }]]);
  });

  test("refuses a domain in use", async () => {
    await runSteps(server, [
      ["viewer", "PATCH", "/o/docs/api/orgs/current", { domain: "team" }, 400],
      ["viewer", "POST", "/api/orgs", { name: "Second", domain: "team" }, 400],
    ]);
  });

  test("requires an owner; access is checked before the body", async () => {
    await runSteps(server, [["owner", "PATCH", `${CURRENT}/access`, delta({ [USERS.editor.email]: "editors" }), 200]]);
    for (const body of [{ name: "x" }, { colour: 1 }, {}, { name: "x", userPrefs: {} }]) {
      expect(await statusesByCaller(server, ["editor", "stranger", "anon"], ["PATCH", CURRENT, body])).toEqual([
        403, 403, 403,
      ]);
    }
  });

  test("preferences: the caller's own require any access, the site's an owner", async () => {
    await runSteps(server, [
      ["owner", "PATCH", `${CURRENT}/access`, delta({ [USERS.viewer.email]: "members" }), 200],
      ["viewer", "PATCH", CURRENT, { userPrefs: { theme: "dark" }, userOrgPrefs: { wide: true } }, 200, null],
      ["viewer", "PATCH", CURRENT, { orgPrefs: { banner: "hi" } }, 403],
      ["owner", "PATCH", CURRENT, { orgPrefs: { banner: "hi" } }, 200, null],
      ["stranger", "PATCH", CURRENT, { userPrefs: { theme: "dark" } }, 403],
      ["owner", "GET", CURRENT, undefined, 200, { orgPrefs: { banner: "hi" } }],
    ]);
    const { body } = await server.call("viewer", "GET", CURRENT);
    expect(body).toMatchObject({
      userPrefs: { theme: "dark" },
      userOrgPrefs: { wide: true },
      orgPrefs: { banner: "hi" },
    });
    expect(await server.must("GET", CURRENT)).not.toHaveProperty("userPrefs");
    const elsewhere = (await server.call("viewer", "GET", "/o/docs/api/orgs/current")).body;
    expect(elsewhere.userPrefs).toEqual({ theme: "dark" });
    expect(elsewhere).not.toHaveProperty("userOrgPrefs");
  });
});

describe("creating and deleting", () => {
  test("a new site has a workspace Home; without a domain it gets one made of its id", async () => {
    const id = await server.must<number>("POST", "/api/orgs", { name: "Plain" });
    await runSteps(server, [
      ["owner", "GET", `/api/orgs/o-${id}`, undefined, 200, { id, name: "Plain", domain: `o-${id}`, owner: null }],
      ["owner", "GET", `/api/orgs/${id}/workspaces`, undefined, 200, [{ name: "Home", access: "owners", docs: [] }]],
      ["owner", "GET", "/o/docs/api/orgs/current/workspaces", undefined, 200, [{ name: "Home", access: "owners" }]],
    ]);
  });

  const refused: RequestStep[] = [
    ["owner", "POST", "/api/orgs", {}, 400],
    ["owner", "POST", "/api/orgs", { name: "" }, 400],
    ["owner", "POST", "/api/orgs", { name: "x", domain: "www" }, 400],
    ["owner", "POST", "/api/orgs", { name: "x", owner: 5 }, 400],
    ["anon", "POST", "/api/orgs", { name: "x" }, 401],
  ];
  test.each(refused.map((row) => [row]))("%j", (row) => runSteps(server, [row]));

  test("deleting requires the domain, the name or force-delete, and deletes all content", async () => {
    const id = await server.must<number>("POST", "/api/orgs", { name: "Short lived", domain: "brief" });
    const [home] = await server.must<{ id: number }[]>("GET", `/api/orgs/${id}/workspaces`);
    const doc = await server.must<string>("POST", `/api/workspaces/${home?.id}/docs`, { name: "Gone" });
    await runSteps(server, [
      ["owner", "DELETE", `/api/orgs/${id}/something`, undefined, 400],
      ["stranger", "DELETE", `/api/orgs/${id}/brief`, undefined, 403],
      ["owner", "DELETE", `/api/orgs/${id}/Short%20lived`, undefined, 200, id],
      ["owner", "GET", `/api/orgs/${id}`, undefined, 404],
      ["owner", "GET", `/api/workspaces/${home?.id}`, undefined, 404],
      ["owner", "GET", `/o/docs/api/docs/${doc}`, undefined, 404],
      ["owner", "DELETE", `/api/orgs/${id}/force-delete`, undefined, 404],
      ["owner", "DELETE", "/o/docs/api/orgs/current/force-delete", undefined, 400],
    ]);
  });

  test("deleting a site without its name is refused with 410 and a hint", async () => {
    const { status, body } = await server.call("owner", "DELETE", "/api/orgs/team");
    expect([status, body.error]).toEqual([410, expect.stringContaining("DELETE /api/orgs/:oid/:name")]);
    expect(await server.must("GET", "/api/orgs/team")).toMatchObject({ domain: "team" });
    expect(await statusesByCaller(server, ["stranger", "anon", "badkey"], ["DELETE", "/api/orgs/team"])).toEqual([
      403, 403, 401,
    ]);
    const { body: description } = await server.call("anon", "GET", "/openapi.json");
    const { responses } = description.paths["/api/orgs/{org}"].delete;
    expect(responses).not.toHaveProperty("200");
    expect(responses["410"].content["application/json"]).toBeDefined();
  });

  test("usage counts the content", async () => {
    const id = await server.must<number>("POST", "/api/orgs", { name: "Counted", domain: "counted" });
    const [home] = await server.must<{ id: number }[]>("GET", `/api/orgs/${id}/workspaces`);
    const make = () => server.must<string>("POST", `/api/workspaces/${home?.id}/docs`, {});
    await make();
    await server.must("POST", `/o/counted/api/docs/${await make()}/remove`);
    await runSteps(server, [
      ["owner", "GET", `/api/orgs/${id}/usage`, undefined, 200, { workspaces: 1, documents: 1, removedDocuments: 1 }],
      ["stranger", "GET", `/api/orgs/${id}/usage`, undefined, 403],
    ]);
  });

  test("checking a domain", async () => {
    const ask = async (domain: unknown): Promise<unknown> =>
      (await server.call("viewer", "POST", "/api/domains/check", { domain })).body;
    expect(await ask("vacant")).toEqual({ valid: true, available: true });
    expect(await ask("team")).toEqual({ valid: true, available: false });
    expect(await ask("www")).toEqual({ valid: false, available: false });
    expect(await statusesByCaller(server, ["anon"], ["POST", "/api/domains/check", { domain: "vacant" }])).toEqual([
      401,
    ]);
    expect(await statusesByCaller(server, ["owner"], ["POST", "/api/domains/check", {}])).toEqual([400]);
  });
});
