import { describe, expect, test } from "bun:test";
import type { SiteRole } from "../../../src/authorization.ts";
import { grants } from "../../../src/home/schema.ts";
import type { Context } from "../../../src/services/context.ts";
import { createServiceAccount } from "../../../src/services/accounts/service-accounts.ts";
import {
  addUser,
  deleteUser,
  disableUser,
  enableUser,
  findOrInvite,
  listUsers,
  insertUser,
} from "../../../src/services/accounts/users.ts";
import { homeContext } from "../../helpers/home-context.ts";
import { grantOf, createUser, errorCodeOf } from "../../helpers/users.ts";

const personalSites = (ctx: Context, userId: number) =>
  ctx.home.raw.all(
    "select o.name, w.name as workspace from orgs o join workspaces w on w.org_id = o.id where owner_id = ?",
    userId,
  );

describe("adding a user", () => {
  test("keeps the address as written for display, and finds it in any spelling", async () => {
    using ctx = homeContext();
    const user = await addUser(ctx, { email: " Ann.B@Example.com", name: " Ann " });
    expect(user).toMatchObject({
      email: "ann.b@example.com",
      displayEmail: "Ann.B@Example.com",
      name: "Ann",
      kind: "person",
      isAdmin: false,
    });
    expect(ctx.home.users.byEmail("ANN.b@example.com ")?.id).toBe(user.id);
    expect(personalSites(ctx, user.id)).toEqual([{ name: "Personal", workspace: "Home" }]);
  });

  test.each([
    ["no address", { email: "ann", name: "Ann" }, "invalid"],
    ["blanks in the address", { email: "a nn@example.com", name: "Ann" }, "invalid"],
    ["an address that is too long", { email: `${"a".repeat(250)}@example.com`, name: "Ann" }, "invalid"],
    ["no name", { email: "ann@example.com", name: "" }, "invalid"],
    ["a poor password", { email: "ann@example.com", name: "Ann", password: "1234567" }, "invalid"],
    ["a pseudo-user's address", { email: "Everyone@getgrist.com", name: "Ann" }, "conflict"],
    ["an address taken", { email: "BOB@example.com", name: "Ann" }, "conflict"],
  ])("refuses %s, leaving nothing behind", async (_, input, code) => {
    using ctx = homeContext();
    createUser(ctx, "bob@example.com");
    expect(await errorCodeOf(() => addUser(ctx, input))).toBe(code);
    expect(ctx.home.users.list().map(({ email }) => email)).toEqual(["bob@example.com"]);
  });

  test("completes invited users", async () => {
    using ctx = homeContext();
    const invited = findOrInvite(ctx, "Eve@example.com");
    expect(invited).toMatchObject({
      email: "eve@example.com",
      displayEmail: "Eve@example.com",
      name: "",
      kind: "person",
    });
    expect(findOrInvite(ctx, "EVE@example.com")).toEqual(invited);
    const added = await addUser(ctx, { email: "eve@example.com", name: "Eve", isAdmin: true });
    expect(added).toMatchObject({ id: invited.id, name: "Eve", isAdmin: true, displayEmail: "Eve@example.com" });
    expect(personalSites(ctx, added.id)).toHaveLength(1);
  });
});

describe("administrators", () => {
  test("list users and service accounts; other callers cannot", async () => {
    using ctx = homeContext();
    const root = createUser(ctx, "root@example.com", { isAdmin: true });
    const ann = createUser(ctx, "ann@example.com");
    const account = createServiceAccount(ctx, ann, { expiresAt: 0 });
    expect(listUsers(ctx, root).map(({ email }) => email)).toEqual([
      "root@example.com",
      "ann@example.com",
      account.login,
    ]);
    expect(await errorCodeOf(() => listUsers(ctx, ann))).toBe("forbidden");
  });

  test("disable and enable other users, not themselves", async () => {
    using ctx = homeContext();
    const root = createUser(ctx, "root@example.com", { isAdmin: true });
    const ann = createUser(ctx, "ann@example.com");
    const id = ann.actor.userId;
    const disabledAt = ctx.clock.now();
    disableUser(ctx, root, id);
    ctx.clock.pass(1);
    disableUser(ctx, root, id);
    expect(ctx.home.users.byId(id)?.disabledAt).toBe(disabledAt);
    enableUser(ctx, root, id);
    expect(ctx.home.users.byId(id)?.disabledAt).toBeNull();
    for (const verb of [disableUser, enableUser]) {
      expect(await errorCodeOf(() => verb(ctx, root, root.actor.userId))).toBe("invalid");
      expect(await errorCodeOf(() => verb(ctx, ann, root.actor.userId))).toBe("forbidden");
      expect(await errorCodeOf(() => verb(ctx, root, 1))).toBe("notFound");
      expect(await errorCodeOf(() => verb(ctx, root, 999))).toBe("notFound");
    }
  });
});

