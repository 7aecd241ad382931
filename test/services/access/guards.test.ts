import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  anonymous,
  ANONYMOUS,
  EVERYONE,
  type Actor,
  type EffectiveRole,
  type SiteRole,
} from "../../../src/authorization.ts";
import {
  guardAnyone,
  guardDocument,
  guardSignedIn,
  guardSite,
  guardWorkspace,
  requireRole,
  type TrashFilter,
  type SiteScope,
} from "../../../src/services/access/guards.ts";
import type { Context } from "../../../src/services/context.ts";
import { homeContext } from "../../helpers/home-context.ts";
import { createUser, errorCodeOf } from "../../helpers/users.ts";

const UUID = "11111111-1111-4111-8111-111111111111";
const PERSONAL: SiteScope = { kind: "personal" };
const TEAM: SiteScope = { kind: "team", domain: "team" };

let ctx: ReturnType<typeof homeContext>;
let ann: Actor & { kind: "user" };
let bob: Actor & { kind: "user" };
let ids: { orgId: number; workspaceId: number; documentId: number };

beforeEach(() => {
  ctx = homeContext();
  ann = createUser(ctx, "ann@example.com").actor;
  bob = createUser(ctx, "bob@example.com").actor;
  const orgId = ctx.home.orgs.createTeam({ name: "Team", domain: "team", ownerId: ann.userId });
  const workspaceId = ctx.home.workspaces.add({ orgId, name: "Shelf" });
  ids = { orgId, workspaceId, documentId: ctx.home.documents.add({ uuid: UUID, workspaceId, name: "Paper" }) };
});
afterEach(() => ctx[Symbol.dispose]());

/** Returns the role of a guard's grant, or the code of its refusal. */
async function outcome(guard: (ctx: Context) => { role: EffectiveRole }): Promise<string | null> {
  let role: string | null = null;
  return (await errorCodeOf(() => void (role = guard(ctx).role))) ?? role;
}

const onSite = (actor: Actor, ref: string, need: EffectiveRole | null = null, scope: SiteScope = TEAM) =>
  outcome(() => guardSite(ctx, actor, scope, ref, need));
const onWorkspace = (
  actor: Actor,
  ref: string | number,
  need: "owners" | "viewers" | "guests" = "guests",
  removed?: TrashFilter,
) => outcome(() => guardWorkspace(ctx, actor, String(ref), need, removed ? { removed } : {}));
const onDocument = (
  actor: Actor,
  ref: string | number,
  need: "owners" | "viewers" = "viewers",
  removed?: TrashFilter,
) => outcome(() => guardDocument(ctx, actor, PERSONAL, String(ref), need, removed ? { removed } : {}));

const give = (what: "site" | "workspace" | "document", userId: number, role: SiteRole | null) =>
  ctx.home.grants.set(
    { kind: what, id: { site: ids.orgId, workspace: ids.workspaceId, document: ids.documentId }[what] },
    userId,
    role,
  );

test("any caller and signed-in callers", async () => {
  expect(guardAnyone(anonymous).actor).toBe(anonymous);
  expect(guardSignedIn(ann).actor).toBe(ann);
  expect(await errorCodeOf(() => guardSignedIn(anonymous))).toBe("unauthenticated");
});

describe("a site", () => {
  test("is found or not, accessible or not", async () => {
    for (const ref of ["team", String(ids.orgId), "current"]) {
      expect(await onSite(ann, ref)).toBe("owners");
      expect(await onSite(bob, ref)).toBe("forbidden");
      expect(await onSite(anonymous, ref)).toBe("forbidden");
    }
    for (const ref of ["TEAM", "Current", "nosuch", "0", "-1", "99", "docs-99", ""]) {
      expect(await onSite(ann, ref)).toBe("notFound");
      expect(await onSite(anonymous, ref)).toBe("notFound");
    }
    expect(await onSite(ann, "current", null, { kind: "team", domain: "nosuch" })).toBe("notFound");
  });

  test("current is the caller's personal site if no team site is addressed", async () => {
    expect(await onSite(bob, "current", "owners", PERSONAL)).toBe("owners");
    expect(await onSite(anonymous, "current", null, PERSONAL)).toBe("forbidden");
    expect(await onSite(bob, `docs-${bob.userId}`)).toBe("owners");
    expect(await onSite(ann, `docs-${bob.userId}`)).toBe("forbidden");
    expect(await onSite(bob, "current", "owners", { kind: "team", domain: `docs-${bob.userId}` })).toBe("owners");
  });

  test("requires the given role; members and guests have limited access", async () => {
    give("document", bob.userId, "owners");
    expect([await onSite(bob, "team"), await onSite(bob, "team", "members")]).toEqual(["guests", "forbidden"]);
    give("site", bob.userId, "members");
    expect([await onSite(bob, "team", "members"), await onSite(bob, "team", "viewers")]).toEqual([
      "members",
      "forbidden",
    ]);
    give("site", bob.userId, "editors");
    expect([await onSite(bob, "team", "editors"), await onSite(bob, "team", "owners")]).toEqual([
      "editors",
      "forbidden",
    ]);
  });
});

