import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { EVERYONE } from "../../src/authorization.ts";
import { openHome, type Home } from "../../src/home/home.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const A = "11111111-1111-4111-8111-111111111111";
const B = "22222222-2222-4222-8222-222222222222";

let folder: string;
let home: Home;
let ann: number;
let bob: number;
/** Creates two sites with a workspace and a document each, all owned by Ann. */
let red: { orgId: number; workspaceId: number; documentId: number };
let blue: typeof red;

beforeEach(() => {
  folder = tempFolder();
  home = openHome(folder, { durability: "normal" });
  ann = home.users.add({ email: "ann@example.com", name: "Ann", kind: "person" }).id;
  bob = home.users.add({ email: "bob@example.com", name: "Bob", kind: "person" }).id;
  const site = (domain: string, uuid: string) => {
    const orgId = home.orgs.createTeam({ name: domain, domain, ownerId: ann });
    const workspaceId = home.workspaces.add({ orgId, name: "Papers" });
    return { orgId, workspaceId, documentId: home.documents.add({ uuid, workspaceId, name: "Paper" }) };
  };
  red = site("red", A);
  blue = site("blue", B);
});
afterEach(() => home.close());

const find = (ref: string, userId = ann, domain: string | null = null) => home.reach.document(ref, { userId, domain });

function address(place: typeof red, urlId: string): void {
  home.urlIds.assign(place.orgId, urlId, place.documentId);
  home.documents.change(place.documentId, { urlId });
}

describe("a document is found", () => {
  test("by its UUID, its integer id, its urlId", () => {
    address(red, "paper");
    for (const ref of [A, String(red.documentId), "paper"]) {
      expect(find(ref)).toMatchObject({ uuid: A, documentId: red.documentId, role: "owners", isRemoved: false });
    }
    for (const ref of ["Paper", "987654", A.replace("1", "3"), "0", "", `0${red.documentId}`]) {
      expect(find(ref)).toBeNull();
    }
  });

  test("only within a site, if one is given", () => {
    expect(find(A, ann, "red")).not.toBeNull();
    expect(find(A, ann, "blue")).toBeNull();
    const personal = home.orgs.createPersonal(bob);
    const workspaceId = home.workspaces.add({ orgId: personal, name: "Mine" });
    const id = home.documents.add({ uuid: "33333333-3333-4333-8333-333333333333", workspaceId, name: "Diary" });
    expect(find(String(id), bob, `docs-${bob}`)?.role).toBe("owners");
    expect(find(String(id), bob, `docs-${ann}`)).toBeNull();
  });

  test("by a former urlId, until another document takes it", () => {
    address(red, "old");
    address(red, "new-one");
    expect([find("old")?.uuid, find("new-one")?.uuid]).toEqual([A, A]);
    const uuid = "44444444-4444-4444-8444-444444444444";
    const other = home.documents.add({ uuid, workspaceId: red.workspaceId, name: "Next" });
    address({ ...red, documentId: other }, "old");
    expect(find("old")?.uuid).toBe(uuid);
    home.documents.remove(other);
    expect(find("old")).toBeNull();
  });

  test("in the site that the caller has access to, else in the one that currently has the urlId", () => {
    address(red, "plan");
    address(blue, "plan");
    home.grants.set({ kind: "document", id: blue.documentId }, bob, "viewers");
    expect(find("plan", bob)).toMatchObject({ uuid: B, isAmbiguous: false });
    expect(find("plan", ann)).toMatchObject({ uuid: A, isAmbiguous: true });
    expect(find("plan", ann, "blue")).toMatchObject({ uuid: B, isAmbiguous: false });
    home.documents.change(red.documentId, { urlId: null });
    expect(find("plan", ann)).toMatchObject({ uuid: B, isAmbiguous: false });
    home.documents.change(blue.documentId, { removedAt: 1 });
    expect(find("plan", ann)?.uuid).toBe(A);
  });
});

