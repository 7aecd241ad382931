import { lte } from "drizzle-orm";
import type { HomeDatabase } from "../database.ts";
import { usedChallenges } from "./tables.ts";

/** Hashes of challenges, states and codes that were used: all nodes share them, so that none can be used twice. */
export interface UsedChallenges {
  /**
   * Marks a challenge as used; false if it already was. Must be called in the transaction that the challenge permits.
   * @param expiresAt when the challenge is refused anyway, in milliseconds since the epoch
   */
  use(hash: string, expiresAt: number): boolean;
}

export function createUsedChallenges({ db, clock }: HomeDatabase): UsedChallenges {
  return {
    use(hash, expiresAt) {
      db.delete(usedChallenges).where(lte(usedChallenges.expiresAt, clock.now())).run();
      const added = db.insert(usedChallenges).values({ hash, expiresAt }).onConflictDoNothing().returning().all();
      return added.length === 1;
    },
  };
}
