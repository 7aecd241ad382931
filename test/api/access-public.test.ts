/** Sites, workspaces and documents that are public, with a key or without. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { USERS, testApp, type Caller, type UserName, type TestApp } from "../helpers/app.ts";
import { createDocumentFixture, runSteps, statusesByCaller } from "../helpers/request-steps.ts";

let server: TestApp;
/** A new site, a workspace in it, and a document in that. */
let site: string;
let shelf: string;
let doc: string;
beforeAll(async () => {
  server = await testApp();
});
beforeEach(async () => {
  ({ site, shelf, doc } = await createDocumentFixture(server));
});
afterAll(() => server[Symbol.asyncDispose]());

const VIEWER = USERS.viewer.email;
const EVERYONE = "everyone@getgrist.com";
const ANONYMOUS = "anon@getgrist.com";

const share = (place: string, users: Record<string, string | null>) => change(place, { users });
const change = (place: string, delta: object) => server.must("PATCH", `${place}/access`, { delta });

type Shown = Record<string, [access: string | null, parentAccess?: string | null]>;

/** Returns the entries of a list, by address, with the two roles. */
async function listed(as: Caller, place: string): Promise<Shown> {
  const { status, body } = await server.call(as, "GET", `${place}/access`);
  expect(status).toBe(200);
  const users = body.users as { email: string; access: string | null; parentAccess?: string | null }[];
  return Object.fromEntries(
    users.map(({ email, access, parentAccess }) => [
      email,
      parentAccess === undefined ? [access] : [access, parentAccess],
    ]),
  );
}

const role = async (as: UserName | "anon", place = doc): Promise<unknown> => {
  const { status, body } = await server.call(as, "GET", place);
  return status === 200 ? body.access : status;
};

describe("public", () => {
  test("a document is, without a key too; workspace and site stay closed and unlisted", async () => {
    await share(doc, { [EVERYONE]: "viewers" });
    for (const as of ["stranger", "anon"] as const) {
      const { body } = await server.call(as, "GET", doc);
      expect(body).toMatchObject({
        access: "viewers",
        public: true,
        workspace: { access: null, org: { access: null } },
      });
      expect(await statusesByCaller(server, [as], ["GET", `${doc}/tables`])).toEqual([200]);
      expect((await server.call(as, "GET", `${doc}/access`)).body).toEqual({
        maxInheritedRole: "owners",
        users: [],
        personal: true,
        public: true,
      });
      expect([await role(as, shelf), await role(as, site)]).toEqual([403, 403]);
      expect(await statusesByCaller(server, [as], ["PATCH", doc, { name: "x" }])).toEqual([403]);
    }
    expect(await listed("owner", doc)).toMatchObject({ [EVERYONE]: ["viewers", null] });
    expect(await listed("owner", shelf)).not.toHaveProperty([EVERYONE]);
    const { users } = await server.must<{ users: object[] }>("GET", `${doc}/access`);
    expect(users[0]).toMatchObject({ email: EVERYONE, isMember: null });
    await share(doc, { [EVERYONE]: null });
    expect([await role("stranger"), await role("anon")]).toEqual([403, 403]);
    expect(await server.must("GET", doc)).not.toHaveProperty("public");
  });

  test("the public role applies in full, in addition to the caller's own", async () => {
    await share(doc, { [EVERYONE]: "owners", [VIEWER]: "viewers" });
    expect([await role("viewer"), await role("anon")]).toEqual(["owners", "owners"]);
    await runSteps(server, [
      ["anon", "PATCH", doc, { name: "Renamed by anybody" }, 200],
      ["stranger", "PATCH", `${doc}/access`, { delta: { users: { [VIEWER]: null } } }, 200],
      ["owner", "GET", doc, undefined, 200, { name: "Renamed by anybody" }],
    ]);
    // Callers with public access get no other users.
    expect(await listed("stranger", doc)).toEqual({});
  });

  test("callers with access to another document of the workspace do not find the public one in its list", async () => {
    await share(doc, { [EVERYONE]: "viewers" });
    const other = await server.must<string>("POST", `${shelf}/docs`, { name: "Other" });
    await share(`/o/docs/api/docs/${other}`, { [VIEWER]: "viewers" });
    const { body } = await server.call("viewer", "GET", shelf);
    expect(body.docs.map(({ name }: { name: string }) => name)).toEqual(["Other"]);
    expect(await role("viewer")).toBe("viewers");
  });

  test("a workspace can be, a site cannot", async () => {
    await share(shelf, { [EVERYONE]: "viewers" });
    expect([await role("anon", shelf), await role("anon"), await role("anon", site)]).toEqual([
      "viewers",
      "viewers",
      403,
    ]);
    await change(doc, { maxInheritedRole: null });
    expect(await role("anon")).toBe(403);
    await runSteps(server, [
      ["owner", "PATCH", `${site}/access`, { delta: { users: { [EVERYONE]: "viewers" } } }, 403],
      ["owner", "PATCH", `${site}/access`, { delta: { users: { [EVERYONE]: null } } }, 200],
      ["stranger", "GET", `${site}/workspaces`, undefined, 403],
    ]);
  });

  test("removing the public role from the site closes no document", async () => {
    await share(doc, { [EVERYONE]: "viewers" });
    await share(site, { [EVERYONE]: null });
    expect(await role("anon")).toBe("viewers");
  });

  test("for callers without a key only", async () => {
    await share(doc, { [ANONYMOUS]: "viewers" });
    expect([await role("anon"), await role("stranger")]).toEqual(["viewers", 403]);
    expect([await role("anon", shelf), await role("anon", site)]).toEqual([403, 403]);
    await runSteps(server, [["anon", "PATCH", `${doc}/access`, { delta: { users: { [ANONYMOUS]: null } } }, 403]]);
  });
});
