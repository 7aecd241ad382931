import type { UserGrant } from "../../authorization.ts";
import { AppError, notFound } from "../../errors.ts";
import type { PasskeyRow } from "../../home/identity/passkeys.ts";
import { isoTime } from "../../lib/time/clock.ts";
import type { Attestation, CreationOptions, ListedPasskey } from "../../wire/accounts/passkeys.ts";
import type { Context } from "../context.ts";
import { type ConfirmationCookies, requireConfirmation } from "../second-factor/confirmation.ts";
import { addRecoveryCodes } from "../second-factor/factors.ts";
import { useFlow } from "../second-factor/flow-state.ts";
import { recordFactorChange } from "../second-factor/record-change.ts";
import { afterRemoval } from "../second-factor/requirement.ts";
import { newChallenge, openChallenge } from "./challenges.ts";
import type { RelyingParty } from "./relying-party.ts";
import { loadWebAuthn } from "./web-authn.ts";

/** More passkeys than a user can keep apart. */
const MAX_PASSKEYS = 20;

/** ES256, EdDSA and RS256, which all authenticators and runtimes know. */
const ALGORITHMS = [-7, -8, -257];

/** Returns the passkeys of the caller, oldest first. */
export const listPasskeys = ({ home }: Context, { actor }: UserGrant): ListedPasskey[] =>
  home.passkeys.list(actor.userId).map(({ id, name, createdAt, lastUsedAt }) => ({
    id,
    name,
    createdAt: isoTime(createdAt),
    lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
  }));

/**
 * Begins to add a passkey.
 * @returns the options for the browser, and the value of the cookie `passkey`
 * @throws AppError `second_factor.confirm`; `limit.exceeded` for too many passkeys
 */
export async function startPasskey(
  ctx: Context,
  grant: UserGrant,
  { party, cookies }: { party: RelyingParty; cookies: ConfirmationCookies },
): Promise<{ options: CreationOptions; cookie: string }> {
  requireConfirmation(ctx, grant, cookies);
  const { userId, ref, email, name } = grant.actor;
  const existing = ctx.home.passkeys.list(userId);
  requireSpace(existing.length);
  const { challenge, cookie } = newChallenge(ctx, { use: "add", userId });
  const { generateRegistrationOptions } = await loadWebAuthn();
  const options = await generateRegistrationOptions({
    rpName: "Quern",
    rpID: party.id,
    userName: email,
    userDisplayName: name,
    userID: new TextEncoder().encode(ref),
    challenge,
    attestationType: "none",
    authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
    supportedAlgorithmIDs: ALGORITHMS,
  });
  return { options: { ...options, excludeCredentials: existing.map(describeCredential) }, cookie };
}

/**
 * Adds a passkey.
 * @returns the passkey, and the recovery codes if the user has had none
 * @throws AppError `second_factor.confirm`, `passkey.invalid`, `limit.exceeded`
 */
export async function addPasskey(
  ctx: Context,
  grant: UserGrant,
  input: {
    party: RelyingParty;
    cookies: ConfirmationCookies;
    /** The value of the cookie `passkey`. */
    cookie: string | null;
    name: string;
    response: Attestation;
  },
): Promise<{ id: string; recoveryCodes: string[] }> {
  requireConfirmation(ctx, grant, input.cookies);
  const { userId } = grant.actor;
  const { party, response, name } = input;
  const state = openChallenge(ctx, input.cookie, { use: "add", userId });
  if (!state) throw passkeyInvalid("The challenge has expired; try again");
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const result = await verifyRegistrationResponse({
    response,
    expectedChallenge: state.challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: false,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch((error: unknown) => {
    ctx.log.warn("passkey.refused", { userId, error: String(error) });
    return null;
  });
  if (!result?.verified) throw passkeyInvalid("The answer of the authenticator is not valid");
  const { id, publicKey, counter, transports = [] } = result.registrationInfo.credential;
  const recoveryCodes = ctx.home.transaction(() => {
    if (!useFlow(ctx, state)) throw passkeyInvalid("The challenge was used; try again");
    requireSpace(ctx.home.passkeys.list(userId).length);
    if (ctx.home.passkeys.byId(id)) throw passkeyInvalid("This passkey exists already");
    ctx.home.passkeys.add({
      id,
      userId,
      publicKey: Buffer.from(publicKey),
      counter,
      transports: [...transports],
      name: name.trim(),
    });
    recordFactorChange(ctx, { userId, change: "passkey_added", actor: grant.actor });
    return addRecoveryCodes(ctx, userId);
  });
  return { id, recoveryCodes };
}

/**
 * Renames one of the caller's passkeys.
 * @throws AppError `second_factor.confirm`, `passkey.not_found`
 */
export function renamePasskey(
  ctx: Context,
  grant: UserGrant,
  { id, name, cookies }: { id: string; name: string; cookies: ConfirmationCookies },
): void {
  requireConfirmation(ctx, grant, cookies);
  const isFound = ctx.home.transaction(() => ctx.home.passkeys.rename(grant.actor.userId, id, name.trim()));
  if (!isFound) throw passkeyNotFound();
}

/**
 * Removes one of the caller's passkeys.
 * @throws AppError `second_factor.confirm`, `passkey.not_found`; `second_factor.required` for the only factor of a user who
 * needs one
 */
export function removePasskey(
  ctx: Context,
  grant: UserGrant,
  { id, cookies }: { id: string; cookies: ConfirmationCookies },
): void {
  requireConfirmation(ctx, grant, cookies);
  const { userId, isAdmin } = grant.actor;
  ctx.home.transaction(() => {
    if (!ctx.home.passkeys.remove(userId, id)) throw passkeyNotFound();
    afterRemoval(ctx, { id: userId, isAdmin });
    recordFactorChange(ctx, { userId, change: "passkey_removed", actor: grant.actor });
  });
}

const describeCredential = ({ id, transports }: PasskeyRow) => ({ id, type: "public-key" as const, transports });

function requireSpace(count: number): void {
  if (count >= MAX_PASSKEYS) throw new AppError("limit.exceeded", `A user can have at most ${MAX_PASSKEYS} passkeys`);
}

const passkeyInvalid = (message: string): AppError => new AppError("passkey.invalid", message);

const passkeyNotFound = (): AppError => notFound("Passkey not found", "passkey.not_found");
