import { describe, expect, test } from "bun:test";
import { AppError } from "../../../src/errors.ts";
import type { Context } from "../../../src/services/context.ts";
import { actorFromSession } from "../../../src/services/accounts/actors.ts";
import { issueReset, resetPassword } from "../../../src/services/accounts/password-resets.ts";
import type { Browser } from "../../../src/services/accounts/sign-in.ts";
import { addUser, revokeUserAccess } from "../../../src/services/accounts/users.ts";
import { sealFlow } from "../../../src/services/second-factor/flow-state.ts";
import {
  beginRequired,
  completeRequired,
  describeEnrolment,
  removeFactors,
} from "../../../src/services/second-factor/factors.ts";
import { completeWithCode, findPending, signIn } from "../../../src/services/second-factor/sign-in-steps.ts";
import { must } from "../../../src/lib/assert.ts";
import { MINUTE, type TestClock } from "../../helpers/clock.ts";
import { homeContext } from "../../helpers/home-context.ts";
import { codeAt, enrolledUser, openSession, PASSWORD, STEP_MS, type Enrolled } from "../../helpers/second-factor.ts";
import { BROWSER } from "../../helpers/users.ts";

type Ctx = Context & { clock: TestClock };

const ANN = "ann@example.com";

/** The reason of a refusal; null for success. */
async function reasonOf(work: () => unknown): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.reason;
    throw error;
  }
}

/** Gives the password, and returns the cookie of the sign-in that waits. */
async function pendingOf(ctx: Ctx, email = ANN, browser: Browser = BROWSER): Promise<string> {
  const step = await signIn(ctx, { email, password: PASSWORD, ...browser });
  if (step.kind === "session") throw new Error("no second factor was asked for");
  return step.pending;
}

const sessions = (ctx: Ctx): number => ctx.home.raw.get<{ n: number }>("select count(*) as n from sessions")?.n ?? 0;

/** A new context with Ann, who has an authenticator app, in a later period than the code that added it. */
async function annsContext(): Promise<{ ctx: ReturnType<typeof homeContext>; ann: Enrolled }> {
  const ctx = homeContext();
  const ann = await enrolledUser(ctx, ANN);
  ctx.clock.pass(10 * STEP_MS);
  return { ctx, ann };
}

const give = (ctx: Ctx, pending: string | null, code: string, browser: Browser = BROWSER) =>
  completeWithCode(ctx, { pending, code }, browser);

