import type { Actor } from "../../authorization.ts";
import { AppError, forbidden } from "../../errors.ts";
import type { Prefs } from "../../home/preferences.ts";
import { normaliseEmail } from "../../lib/text/email.ts";
import type { Context } from "../context.ts";
import { describeProfile, type Profile } from "./profile.ts";

/** The caller as clients need them at startup. */
export interface SessionUser extends Omit<Profile, "isInstallAdmin"> {
  readonly isInstallAdmin: boolean;
  /** The caller's own preferences, if any were stored. */
  readonly prefs?: Prefs;
}

export interface ActiveSession<Site> {
  readonly user: SessionUser;
  /** The site that the request is addressed to; null when it is none, or closed to the caller. */
  readonly org: Site | null;
  /** Why there is no site. */
  readonly orgError: AppError | null;
}

/**
 * Who calls, and the site he is at.
 * @param describeSite the site of the request's address as the caller sees it; null where no team site is addressed
 */
export function describeSession<Site>(
  ctx: Context,
  actor: Actor,
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
 * Makes one of the users signed in by this browser the active one. There is one at a time, so only he is taken.
 * @throws AppError `forbidden` for any other address, and for callers without a session
 */
export function selectUser(actor: Actor, email: string): void {
  const isOwn = actor.kind === "user" && actor.via === "session" && actor.email === normaliseEmail(email);
  if (!isOwn) throw forbidden("Nobody of that address is signed in here");
}
