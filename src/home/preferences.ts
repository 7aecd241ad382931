import { and, eq } from "drizzle-orm";
import type { HomeDatabase } from "./database.ts";
import { preferences } from "./schema.ts";

export type Prefs = Record<string, unknown>;

/** Whose preferences: a user's own (`orgId` 0), a user's on a site, or a site's (`userId` 0). */
export interface PrefsScope {
  userId: number;
  orgId: number;
}

/** What clients keep for themselves. */
export interface Preferences {
  /** Null when nothing was ever kept. */
  get(scope: PrefsScope): Prefs | null;
  set(scope: PrefsScope, prefs: Prefs): void;
  /** Removes what belongs to a user, everywhere. */
  removeUser(userId: number): void;
  /** Removes what belongs to a site, everybody's. */
  removeOrg(orgId: number): void;
}

export function createPreferences({ db }: HomeDatabase): Preferences {
  return {
    get({ userId, orgId }) {
      const own = and(eq(preferences.userId, userId), eq(preferences.orgId, orgId));
      return db.select({ prefs: preferences.prefs }).from(preferences).where(own).get()?.prefs ?? null;
    },
    set(scope, prefs) {
      const target = [preferences.userId, preferences.orgId];
      db.insert(preferences)
        .values({ ...scope, prefs })
        .onConflictDoUpdate({ target, set: { prefs } })
        .run();
    },
    removeUser(userId) {
      // Site preferences have user 0 and the user's own have site 0: neither number is ever an id.
      db.delete(preferences).where(eq(preferences.userId, userId)).run();
    },
    removeOrg(orgId) {
      db.delete(preferences).where(eq(preferences.orgId, orgId)).run();
    },
  };
}
