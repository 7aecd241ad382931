import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { USERS, testApp, type Caller, type UserName, type TestApp } from "../helpers/app.ts";
import { createDocumentFixture, runSteps, statusesByCaller, type RequestStep } from "../helpers/request-steps.ts";

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

const [OWNER, EDITOR, VIEWER, STRANGER] = (["owner", "editor", "viewer", "stranger"] as const).map(
  (name) => USERS[name].email,
) as [string, string, string, string];
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

describe("lists", () => {
  test("an entry describes its user", async () => {
    const { users, ...rest } = await server.must<{ users: object[] }>("GET", `${doc}/access`);
    expect(rest).toEqual({ maxInheritedRole: "owners" } as never);
    expect(users).toEqual([
      {
        id: expect.any(Number),
        email: OWNER,
        name: USERS.owner.name,
        picture: null,
        ref: expect.any(String),
        isMember: true,
        access: "owners",
        parentAccess: "owners",
      },
    ]);
  });

  test("roles granted within appear as guests, and roles granted above as parentAccess", async () => {
    await share(doc, { [EDITOR]: "editors" });
    await share(shelf, { [VIEWER]: "viewers" });
    await share(site, { [STRANGER]: "members" });
    expect(await listed("owner", site)).toEqual({
      [OWNER]: ["owners"],
      [EDITOR]: ["guests"],
      [VIEWER]: ["guests"],
      [STRANGER]: ["members"],
    });
    expect(await listed("owner", shelf)).toEqual({
      [OWNER]: ["owners", "owners"],
      [EDITOR]: ["guests", null],
      [VIEWER]: ["viewers", null],
      [STRANGER]: [null, null],
    });
    expect(await listed("owner", doc)).toEqual({
      [OWNER]: ["owners", "owners"],
      [EDITOR]: ["editors", null],
      [VIEWER]: [null, "viewers"],
      [STRANGER]: [null, null],
    });
  });

  test("maxInheritedRole limits the parentAccess of the levels below, not its own list", async () => {
    await share(site, { [EDITOR]: "editors" });
    await change(shelf, { maxInheritedRole: "viewers" });
    await change(doc, { maxInheritedRole: null });
    expect(await listed("owner", shelf)).toMatchObject({ [EDITOR]: [null, "editors"] });
    expect(await listed("owner", doc)).toMatchObject({ [EDITOR]: [null, "viewers"], [OWNER]: ["owners", "owners"] });
    expect(await role("editor", shelf)).toBe("viewers");
    expect(await role("editor")).toBe(403);
  });

  test("owners of less see less", async () => {
    await share(site, { [STRANGER]: "members" });
    const other = await server.must<string>("POST", `${shelf}/docs`, {});
    await share(`/o/docs/api/docs/${other}`, { [VIEWER]: "viewers" });
    // An owner of the document alone gets the users with access to it.
    await share(doc, { [EDITOR]: "owners" });
    expect(Object.keys(await listed("editor", doc))).toEqual([OWNER, EDITOR]);
    // An owner of the workspace gets the users with access to it as well.
    await share(shelf, { [EDITOR]: "owners" });
    expect(Object.keys(await listed("editor", doc))).toEqual([OWNER, EDITOR, VIEWER]);
    // An owner of the site gets all its users.
    expect(Object.keys(await listed("owner", doc))).toEqual([OWNER, EDITOR, VIEWER, STRANGER]);
  });

  test("only owners get whole lists; an editor of a document gets the users with access to it", async () => {
    await share(doc, { [EDITOR]: "editors", [VIEWER]: "viewers" });
    const view = async (as: Caller, place: string): Promise<unknown> => {
      const { body } = await server.call(as, "GET", `${place}/access`);
      return [body.users.map(({ email }: { email: string }) => email), body.personal, body.public];
    };
    expect(await view("owner", doc)).toEqual([[OWNER, EDITOR, VIEWER], undefined, undefined]);
    expect(await view("editor", doc)).toEqual([[OWNER, EDITOR, VIEWER], true, false]);
    expect(await view("viewer", doc)).toEqual([[VIEWER], true, false]);
    expect(await view("viewer", shelf)).toEqual([[VIEWER], true, false]);
    expect(await view("viewer", site)).toEqual([[VIEWER], true, false]);
    await share(site, { [STRANGER]: "editors" });
    expect(await view("stranger", site)).toEqual([[STRANGER], true, false]);
    expect(await view("stranger", shelf)).toEqual([[STRANGER], true, false]);
  });
});

