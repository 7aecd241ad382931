import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { EVERYONE, type Role, type SiteRole } from "../../src/authorization.ts";
import type { GrantTarget } from "../../src/home/grants.ts";
import { openHome, type Home } from "../../src/home/home.ts";
import { newUuid } from "../../src/lib/ids.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

let home: Home;
let people: Record<"owner" | "ann" | "bob" | "cid", number>;
let site: GrantTarget;
let shelf: GrantTarget;
let drawer: GrantTarget;
let paper: GrantTarget;
let letter: GrantTarget;

beforeEach(() => {
  home = openHome(tempFolder(), { durability: "normal" });
  const add = (name: string) => home.users.add({ email: `${name}@example.com`, name, kind: "person" }).id;
  people = { owner: add("owner"), ann: add("ann"), bob: add("bob"), cid: add("cid") };
  site = { kind: "site", id: home.orgs.createTeam({ name: "Team", domain: "team", ownerId: people.owner }) };
  const workspace = (name: string): GrantTarget => ({
    kind: "workspace",
    id: home.workspaces.add({ orgId: site.id, name }),
  });
  const document = (workspaceId: number): GrantTarget => ({
    kind: "document",
    id: home.documents.add({ uuid: newUuid(), workspaceId, name: "Untitled" }),
  });
  [shelf, drawer] = [workspace("Shelf"), workspace("Drawer")];
  [paper, letter] = [document(shelf.id), document(drawer.id)];
});
afterEach(() => home.close());

const give = (place: GrantTarget, who: keyof typeof people, role: SiteRole | null) =>
  home.grants.set(place, people[who], role);

describe("grantees", () => {
  const listed = (places: { workspaceId?: number; documentId?: number } = {}) =>
    home.grants.grantees({ orgId: site.id, ...places }).map((h) => ({
      name: h.name,
      roles: [h.site, h.workspace, h.document],
      guest: [h.isGuestOfSite, h.isGuestOfWorkspace],
    }));

  test("of a site: users with a role on it, and guests of anything in it", () => {
    give(site, "ann", "members");
    give(shelf, "bob", "editors");
    give(letter, "cid", "viewers");
    expect(listed()).toEqual([
      { name: "owner", roles: ["owners", null, null], guest: [true, false] },
      { name: "ann", roles: ["members", null, null], guest: [false, false] },
      { name: "bob", roles: [null, null, null], guest: [true, false] },
      { name: "cid", roles: [null, null, null], guest: [true, false] },
    ]);
  });

  test("of a workspace: users with a role on its site too, and guests of this workspace", () => {
    give(shelf, "ann", "viewers");
    give(paper, "bob", "viewers");
    give(letter, "cid", "viewers");
    expect(listed({ workspaceId: shelf.id }).slice(1)).toEqual([
      { name: "ann", roles: [null, "viewers", null], guest: [true, false] },
      { name: "bob", roles: [null, null, null], guest: [true, true] },
      { name: "cid", roles: [null, null, null], guest: [true, false] },
    ]);
  });

  test("grants to all users make no guests; neither do grants on items in the trash", () => {
    home.grants.set(paper, EVERYONE.id, "viewers");
    give(paper, "bob", "viewers");
    home.documents.change(paper.id, { removedAt: 1 });
    expect(listed({ workspaceId: shelf.id }).map(({ name }) => name)).toEqual(["owner"]);
    expect(listed({ workspaceId: shelf.id, documentId: paper.id }).map(({ name }) => name)).toEqual([
      "Everyone",
      "owner",
      "bob",
    ]);
  });

  test("a removed workspace keeps its own guests", () => {
    give(paper, "bob", "viewers");
    home.workspaces.change(shelf.id, { removedAt: 1 });
    expect(listed().map(({ name }) => name)).toEqual(["owner"]);
    expect(listed({ workspaceId: shelf.id })[1]).toEqual({
      name: "bob",
      roles: [null, null, null],
      guest: [false, true],
    });
  });
});

describe("removing a user from a site", () => {
  const roleOf = (place: GrantTarget, who: keyof typeof people): Role | SiteRole | null =>
    home.raw.get<{ role: SiteRole }>(
      `select role from grants where ${place.kind === "site" ? "org" : place.kind}_id = ? and user_id = ?`,
      place.id,
      people[who],
    )?.role ?? null;
  const roles = (who: keyof typeof people) => [site, shelf, drawer, paper, letter].map((place) => roleOf(place, who));

  beforeEach(() => {
    give(site, "ann", "editors");
    give(shelf, "ann", "owners");
    give(drawer, "ann", "viewers");
    give(paper, "ann", "editors");
    give(letter, "ann", "owners");
    give(letter, "owner", "viewers");
  });

  test("revokes every role and transfers ownership to the given user", () => {
    home.grants.removeFromSite(site.id, people.ann, people.owner);
    expect(roles("ann")).toEqual([null, null, null, null, null]);
    expect(roles("owner")).toEqual(["owners", "owners", null, null, "owners"]);
  });

  test("leaves ownership with the user if no new owner is given", () => {
    home.grants.removeFromSite(site.id, people.ann, null);
    expect(roles("ann")).toEqual([null, "owners", null, null, "owners"]);
  });

  test("keeps roles in other sites", () => {
    const other = home.orgs.createTeam({ name: "Other", domain: "other", ownerId: people.ann });
    home.grants.removeFromSite(site.id, people.ann, people.owner);
    expect(home.reach.site({ by: "id", id: other }, people.ann)?.role).toBe("owners");
  });
});
