import { forbidden, type AppError } from "../../errors.ts";
import type { User } from "../../home/users.ts";
import { sha256Hex } from "../../lib/ids.ts";
import { knownDevice } from "../accounts/known-devices.ts";
import {
  recordFailedSignIn,
  startSession,
  tooManyAttempts,
  verifyCredentials,
  type Browser,
  type Credentials,
  type NewSession,
} from "../accounts/sign-in.ts";
import type { Context } from "../context.ts";
import { type FlowState, openFlow, sealFlow, useFlow } from "./flow-state.ts";
import { hashRecoveryCode } from "./recovery-codes.ts";
import { isSecondFactorRequired } from "./requirement.ts";
import { parseTotpCode, totpVerifier } from "./totp.ts";

/** What follows a right password: a session, or a question for the second factor. */
export type SignInStep =
  | { readonly kind: "session"; readonly session: NewSession }
  | {
      /** `enrol` if the user has to add a second factor first. */
      readonly kind: "secondFactor" | "enrol";
      /** The value of the cookie `pending`. */
      readonly pending: string;
    };

/** The kind of a code that was accepted. */
export type UsedCode = "code" | "recovery_code";

/** How long a sign-in can wait for the second factor. */
export const PENDING_LIFETIME_MS = 5 * 60_000;

/** A sign-in that waits for the second factor. */
export interface PendingSignIn {
  readonly userId: number;
  /** Digest of the password that was given: another password ends the sign-in. */
  readonly password: string;
  readonly isEnrolment: boolean;
}

/** A sign-in that waits for the second factor, and its user. */
export interface PendingUser {
  readonly state: FlowState<PendingSignIn>;
  readonly user: User;
}

/**
 * Signs a user in by email address and password, as far as a password goes.
 * @throws AppError as `verifyCredentials`
 */
export async function signIn(ctx: Context, { email, password, ...browser }: Credentials): Promise<SignInStep> {
  const { id } = await verifyCredentials(ctx, { email, password, ...browser });
  return ctx.home.transaction(() => continueSignIn(ctx, id, browser));
}

/**
 * Continues a sign-in after the user has given, or chosen, their password: starts a session, unless a second factor is
 * needed. Must be called in a transaction.
 */
export function continueSignIn(ctx: Context, userId: number, browser: Browser): SignInStep {
  const user = ctx.home.users.byId(userId);
  const hasFactor = ctx.home.secondFactors.has(userId);
  if (!hasFactor && !(user && isSecondFactorRequired(ctx, user))) {
    return { kind: "session", session: startSession(ctx, userId, browser) };
  }
  const state: PendingSignIn = { userId, password: passwordDigest(ctx, userId), isEnrolment: !hasFactor };
  const pending = sealFlow(ctx, "pending", { state, lifetimeMs: PENDING_LIFETIME_MS });
  return { kind: hasFactor ? "secondFactor" : "enrol", pending };
}

/** Returns the sign-in that waits in a browser; null if there is none, or it has expired or was used. */
export function findPending(ctx: Context, pending: string | null): PendingUser | null {
  const state = openFlow<PendingSignIn>(ctx, "pending", pending);
  const user = state && ctx.home.users.byId(state.userId);
  if (!user || user.disabledAt !== null || state.password !== passwordDigest(ctx, user.id)) return null;
  // After an administrator has removed the factors, or another browser has added one, the password is asked for again.
  if (state.isEnrolment === ctx.home.secondFactors.has(user.id)) return null;
  return { state, user };
}

/** Like `findPending`. @throws AppError `second_factor.expired` */
export function requirePending(ctx: Context, pending: string | null): PendingUser {
  const found = findPending(ctx, pending);
  if (!found) throw pendingExpired();
  return found;
}

/**
 * Completes a sign-in with a code of the authenticator app, or a recovery code.
 * @throws AppError `second_factor.expired`, `second_factor.code` for a wrong or used code, `tooMany` after too many of them
 */
export async function completeWithCode(
  ctx: Context,
  { pending, code }: { pending: string | null; code: string },
  browser: Browser,
): Promise<NewSession> {
  const { state, user } = requirePending(ctx, pending);
  if (state.isEnrolment) throw pendingExpired();
  const useCode = await codeChecker(ctx, { userId: user.id, ...browser });
  return ctx.home.transaction(() => {
    requirePending(ctx, pending);
    const factor = useCode(code);
    return completePending(ctx, state, { browser, factor });
  });
}

/** Starts the session of a sign-in, once. Must be called in a transaction. @throws AppError `second_factor.expired` */
export function completePending(
  ctx: Context,
  state: FlowState<PendingSignIn>,
  { browser, factor }: { browser: Browser; factor: UsedCode | "passkey" | "enrolment" },
): NewSession {
  if (!useFlow(ctx, state)) throw pendingExpired();
  return startSession(ctx, state.userId, browser, { method: "password", factor });
}

/**
 * Returns a function that accepts a code of a user once: of the authenticator app, or a recovery code. It must be called in
 * a transaction, and throws AppError `second_factor.code` for a wrong or used code, `tooMany` after too many of them.
 * @param caller.device the cookie of browsers that have signed in: attempts of others do not delay them
 */
export async function codeChecker(
  ctx: Context,
  { userId, device, address }: { userId: number; device: string | null; address: string },
): Promise<(code: string) => UsedCode> {
  const verify = await totpVerifier();
  return (text) => {
    const { codes } = ctx.identity.attempts;
    const attempt = `${userId} ${knownDevice(ctx, userId, device) ?? ""}`;
    const waitMs = codes.take(attempt, ctx.clock.elapsed());
    if (waitMs > 0) {
      recordFailedSignIn(ctx, { userId, address, reason: "limit" });
      throw tooManyAttempts(waitMs);
    }
    const { secondFactors } = ctx.home;
    const code = parseTotpCode(text);
    const totp = code === null ? null : secondFactors.totp(userId);
    const step = totp && code !== null ? verify(totp.secret, code, ctx.clock.now()) : null;
    const isAccepted =
      step === null
        ? code === null && secondFactors.useRecoveryCode(userId, hashRecoveryCode(text))
        : secondFactors.useStep(userId, step);
    if (!isAccepted) {
      recordFailedSignIn(ctx, { userId, address, reason: "code" });
      throw forbidden("The code is wrong, or was used", "second_factor.code");
    }
    codes.clear(attempt);
    return step === null ? "recovery_code" : "code";
  };
}

export const pendingExpired = (): AppError =>
  forbidden("This sign-in has expired; sign in again", "second_factor.expired");

const passwordDigest = ({ home }: Context, userId: number): string => sha256Hex(home.passwords.get(userId) ?? "");