describe("changes", () => {
  test("take effect immediately, up and down", async () => {
    expect([await role("viewer"), await role("viewer", shelf), await role("viewer", site)]).toEqual([403, 403, 403]);
    await share(doc, { [VIEWER]: "viewers" });
    expect([await role("viewer"), await role("viewer", shelf), await role("viewer", site)]).toEqual([
      "viewers",
      "viewers",
      "viewers",
    ]);
    await share(doc, { [VIEWER]: "owners" });
    expect(await role("viewer")).toBe("owners");
    await share(doc, { [VIEWER]: null });
    expect([await role("viewer"), await role("viewer", shelf), await role("viewer", site)]).toEqual([403, 403, 403]);
    expect(await statusesByCaller(server, ["viewer"], ["GET", `${site}/workspaces`])).toEqual([403]);
  });

  test("a member of the site sees an empty list of workspaces", async () => {
    await share(site, { [VIEWER]: "members" });
    await runSteps(server, [
      ["viewer", "GET", `${site}/workspaces`, undefined, 200, []],
      ["viewer", "GET", site, undefined, 200, { access: "viewers" }],
      ["viewer", "GET", shelf, undefined, 403],
      ["viewer", "POST", `${site}/workspaces`, { name: "x" }, 403],
    ]);
  });

  test("addresses are compared without regard to case; of two spellings the last counts", async () => {
    await share(doc, { [VIEWER.toUpperCase()]: "editors", [` ${VIEWER}`.trim()]: "viewers" });
    expect(await role("viewer")).toBe("viewers");
    expect(await listed("owner", doc)).toMatchObject({ [VIEWER]: ["viewers", null] });
  });

  test("an unknown address is invited with the role; removing a role from an unknown address does nothing", async () => {
    await share(doc, { "New.Person@Example.com": "editors", "nobody@example.com": null });
    expect(await listed("owner", doc)).toMatchObject({ "New.Person@Example.com": ["editors", null] });
    const { users } = await server.must<{ users: { email: string; name: string }[] }>("GET", `${doc}/access`);
    expect(users.map(({ email }) => email)).not.toContain("nobody@example.com");
    expect(users.find(({ email }) => email.startsWith("New"))?.name).toBe("");
    await share(doc, { "new.person@example.com": "viewers" });
    expect(await listed("owner", doc)).toMatchObject({ "New.Person@Example.com": ["viewers", null] });
  });

  test("an empty text removes a role", async () => {
    await share(doc, { [VIEWER]: "viewers" });
    await share(doc, { [VIEWER]: "" });
    expect(await role("viewer")).toBe(403);
  });

  test("a limit makes the caller a direct owner, and excludes other users, including owners of the site", async () => {
    await share(site, { [EDITOR]: "owners" });
    await server.call("editor", "PATCH", `${doc}/access`, { delta: { maxInheritedRole: null } });
    // The document was owned directly, so that role stays; the inherited one is lost.
    expect([await role("editor"), await role("owner")]).toEqual(["owners", "owners"]);
    await server.call("editor", "PATCH", `${shelf}/access`, { delta: { users: { [OWNER]: null } } });
    await server.call("editor", "PATCH", `${shelf}/access`, { delta: { maxInheritedRole: "editors" } });
    expect([await role("editor", shelf), await role("owner", shelf)]).toEqual(["owners", "editors"]);
    expect(await listed("editor", shelf)).toMatchObject({
      [EDITOR]: ["owners", "owners"],
      [OWNER]: ["guests", "owners"],
    });
    await server.call("editor", "PATCH", `${doc}/access`, { delta: { users: { [OWNER]: null } } });
    expect(await role("owner")).toBe(403);
    await runSteps(server, [["owner", "GET", shelf, undefined, 200, { docs: [{ name: "Paper", access: null }] }]]);
    await server.call("editor", "PATCH", `${doc}/access`, { delta: { maxInheritedRole: "owners" } });
    expect(await role("owner")).toBe("editors");
  });

  test("a user removed from the site loses all their roles; the caller takes over what they owned directly", async () => {
    await share(site, { [EDITOR]: "editors" });
    const own = (await server.call("editor", "POST", `${shelf}/docs`, { name: "Own" })).body;
    await share(shelf, { [EDITOR]: "viewers" });
    await share(doc, { [EDITOR]: "viewers" });
    await share(site, { [EDITOR]: null });
    expect([await role("editor"), await role("editor", shelf), await role("editor", site)]).toEqual([403, 403, 403]);
    expect(await listed("owner", `/o/docs/api/docs/${own}`)).toEqual({ [OWNER]: ["owners", "owners"] });
  });

  test("a user who leaves the site keeps what they own directly", async () => {
    await share(site, { [EDITOR]: "editors" });
    const own = (await server.call("editor", "POST", `${shelf}/docs`, { name: "Own" })).body;
    await share(doc, { [EDITOR]: "viewers" });
    await runSteps(server, [
      ["editor", "PATCH", `${site}/access`, { delta: { users: { [EDITOR]: null } } }, 200, null],
    ]);
    expect([await role("editor"), await role("editor", `/o/docs/api/docs/${own}`)]).toEqual([403, "owners"]);
    expect(await listed("owner", site)).toMatchObject({ [EDITOR]: ["guests"] });
  });
});

