import { describe, expect, test } from "bun:test";
import {
  actorFromKey,
  actorFromProxy,
  actorFromSession,
  SESSION_IDLE_TIMEOUT_MS,
} from "../../../src/services/accounts/actors.ts";
import type { AppError } from "../../../src/errors.ts";
import type { Context } from "../../../src/services/context.ts";
import { guardSignedIn } from "../../../src/services/access/guards.ts";
import { type Browser, changePassword, signOut } from "../../../src/services/accounts/sign-in.ts";
import { addUser, findOrInvite, revokeUserAccess } from "../../../src/services/accounts/users.ts";
import { DAY, MINUTE } from "../../helpers/clock.ts";
import { signInByPassword } from "../../helpers/sign-in.ts";
import { homeContext } from "../../helpers/home-context.ts";
import { grantOf, createUser, errorCodeOf, BROWSER } from "../../helpers/users.ts";

const PASSWORD = "correct horse";
const addAnn = (ctx: Context) => addUser(ctx, { email: "Ann@Example.com", name: "Ann", password: PASSWORD });
const attempt = (ctx: Context, email: string, password: string, browser: Partial<Browser> | string = {}) =>
  signInByPassword(ctx, {
    email,
    password,
    ...BROWSER,
    ...(typeof browser === "string" ? { address: browser } : browser),
  });

