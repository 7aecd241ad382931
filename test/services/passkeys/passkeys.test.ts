import { describe, expect, test } from "bun:test";
import { AppError } from "../../../src/errors.ts";
import { actorFromSession } from "../../../src/services/accounts/actors.ts";
import { knownDevice } from "../../../src/services/accounts/known-devices.ts";
import { revokeUserAccess } from "../../../src/services/accounts/users.ts";
import {
  completeWithPasskey,
  signInWithPasskey,
  startPasskeyFactor,
  startPasskeySignIn,
} from "../../../src/services/passkeys/authenticate.ts";
import { addPasskey, listPasskeys, removePasskey, startPasskey } from "../../../src/services/passkeys/passkeys.ts";
import { findRelyingParty } from "../../../src/services/passkeys/relying-party.ts";
import { completeWithCode, signIn } from "../../../src/services/second-factor/sign-in-steps.ts";
import { must } from "../../../src/lib/assert.ts";
import { SoftwareAuthenticator, type Deviations } from "../../helpers/authenticator.ts";
import { MINUTE } from "../../helpers/clock.ts";
import { homeContext } from "../../helpers/home-context.ts";
import { enrolledUser, PASSWORD, signedInUser } from "../../helpers/second-factor.ts";
import { BROWSER, errorCodeOf } from "../../helpers/users.ts";

const PARTY = { id: "quern.test", origin: "https://quern.test" };
const ANN = "ann@example.com";

async function reasonOf(work: () => unknown): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.reason;
    throw error;
  }
}

type Ctx = ReturnType<typeof homeContext>;

/** Adds a user with a passkey. */
async function userWithPasskey(ctx: Ctx, email = ANN, { counter = 0 }: { counter?: number | null } = {}) {
  const { grant, cookies } = await signedInUser(ctx, email);
  const authenticator = new SoftwareAuthenticator({ userHandle: grant.actor.ref, counter });
  const { options, cookie } = await startPasskey(ctx, grant, { party: PARTY, cookies });
  const response = authenticator.create(pageOf(options));
  const { recoveryCodes } = await addPasskey(ctx, grant, { party: PARTY, cookies, cookie, name: "Laptop", response });
  return { grant, cookies, authenticator, recoveryCodes, userId: grant.actor.userId };
}

const pageOf = ({ challenge }: { challenge: string }) => ({ challenge, rpId: PARTY.id, origin: PARTY.origin });

/** Uses a passkey on the sign-in page. */
async function signInBy(ctx: Ctx, authenticator: SoftwareAuthenticator, wrong: Deviations = {}) {
  const { options, cookie } = await startPasskeySignIn(ctx, PARTY);
  const answer = { party: PARTY, cookie, response: authenticator.get(pageOf(options), wrong) };
  return { answer, session: await signInWithPasskey(ctx, answer, BROWSER) };
}

async function pendingOf(ctx: Ctx, email: string): Promise<string> {
  const step = await signIn(ctx, { email, password: PASSWORD, ...BROWSER });
  return step.kind === "session" ? "" : step.pending;
}

/** Uses a passkey after the password. */
async function completeBy(ctx: Ctx, authenticator: SoftwareAuthenticator, wrong: Deviations = {}, email = ANN) {
  const pending = await pendingOf(ctx, email);
  const { options, cookie } = await startPasskeyFactor(ctx, PARTY, pending);
  const response = authenticator.get(pageOf(options), wrong);
  return completeWithPasskey(ctx, { party: PARTY, cookie, pending, response }, BROWSER);
}

const sessions = (ctx: Ctx): number => ctx.home.raw.get<{ n: number }>("select count(*) as n from sessions")?.n ?? 0;

test("a passkey signs in without a password, and after one", async () => {
  using ctx = homeContext();
  const { authenticator, userId, recoveryCodes, grant } = await userWithPasskey(ctx);
  expect(recoveryCodes).toHaveLength(10);
  const { session } = await signInBy(ctx, authenticator);
  expect(actorFromSession(ctx, session.token)).toMatchObject({ userId, via: "session" });
  expect(listPasskeys(ctx, grant)).toMatchObject([{ id: authenticator.id, name: "Laptop" }]);
  expect((await completeBy(ctx, authenticator)).userId).toBe(userId);
  expect(ctx.home.passkeys.byId(authenticator.id)).toMatchObject({ counter: 2, lastUsedAt: ctx.clock.now() });
  const code = recoveryCodes[0] ?? "";
  const pending = await pendingOf(ctx, ANN);
  expect((await completeWithCode(ctx, { pending, code }, BROWSER)).userId).toBe(userId);
});