describe("a code", () => {
  test("signs in after the password, which alone starts no session", async () => {
    const { ctx, ann } = await annsContext();
    using _ = ctx;
    const before = sessions(ctx);
    const pending = await pendingOf(ctx);
    expect(sessions(ctx)).toBe(before);
    const { token, userId } = await give(ctx, pending, codeAt(ann.secret, ctx.clock.now()));
    expect(userId).toBe(ann.userId);
    expect(actorFromSession(ctx, token)).toMatchObject({ userId: ann.userId, via: "session" });
  });

  test.each([
    ["of this period", 0, null],
    ["of the previous period", -1, null],
    ["of the next period", 1, null],
    ["of two periods ago", -2, "second_factor.code"],
    ["of two periods ahead", 2, "second_factor.code"],
  ])("%s", async (_name, steps, expected) => {
    const { ctx, ann } = await annsContext();
    using _ = ctx;
    const code = codeAt(ann.secret, ctx.clock.now() + steps * STEP_MS);
    expect(await reasonOf(async () => give(ctx, await pendingOf(ctx), code))).toBe(expected);
  });

  test.each([
    ["", "second_factor.code"],
    ["000000", "second_factor.code"],
    ["12345", "second_factor.code"],
    ["١٢٣٤٥٦", "second_factor.code"],
    ["x".repeat(1000), "second_factor.code"],
  ])("%j is refused", async (code, expected) => {
    const { ctx } = await annsContext();
    using _ = ctx;
    expect(await reasonOf(async () => give(ctx, await pendingOf(ctx), code))).toBe(expected);
  });

  test("may be typed with a blank", async () => {
    const { ctx, ann } = await annsContext();
    using _ = ctx;
    const code = codeAt(ann.secret, ctx.clock.now());
    expect(
      await reasonOf(async () => give(ctx, await pendingOf(ctx), `${code.slice(0, 3)} ${code.slice(3)} `)),
    ).toBeNull();
  });

  test("is accepted once, and none of an earlier period after it", async () => {
    const { ctx, ann } = await annsContext();
    using _ = ctx;
    const now = ctx.clock.now();
    const attempts: [number, string | null][] = [
      [0, null],
      [0, "second_factor.code"],
      [-1, "second_factor.code"],
      [1, null],
      [0, "second_factor.code"],
      [1, "second_factor.code"],
    ];
    for (const [steps, expected] of attempts) {
      const code = codeAt(ann.secret, now + steps * STEP_MS);
      expect([steps, await reasonOf(async () => give(ctx, await pendingOf(ctx), code))]).toEqual([steps, expected]);
    }
  });

  test("that added the app does not sign in", async () => {
    using ctx = homeContext();
    const ann = await enrolledUser(ctx, ANN);
    const code = codeAt(ann.secret, ctx.clock.now());
    expect(await reasonOf(async () => give(ctx, await pendingOf(ctx), code))).toBe("second_factor.code");
  });

  test("of another user is refused", async () => {
    const { ctx } = await annsContext();
    using _ = ctx;
    const bob = await enrolledUser(ctx, "bob@example.com");
    ctx.clock.pass(10 * STEP_MS);
    const pending = await pendingOf(ctx);
    expect(await reasonOf(() => give(ctx, pending, codeAt(bob.secret, ctx.clock.now())))).toBe("second_factor.code");
    expect(await reasonOf(() => give(ctx, pending, bob.recoveryCodes[0] ?? ""))).toBe("second_factor.code");
    expect(
      await reasonOf(async () => give(ctx, await pendingOf(ctx, bob.email), bob.recoveryCodes[0] ?? "")),
    ).toBeNull();
  });
});

describe("a recovery code", () => {
  test("signs in once, in any spelling", async () => {
    const { ctx, ann } = await annsContext();
    using _ = ctx;
    const [first = "", second = ""] = ann.recoveryCodes;
    expect(new Set(ann.recoveryCodes).size).toBe(10);
    expect(first).toMatch(/^([2-9a-z]{4}-){3}[2-9a-z]{4}$/);
    expect(ctx.home.raw.all("select hash from recovery_codes")).not.toContainEqual({ hash: first });
    for (const [code, expected] of [
      [first, null],
      [first, "second_factor.code"],
      [` ${second.toUpperCase().replaceAll("-", " ")} `, null],
      [second, "second_factor.code"],
    ] as const) {
      expect([code, await reasonOf(async () => give(ctx, await pendingOf(ctx), code))]).toEqual([code, expected]);
    }
    expect(ctx.home.secondFactors.countRecoveryCodes(ann.userId)).toBe(8);
  });
});