describe("signing in", () => {
  test("starts a session for the right password, in any spelling of the address", async () => {
    using ctx = homeContext();
    const ann = await addAnn(ctx);
    const { token, userId } = await attempt(ctx, " ANN@example.COM ", PASSWORD);
    expect(userId).toBe(ann.id);
    expect(actorFromSession(ctx, token)).toMatchObject({ userId: ann.id, email: "ann@example.com", via: "session" });
    expect(ctx.home.raw.get("select count(*) as n from sessions where hash = ?", token)).toEqual({ n: 0 });
    expect(await errorCodeOf(() => actorFromKey(ctx, token))).toBe("unauthenticated");
  });

  test("refuses all other attempts with the same message", async () => {
    using ctx = homeContext();
    const ann = await addAnn(ctx);
    createUser(ctx, "nopassword@example.com");
    const messages = new Set<string>();
    const wrong = ["wrong horse", "", `${PASSWORD} `, PASSWORD.toUpperCase(), "x".repeat(10_000)];
    const attempts = [
      ...wrong.map((password) => ["ann@example.com", password] as const),
      ["nobody@example.com", PASSWORD] as const,
      ["nopassword@example.com", PASSWORD] as const,
      ["everyone@getgrist.com", PASSWORD] as const,
    ];
    revokeUserAccess(ctx, await addUser(ctx, { email: "gone@example.com", name: "Gone", password: PASSWORD }));
    for (const [email, password] of [...attempts, ["gone@example.com", PASSWORD] as const]) {
      const error = await attempt(ctx, email, password).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "unauthenticated" });
      messages.add((error as Error).message);
    }
    expect(messages.size).toBe(1);
    expect(ctx.home.passwords.get(ann.id)).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
  });

  test("is delayed more and more per account, from any address, until signing in", async () => {
    using ctx = homeContext();
    await addAnn(ctx);
    let n = 0;
    const wrong = () => errorCodeOf(() => attempt(ctx, "ann@example.com", "", `192.0.2.${n++ % 250}`));
    const waitS = async () => {
      const error = await attempt(ctx, "ann@example.com", PASSWORD, "198.51.100.1").catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "tooMany" });
      return (error as AppError).retryAfterS ?? 0;
    };
    for (let free = 0; free < 10; free++) expect(await wrong()).toBe("unauthenticated");
    const waits: number[] = [];
    for (let delayed = 0; delayed < 12; delayed++) {
      expect(await wrong()).toBe("tooMany");
      waits.push(await waitS());
      ctx.clock.pass((waits.at(-1) ?? 0) * 1000);
      expect(await wrong()).toBe("unauthenticated");
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
    ctx.clock.pass(15 * MINUTE);
    expect(await errorCodeOf(() => attempt(ctx, "ann@example.com", PASSWORD))).toBeNull();
    expect(await wrong()).toBe("unauthenticated");
  });

  test("is not delayed by others in a browser that has signed in to the account", async () => {
    using ctx = homeContext();
    await addAnn(ctx);
    await addUser(ctx, { email: "bob@example.com", name: "Bob", password: PASSWORD });
    const known = (await attempt(ctx, "ann@example.com", PASSWORD)).device;
    const ofBob = (await attempt(ctx, "bob@example.com", PASSWORD)).device;
    for (let n = 0; n < 11; n++) await errorCodeOf(() => attempt(ctx, "ann@example.com", "", `192.0.2.${n}`));
    const from = (device: string | null) => errorCodeOf(() => attempt(ctx, "ann@example.com", PASSWORD, { device }));
    expect(await from(null)).toBe("tooMany");
    expect(await from(ofBob)).toBe("tooMany");
    expect(await from(known)).toBeNull();
    // Signing in there does not let others try again at once.
    expect(await from(null)).toBe("tooMany");
    let n = 0;
    const wrong = () =>
      errorCodeOf(() => attempt(ctx, "ann@example.com", "", { device: known, address: `192.0.3.${n++}` }));
    for (let free = 0; free < 10; free++) expect(await wrong()).toBe("unauthenticated");
    expect(await wrong()).toBe("tooMany");
    ctx.clock.pass(MINUTE);
    expect(await from(known)).toBeNull();
  });

  test("is not delayed by attempts from its network in a browser that has signed in to the account", async () => {
    using ctx = homeContext();
    await addAnn(ctx);
    const { device } = await attempt(ctx, "ann@example.com", PASSWORD, "2001:db8::1");
    for (let n = 0; n < 40; n++) await errorCodeOf(() => attempt(ctx, `u${n}@example.com`, "", "2001:db8::2"));
    const from = (browser: Partial<Browser>) =>
      errorCodeOf(() => attempt(ctx, "ann@example.com", PASSWORD, { address: "2001:db8::3", ...browser }));
    expect(await from({})).toBe("tooMany");
    expect(await from({ device: `${device}x` })).toBe("tooMany");
    expect(await from({ device })).toBeNull();
    // Only for the accounts that it has signed in to.
    expect(await errorCodeOf(() => attempt(ctx, "bob@example.com", "", { device, address: "2001:db8::3" }))).toBe(
      "tooMany",
    );
  });

  test("is limited per address, with a /64 network counting as one", async () => {
    using ctx = homeContext();
    const try_ = (n: number, address: string) => errorCodeOf(() => attempt(ctx, `u${n}@example.com`, "", address));
    for (let n = 0; n < 30; n++) expect(await try_(n, `2001:db8::${n}`)).toBe("unauthenticated");
    expect(await try_(31, "2001:db8:0:0:ffff::1")).toBe("tooMany");
    expect(await try_(32, "2001:db8:0:1::1")).toBe("unauthenticated");
  });

  test("refuses more concurrent attempts than it can verify", async () => {
    using ctx = homeContext();
    const many = Array.from({ length: 25 }, (_, n) =>
      errorCodeOf(() => attempt(ctx, `u${n}@example.com`, "some password", `192.0.2.${n}`)),
    );
    const codes = await Promise.all(many);
    expect(codes.filter((code) => code === "tooMany")).toHaveLength(5);
    expect(codes.filter((code) => code === "unauthenticated")).toHaveLength(20);
  });
});

describe("a session", () => {
  test("ends on sign-out, and expires when unused", async () => {
    using ctx = homeContext();
    await addAnn(ctx);
    const first = await attempt(ctx, "ann@example.com", PASSWORD);
    const second = await attempt(ctx, "ann@example.com", PASSWORD);
    signOut(ctx, first.token);
    signOut(ctx, first.token);
    expect(actorFromSession(ctx, first.token)).toBeNull();
    expect(actorFromSession(ctx, second.token)?.name).toBe("Ann");
    ctx.clock.pass(SESSION_IDLE_TIMEOUT_MS);
    expect(actorFromSession(ctx, second.token)).toBeNull();
    await attempt(ctx, "ann@example.com", PASSWORD);
    expect(ctx.home.raw.get("select count(*) as n from sessions")).toEqual({ n: 1 });
  });

  test("is extended while it is used", async () => {
    using ctx = homeContext();
    await addAnn(ctx);
    const { token } = await attempt(ctx, "ann@example.com", PASSWORD);
    for (let day = 0; day < 80; day += 20) {
      ctx.clock.pass(20 * DAY);
      expect(actorFromSession(ctx, token)?.name).toBe("Ann");
      ctx.identity.lastUses.flush();
    }
  });

  test("does not accept tokens chosen by clients", () => {
    using ctx = homeContext();
    for (const token of ["", "x", "0".repeat(64)]) expect(actorFromSession(ctx, token)).toBeNull();
  });

  test("ends when the user is disabled", async () => {
    using ctx = homeContext();
    const ann = await addAnn(ctx);
    const { token } = await attempt(ctx, "ann@example.com", PASSWORD);
    revokeUserAccess(ctx, ann);
    expect(actorFromSession(ctx, token)).toBeNull();
    ctx.home.users.change(ann.id, { disabledAt: null });
    expect(actorFromSession(ctx, token)).toBeNull();
  });
});