test("is not delayed by attempts to sign in with a password, from its network or to its account", async () => {
  using ctx = homeContext();
  const { authenticator, userId } = await userWithPasskey(ctx);
  const wrong = (n: number) =>
    errorCodeOf(() => signIn(ctx, { email: n < 12 ? ANN : `u${n}@example.com`, password: "wrong horse", ...BROWSER }));
  for (let n = 0; n < 40; n++) await wrong(n);
  expect([await wrong(0), await wrong(99)]).toEqual(["tooMany", "tooMany"]);
  const { session } = await signInBy(ctx, authenticator);
  // The browser is known from then on.
  expect(knownDevice(ctx, userId, session.device)).not.toBeNull();
});

describe("an answer is refused", () => {
  const wrong: [string, Deviations][] = [
    ["with another challenge", { challenge: Buffer.alloc(32).toString("base64url") }],
    ["from another origin", { origin: "https://evil.test" }],
    ["from another host of the domain", { origin: "https://evil.quern.test" }],
    ["from another port", { origin: "https://quern.test:8443" }],
    ["without https", { origin: "http://quern.test" }],
    ["for another relying party", { rpId: "evil.test" }],
    ["of another kind", { type: "webauthn.create" }],
    ["with the signature of another key", { signsWrongly: true }],
    ["for another user", { userHandle: "unknown" }],
    ["without the user's presence", { isUserPresent: false, isUserVerified: false }],
    ["whose counter does not increase", { counter: 1 }],
  ];
  test.each(wrong)("%s", async (_name, deviations) => {
    using ctx = homeContext();
    const { authenticator } = await userWithPasskey(ctx);
    await signInBy(ctx, authenticator);
    const before = sessions(ctx);
    expect(await reasonOf(() => signInBy(ctx, authenticator, deviations))).toBe("passkey.refused");
    expect(await reasonOf(() => completeBy(ctx, authenticator, deviations))).toBe("passkey.refused");
    expect(sessions(ctx)).toBe(before);
    expect(await reasonOf(() => signInBy(ctx, authenticator))).toBeNull();
  });

  test("without verification of the user, unless it follows a password", async () => {
    using ctx = homeContext();
    const { authenticator } = await userWithPasskey(ctx);
    const unverified = { isUserVerified: false };
    expect(await reasonOf(() => signInBy(ctx, authenticator, unverified))).toBe("passkey.refused");
    expect(await reasonOf(() => completeBy(ctx, authenticator, unverified))).toBeNull();
  });

  test("when it is repeated, also by an authenticator without a counter", async () => {
    using ctx = homeContext();
    const { authenticator } = await userWithPasskey(ctx, ANN, { counter: null });
    const { answer } = await signInBy(ctx, authenticator);
    expect(await reasonOf(() => signInWithPasskey(ctx, answer, BROWSER))).toBe("passkey.refused");
    const { options, cookie } = await startPasskeySignIn(ctx, PARTY);
    const response = authenticator.get(pageOf(options));
    const twice = await Promise.all(
      [0, 1].map(() => reasonOf(() => signInWithPasskey(ctx, { party: PARTY, cookie, response }, BROWSER))),
    );
    expect(twice.filter((reason) => reason === null)).toHaveLength(1);
    expect(twice).toContain("passkey.refused");
  });

  test("with an expired challenge", async () => {
    using ctx = homeContext();
    const { authenticator } = await userWithPasskey(ctx);
    const { options, cookie } = await startPasskeySignIn(ctx, PARTY);
    ctx.clock.pass(5 * MINUTE);
    const answer = { party: PARTY, cookie, response: authenticator.get(pageOf(options)) };
    expect(await reasonOf(() => signInWithPasskey(ctx, answer, BROWSER))).toBe("passkey.refused");
  });

  test("with a challenge for something else", async () => {
    using ctx = homeContext();
    const { authenticator, grant, cookies } = await userWithPasskey(ctx);
    const pending = await pendingOf(ctx, ANN);
    const started = {
      add: await startPasskey(ctx, grant, { party: PARTY, cookies }),
      factor: await startPasskeyFactor(ctx, PARTY, pending),
      signIn: await startPasskeySignIn(ctx, PARTY),
    };
    for (const { options, cookie } of [started.add, started.factor]) {
      const answer = { party: PARTY, cookie, response: authenticator.get(pageOf(options)) };
      expect(await reasonOf(() => signInWithPasskey(ctx, answer, BROWSER))).toBe("passkey.refused");
    }
    for (const { options, cookie } of [started.add, started.signIn]) {
      const answer = { party: PARTY, cookie, pending, response: authenticator.get(pageOf(options)) };
      expect(await reasonOf(() => completeWithPasskey(ctx, answer, BROWSER))).toBe("passkey.refused");
    }
    // Without a cookie, or with a forged one.
    for (const cookie of [null, "", "x", pending]) {
      const response = authenticator.get(pageOf(started.signIn.options));
      const reason = await reasonOf(() => signInWithPasskey(ctx, { party: PARTY, cookie, response }, BROWSER));
      expect(reason).toBe("passkey.refused");
    }
  });

  test("after the password of another user", async () => {
    using ctx = homeContext();
    const { authenticator } = await userWithPasskey(ctx);
    await userWithPasskey(ctx, "bob@example.com");
    expect(await reasonOf(() => completeBy(ctx, authenticator, {}, "bob@example.com"))).toBe("passkey.refused");
    expect(await reasonOf(() => completeBy(ctx, authenticator))).toBeNull();
  });

  test("in the same way for unknown passkeys, wrong answers and disabled users", async () => {
    using ctx = homeContext();
    const { authenticator } = await userWithPasskey(ctx);
    const gone = await userWithPasskey(ctx, "gone@example.com");
    revokeUserAccess(ctx, must(ctx.home.users.byEmail("gone@example.com"), "gone"));
    const removed = await userWithPasskey(ctx, "bob@example.com");
    removePasskey(ctx, removed.grant, { id: removed.authenticator.id, cookies: removed.cookies });
    const messages = new Set<string>();
    const stranger = new SoftwareAuthenticator({ userHandle: "unknown" });
    for (const [each, deviations] of [
      [stranger, {}],
      [authenticator, { signsWrongly: true }],
      [gone.authenticator, {}],
      [removed.authenticator, {}],
    ] as const) {
      const error = await signInBy(ctx, each, deviations).catch((thrown: unknown) => thrown);
      messages.add(`${String(error)} ${(error as AppError).reason} ${JSON.stringify((error as AppError).details)}`);
    }
    expect([...messages]).toEqual(["AppError: This passkey cannot be used to sign in passkey.refused undefined"]);
  });
});