describe("a workspace", () => {
  test("is addressed by id", async () => {
    const { workspaceId } = ids;
    for (const ref of [workspaceId, `${workspaceId}abc`, ` ${workspaceId}`])
      expect(await onWorkspace(ann, ref)).toBe("owners");
    for (const ref of ["", "abc", "x1", "NaN"]) expect(await onWorkspace(anonymous, ref)).toBe("invalid");
    expect([await onWorkspace(ann, 0), await onWorkspace(ann, -1), await onWorkspace(ann, 99)]).toEqual([
      "notFound",
      "notFound",
      "notFound",
    ]);
  });

  test("guests see that it exists; public documents make no guests", async () => {
    const { workspaceId } = ids;
    expect(await onWorkspace(bob, workspaceId)).toBe("forbidden");
    give("document", bob.userId, "owners");
    expect([await onWorkspace(bob, workspaceId), await onWorkspace(bob, workspaceId, "viewers")]).toEqual([
      "guests",
      "forbidden",
    ]);
    give("document", ANONYMOUS.id, "owners");
    give("document", EVERYONE.id, "owners");
    expect(await onWorkspace(anonymous, workspaceId)).toBe("forbidden");
    give("workspace", EVERYONE.id, "viewers");
    expect(await onWorkspace(anonymous, workspaceId)).toBe("viewers");
  });

  test("in the trash is found on request", async () => {
    const { workspaceId, documentId } = ids;
    const seen = async () =>
      Promise.all((["no", "only", "any"] as const).map((removed) => onWorkspace(ann, workspaceId, "owners", removed)));
    expect(await seen()).toEqual(["owners", "notFound", "owners"]);
    ctx.home.documents.change(documentId, { removedAt: 1 });
    expect(await seen()).toEqual(["owners", "owners", "owners"]);
    ctx.home.workspaces.change(workspaceId, { removedAt: 1 });
    expect(await seen()).toEqual(["notFound", "owners", "owners"]);
  });
});

describe("a document", () => {
  test("is found or not, accessible or not", async () => {
    expect([await onDocument(ann, UUID), await onDocument(ann, ids.documentId)]).toEqual(["owners", "owners"]);
    expect([await onDocument(bob, UUID), await onDocument(anonymous, UUID)]).toEqual(["forbidden", "forbidden"]);
    expect([await onDocument(bob, "nosuch"), await onDocument(anonymous, 99)]).toEqual(["notFound", "notFound"]);
    give("document", bob.userId, "viewers");
    expect([await onDocument(bob, UUID), await onDocument(bob, UUID, "owners")]).toEqual(["viewers", "forbidden"]);
    expect(await outcome(() => guardDocument(ctx, ann, { kind: "team", domain: "other" }, UUID, "viewers"))).toBe(
      "notFound",
    );
  });

  test("in the trash, individually or with its workspace, is found on request", async () => {
    const seen = async (actor: Actor) =>
      Promise.all((["no", "only", "any"] as const).map((removed) => onDocument(actor, UUID, "viewers", removed)));
    expect(await seen(ann)).toEqual(["owners", "notFound", "owners"]);
    ctx.home.documents.change(ids.documentId, { removedAt: 1 });
    expect(await seen(ann)).toEqual(["notFound", "owners", "owners"]);
    expect(await seen(bob)).toEqual(["notFound", "forbidden", "forbidden"]);
    ctx.home.documents.change(ids.documentId, { removedAt: null });
    ctx.home.workspaces.change(ids.workspaceId, { removedAt: 1 });
    expect(await seen(ann)).toEqual(["notFound", "owners", "owners"]);
  });

  test("callers without a key have anonymous and public roles; other callers only public ones", async () => {
    give("document", ANONYMOUS.id, "editors");
    expect([await onDocument(anonymous, UUID), await onDocument(bob, UUID)]).toEqual(["editors", "forbidden"]);
    give("document", EVERYONE.id, "viewers");
    expect([await onDocument(anonymous, UUID), await onDocument(bob, UUID)]).toEqual(["editors", "viewers"]);
  });
});

test("checks a role against a required role", async () => {
  expect(await errorCodeOf(() => requireRole({ role: "owners" }, "editors"))).toBeNull();
  expect(await errorCodeOf(() => requireRole({ role: "viewers" }, "editors"))).toBe("forbidden");
});
