import { describe, expect, test } from "bun:test";
import {
  findResetUser,
  issueReset,
  createReset,
  resetPassword,
} from "../../../src/services/accounts/password-resets.ts";
import { actorFromSession } from "../../../src/services/accounts/actors.ts";
import { startSession, changePassword } from "../../../src/services/accounts/sign-in.ts";
import { disableUser, findOrInvite, findUser } from "../../../src/services/accounts/users.ts";
import { DAY } from "../../helpers/clock.ts";
import { sessionOf, signInByPassword } from "../../helpers/sign-in.ts";
import { homeContext } from "../../helpers/home-context.ts";
import { createUser, errorCodeOf, BROWSER } from "../../helpers/users.ts";

const password = "a new password";

/** Creates an administrator, and Bob with a link. */
function setUp() {
  const ctx = homeContext();
  const admin = createUser(ctx, "ann@example.com", { isAdmin: true });
  const bob = createUser(ctx, "bob@example.com");
  const offer = () => createReset(ctx, admin, bob.actor.userId).token;
  return { ctx, admin, bob, offer, [Symbol.dispose]: () => ctx[Symbol.dispose]() };
}

describe("a password reset link", () => {
  test("sets the password once, ends all sessions, and signs in", async () => {
    using t = setUp();
    const { token: before } = t.ctx.home.transaction(() => startSession(t.ctx, t.bob.actor.userId, BROWSER));
    const token = t.offer();
    expect(findResetUser(t.ctx, token)).toEqual({ email: "bob@example.com", name: "bob" });
    expect(actorFromSession(t.ctx, before)?.email).toBe("bob@example.com");
    const session = sessionOf(await resetPassword(t.ctx, { token, password, name: "Mallory" }, BROWSER));
    expect(actorFromSession(t.ctx, before)).toBeNull();
    expect(actorFromSession(t.ctx, session.token)).toMatchObject({ email: "bob@example.com", name: "bob" });
    expect(await errorCodeOf(() => resetPassword(t.ctx, { token, password: "another one", name: "" }, BROWSER))).toBe(
      "forbidden",
    );
    const again = await signInByPassword(t.ctx, { email: "bob@example.com", password, ...BROWSER });
    expect(again.userId).toBe(t.bob.actor.userId);
  });

  test("is stored as a hash only", () => {
    using t = setUp();
    const token = t.offer();
    const rows = JSON.stringify(t.ctx.home.raw.all("select * from tokens"));
    expect(rows).toContain("password-reset");
    expect(rows).not.toContain(token);
  });

  test("is valid for a day, or until there is a newer one", () => {
    using t = setUp();
    const old = t.offer();
    const token = t.offer();
    expect([findResetUser(t.ctx, old), findResetUser(t.ctx, token)?.email]).toEqual([null, "bob@example.com"]);
    t.ctx.clock.pass(DAY - 1);
    expect(findResetUser(t.ctx, token)).not.toBeNull();
    t.ctx.clock.pass(1);
    expect(findResetUser(t.ctx, token)).toBeNull();
  });

  test("is invalid once the password was changed otherwise, or the user was disabled", async () => {
    using t = setUp();
    const first = t.offer();
    await changePassword(t.ctx, t.bob, { newPassword: "chosen myself", currentToken: null });
    expect(findResetUser(t.ctx, first)).toBeNull();
    const second = t.offer();
    disableUser(t.ctx, t.admin, t.bob.actor.userId);
    expect(await errorCodeOf(() => resetPassword(t.ctx, { token: second, password, name: "" }, BROWSER))).toBe(
      "forbidden",
    );
    expect(await errorCodeOf(() => t.offer())).toBe("invalid");
  });

  test("can be retried after an invalid password", async () => {
    using t = setUp();
    const token = t.offer();
    expect(await errorCodeOf(() => resetPassword(t.ctx, { token, password: "short", name: "" }, BROWSER))).toBe(
      "invalid",
    );
    expect(t.ctx.home.passwords.get(t.bob.actor.userId)).toBeNull();
    expect(await errorCodeOf(() => resetPassword(t.ctx, { token, password, name: "" }, BROWSER))).toBeNull();
  });

  test("succeeds for one of two concurrent uses", async () => {
    using t = setUp();
    const token = t.offer();
    const both = ["the first one", "the second one"].map((each) =>
      errorCodeOf(() => resetPassword(t.ctx, { token, password: each, name: "" }, BROWSER)),
    );
    expect(new Set(await Promise.all(both))).toEqual(new Set(["forbidden", null]));
  });

  test("signs in invited users, and requires a name", async () => {
    using t = setUp();
    const eve = findOrInvite(t.ctx, "eve@example.com");
    const { token } = issueReset(t.ctx, eve);
    expect(await errorCodeOf(() => resetPassword(t.ctx, { token, password, name: " " }, BROWSER))).toBe("invalid");
    await resetPassword(t.ctx, { token, password, name: " Eve " }, BROWSER);
    expect(findUser(t.ctx, eve.id).name).toBe("Eve");
  });

  test("is created by administrators, for users with passwords", async () => {
    using t = setUp();
    const { ctx, bob, admin } = t;
    expect(await errorCodeOf(() => createReset(ctx, bob, admin.actor.userId))).toBe("forbidden");
    expect(await errorCodeOf(() => createReset(ctx, bob, bob.actor.userId))).toBe("forbidden");
    expect(await errorCodeOf(() => createReset(ctx, admin, 999))).toBe("notFound");
    const everyone = ctx.home.users.byEmail("everyone@getgrist.com");
    expect(await errorCodeOf(() => createReset(ctx, admin, everyone?.id ?? 0))).toBe("notFound");
    expect(await errorCodeOf(() => resetPassword(ctx, { token: "", password, name: "" }, BROWSER))).toBe("forbidden");
  });
});
