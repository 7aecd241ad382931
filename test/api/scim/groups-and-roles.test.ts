import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { sampleDocument, type Sample } from "../../helpers/app.ts";
import { type Answer, type ScimServer, scimServer, URN } from "./scim-server.ts";

let scim: ScimServer;
let sample: Sample;
let ann: string;
let ben: string;
let group: string;
let counter = 0;

beforeAll(async () => {
  scim = await scimServer();
});
beforeEach(async () => {
  sample = await sampleDocument(scim.server);
  counter++;
  ann = await scim.addUser(`ann${counter}@example.com`, { displayName: "Ann" });
  ben = await scim.addUser(`ben${counter}@example.com`, { displayName: "Ben" });
  group = (await scim.must("POST", "/Groups", { displayName: `Crew ${counter}`, members: [user(ann)] })).id;
});
afterAll(() => scim[Symbol.asyncDispose]());

const user = (value: string) => ({ value, type: "User" });
const shown = (members: Answer["members"]): string[] => members.map(({ display, type }) => `${type} ${display}`);
const groupName = () => `Group Crew ${counter}`;

/** Returns the id of a role of the sample document, its workspace or the site. */
async function roleId(displayName: string, place = `docId eq "${sample.doc}"`): Promise<string> {
  const filter = encodeURIComponent(`${place} and displayName eq "${displayName}"`);
  const { Resources } = await scim.must("GET", `/Roles?filter=${filter}`);
  expect(Resources).toHaveLength(1);
  return Resources[0]?.id ?? "";
}

const membersOf = async (path: string) => shown((await scim.must("GET", path)).members);
const status = async (as: "viewer" | "stranger") =>
  (await scim.server.call(as, "GET", `/api/docs/${sample.doc}`)).status;

describe("groups", () => {
  const cases: [what: string, body: () => object, status: number, scimType: string | null][] = [
    ["no name", () => ({ members: [] }), 400, "invalidValue"],
    ["a blank name", () => ({ displayName: " " }), 400, "invalidValue"],
    ["a taken name", () => ({ displayName: `Crew ${counter}` }), 409, "uniqueness"],
    ["an unknown user", () => ({ displayName: "X", members: [user("98765")] }), 404, null],
    ["an id that is no number", () => ({ displayName: "X", members: [user("x")] }), 400, "invalidValue"],
    ["a robot", () => ({ displayName: "X", members: [{ value: ann, type: "Robot" }] }), 400, "invalidValue"],
    ["a group", () => ({ displayName: "X", members: [{ value: group, type: "Group" }] }), 400, "invalidValue"],
    ["everyone", () => ({ displayName: "X", members: [user("1")] }), 404, null],
    ["no list", () => ({ displayName: "X", members: user(ann) }), 400, "invalidValue"],
  ];
  test.each(cases)("with %s are refused", async (_, body, code, scimType) => {
    const before = scim.server.app.ctx.home.groups.list().length;
    const reply = await scim.call("owner", "POST", "/Groups", body());
    expect([reply.status, reply.body.scimType ?? null]).toEqual([code, scimType]);
    expect(scim.server.app.ctx.home.groups.list().length).toBe(before);
  });

  test.each<[what: string, operation: () => object, members: string[]]>([
    ["add", () => ({ op: "add", path: "members", value: [user(ben)] }), ["User Ann", "User Ben"]],
    ["add one, without type", () => ({ op: "Add", path: "members", value: { value: ben } }), ["User Ann", "User Ben"]],
    ["remove by filter", () => ({ op: "remove", path: `members[value eq "${ann}"]` }), []],
    ["remove by value", () => ({ op: "Remove", path: "members", value: [{ value: ann }] }), []],
    ["remove all", () => ({ op: "remove", path: "members" }), []],
    ["replace", () => ({ op: "replace", path: "members", value: [user(ben)] }), ["User Ben"]],
    ["replace without path", () => ({ op: "replace", value: { id: group, members: [user(ben)] } }), ["User Ben"]],
  ])("PATCH: %s", async (_, operation, members) => {
    expect((await scim.patch(`/Groups/${group}`, operation())).status).toBe(200);
    expect(await membersOf(`/Groups/${group}`)).toEqual(members);
    // Again, it changes nothing.
    expect((await scim.patch(`/Groups/${group}`, operation())).status).toBe(204);
  });

  test("PUT replaces the name and all members; DELETE works once", async () => {
    await scim.must("PUT", `/Groups/${group}`, { displayName: `Renamed ${counter}`, externalId: "g1" });
    expect(await scim.must("GET", `/Groups/${group}`)).toMatchObject({
      displayName: `Renamed ${counter}`,
      members: [],
      externalId: "g1",
    });
    expect((await scim.call("owner", "DELETE", `/Groups/${group}`)).status).toBe(204);
    expect((await scim.call("owner", "DELETE", `/Groups/${group}`)).status).toBe(404);
  });

  test("a role is no group, and a group no role", async () => {
    const role = await roleId("viewers");
    expect((await scim.call("owner", "GET", `/Groups/${role}`)).status).toBe(404);
    expect((await scim.call("owner", "GET", `/Roles/${group}`)).status).toBe(404);
  });
});