describe("a sign-in that waits for a code", () => {
  /** What happens between the password and the code. */
  const cases: [string, (t: { ctx: Ctx; ann: Enrolled; pending: string }) => unknown][] = [
    ["expires", ({ ctx }) => ctx.clock.pass(5 * MINUTE)],
    [
      "ends with the password",
      async ({ ctx }) => {
        const user = must(ctx.home.users.byEmail(ANN), "Ann");
        await resetPassword(ctx, { token: issueReset(ctx, user).token, password: "another horse", name: "" }, BROWSER);
      },
    ],
    ["ends when the user is disabled", ({ ctx }) => revokeUserAccess(ctx, must(ctx.home.users.byEmail(ANN), "Ann"))],
    ["ends when the second factor is reset", ({ ctx }) => removeFactors(ctx, must(ctx.home.users.byEmail(ANN), "Ann"))],
    ["works once", ({ ctx, ann, pending }) => give(ctx, pending, ann.recoveryCodes[0] ?? "")],
  ];
  test.each(cases)("%s", async (_name, happens) => {
    const { ctx, ann } = await annsContext();
    using _ = ctx;
    const pending = await pendingOf(ctx);
    await happens({ ctx, ann, pending });
    const before = sessions(ctx);
    expect(await reasonOf(() => give(ctx, pending, codeAt(ann.secret, ctx.clock.now())))).toBe("second_factor.expired");
    expect(sessions(ctx)).toBe(before);
  });

  test("is not accepted in another form", async () => {
    const { ctx, ann } = await annsContext();
    using _ = ctx;
    const pending = await pendingOf(ctx);
    const state = { userId: ann.userId, password: "", isEnrolment: false };
    const forged = [
      null,
      "",
      "x",
      pending.slice(0, -2),
      `${pending.slice(0, -6)}AAAAAA`,
      // Sealed for something else.
      sealFlow(ctx, "confirmed", { state, lifetimeMs: MINUTE }),
      sealFlow(ctx, "passkey", { state, lifetimeMs: MINUTE }),
      // Without the password.
      sealFlow(ctx, "pending", { state, lifetimeMs: MINUTE }),
    ];
    for (const each of forged) {
      expect(await reasonOf(() => give(ctx, each, codeAt(ann.secret, ctx.clock.now())))).toBe("second_factor.expired");
    }
    expect(await reasonOf(() => give(ctx, pending, codeAt(ann.secret, ctx.clock.now())))).toBeNull();
  });

  test("of another installation is refused", async () => {
    const { ctx, ann } = await annsContext();
    using _ = ctx;
    using other = homeContext();
    await enrolledUser(other, ANN);
    const pending = await pendingOf(other);
    expect(await reasonOf(() => give(ctx, pending, codeAt(ann.secret, ctx.clock.now())))).toBe("second_factor.expired");
  });
});

describe("wrong codes", () => {
  test("are delayed more and more, up to an hour, in all browsers that have never signed in", async () => {
    const { ctx, ann } = await annsContext();
    using _ = ctx;
    const known = (await give(ctx, await pendingOf(ctx), ann.recoveryCodes[0] ?? "")).device;
    const knownBrowser = { ...BROWSER, device: known };
    let n = 0;
    const wrong = async () => {
      const browser = { ...BROWSER, address: `192.0.2.${n++ % 250}` };
      return reasonOf(async () =>
        give(ctx, await pendingOf(ctx, ANN, { ...browser, device: known }), "000000", browser),
      );
    };
    for (let free = 0; free < 5; free++) expect(await wrong()).toBe("second_factor.code");
    const waits: number[] = [];
    for (let delayed = 0; delayed < 13; delayed++) {
      const pending = await pendingOf(ctx, ANN, knownBrowser);
      const right = codeAt(ann.secret, ctx.clock.now());
      const error = await give(ctx, pending, right).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ reason: "limit.sign_in" });
      const waitS = error instanceof AppError ? (error.retryAfterS ?? 0) : 0;
      waits.push(waitS);
      ctx.clock.pass(waitS * 1000);
      expect(await wrong()).toBe("second_factor.code");
    }
    expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600]);
    // A browser that has signed in before has a count of its own.
    const pending = await pendingOf(ctx, ANN, knownBrowser);
    expect(await reasonOf(() => give(ctx, pending, codeAt(ann.secret, ctx.clock.now()), knownBrowser))).toBeNull();
  });

  test("count before they are verified", async () => {
    const { ctx } = await annsContext();
    using _ = ctx;
    const pending = await pendingOf(ctx);
    const reasons = await Promise.all(Array.from({ length: 20 }, () => reasonOf(() => give(ctx, pending, "000000"))));
    expect(reasons.filter((reason) => reason === "second_factor.code")).toHaveLength(5);
    expect(reasons.filter((reason) => reason === "limit.sign_in")).toHaveLength(15);
  });
});

