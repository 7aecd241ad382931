import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Role, type SiteRole } from "../../../src/authorization.ts";
import type { GrantTarget } from "../../../src/home/grants.ts";
import { openHome, type Home } from "../../../src/home/home.ts";
import { newUuid } from "../../../src/lib/ids.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";

let home: Home;
let owner: number;
let direct: number;
let member: number;
let group: number;
let site: GrantTarget;
let workspace: GrantTarget;
let document: GrantTarget;
let uuid: string;

beforeEach(() => {
  home = openHome(tempFolder(), { durability: "normal" });
  const add = (name: string) => home.users.add({ email: `${name}@example.com`, name, kind: "person" }).id;
  [owner, direct, member] = [add("owner"), add("direct"), add("member")];
  site = { kind: "site", id: home.orgs.createTeam({ name: "Team", domain: "team", ownerId: owner }) };
  workspace = { kind: "workspace", id: home.workspaces.add({ orgId: site.id, name: "Shelf" }) };
  uuid = newUuid();
  document = { kind: "document", id: home.documents.add({ uuid, workspaceId: workspace.id, name: "Paper" }) };
  group = home.groups.add({ name: "Crew" }).id;
  home.groups.addMember(group, member);
});
afterEach(() => home.close());

/** Returns everything that lookups and listings say of a user's access. */
const accessOf = (userId: number) => ({
  document: home.reach.document(uuid, { userId, domain: null })?.role,
  workspace: home.reach.workspace(workspace.id, userId)?.role,
  site: home.reach.site({ by: "id", id: site.id }, userId)?.role,
  isGuestOfWorkspace: home.reach.isGuestOfWorkspace(workspace.id, userId),
  isGuestOfSite: home.reach.isGuestOfSite(site.id, userId),
  sites: home.orgs.listOf(userId).map(({ id, role }) => ({ id, role })),
  workspaces: home.workspaces.listOf(site.id, userId).map(({ id, role }) => ({ id, role })),
  documents: home.documents.listOf({ workspaceId: workspace.id }, userId),
  all: home.documents.listAll(userId),
  details: home.documents.describe(document.id, userId),
});

const targetOf = (kind: GrantTarget["kind"]): GrantTarget => ({ site, workspace, document })[kind];

