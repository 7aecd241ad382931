import { forbidden, type AppError } from "../../errors.ts";
import type { PasskeyRow } from "../../home/identity/passkeys.ts";
import type { Assertion, AssertionOptions } from "../../wire/accounts/passkeys.ts";
import { recordFailedSignIn, startSession, type Browser, type NewSession } from "../accounts/sign-in.ts";
import type { Context } from "../context.ts";
import { useFlow, type FlowState } from "../second-factor/flow-state.ts";
import { completePending, requirePending } from "../second-factor/sign-in-steps.ts";
import { newChallenge, openChallenge, type Challenge } from "./challenges.ts";
import type { RelyingParty } from "./relying-party.ts";
import { loadWebAuthn } from "./web-authn.ts";

/** What a browser needs to use a passkey, and the value of the cookie `passkey`. */
export interface StartedAuthentication {
  readonly options: AssertionOptions;
  readonly cookie: string;
}

/** An answer of an authenticator, and what the browser sent with it. */
export interface PasskeyAnswer {
  readonly party: RelyingParty;
  /** The value of the cookie `passkey`. */
  readonly cookie: string | null;
  readonly response: Assertion;
}

/**
 * Begins a sign-in without a password. The browser offers its own passkeys: the answer is the same for everyone, since the
 * server is not told who asks.
 */
export async function startPasskeySignIn(ctx: Context, party: RelyingParty): Promise<StartedAuthentication> {
  const { challenge, cookie } = newChallenge(ctx, { use: "signIn", userId: null });
  const { generateAuthenticationOptions } = await loadWebAuthn();
  const options = await generateAuthenticationOptions({ rpID: party.id, challenge, userVerification: "required" });
  return { options, cookie };
}

/**
 * Begins the second step of a sign-in, with one of the user's passkeys.
 * @throws AppError `second_factor.expired`
 */
export async function startPasskeyFactor(
  ctx: Context,
  party: RelyingParty,
  pending: string | null,
): Promise<StartedAuthentication> {
  const { user } = requirePending(ctx, pending);
  const { challenge, cookie } = newChallenge(ctx, { use: "factor", userId: user.id });
  const { generateAuthenticationOptions } = await loadWebAuthn();
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    challenge,
    allowCredentials: ctx.home.passkeys.list(user.id).map(({ id, transports }) => ({ id, transports })),
    userVerification: "preferred",
  });
  return { options, cookie };
}

/**
 * Signs a user in with a passkey that has verified them. No limit delays it: an answer cannot be guessed.
 * @throws AppError `passkey.refused`, for whatever reason
 */
export async function signInWithPasskey(ctx: Context, answer: PasskeyAnswer, browser: Browser): Promise<NewSession> {
  const state = openChallenge(ctx, answer.cookie, { use: "signIn", userId: null });
  if (!state) throw passkeyRefused();
  const accept = await verifyAnswer(ctx, { ...answer, state, address: browser.address, requireUserVerification: true });
  return ctx.home.transaction(() => startSession(ctx, accept().userId, browser, { method: "passkey" }));
}

/**
 * Completes a sign-in with a passkey of the user whose password was given.
 * @throws AppError `second_factor.expired`; `passkey.refused`, for whatever reason
 */
export async function completeWithPasskey(
  ctx: Context,
  answer: PasskeyAnswer & { pending: string | null },
  browser: Browser,
): Promise<NewSession> {
  const { user, state: pending } = requirePending(ctx, answer.pending);
  const state = openChallenge(ctx, answer.cookie, { use: "factor", userId: user.id });
  if (!state) throw passkeyRefused();
  const accept = await verifyAnswer(ctx, {
    ...answer,
    state,
    address: browser.address,
    requireUserVerification: false,
  });
  return ctx.home.transaction(() => {
    requirePending(ctx, answer.pending);
    if (accept().userId !== user.id) throw passkeyRefused();
    return completePending(ctx, pending, { browser, factor: "passkey" });
  });
}

/**
 * Verifies the answer of an authenticator. Returns a function that accepts it once and returns the passkey; it must be called
 * in a transaction, and throws AppError `passkey.refused`.
 */
async function verifyAnswer(
  ctx: Context,
  input: PasskeyAnswer & { state: FlowState<Challenge>; address: string; requireUserVerification: boolean },
): Promise<() => PasskeyRow> {
  const { party, response, state } = input;
  const passkey = usablePasskey(ctx, response);
  if (!passkey) throw passkeyRefused();
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const result = await verifyAuthenticationResponse({
    response,
    expectedChallenge: state.challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: input.requireUserVerification,
    credential: { id: passkey.id, publicKey: new Uint8Array(passkey.publicKey), counter: passkey.counter },
  }).catch((error: unknown) => {
    ctx.log.warn("passkey.refused", { userId: passkey.userId, error: String(error) });
    recordFailedSignIn(ctx, { userId: passkey.userId, address: input.address, reason: "passkey" });
    return null;
  });
  if (!result?.verified) throw passkeyRefused();
  const { newCounter } = result.authenticationInfo;
  return () => {
    // Checked again: another request may have used it, or removed it, or disabled its user.
    const current = usablePasskey(ctx, response);
    if (current?.counter !== passkey.counter || !useFlow(ctx, state)) throw passkeyRefused();
    ctx.home.passkeys.recordUse(passkey.id, newCounter);
    return current;
  };
}

/** Returns the passkey of an answer if its user can sign in, and is the one that the authenticator knows. */
function usablePasskey({ home }: Context, { id, response: { userHandle } }: Assertion): PasskeyRow | null {
  const passkey = home.passkeys.byId(id);
  const user = passkey && home.users.byId(passkey.userId);
  if (!user || user.disabledAt !== null || user.kind !== "person") return null;
  const isSameUser = !userHandle || Buffer.from(userHandle, "base64url").toString() === user.ref;
  return isSameUser ? passkey : null;
}

/** The same answer for unknown passkeys, wrong answers and disabled users. */
const passkeyRefused = (): AppError => forbidden("This passkey cannot be used to sign in", "passkey.refused");
