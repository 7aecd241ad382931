import { describe, expect, test } from "bun:test";
import type { UserGrant } from "../../../src/authorization.ts";
import { actorFromKey } from "../../../src/services/accounts/actors.ts";
import type { Context } from "../../../src/services/context.ts";
import { guardSignedIn } from "../../../src/services/access/guards.ts";
import { profileKey } from "../../../src/services/accounts/keys.ts";
import { describeProfile, renameSelf } from "../../../src/services/accounts/profile.ts";
import {
  createServiceAccount,
  deleteServiceAccount,
  getServiceAccount,
  listServiceAccounts,
  removeServiceAccountKey,
  renewServiceAccountKey,
  updateServiceAccount,
} from "../../../src/services/accounts/service-accounts.ts";
import { revokeUserAccess, findUser } from "../../../src/services/accounts/users.ts";
import { DAY } from "../../helpers/clock.ts";
import { homeContext } from "../../helpers/home-context.ts";
import { createUser, errorCodeOf } from "../../helpers/users.ts";

const soon = (ctx: Context) => ctx.clock.now() + DAY;

describe("a service account", () => {
  test("is created with a key, and listed without it", () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    const { key, ...made } = createServiceAccount(ctx, ann, { label: "Loader", expiresAt: Date.UTC(2030, 5, 1) });
    expect(key).toMatch(/^[0-9a-f]{40}$/);
    expect(made).toEqual({
      id: expect.any(Number),
      login: expect.stringMatching(/^[0-9a-f-]{36}@serviceaccounts\.invalid$/),
      label: "Loader",
      description: "",
      expiresAt: "2030-06-01T00:00:00.000Z",
      hasValidKey: true,
    });
    expect(getServiceAccount(ctx, ann, made.id)).toEqual(made);
    expect(listServiceAccounts(ctx, ann)).toEqual([made]);
  });

  test("acts as a user of its own, with name, personal site and profile key", () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    const { key, login } = createServiceAccount(ctx, ann, { expiresAt: soon(ctx) });
    const actor = actorFromKey(ctx, key);
    expect(actor).toMatchObject({ email: login, name: "", isService: true, isAdmin: false });
    renameSelf(ctx, guardSignedIn(actor), "Robot");
    expect(describeProfile(ctx, actor)).toMatchObject({ email: login, name: "Robot" });
    expect(profileKey(ctx, actor)).toBe(key.slice(0, 6) + "*".repeat(34));
    expect(ctx.home.raw.get("select count(*) as n from orgs where owner_id = ?", actor.userId)).toEqual({ n: 1 });
  });

  test("cannot create service accounts", async () => {
    using ctx = homeContext();
    const { key } = createServiceAccount(ctx, createUser(ctx, "ann@example.com"), { expiresAt: soon(ctx) });
    const robot = guardSignedIn(actorFromKey(ctx, key));
    expect(await errorCodeOf(() => createServiceAccount(ctx, robot, { expiresAt: soon(ctx) }))).toBe("forbidden");
  });

  test("is refused after it expires, until the expiry is changed", async () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    const { id, key } = createServiceAccount(ctx, ann, { expiresAt: soon(ctx) });
    ctx.clock.pass(DAY);
    expect(await errorCodeOf(() => actorFromKey(ctx, key))).toBe("unauthenticated");
    updateServiceAccount(ctx, ann, { id, expiresAt: soon(ctx) });
    expect(actorFromKey(ctx, key).isService).toBe(true);
    updateServiceAccount(ctx, ann, { id, expiresAt: 0 });
    expect(await errorCodeOf(() => actorFromKey(ctx, key))).toBe("unauthenticated");
  });

  test("changes the given fields, ignoring empty texts", () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    const { id } = createServiceAccount(ctx, ann, { label: "a", description: "b", expiresAt: 0 });
    updateServiceAccount(ctx, ann, { id, label: "c", description: "" });
    updateServiceAccount(ctx, ann, { id });
    expect(getServiceAccount(ctx, ann, id)).toMatchObject({ label: "c", description: "b" });
  });

  test("gets a new key that replaces the old one, or none", async () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    const { id, key } = createServiceAccount(ctx, ann, { expiresAt: soon(ctx) });
    const renewed = renewServiceAccountKey(ctx, ann, id);
    expect(await errorCodeOf(() => actorFromKey(ctx, key))).toBe("unauthenticated");
    expect(actorFromKey(ctx, renewed.key).isService).toBe(true);
    removeServiceAccountKey(ctx, ann, id);
    removeServiceAccountKey(ctx, ann, id);
    expect(await errorCodeOf(() => actorFromKey(ctx, renewed.key))).toBe("unauthenticated");
    expect(getServiceAccount(ctx, ann, id).hasValidKey).toBe(false);
  });

  test("is deleted with its key and its user", async () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    const { id, key, login } = createServiceAccount(ctx, ann, { expiresAt: soon(ctx) });
    await deleteServiceAccount(ctx, ann, id);
    expect(await errorCodeOf(() => actorFromKey(ctx, key))).toBe("unauthenticated");
    expect(ctx.home.users.byEmail(login)).toBeNull();
    expect(await errorCodeOf(() => deleteServiceAccount(ctx, ann, id))).toBe("notFound");
  });

  test("is refused while its owner is disabled", async () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    const { key } = createServiceAccount(ctx, ann, { expiresAt: soon(ctx) });
    revokeUserAccess(ctx, findUser(ctx, ann.actor.userId));
    expect(await errorCodeOf(() => actorFromKey(ctx, key))).toBe("forbidden");
  });
});

describe("the service account of another user", () => {
  const verbs: [string, (ctx: Context, grant: UserGrant, id: number) => unknown][] = [
    ["read", getServiceAccount],
    ["changed", (ctx, grant, id) => updateServiceAccount(ctx, grant, { id, label: "x" })],
    ["deleted", deleteServiceAccount],
    ["given a key", renewServiceAccountKey],
    ["deprived of its key", removeServiceAccountKey],
  ];

  test.each(verbs)("cannot be %s, even by the account; unknown ones are not found", async (_, verb) => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    const bob = createUser(ctx, "bob@example.com");
    const { id, key, ...made } = createServiceAccount(ctx, ann, { expiresAt: soon(ctx) });
    const robot = guardSignedIn(actorFromKey(ctx, key));
    expect(await errorCodeOf(() => verb(ctx, bob, id))).toBe("forbidden");
    expect(await errorCodeOf(() => verb(ctx, robot, id))).toBe("forbidden");
    expect(await errorCodeOf(() => verb(ctx, ann, id + 1))).toBe("notFound");
    expect(getServiceAccount(ctx, ann, id)).toEqual({ id, ...made });
    expect(listServiceAccounts(ctx, bob)).toEqual([]);
    expect(actorFromKey(ctx, key).isService).toBe(true);
  });
});