test("a new password by a link does not sign in a user with a second factor", async () => {
  const { ctx, ann } = await annsContext();
  using _ = ctx;
  const { token } = issueReset(ctx, must(ctx.home.users.byEmail(ANN), "Ann"));
  const step = await resetPassword(ctx, { token, password: "another horse", name: "" }, BROWSER);
  expect(step.kind).toBe("secondFactor");
  expect(sessions(ctx)).toBe(0);
  const pending = step.kind === "secondFactor" ? step.pending : "";
  const session = await give(ctx, pending, codeAt(ann.secret, ctx.clock.now()));
  expect(actorFromSession(ctx, session.token)).toMatchObject({ userId: ann.userId });
});

describe("a required second factor", () => {
  test.each([
    ["off", false, "session"],
    ["off", true, "session"],
    ["admins", false, "session"],
    ["admins", true, "enrol"],
    ["on", false, "enrol"],
    ["on", true, "enrol"],
  ] as const)("%s, administrator %p", async (requiredSecondFactor, isAdmin, expected) => {
    using ctx = homeContext(undefined, { requiredSecondFactor });
    await addUser(ctx, { email: ANN, name: "Ann", password: PASSWORD, isAdmin });
    const step = await signIn(ctx, { email: ANN, password: PASSWORD, ...BROWSER });
    expect(step.kind).toBe(expected);
    expect(sessions(ctx)).toBe(expected === "session" ? 1 : 0);
  });

  test("is added before the session begins, once", async () => {
    using ctx = homeContext(undefined, { requiredSecondFactor: "on" });
    const { id: userId } = await addUser(ctx, { email: ANN, name: "Ann", password: PASSWORD });
    const pending = await pendingOf(ctx);
    const enrolment = beginRequired(ctx, pending);
    const secret = (await describeEnrolment(ctx, { userId, email: ANN }, enrolment))?.secret ?? "";
    const complete = (code: string, own = pending) => completeRequired(ctx, { pending: own, enrolment, code }, BROWSER);
    const code = codeAt(secret, ctx.clock.now());
    expect(await reasonOf(() => give(ctx, pending, code))).toBe("second_factor.expired");
    expect(await reasonOf(() => complete("000000"))).toBe("second_factor.code");
    expect(sessions(ctx)).toBe(0);
    expect(ctx.home.secondFactors.has(userId)).toBe(false);
    const concurrent = await pendingOf(ctx);
    const { session, recoveryCodes } = await complete(code);
    expect(actorFromSession(ctx, session.token)).toMatchObject({ userId });
    expect(recoveryCodes).toHaveLength(10);
    // The password alone must not replace the factor that another browser has added meanwhile.
    expect(await reasonOf(() => complete(code, concurrent))).toBe("second_factor.expired");
    expect(findPending(ctx, concurrent)).toBeNull();
    expect(await reasonOf(() => complete(code))).toBe("second_factor.expired");
  });

  test("must be of the user who signs in", async () => {
    using ctx = homeContext(undefined, { requiredSecondFactor: "on" });
    await addUser(ctx, { email: ANN, name: "Ann", password: PASSWORD });
    const bob = await addUser(ctx, { email: "bob@example.com", name: "Bob", password: PASSWORD });
    const enrolment = beginRequired(ctx, await pendingOf(ctx, "bob@example.com"));
    const secret = (await describeEnrolment(ctx, { userId: bob.id, email: "" }, enrolment))?.secret ?? "";
    const code = codeAt(secret, ctx.clock.now());
    const pending = await pendingOf(ctx);
    expect(await reasonOf(() => completeRequired(ctx, { pending, enrolment, code }, BROWSER))).toBe(
      "second_factor.enrolment",
    );
  });

  test("leaves sessions alone", async () => {
    const folder = homeContext();
    const { token } = await (async () => {
      await addUser(folder, { email: ANN, name: "Ann", password: PASSWORD });
      return openSession(folder, ANN);
    })();
    folder[Symbol.dispose]();
    using ctx = homeContext(folder.folder, { requiredSecondFactor: "on" });
    expect(actorFromSession(ctx, token)).toMatchObject({ email: ANN });
  });
});