describe("effective roles", () => {
  test("combine site, workspace and document, each limited by maxInheritedRole of the level below", () => {
    const role = () => [home.reach.workspace(red.workspaceId, bob)?.role, find(A, bob)?.role];
    expect(role()).toEqual([null, null]);
    home.grants.set({ kind: "site", id: red.orgId }, bob, "editors");
    expect(role()).toEqual(["editors", "editors"]);
    home.workspaces.change(red.workspaceId, { maxInheritedRole: "viewers" });
    expect(role()).toEqual(["viewers", "viewers"]);
    home.grants.set({ kind: "workspace", id: red.workspaceId }, bob, "owners");
    expect(role()).toEqual(["owners", "owners"]);
    home.documents.change(red.documentId, { maxInheritedRole: null });
    expect(role()).toEqual(["owners", null]);
    home.grants.set({ kind: "document", id: red.documentId }, bob, "viewers");
    expect(role()).toEqual(["owners", "viewers"]);
    home.grants.set({ kind: "site", id: red.orgId }, bob, "members");
    home.grants.set({ kind: "workspace", id: red.workspaceId }, bob, null);
    expect(role()).toEqual([null, "viewers"]);
  });

  test("include grants to all users on workspace and document", () => {
    home.grants.set({ kind: "document", id: red.documentId }, EVERYONE.id, "editors");
    expect(find(A, bob)?.role).toBe("editors");
    home.grants.set({ kind: "document", id: red.documentId }, EVERYONE.id, null);
    home.grants.set({ kind: "workspace", id: red.workspaceId }, EVERYONE.id, "viewers");
    expect(find(A, bob)?.role).toBe("viewers");
    expect(home.reach.isGuestOfSite(red.orgId, bob)).toBe(false);
  });
});

describe("guests", () => {
  const guest = () => [
    home.reach.isGuestOfWorkspace(red.workspaceId, bob),
    home.reach.isGuestOfSite(red.orgId, bob),
    home.reach.isGuestOfSite(blue.orgId, bob),
  ];

  test("of workspace and site by a document, unless something is in the trash", () => {
    expect(guest()).toEqual([false, false, false]);
    home.grants.set({ kind: "document", id: red.documentId }, bob, "viewers");
    expect(guest()).toEqual([true, true, false]);
    home.documents.change(red.documentId, { removedAt: 1 });
    expect(guest()).toEqual([false, false, false]);
    home.documents.change(red.documentId, { removedAt: null });
    home.workspaces.change(red.workspaceId, { removedAt: 1 });
    expect(guest()).toEqual([true, false, false]);
  });

  test("of the site by a workspace; they move with the document to another site", () => {
    home.grants.set({ kind: "workspace", id: red.workspaceId }, bob, "viewers");
    expect(guest()).toEqual([false, true, false]);
    home.grants.set({ kind: "workspace", id: red.workspaceId }, bob, null);
    home.grants.set({ kind: "document", id: red.documentId }, bob, "viewers");
    home.documents.change(red.documentId, { workspaceId: blue.workspaceId });
    expect(guest()).toEqual([false, false, true]);
  });
});

describe("cached lookups", () => {
  test("are invalidated when another process changes the file", async () => {
    expect(find(A, bob)?.role).toBeNull();
    using other = openHome(folder, { durability: "normal" });
    other.grants.set({ kind: "site", id: red.orgId }, bob, "viewers");
    await new Promise(setImmediate);
    expect(find(A, bob)?.role).toBe("viewers");
    other.grants.set({ kind: "site", id: red.orgId }, bob, null);
    await new Promise(setImmediate);
    expect(find(A, bob)?.role).toBeNull();
  });

  test("do not keep what a rolled-back transaction saw", () => {
    const seen: unknown[] = [];
    const undone = () =>
      home.transaction(() => {
        home.grants.set({ kind: "document", id: red.documentId }, bob, "owners");
        seen.push(find(A, bob)?.role);
        throw new Error("undo");
      });
    expect(undone).toThrow("undo");
    expect([...seen, find(A, bob)?.role]).toEqual(["owners", null]);
  });
});
