import { allows, type DocumentGrant } from "../../authorization.ts";
import type { Context } from "../context.ts";

/** The user who made a change. */
export interface ChangeAuthor {
  /** Null for an address without an account. */
  readonly id: number | null;
  readonly email: string;
  readonly name: string | null;
}

/**
 * Returns the author of a change as a reader of the document sees them: editors and owners see users, viewers do not, here
 * and elsewhere. End users do not learn which addresses have an account.
 */
export function changeAuthor(
  { home }: Context,
  { actor, role }: DocumentGrant,
  email: string | null,
): ChangeAuthor | null {
  if (email === null || !allows(role, "editors")) return null;
  const user = actor.kind === "endUser" ? null : home.users.byEmail(email);
  return { id: user?.id ?? null, email, name: user?.name || null };
}

/** The API key that made a change. */
export interface ChangeKey {
  readonly id: number;
  /** The label of a key of the reader; null for those of others, for keys without a label, and for revoked ones. */
  readonly label: string | null;
}

/**
 * Returns a function that returns the API key of a change as a reader of the document sees it: owners see keys, and the labels of
 * their own.
 */
export function changeKeysFor(
  { home }: Context,
  { actor, role }: DocumentGrant,
): (keyId: number | null) => ChangeKey | null {
  if (role !== "owners" || actor.kind !== "user") return () => null;
  const labels = new Map(home.keys.listOf(actor.userId).map(({ id, label }) => [id, label]));
  return (keyId) => (keyId === null ? null : { id: keyId, label: labels.get(keyId) ?? null });
}
