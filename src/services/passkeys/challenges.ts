import { randomBytes } from "node:crypto";
import type { Context } from "../context.ts";
import { openFlow, sealFlow, type FlowState } from "../second-factor/flow-state.ts";

/** How long an authenticator can take. */
export const CHALLENGE_LIFETIME_MS = 5 * 60_000;

/** A challenge that a browser has been given. */
export interface Challenge {
  readonly challenge: string;
  /** `signIn` without a password, `factor` after one, `add` for a new passkey. */
  readonly use: "signIn" | "factor" | "add";
  /** Null for a sign-in without a password, where the passkey names the user. */
  readonly userId: number | null;
}

/** Returns a new challenge, and the value of the cookie `passkey` that keeps it. */
export function newChallenge(
  ctx: Context,
  { use, userId }: Omit<Challenge, "challenge">,
): { challenge: Uint8Array<ArrayBuffer>; cookie: string } {
  const challenge = new Uint8Array(randomBytes(32));
  const state: Challenge = { challenge: Buffer.from(challenge).toString("base64url"), use, userId };
  return { challenge, cookie: sealFlow(ctx, "passkey", { state, lifetimeMs: CHALLENGE_LIFETIME_MS }) };
}

/** Returns the challenge of a browser; null if it was for another use or user, or has expired. */
export function openChallenge(
  ctx: Context,
  cookie: string | null,
  expected: Omit<Challenge, "challenge">,
): FlowState<Challenge> | null {
  const state = openFlow<Challenge>(ctx, "passkey", cookie);
  return state?.use === expected.use && state.userId === expected.userId ? state : null;
}