describe("a role of a group", () => {
  const cases: { on: GrantTarget["kind"]; role: SiteRole; limits?: [workspace: Role | null, document: Role | null] }[] =
    [
      { on: "site", role: "owners" },
      { on: "site", role: "editors" },
      { on: "site", role: "viewers" },
      { on: "site", role: "members" },
      { on: "site", role: "owners", limits: ["viewers", "owners"] },
      { on: "site", role: "owners", limits: ["owners", null] },
      { on: "workspace", role: "owners" },
      { on: "workspace", role: "viewers" },
      { on: "workspace", role: "editors", limits: [null, "viewers"] },
      { on: "document", role: "owners" },
      { on: "document", role: "editors", limits: [null, null] },
      { on: "document", role: "viewers" },
    ];
  test.each(cases)("%j gives the same access as a role of the user", ({ on, role, limits }) => {
    if (limits) {
      home.workspaces.change(workspace.id, { maxInheritedRole: limits[0] });
      home.documents.change(document.id, { maxInheritedRole: limits[1] });
    }
    home.grants.set(targetOf(on), direct, role);
    const before = accessOf(member);
    home.groups.grant(targetOf(on), group, role);
    expect(accessOf(member)).toEqual(accessOf(direct));
    expect(accessOf(member)).not.toEqual(before);
    home.groups.grant(targetOf(on), group, null);
    expect(accessOf(member)).toEqual(before);
  });

  test("ends with the membership, and with the group", () => {
    const before = accessOf(member);
    home.groups.grant(document, group, "viewers");
    const within = accessOf(member);
    expect(within).not.toEqual(before);
    home.groups.removeMember(group, member);
    expect(accessOf(member)).toEqual(before);
    home.groups.setMembers(group, [member]);
    expect(accessOf(member)).toEqual(within);
    home.groups.remove(group);
    expect(accessOf(member)).toEqual(before);
  });

  test.each([
    { own: "viewers", groups: ["editors"], is: "editors" },
    { own: "owners", groups: ["viewers", "editors"], is: "owners" },
    { own: null, groups: ["viewers", "owners", "editors"], is: "owners" },
    { own: null, groups: ["editors", "viewers"], is: "editors" },
    { own: "members", groups: ["viewers"], is: "viewers" },
  ] as { own: SiteRole | null; groups: SiteRole[]; is: SiteRole }[])("the strongest of %j counts", (roles) => {
    for (const target of [site, workspace, document]) {
      if (roles.own !== "members" || target.kind === "site") home.grants.set(target, member, roles.own);
      for (const [at, role] of roles.groups.entries()) {
        const { id } = home.groups.byName(`Group ${at}`) ?? home.groups.add({ name: `Group ${at}` });
        home.groups.addMember(id, member);
        home.groups.grant(target, id, role);
      }
      const throughGroups = home.groups.rolesOf(member, {
        orgId: site.id,
        workspaceId: workspace.id,
        documentId: document.id,
      });
      expect(throughGroups[target.kind]).toBe(
        roles.groups.toSorted((a, b) => RANK.indexOf(a) - RANK.indexOf(b))[0] as never,
      );
    }
    expect(home.reach.site({ by: "id", id: site.id }, member)?.role).toBe(roles.is);
    expect(home.reach.workspace(workspace.id, member)?.role).toBe(roles.is as Role);
    expect(home.reach.document(uuid, { userId: member, domain: null })?.role).toBe(roles.is as Role);
  });

  test("counts as another owner when a user is deleted", () => {
    expect(home.users.sitesOwnedAlone(owner)).toEqual(["Team"]);
    const nobody = home.groups.add({ name: "Nobody" }).id;
    home.groups.grant(site, nobody, "owners");
    expect(home.users.sitesOwnedAlone(owner)).toEqual(["Team"]);
    home.groups.grant(site, group, "owners");
    expect(home.users.sitesOwnedAlone(owner)).toEqual([]);

    home.grants.set(document, owner, "owners");
    home.groups.grant(document, group, "owners");
    home.documents.change(document.id, { maxInheritedRole: null });
    home.users.remove(owner);
    expect(home.documents.byId(document.id)?.maxInheritedRole).toBeNull();
  });
});

const RANK: readonly SiteRole[] = ["owners", "editors", "viewers", "members"];

describe("membership managed by a provider", () => {
  const memberships = () =>
    home.groups
      .list()
      .filter(({ id }) => home.groups.membersOf(id).some(({ userId }) => userId === member))
      .map(({ name }) => name);

  beforeEach(() => {
    for (const [name, managedBy] of [
      ["A", "google"],
      ["B", "google"],
      ["C", "entra"],
    ] as const) {
      home.groups.add({ name, managedBy });
    }
  });

  test.each([
    { names: ["A"], are: ["Crew", "A"], changes: true },
    { names: ["A", "B", "B"], are: ["Crew", "A", "B"], changes: true },
    { names: [], are: ["Crew"], changes: false },
    { names: ["Unknown", "a"], are: ["Crew"], changes: false },
    // Groups of another provider, and groups without one.
    { names: ["C", "Crew"], are: ["Crew"], changes: false },
  ] as { names: string[]; are: string[]; changes: boolean }[])("%j", ({ names, are, changes }) => {
    expect(home.groups.setManagedMembership("google", member, names)).toBe(changes);
    expect(memberships()).toEqual(are);
    expect(home.groups.setManagedMembership("google", member, names)).toBe(false);
  });

  test("ends in groups of this provider that are not named any more, and in no others", () => {
    home.groups.setManagedMembership("google", member, ["A", "B"]);
    home.groups.setManagedMembership("entra", member, ["C"]);
    expect(home.groups.setManagedMembership("google", member, ["B"])).toBe(true);
    expect(memberships()).toEqual(["Crew", "B", "C"]);
    home.groups.setManagedMembership("google", direct, ["A"]);
    expect(home.groups.setManagedMembership("google", member, [])).toBe(true);
    expect(memberships()).toEqual(["Crew", "C"]);
    expect(home.groups.membersOf(home.groups.byName("A")?.id ?? 0)).toMatchObject([{ userId: direct }]);
  });
});
