import type { AccountActor, Actor } from "../../authorization.ts";
import { AppError, forbidden } from "../../errors.ts";
import type { Prefs } from "../../home/preferences.ts";
import { normaliseEmail } from "../../lib/text/email.ts";
import type { Context } from "../context.ts";
import { describeProfile, type Profile } from "./profile.ts";

/** The caller, as clients need them at startup. */
export interface SessionUser extends Omit<Profile, "isInstallAdmin"> {
  readonly isInstallAdmin: boolean;
  /** The caller's preferences, if any are stored. */
  readonly prefs?: Prefs;
}

export interface ActiveSession<Site> {
  readonly user: SessionUser;
  /** The site that the request addresses; null if there is none, or the caller has no access. */
  readonly org: Site | null;
  /** The reason for a missing site. */
  readonly orgError: AppError | null;
}

/**
 * Returns the caller and the current site.
 * @param describeSite returns the site of the request's address as the caller sees it; null if the address names no
 * team site
 */
export function describeSession<Site>(
  ctx: Context,
  actor: AccountActor,
  describeSite: () => Site | null,
): ActiveSession<Site> {
  const prefs = actor.kind === "user" ? ctx.home.preferences.get({ userId: actor.userId, orgId: 0 }) : null;
  const profile = describeProfile(ctx, actor);
  const user = { ...profile, isInstallAdmin: profile.isInstallAdmin ?? false, ...(prefs && { prefs }) };
  try {
    return { user, org: describeSite(), orgError: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { user, org: null, orgError: error };
  }
}

/**
 * Selects one of the users signed in by this browser. A session has one user, so only that user is accepted.
 * @throws AppError `forbidden` for any other address, and for callers without a session
 */
export function selectUser(actor: Actor, email: string): void {
  const isOwn = actor.kind === "user" && actor.via === "session" && actor.email === normaliseEmail(email);
  if (!isOwn) throw forbidden("No user with this email address is signed in here");
}
