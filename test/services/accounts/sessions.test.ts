import { describe, expect, test } from "bun:test";
import { actorFromSession, SESSION_IDLE_TIMEOUT_MS } from "../../../src/services/accounts/actors.ts";
import { endOtherSessions, endSession, listSessions } from "../../../src/services/accounts/sessions.ts";
import { knownDevice, rememberDevice } from "../../../src/services/accounts/known-devices.ts";
import { startSession } from "../../../src/services/accounts/sign-in.ts";
import type { Context } from "../../../src/services/context.ts";
import { DAY, MINUTE } from "../../helpers/clock.ts";
import { homeContext } from "../../helpers/home-context.ts";
import { BROWSER, createUser, errorCodeOf } from "../../helpers/users.ts";

const USER_AGENTS = {
  firefox: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  chrome:
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36",
  safari:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
};

const start = (ctx: Context, userId: number, browser: Partial<typeof BROWSER> = {}) =>
  ctx.home.transaction(() => startSession(ctx, userId, { ...BROWSER, ...browser }));

describe("sessions of a user", () => {
  test("are listed with their browsers, the current one first, then by last use", async () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    start(ctx, createUser(ctx, "bob@example.com").actor.userId);
    const first = start(ctx, ann.actor.userId, { userAgent: USER_AGENTS.firefox, address: "2001:db8::1" });
    ctx.clock.pass(DAY);
    start(ctx, ann.actor.userId, { userAgent: USER_AGENTS.chrome });
    ctx.clock.pass(DAY);
    start(ctx, ann.actor.userId, { userAgent: USER_AGENTS.safari });
    ctx.clock.pass(MINUTE);
    start(ctx, ann.actor.userId, { userAgent: "<script>", address: "" });
    const { sessions } = await listSessions(ctx, ann, first.token);
    expect(sessions).toMatchObject([
      { browser: "Firefox", os: "Linux", address: "2001:db8::1", isCurrent: true },
      { browser: null, os: null, address: null, isCurrent: false },
      { browser: "Safari", os: "iOS", isCurrent: false },
      { browser: "Chrome", os: "Windows", isCurrent: false },
    ]);
    const stored = JSON.stringify(ctx.home.raw.all("select * from sessions"));
    expect(stored).not.toContain(first.token);
    expect(JSON.stringify(sessions)).not.toContain(first.token.slice(0, 8));
  });

  test("show when they were last used, to the hour", async () => {
    using ctx = homeContext();
    const { actor, ...ann } = createUser(ctx, "ann@example.com");
    const { token } = start(ctx, actor.userId);
    const began = ctx.clock.now();
    const lastUse = async () => {
      ctx.identity.lastUses.flush();
      const [session] = (await listSessions(ctx, { actor, ...ann }, token)).sessions;
      return new Date(session?.lastUsedAt ?? 0).getTime() - began;
    };
    expect(await lastUse()).toBe(0);
    ctx.clock.pass(30 * MINUTE);
    actorFromSession(ctx, token);
    expect(await lastUse()).toBe(0);
    ctx.clock.pass(2 * 60 * MINUTE);
    actorFromSession(ctx, token);
    expect(await lastUse()).toBe(150 * MINUTE);
    ctx.clock.pass(SESSION_IDLE_TIMEOUT_MS);
    expect((await listSessions(ctx, { actor, ...ann }, token)).sessions).toEqual([]);
  });

  test("end one by one, or all others, and only one's own", async () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    const bob = createUser(ctx, "bob@example.com");
    const [current, second, third, ofBob] = [ann, ann, ann, bob].map(({ actor }) => start(ctx, actor.userId).token);
    const idOf = async (grant: typeof ann, token = "") =>
      (await listSessions(ctx, grant, token)).sessions.find(({ isCurrent }) => isCurrent)?.id ?? "";
    const isSignedIn = (token = "") => actorFromSession(ctx, token) !== null;

    const bobsId = await idOf(bob, ofBob);
    expect(await errorCodeOf(() => endSession(ctx, ann, bobsId))).toBe("notFound");
    expect(await errorCodeOf(() => endSession(ctx, ann, ""))).toBe("notFound");
    endSession(ctx, ann, await idOf(ann, second));
    expect([current, second, third, ofBob].map(isSignedIn)).toEqual([true, false, true, true]);
    endOtherSessions(ctx, ann, current ?? null);
    expect([current, second, third, ofBob].map(isSignedIn)).toEqual([true, false, false, true]);
    endOtherSessions(ctx, ann, null);
    expect([current, ofBob].map(isSignedIn)).toEqual([false, true]);
  });
});

describe("the cookie of a browser that has signed in", () => {
  test("names the accounts, at most five, and keeps their ids", () => {
    using ctx = homeContext();
    let cookie: string | null = null;
    for (let user = 1; user <= 6; user++) cookie = rememberDevice(ctx, user, cookie);
    const known = [1, 2, 3, 4, 5, 6].map((user) => knownDevice(ctx, user, cookie) !== null);
    expect(known).toEqual([false, true, true, true, true, true]);
    const again = rememberDevice(ctx, 3, cookie);
    expect(knownDevice(ctx, 3, again)).toBe(knownDevice(ctx, 3, cookie));
  });

  test("is refused when it was changed", () => {
    using ctx = homeContext();
    const cookie = rememberDevice(ctx, 1, null) ?? "";
    const [user = "", id = "", signature = ""] = cookie.split(".");
    expect(knownDevice(ctx, 1, cookie)).toBe(id);
    const changed = [
      null,
      "",
      "~~~",
      `2.${id}.${signature}`,
      `${user}.${id}0.${signature}`,
      `${user}.${id}.${signature.slice(1)}`,
      `${user}.${id}.`,
      `${user}.${id}`,
      cookie.toUpperCase(),
    ];
    for (const each of changed) {
      expect(knownDevice(ctx, 1, each)).toBeNull();
      expect(knownDevice(ctx, 2, each)).toBeNull();
    }
    using other = homeContext();
    expect(knownDevice(other, 1, cookie)).toBeNull();
  });
});
