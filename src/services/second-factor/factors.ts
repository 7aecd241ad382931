import type { UserGrant } from "../../authorization.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import type { User } from "../../home/users.ts";
import { isoTime } from "../../lib/time/clock.ts";
import type { SecondFactorState } from "../../wire/accounts/second-factor.ts";
import { guardAdmin } from "../access/guards.ts";
import type { Browser, NewSession } from "../accounts/sign-in.ts";
import { findUser } from "../accounts/users.ts";
import type { Context } from "../context.ts";
import { type AuditActor, auditActorOf } from "../audit/record-audit.ts";
import { recordFactorChange } from "./record-change.ts";
import { type ConfirmationCookies, confirmedUntil, requireConfirmation } from "./confirmation.ts";
import { openFlow, sealFlow, useFlow, type FlowState } from "./flow-state.ts";
import { hashRecoveryCode, newRecoveryCodes } from "./recovery-codes.ts";
import { afterRemoval, isSecondFactorRequired } from "./requirement.ts";
import { completePending, pendingExpired, requirePending } from "./sign-in-steps.ts";
import { describeTotp, newTotpSecret, parseTotpCode, totpVerifier, type TotpKey } from "./totp.ts";

/** How long the secret of a new authenticator app can be confirmed. */
export const ENROLMENT_LIFETIME_MS = 30 * 60_000;

/** The secret of an authenticator app that the user has not confirmed yet. */
interface Enrolment {
  readonly userId: number;
  /** Hex. */
  readonly secret: string;
}

/** Returns the second factors of the caller, but passkeys. */
export function describeFactors(ctx: Context, grant: UserGrant, cookies: ConfirmationCookies): SecondFactorState {
  const { home } = ctx;
  const { actor } = grant;
  const totp = home.secondFactors.totp(actor.userId);
  const until = confirmedUntil(ctx, grant, cookies);
  return {
    isOn: home.secondFactors.has(actor.userId),
    isRequired: isSecondFactorRequired(ctx, actor),
    authenticator: totp && { addedAt: isoTime(totp.createdAt) },
    passkeys: home.passkeys.list(actor.userId).length,
    recoveryCodesLeft: home.secondFactors.countRecoveryCodes(actor.userId),
    confirmedUntil: until === null ? null : isoTime(until),
  };
}

/** A new authenticator app, before its first code. */
export interface NewAuthenticator extends TotpKey {
  /** The value of the cookie `enrolment`. */
  readonly enrolment: string;
}

/**
 * Begins to add an authenticator app; nothing is stored before `confirmAuthenticator`.
 * @throws AppError `second_factor.confirm`, `second_factor.exists`
 */
export async function beginAuthenticator(
  ctx: Context,
  grant: UserGrant,
  cookies: ConfirmationCookies,
): Promise<NewAuthenticator> {
  requireConfirmation(ctx, grant, cookies);
  requireNoAuthenticator(ctx, grant.actor.userId);
  const state: Enrolment = { userId: grant.actor.userId, secret: newTotpSecret().toString("hex") };
  const enrolment = sealFlow(ctx, "enrolment", { state, lifetimeMs: ENROLMENT_LIFETIME_MS });
  return { enrolment, ...(await describeTotp(Buffer.from(state.secret, "hex"), grant.actor.email)) };
}

/** Returns the secret of an authenticator app that a user adds; null if there is none, or it has expired. */
export async function describeEnrolment(
  ctx: Context,
  { userId, email }: { userId: number; email: string },
  enrolment: string | null,
): Promise<TotpKey | null> {
  const state = findEnrolment(ctx, userId, enrolment);
  return state && describeTotp(Buffer.from(state.secret, "hex"), email);
}

/**
 * Adds an authenticator app by its first code.
 * @returns the recovery codes if the user has had none
 * @throws AppError `second_factor.confirm`, `second_factor.enrolment`, `second_factor.exists`; `second_factor.code` for a
 * wrong code
 */
export async function confirmAuthenticator(
  ctx: Context,
  grant: UserGrant,
  input: { code: string; enrolment: string | null; cookies: ConfirmationCookies },
): Promise<string[]> {
  const { userId } = grant.actor;
  requireConfirmation(ctx, grant, input.cookies);
  const add = await authenticatorAdder(ctx, userId, input);
  return ctx.home.transaction(() => {
    recordFactorChange(ctx, { userId, change: "authenticator_added", actor: grant.actor });
    return add();
  });
}

/**
 * Removes the authenticator app.
 * @throws AppError `second_factor.confirm`, `second_factor.not_found`, `second_factor.required`
 */
export function removeAuthenticator(ctx: Context, grant: UserGrant, cookies: ConfirmationCookies): void {
  requireConfirmation(ctx, grant, cookies);
  const { userId, isAdmin } = grant.actor;
  ctx.home.transaction(() => {
    if (!ctx.home.secondFactors.totp(userId)) throw notFound("No authenticator app", "second_factor.not_found");
    ctx.home.secondFactors.removeTotp(userId);
    afterRemoval(ctx, { id: userId, isAdmin });
    recordFactorChange(ctx, { userId, change: "authenticator_removed", actor: grant.actor });
  });
}

