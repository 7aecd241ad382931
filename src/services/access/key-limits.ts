/** What a limited API key, or a token of an end user, permits in addition to the role of the user. */
import type { Actor, KeyLimits, Scope } from "../../authorization.ts";
import { AppError } from "../../errors.ts";

/** Returns the limits of the caller's key or token; undefined if it has none, and for callers without a key. */
export const limitsOfActor = (actor: Actor): KeyLimits | undefined =>
  actor.kind === "anonymous" ? undefined : actor.limits;

/**
 * Checks that the caller's key has a scope.
 * @throws AppError `forbidden` with `details.missingScope`
 */
export function requireScope(actor: Actor, scope: Scope): void {
  const scopes = limitsOfActor(actor)?.scopes ?? null;
  if (scopes === null || scopes.has(scope)) return;
  const credential = actor.kind === "endUser" ? "token" : "API key";
  throw new AppError("scope.missing", `The ${credential} lacks the scope ${scope}`, {
    details: { missingScope: scope },
  });
}