describe("deleting the caller's account", () => {
  /** Creates a team site "Team" owned by root, with one workspace "W" of the given inheritance. */
  function team(ctx: Context) {
    const { raw, db } = ctx.home;
    const rootId = createUser(ctx, "root@example.com", { isAdmin: true }).actor.userId;
    const give = (userId: number, where: { orgId: number } | { workspaceId: number }, role: SiteRole) =>
      db
        .insert(grants)
        .values({ userId, ...where, role })
        .run();
    raw.exec("insert into orgs (id, name, domain, created_at, updated_at) values (100, 'Team', 'team', 0, 0)");
    raw.exec(
      "insert into workspaces (id, org_id, name, max_inherited_role, created_at, updated_at) values (200, 100, 'W', null, 0, 0)",
    );
    give(rootId, { orgId: 100 }, "owners");
    const inherits = () =>
      raw.get<{ role: string | null }>("select max_inherited_role as role from workspaces where id = 200")?.role;
    return { give, rootId, inherits };
  }

  test("deletes profile, keys, roles, service accounts and the personal site", async () => {
    using ctx = homeContext();
    const { give } = team(ctx);
    const ann = createUser(ctx, "ann@example.com");
    const { userId } = ann.actor;
    give(userId, { orgId: 100 }, "editors");
    createServiceAccount(ctx, ann, { expiresAt: 0 });
    ctx.home.preferences.set({ userId, orgId: 0 }, { theme: "dark" });
    ctx.home.preferences.set({ userId, orgId: 100 }, { theme: "dark" });
    await deleteUser(ctx, ann, { userId, name: "ann" });
    const count = (table: string) => ctx.home.raw.get<{ n: number }>(`select count(*) as n from ${table}`)?.n;
    expect(ctx.home.users.list().map(({ email }) => email)).toEqual(["root@example.com"]);
    expect(["api_keys", "service_accounts", "preferences"].map(count)).toEqual([0, 0, 0]);
    expect(ctx.home.raw.all("select name from orgs order by id")).toEqual([{ name: "Personal" }, { name: "Team" }]);
    expect(ctx.home.raw.all("select distinct user_id from grants")).toHaveLength(1);
  });

  test("requires the name, and is refused for other users", async () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    const bob = createUser(ctx, "bob@example.com");
    const { userId } = ann.actor;
    expect(await errorCodeOf(() => deleteUser(ctx, ann, { userId, name: "Ann" }))).toBe("invalid");
    expect(await errorCodeOf(() => deleteUser(ctx, bob, { userId, name: "ann" }))).toBe("forbidden");
    expect(await errorCodeOf(() => deleteUser(ctx, bob, { userId: 999, name: "x" }))).toBe("forbidden");
    expect(ctx.home.users.list()).toHaveLength(2);
  });

  test("leaves no team site without an owner", async () => {
    using ctx = homeContext();
    const { give } = team(ctx);
    const second = createUser(ctx, "second@example.com", { isAdmin: true });
    const root = grantOf(ctx, "root@example.com");
    const { userId } = root.actor;
    const account = createServiceAccount(ctx, second, { expiresAt: 0 });
    give(ctx.home.users.byEmail(account.login)?.id ?? 0, { orgId: 100 }, "owners");
    expect(await errorCodeOf(() => deleteUser(ctx, root, { userId, name: "root" }))).toBe("invalid");
    give(second.actor.userId, { orgId: 100 }, "owners");
    expect(await errorCodeOf(() => deleteUser(ctx, root, { userId, name: "root" }))).toBeNull();
  });

  test("leaves the installation with an administrator", async () => {
    using ctx = homeContext();
    const root = createUser(ctx, "root@example.com", { isAdmin: true });
    const { userId } = root.actor;
    expect(await errorCodeOf(() => deleteUser(ctx, root, { userId, name: "root" }))).toBe("invalid");
    ctx.home.transaction(() => insertUser(ctx, { email: "b@example.com", name: "b", isAdmin: true, hash: null }));
    expect(await errorCodeOf(() => deleteUser(ctx, root, { userId, name: "root" }))).toBeNull();
  });

  test("transfers solely owned content to the owners of the enclosing resource", async () => {
    using ctx = homeContext();
    const { give, inherits } = team(ctx);
    const ann = createUser(ctx, "ann@example.com");
    const bob = createUser(ctx, "bob@example.com");
    give(ann.actor.userId, { workspaceId: 200 }, "owners");
    give(bob.actor.userId, { workspaceId: 200 }, "owners");
    give(1, { workspaceId: 200 }, "owners");
    await deleteUser(ctx, ann, { userId: ann.actor.userId, name: "ann" });
    expect(inherits()).toBeNull();
    await deleteUser(ctx, bob, { userId: bob.actor.userId, name: "bob" });
    expect(inherits()).toBe("owners");
  });
});