/**
 * Replaces the recovery codes.
 * @throws AppError `second_factor.confirm`; `invalid` for users without a second factor
 */
export function replaceRecoveryCodes(ctx: Context, grant: UserGrant, cookies: ConfirmationCookies): string[] {
  requireConfirmation(ctx, grant, cookies);
  const { userId } = grant.actor;
  if (!ctx.home.secondFactors.has(userId)) throw invalid("Recovery codes require a second factor; add one first");
  return ctx.home.transaction(() => {
    recordFactorChange(ctx, { userId, change: "recovery_codes_replaced", actor: grant.actor });
    return storeRecoveryCodes(ctx, userId);
  });
}

/** Stores recovery codes for a user who has none. Must be called in a transaction. */
export const addRecoveryCodes = (ctx: Context, userId: number): string[] =>
  ctx.home.secondFactors.countRecoveryCodes(userId) > 0 ? [] : storeRecoveryCodes(ctx, userId);

/** Begins to add the second factor that a sign-in requires. @throws AppError `second_factor.expired` */
export function beginRequired(ctx: Context, pending: string | null): string {
  const { state, user } = requirePending(ctx, pending);
  if (!state.isEnrolment) throw pendingExpired();
  const enrolment: Enrolment = { userId: user.id, secret: newTotpSecret().toString("hex") };
  return sealFlow(ctx, "enrolment", { state: enrolment, lifetimeMs: ENROLMENT_LIFETIME_MS });
}

/**
 * Adds the authenticator app that a sign-in requires, and completes the sign-in.
 * @throws AppError `second_factor.expired`, `second_factor.enrolment`, `second_factor.code`
 */
export async function completeRequired(
  ctx: Context,
  input: { pending: string | null; enrolment: string | null; code: string },
  browser: Browser,
): Promise<{ session: NewSession; recoveryCodes: string[] }> {
  const { state } = requirePending(ctx, input.pending);
  if (!state.isEnrolment) throw pendingExpired();
  const add = await authenticatorAdder(ctx, state.userId, input);
  return ctx.home.transaction(() => {
    requirePending(ctx, input.pending);
    const session = completePending(ctx, state, { browser, factor: "enrolment" });
    const actor = auditActorOf(ctx, state.userId, browser.address);
    recordFactorChange(ctx, { userId: state.userId, change: "authenticator_added", actor });
    return { session, recoveryCodes: add() };
  });
}

/**
 * Removes all second factors of a user, for administrators: the way back for users who have lost them.
 * @throws AppError `forbidden`, `notFound`
 */
export function resetFactors(ctx: Context, grant: UserGrant, userId: number): void {
  guardAdmin(grant, "perform this action");
  removeFactors(ctx, findUser(ctx, userId), grant.actor);
}

/** Like `resetFactors`, for commands. */
export function removeFactors(ctx: Context, { id: userId }: User, actor: AuditActor = "command"): void {
  ctx.home.transaction(() => {
    ctx.home.secondFactors.removeAll(userId);
    recordFactorChange(ctx, { userId, change: "reset", actor });
  });
}

function storeRecoveryCodes({ home }: Context, userId: number): string[] {
  const codes = newRecoveryCodes();
  home.secondFactors.setRecoveryCodes(userId, codes.map(hashRecoveryCode));
  return codes;
}

function findEnrolment(ctx: Context, userId: number, enrolment: string | null): FlowState<Enrolment> | null {
  const state = openFlow<Enrolment>(ctx, "enrolment", enrolment);
  return state?.userId === userId ? state : null;
}

/** Returns a function that adds the authenticator app, which must be called in a transaction. */
async function authenticatorAdder(
  ctx: Context,
  userId: number,
  input: { code: string; enrolment: string | null },
): Promise<() => string[]> {
  const state = findEnrolment(ctx, userId, input.enrolment);
  if (!state) throw new AppError("second_factor.enrolment", "Begin again: the secret has expired");
  const verify = await totpVerifier();
  const secret = Buffer.from(state.secret, "hex");
  const code = parseTotpCode(input.code);
  const step = code === null ? null : verify(secret, code, ctx.clock.now());
  if (step === null) {
    throw new AppError("second_factor.code", "The code is wrong; check that the clock of your device is right");
  }
  return () => {
    requireNoAuthenticator(ctx, userId);
    if (!useFlow(ctx, state)) throw new AppError("second_factor.enrolment", "Begin again: the secret was used");
    ctx.home.secondFactors.addTotp(userId, secret, step);
    return addRecoveryCodes(ctx, userId);
  };
}

function requireNoAuthenticator({ home }: Context, userId: number): void {
  if (home.secondFactors.totp(userId))
    throw new AppError("second_factor.exists", "You have an authenticator app already; remove it first");
}
