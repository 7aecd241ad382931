import { and, eq } from "drizzle-orm";
import type { HomeDatabase } from "./database.ts";
import { preferences } from "./schema.ts";

export type Prefs = Record<string, unknown>;

/** The scope of preferences: a user (`orgId` 0), a user on a site, or a site (`userId` 0). */
export interface PrefsScope {
  userId: number;
  orgId: number;
}

/** Preferences stored by clients. */
export interface Preferences {
  /** Returns null if none were ever stored. */
  get(scope: PrefsScope): Prefs | null;
  set(scope: PrefsScope, prefs: Prefs): void;
  /** Deletes all preferences of a user. */
  removeUser(userId: number): void;
  /** Deletes all preferences of a site, including those of its users. */
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
      // Site preferences have user 0, a user's own have site 0: neither is ever a valid id.
      db.delete(preferences).where(eq(preferences.userId, userId)).run();
    },
    removeOrg(orgId) {
      db.delete(preferences).where(eq(preferences.orgId, orgId)).run();
    },
  };
}
