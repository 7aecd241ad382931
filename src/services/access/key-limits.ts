/** What a limited API key permits, in addition to the role of its user. */
import type { Actor, KeyLimits, Scope } from "../../authorization.ts";
import { AppError } from "../../errors.ts";

/** Returns the limits of the caller's key; undefined for a key without limits, and for callers without a key. */
export const limitsOfActor = (actor: Actor): KeyLimits | undefined =>
  actor.kind === "user" ? actor.limits : undefined;

/**
 * Checks that the caller's key has a scope.
 * @throws AppError `forbidden` with `details.missingScope`
 */
export function requireScope(actor: Actor, scope: Scope): void {
  const scopes = limitsOfActor(actor)?.scopes ?? null;
  if (scopes === null || scopes.has(scope)) return;
  throw new AppError("scope.missing", `The API key lacks the scope ${scope}`, { details: { missingScope: scope } });
}