test("a passkey is not delayed by attempts to guess the password or codes", async () => {
  using ctx = homeContext();
  const { authenticator } = await userWithPasskey(ctx);
  const pending = await pendingOf(ctx, ANN);
  for (let n = 0; n < 12; n++) {
    await errorCodeOf(() => signIn(ctx, { email: ANN, password: "wrong", ...BROWSER, address: `192.0.3.${n}` }));
    await errorCodeOf(() => completeWithCode(ctx, { pending, code: "000000" }, BROWSER));
  }
  const attempt = { email: ANN, password: PASSWORD, ...BROWSER };
  expect(await errorCodeOf(() => signIn(ctx, attempt))).toBe("tooMany");
  expect(await errorCodeOf(() => completeWithCode(ctx, { pending, code: "000000" }, BROWSER))).toBe("tooMany");
  const { options, cookie } = await startPasskeyFactor(ctx, PARTY, pending);
  const response = authenticator.get(pageOf(options));
  const answer = { party: PARTY, cookie, pending, response };
  expect(await reasonOf(() => completeWithPasskey(ctx, answer, BROWSER))).toBeNull();
  // From an address whose attempts are used up.
  for (let n = 0; n < 40; n++)
    await errorCodeOf(() => signIn(ctx, { email: `u${n}@x.test`, password: "", ...BROWSER }));
  expect(await errorCodeOf(() => signIn(ctx, { email: "new@x.test", password: "", ...BROWSER }))).toBe("tooMany");
  expect(await reasonOf(() => signInBy(ctx, authenticator))).toBeNull();
});