describe("refusals", () => {
  const bad: [place: "doc" | "shelf" | "site", delta: unknown][] = [
    ["doc", undefined],
    ["doc", null],
    ["doc", []],
    ["doc", {}],
    ["doc", { role: "viewers" }],
    ["doc", { users: [] }],
    ["doc", { users: "viewers" }],
    ["doc", { users: { [STRANGER]: "kings" } }],
    ["doc", { users: { [STRANGER]: "members" } }],
    ["doc", { users: { [STRANGER]: "guests" } }],
    ["doc", { users: { [STRANGER]: 5 } }],
    ["doc", { users: { [STRANGER]: true } }],
    ["doc", { users: { nobody: "viewers" } }],
    ["doc", { users: { "@example.com": "viewers" } }],
    ["doc", { users: { "stan@": "viewers" } }],
    ["doc", { users: { "stan stan@example.com": "viewers" } }],
    ["doc", { users: { [VIEWER]: "viewers", [STRANGER]: "kings" } }],
    ["doc", { maxInheritedRole: "kings" }],
    ["doc", { maxInheritedRole: "members" }],
    ["doc", { maxInheritedRole: "guests" }],
    ["doc", { users: { [VIEWER]: "viewers" }, maxInheritedRole: 5 }],
    ["shelf", { users: { [STRANGER]: "members" } }],
    ["shelf", {}],
    ["site", {}],
    ["site", { maxInheritedRole: "viewers" }],
    ["site", { users: {}, maxInheritedRole: null }],
    ["site", { users: { [STRANGER]: "guests" } }],
  ];
  test.each(bad)("%s %j: public sharing is refused, and nothing changes", async (which, delta) => {
    const place = { doc, shelf, site }[which];
    const missing = { doc: "/api/docs/nosuchdocument", shelf: "/api/workspaces/99999", site: "/api/orgs/nosuchsite" };
    await runSteps(
      server,
      (["owner", "stranger", "anon"] as const).flatMap((as): RequestStep[] => [
        [as, "PATCH", `${place}/access`, { delta }, 400],
        [as, "PATCH", `${missing[which]}/access`, { delta }, 400],
      ]),
    );
    expect(await listed("owner", doc)).toEqual({ [OWNER]: ["owners", "owners"] });
  });

  test("an entry that is not an address can be removed, on every level", async () => {
    for (const place of [doc, shelf, site]) {
      const users = { "stan stan@example.com": null, nobody: "", "": null };
      await runSteps(server, [["owner", "PATCH", `${place}/access`, { delta: { users } }, 200, null]]);
    }
    expect(await listed("owner", doc)).toEqual({ [OWNER]: ["owners", "owners"] });
  });

  test("accepts changes without effect, and ignores unknown keys", async () => {
    await runSteps(server, [
      ["owner", "PATCH", `${doc}/access`, { delta: { users: {} } }, 200, null],
      ["owner", "PATCH", `${doc}/access`, { delta: { users: {}, more: 1 }, other: 2 }, 200, null],
      ["owner", "PATCH", `${site}/access`, { delta: { users: {} } }, 200, null],
    ]);
  });

  test("owners cannot change their own role, on any level", async () => {
    for (const place of [doc, shelf, site]) {
      for (const own of ["owners", "viewers", null]) {
        await runSteps(server, [["owner", "PATCH", `${place}/access`, { delta: { users: { [OWNER]: own } } }, 400]]);
      }
    }
    expect(await listed("owner", doc)).toEqual({ [OWNER]: ["owners", "owners"] });
  });

  test("owners can change other owners", async () => {
    await share(doc, { [EDITOR]: "owners" });
    await runSteps(server, [
      ["editor", "PATCH", `${doc}/access`, { delta: { users: { [OWNER]: "viewers" } } }, 200, null],
    ]);
    // Still an owner by inheritance.
    expect(await role("owner")).toBe("owners");
    expect(await listed("owner", doc)).toMatchObject({ [OWNER]: ["viewers", "owners"] });
  });

  test("other users can only remove their own role", async () => {
    await share(doc, { [EDITOR]: "editors", [VIEWER]: "viewers" });
    const attempt = (as: Caller, delta: object, status: number): RequestStep => [
      as,
      "PATCH",
      `${doc}/access`,
      { delta },
      status,
    ];
    await runSteps(server, [
      attempt("editor", { users: { [STRANGER]: "viewers" } }, 403),
      attempt("editor", { users: { [EDITOR]: "owners" } }, 403),
      attempt("editor", { users: { [EDITOR]: null, [VIEWER]: null } }, 403),
      attempt("editor", { users: { [EDITOR]: null }, maxInheritedRole: "owners" }, 403),
      attempt("editor", { users: {} }, 403),
      attempt("editor", { maxInheritedRole: null }, 403),
      attempt("stranger", { users: { [STRANGER]: null } }, 403),
      attempt("anon", { users: { [ANONYMOUS]: null } }, 403),
      attempt("badkey", { users: {} }, 401),
      attempt("editor", { users: { [EDITOR.toUpperCase()]: null } }, 200),
      ["editor", "GET", doc, undefined, 403],
    ]);
    await share(shelf, { [EDITOR]: "viewers" });
    await runSteps(server, [
      // Inherited roles stay.
      attempt("editor", { users: { [EDITOR]: null } }, 200),
      ["editor", "GET", doc, undefined, 200, { access: "viewers" }],
      ["viewer", "PATCH", `${shelf}/access`, { delta: { users: { [VIEWER]: null } } }, 200],
      ["viewer", "GET", doc, undefined, 200],
    ]);
  });
});