describe("changing the password", () => {
  const begin = async (ctx: Context) => {
    await addAnn(ctx);
    const here = await attempt(ctx, "ann@example.com", PASSWORD);
    const there = await attempt(ctx, "ann@example.com", PASSWORD);
    const actor = actorFromSession(ctx, here.token);
    if (!actor) throw new Error("no session");
    return { here, there, grant: guardSignedIn(actor) };
  };

  test("requires the current password and a valid new one", async () => {
    using ctx = homeContext();
    const { here, grant } = await begin(ctx);
    const change = (current: string, newPassword: string) =>
      errorCodeOf(() => changePassword(ctx, grant, { current, newPassword, currentToken: here.token }));
    expect(await change("wrong horse", "a new password")).toBe("forbidden");
    expect(await change("", "a new password")).toBe("forbidden");
    expect(await change(PASSWORD, "short")).toBe("invalid");
    expect(await change(PASSWORD, "x".repeat(257))).toBe("invalid");
    expect(await errorCodeOf(() => attempt(ctx, "ann@example.com", PASSWORD))).toBeNull();
  });

  test("ends the other sessions and invalidates the old password", async () => {
    using ctx = homeContext();
    const { here, there, grant } = await begin(ctx);
    await changePassword(ctx, grant, { current: PASSWORD, newPassword: "a new password", currentToken: here.token });
    expect(actorFromSession(ctx, here.token)?.name).toBe("Ann");
    expect(actorFromSession(ctx, there.token)).toBeNull();
    expect(await errorCodeOf(() => attempt(ctx, "ann@example.com", PASSWORD))).toBe("unauthenticated");
    expect(await errorCodeOf(() => attempt(ctx, "ann@example.com", "a new password"))).toBeNull();
  });

  test("is not possible with a key", async () => {
    using ctx = homeContext();
    await addAnn(ctx);
    const grant = guardSignedIn({ ...grantOf(ctx, "ann@example.com").actor, via: "key" });
    const change = { current: PASSWORD, newPassword: "a new password", currentToken: null };
    expect(await errorCodeOf(() => changePassword(ctx, grant, change))).toBe("forbidden");
  });
});

describe("a reverse proxy", () => {
  test("creates a user for a new address, and names invited users", () => {
    using ctx = homeContext();
    const invited = findOrInvite(ctx, "Eve@example.com");
    const eve = actorFromProxy(ctx, "eve@EXAMPLE.com", "Eve E.");
    expect(eve).toMatchObject({ userId: invited.id, name: "Eve E.", via: "proxy", isAdmin: false });
    expect(actorFromProxy(ctx, "new@example.com").name).toBe("new");
    expect(actorFromProxy(ctx, "new@example.com", "Other").name).toBe("new");
    expect(ctx.home.raw.get("select count(*) as n from orgs where owner_id is not null")).toEqual({ n: 2 });
  });

  test("does not authenticate disabled users, pseudo-users, or invalid addresses", async () => {
    using ctx = homeContext();
    revokeUserAccess(ctx, await addAnn(ctx));
    for (const email of ["ann@example.com", "anon@getgrist.com", "everyone@getgrist.com", "ann", "a b@c", ""]) {
      expect([email, await errorCodeOf(() => actorFromProxy(ctx, email))]).toEqual([email, "unauthenticated"]);
    }
  });
});
