import { Secret, TOTP } from "otpauth";
import type { Browser } from "../../src/services/accounts/sign-in.ts";
import { addUser } from "../../src/services/accounts/users.ts";
import type { Context } from "../../src/services/context.ts";
import { guardSession } from "../../src/services/access/guards.ts";
import { actorFromSession } from "../../src/services/accounts/actors.ts";
import { beginAuthenticator, confirmAuthenticator } from "../../src/services/second-factor/factors.ts";
import { must } from "../../src/lib/assert.ts";
import { signInByPassword } from "./sign-in.ts";
import { BROWSER } from "./users.ts";

export const STEP_MS = 30_000;
export const PASSWORD = "correct horse";

/** Returns the code that an authenticator app shows at a time. */
export const codeAt = (secret: string, nowMs: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: nowMs });

/** A user with an authenticator app. */
export interface Enrolled {
  readonly userId: number;
  readonly email: string;
  /** Base32. */
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** Adds a user with a password, who signs in. */
export async function signedInUser(ctx: Context, email: string, options: { isAdmin?: boolean } = {}) {
  await addUser(ctx, { email, name: email.replace(/@.*/, ""), password: PASSWORD, ...options });
  return openSession(ctx, email);
}

/** Signs a user without a second factor in. */
export async function openSession(ctx: Context, email: string, browser: Browser = BROWSER) {
  const { token, device } = await signInByPassword(ctx, { email, password: PASSWORD, ...browser });
  const grant = guardSession(must(actorFromSession(ctx, token), "the session"));
  return { grant, token, device, cookies: { session: token, confirmed: null } };
}

/** Adds a user with an authenticator app. The code that confirmed it is used. */
export async function enrolledUser(ctx: Context, email: string): Promise<Enrolled> {
  const { grant, cookies } = await signedInUser(ctx, email);
  const { secret, enrolment } = await beginAuthenticator(ctx, grant, cookies);
  const code = codeAt(secret, ctx.clock.now());
  const recoveryCodes = await confirmAuthenticator(ctx, grant, { code, enrolment, cookies });
  return { userId: grant.actor.userId, email, secret, recoveryCodes };
}