describe("adding a passkey", () => {
  const wrong: [string, Deviations][] = [
    ["with another challenge", { challenge: Buffer.alloc(32).toString("base64url") }],
    ["from another origin", { origin: "https://evil.test" }],
    ["for another relying party", { rpId: "evil.test" }],
    ["of another kind", { type: "webauthn.get" }],
  ];
  test.each(wrong)("is refused %s", async (_name, deviations) => {
    using ctx = homeContext();
    const { grant, cookies } = await signedInUser(ctx, ANN);
    const { options, cookie } = await startPasskey(ctx, grant, { party: PARTY, cookies });
    const response = new SoftwareAuthenticator({ userHandle: grant.actor.ref }).create(pageOf(options), deviations);
    const add = () => addPasskey(ctx, grant, { party: PARTY, cookies, cookie, name: "Laptop", response });
    expect(await reasonOf(add)).toBe("passkey.invalid");
    expect(listPasskeys(ctx, grant)).toEqual([]);
    expect(ctx.home.secondFactors.countRecoveryCodes(grant.actor.userId)).toBe(0);
  });

  test("works once for each challenge and credential, and for its user", async () => {
    using ctx = homeContext();
    const { grant, cookies } = await signedInUser(ctx, ANN);
    const bob = await signedInUser(ctx, "bob@example.com");
    const { options, cookie } = await startPasskey(ctx, grant, { party: PARTY, cookies });
    const authenticator = new SoftwareAuthenticator({ userHandle: grant.actor.ref });
    const response = authenticator.create(pageOf(options));
    const input = { party: PARTY, cookie, name: "Laptop", response };
    expect(await reasonOf(() => addPasskey(ctx, bob.grant, { ...input, cookies: bob.cookies }))).toBe(
      "passkey.invalid",
    );
    expect(await reasonOf(() => addPasskey(ctx, grant, { ...input, cookies }))).toBeNull();
    expect(await reasonOf(() => addPasskey(ctx, grant, { ...input, cookies }))).toBe("passkey.invalid");
    // The credential of another user.
    const next = await startPasskey(ctx, bob.grant, { party: PARTY, cookies: bob.cookies });
    const stolen = { ...input, cookie: next.cookie, response: authenticator.create(pageOf(next.options)) };
    expect(await reasonOf(() => addPasskey(ctx, bob.grant, { ...stolen, cookies: bob.cookies }))).toBe(
      "passkey.invalid",
    );
  });
});

test("removing the last factor turns two-step verification off, unless it is required", async () => {
  using ctx = homeContext();
  const { grant, cookies, authenticator, userId } = await userWithPasskey(ctx);
  removePasskey(ctx, grant, { id: authenticator.id, cookies });
  expect((await signIn(ctx, { email: ANN, password: PASSWORD, ...BROWSER })).kind).toBe("session");
  expect(ctx.home.secondFactors.countRecoveryCodes(userId)).toBe(0);
  expect(await reasonOf(() => removePasskey(ctx, grant, { id: authenticator.id, cookies }))).toBe("passkey.not_found");

  const folder = ctx.folder;
  const bob = await userWithPasskey(ctx, "bob@example.com");
  await enrolledUser(ctx, "eve@example.com");
  using strict = homeContext(folder, { requiredSecondFactor: "on" });
  const remove = () => removePasskey(strict, bob.grant, { id: bob.authenticator.id, cookies: bob.cookies });
  expect(await reasonOf(remove)).toBe("second_factor.required");
  expect(strict.home.passkeys.list(bob.userId)).toHaveLength(1);
});

describe("the relying party", () => {
  const cases: [baseDomain: string | null, publicUrl: string | null, origin: string, expected: string][] = [
    [null, null, "http://localhost:8080", "localhost http://localhost:8080"],
    [null, null, "http://127.0.0.1:8080", "address"],
    [null, null, "https://192.0.2.1", "address"],
    [null, null, "https://[2001:db8::1]:8080", "address"],
    [null, null, "http://quern.test", "insecure"],
    [null, null, "https://quern.test", "host"],
    [null, "https://quern.test", "https://quern.test", "quern.test https://quern.test"],
    // A reverse proxy terminates TLS.
    [null, "https://quern.test", "http://quern.test", "quern.test https://quern.test"],
    [null, "https://quern.test", "https://quern.test:8443", "quern.test https://quern.test:8443"],
    [null, "https://quern.test", "https://evil.test", "host"],
    [null, "https://quern.test", "https://notquern.test", "host"],
    [null, "https://quern.test", "http://localhost:8080", "localhost http://localhost:8080"],
    [null, "http://quern.test", "http://quern.test", "insecure"],
    ["quern.test", null, "https://team.quern.test", "quern.test https://team.quern.test"],
    ["quern.test", null, "https://quern.test", "quern.test https://quern.test"],
    ["quern.test", "https://docs.quern.test", "https://docs.quern.test", "quern.test https://docs.quern.test"],
    ["quern.test", null, "http://team.quern.test", "insecure"],
    ["quern.test", null, "https://quern.test.evil.test", "host"],
  ];
  test.each(cases)("with base domain %p and public URL %p at %s: %s", (baseDomain, publicUrl, origin, expected) => {
    const party = findRelyingParty({ baseDomain, publicUrl }, origin);
    expect("obstacle" in party ? party.obstacle : `${party.id} ${party.origin}`).toBe(expected);
  });
});