describe("roles", () => {
  test("exist for documents, workspaces and sites, and name what is inherited", async () => {
    const names = async (filter: string): Promise<string[]> =>
      (await scim.must("GET", `/Roles?filter=${encodeURIComponent(filter)}`)).Resources.map((role) => role.displayName);
    expect(await names(`docId eq "${sample.doc}"`)).toEqual(["owners", "editors", "viewers", "guests"]);
    expect(await names(`workspaceId eq ${sample.workspaceId}`)).toEqual(["owners", "editors", "viewers", "guests"]);
    const { id: site } = await scim.server.must<{ id: number }>("GET", "/api/orgs/team");
    expect(await names(`orgId eq ${site}`)).toEqual(["owners", "editors", "viewers", "guests", "members"]);
    expect(await membersOf(`/Roles/${await roleId("viewers")}`)).toEqual(["Role viewers"]);
    await scim.server.must("PATCH", `/api/docs/${sample.doc}/access`, { delta: { maxInheritedRole: "viewers" } });
    expect(await membersOf(`/Roles/${await roleId("viewers")}`)).toEqual([
      "Role owners",
      "Role editors",
      "Role viewers",
    ]);
    expect(await membersOf(`/Roles/${await roleId("owners")}`)).toEqual(["User Olga Owner"]);
  });

  test("give rights to users and to members of groups at once, and keep what is inherited", async () => {
    const path = `/Roles/${await roleId("viewers")}`;
    const viewer = String(scim.idOf("viewer"));
    expect([await status("viewer"), await status("stranger")]).toEqual([403, 403]);
    await scim.must("PUT", `/Groups/${group}`, { displayName: `Crew ${counter}`, members: [user(viewer)] });
    const put = await scim.must("PUT", path, {
      members: [user(String(scim.idOf("stranger"))), { value: group, type: "Group" }],
    });
    expect(put).toMatchObject({ displayName: "viewers", docId: sample.doc });
    expect(shown(put.members)).toEqual(["User Stan Stranger", groupName(), "Role viewers"]);
    expect([await status("viewer"), await status("stranger")]).toEqual([200, 200]);
    await scim.patch(`/Groups/${group}`, { op: "remove", path: `members[value eq "${viewer}"]` });
    expect([await status("viewer"), await status("stranger")]).toEqual([403, 200]);
    const { body } = await scim.patch(path, { op: "remove", path: 'members[type eq "User"]' });
    expect(shown(body.members)).toEqual([groupName(), "Role viewers"]);
    expect(await status("stranger")).toBe(403);
    expect((await scim.patch(path, { op: "remove", path: 'members[type eq "Role"]' })).status).toBe(204);
  });

  test("a user and a group have one role on a resource", async () => {
    await scim.must("PUT", `/Roles/${await roleId("viewers")}`, {
      members: [user(ben), { value: group, type: "Group" }],
    });
    await scim.must("PUT", `/Roles/${await roleId("editors")}`, {
      members: [user(ben), { value: group, type: "Group" }],
    });
    expect(await membersOf(`/Roles/${await roleId("viewers")}`)).toEqual(["Role viewers"]);
    expect(await membersOf(`/Roles/${await roleId("editors")}`)).toEqual(["User Ben", groupName(), "Role editors"]);
  });

  test("a document that loses its owner inherits in full again; a group without members is none", async () => {
    await scim.server.must("PATCH", `/api/docs/${sample.doc}/access`, { delta: { maxInheritedRole: null } });
    const owners = `/Roles/${await roleId("owners")}`;
    await scim.must("PUT", owners, { members: [{ value: group, type: "Group" }] });
    const inherited = async (): Promise<unknown> =>
      (await scim.server.call("owner", "GET", `/api/docs/${sample.doc}/access`)).body.maxInheritedRole;
    expect((await scim.server.call("owner", "GET", `/api/docs/${sample.doc}`)).status).toBe(403);
    await scim.patch(`/Groups/${group}`, { op: "remove", path: "members" });
    expect(await inherited()).toBe("owners");
  });

  test("a site keeps its owner and is not public", async () => {
    const { id: site } = await scim.server.must<{ id: number }>("GET", "/api/orgs/team");
    const put = async (role: string, members: object[]) => {
      const { status: code, body } = await scim.call(
        "owner",
        "PUT",
        `/Roles/${await roleId(role, `orgId eq ${site}`)}`,
        { members },
      );
      return [code, body.scimType as unknown];
    };
    const owner = String(scim.idOf("owner"));
    expect(await put("owners", [])).toEqual([400, "mutability"]);
    expect(await put("viewers", [user(owner)])).toEqual([400, "mutability"]);
    expect(await put("viewers", [user("1")])).toEqual([400, "invalidValue"]);
    expect(await put("owners", [user(owner), user(ben)])).toEqual([200, undefined]);
    expect(await put("owners", [user(owner)])).toEqual([200, undefined]);
    const personal = scim.server.app.ctx.home.orgs
      .listOf(Number(ann))
      .find(({ owner: own }) => own?.id === Number(ann));
    const own = await roleId("owners", `orgId eq ${personal?.id}`);
    expect((await scim.call("owner", "PUT", `/Roles/${own}`, { members: [user(ben)] })).status).toBe(400);
  });

  test.each<[what: string, method: string, path: () => Promise<string>, body: object | undefined, code: number]>([
    ["an unknown user", "PUT", () => roleId("viewers"), { members: [user("98765")] }, 404],
    ["an unknown group", "PUT", () => roleId("viewers"), { members: [{ value: "1600000", type: "Group" }] }, 404],
    [
      "the number of a role as a group",
      "PUT",
      () => roleId("viewers"),
      { members: [{ value: "17", type: "Group" }] },
      404,
    ],
    [
      "another name",
      "PATCH",
      () => roleId("viewers"),
      { schemas: [URN.patch], Operations: [{ op: "replace", path: "displayName", value: "x" }] },
      400,
    ],
    [
      "another document",
      "PATCH",
      () => roleId("viewers"),
      { schemas: [URN.patch], Operations: [{ op: "replace", value: { docId: "x" } }] },
      400,
    ],
    ["new guests", "PUT", () => roleId("guests"), { members: [user("3")] }, 400],
    ["an unknown role", "PUT", async () => "98765432", { members: [] }, 404],
    ["no number", "PUT", async () => "viewers", { members: [] }, 400],
    ["deletion", "DELETE", () => roleId("viewers"), undefined, 501],
  ])("%s is refused", async (_, method, id, body, code) => {
    const place = await id();
    const before = await scim.call("owner", "GET", `/Roles/${place}`);
    expect((await scim.call("owner", method, `/Roles/${place}`, body)).status).toBe(code);
    expect((await scim.call("owner", "GET", `/Roles/${place}`)).body).toEqual(before.body);
  });

  test("guests of a workspace are those of its documents", async () => {
    await scim.must("PUT", `/Roles/${await roleId("viewers")}`, { members: [user(ben)] });
    const place = `workspaceId eq ${sample.workspaceId}`;
    expect(await membersOf(`/Roles/${await roleId("guests", place)}`)).toContain("User Ben");
    const found = encodeURIComponent(`${place} and members.value eq "${ben}"`);
    expect((await scim.must("GET", `/Roles?filter=${found}`)).Resources.map((role) => role.displayName)).toEqual([
      "guests",
    ]);
  });
});
