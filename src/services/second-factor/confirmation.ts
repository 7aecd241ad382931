import type { UserGrant } from "../../authorization.ts";
import { forbidden, type AppError } from "../../errors.ts";
import { sha256Hex } from "../../lib/ids.ts";
import { verifyPassword } from "../accounts/passwords.ts";
import { tooManyAttempts } from "../accounts/sign-in.ts";
import type { Context } from "../context.ts";
import { openFlow, sealFlow } from "./flow-state.ts";
import { codeChecker } from "./sign-in-steps.ts";

/**
 * Changes of factors require that the user has just shown who they are: by signing in, or with their password or a code. An
 * unattended or stolen session is not enough.
 */
export const CONFIRMATION_LIFETIME_MS = 10 * 60_000;

/** The cookies that a request of a user is judged by. */
export interface ConfirmationCookies {
  /** The token of the session. */
  readonly session: string | null;
  /** The value of the cookie `confirmed`. */
  readonly confirmed: string | null;
}

interface Confirmation {
  readonly userId: number;
  /** Hash of the session's token: the confirmation is worth nothing in another session. */
  readonly session: string;
}

/** Returns until when a user may change factors without a further confirmation; null if they need one. */
export function confirmedUntil(ctx: Context, { actor }: UserGrant, cookies: ConfirmationCookies): number | null {
  if (actor.via !== "session" || cookies.session === null) return null;
  const hash = sha256Hex(cookies.session);
  const current = ctx.home.sessions.list(actor.userId).find((session) => session.hash === hash);
  const freshUntil = (current?.createdAt ?? 0) + CONFIRMATION_LIFETIME_MS;
  if (freshUntil > ctx.clock.now()) return freshUntil;
  const state = openFlow<Confirmation>(ctx, "confirmed", cookies.confirmed);
  return state && state.userId === actor.userId && state.session === hash ? state.expiresAt : null;
}

/** @throws AppError `second_factor.confirm`; `access.session_required` for callers without a session */
export function requireConfirmation(ctx: Context, grant: UserGrant, cookies: ConfirmationCookies): void {
  if (grant.actor.via !== "session") throw sessionRequired();
  if (confirmedUntil(ctx, grant, cookies) === null) {
    throw forbidden("Confirm with your password or a code first, or sign in again", "second_factor.confirm");
  }
}

/**
 * Confirms who a user is, for some minutes.
 * @param input the password, else a code of the authenticator app or a recovery code
 * @param session the token of the session
 * @returns the value of the cookie `confirmed`
 * @throws AppError `forbidden` if it is wrong, and for callers without a session; `tooMany` after too many attempts
 */
export async function confirmUser(
  ctx: Context,
  grant: UserGrant,
  input: { password?: string | undefined; code?: string | undefined; session: string | null },
): Promise<string> {
  const { userId, via } = grant.actor;
  if (via !== "session" || input.session === null) throw sessionRequired();
  if (input.password !== undefined) await requirePassword(ctx, userId, input.password);
  else {
    const useCode = await codeChecker(ctx, { userId, device: null, address: grant.actor.address ?? "" });
    ctx.home.transaction(() => useCode(input.code ?? ""));
  }
  const state: Confirmation = { userId, session: sha256Hex(input.session) };
  return sealFlow(ctx, "confirmed", { state, lifetimeMs: CONFIRMATION_LIFETIME_MS });
}

/** A reverse proxy signs its users in: neither their password nor a second factor is asked for. */
const sessionRequired = (): AppError =>
  forbidden("Second factors are for users who sign in on this server", "access.session_required");

async function requirePassword(ctx: Context, userId: number, password: string): Promise<void> {
  // As for changes of the password.
  const attempt = `user ${userId}`;
  const waitMs = ctx.identity.attempts.byDevice.take(attempt, ctx.clock.elapsed());
  if (waitMs > 0) throw tooManyAttempts(waitMs);
  const hash = ctx.home.passwords.get(userId);
  if (!(await verifyPassword(ctx, password, hash))) throw forbidden("The password is wrong");
  ctx.identity.attempts.byDevice.clear(attempt);
}
