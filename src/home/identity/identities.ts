import { and, asc, eq } from "drizzle-orm";
import type { HomeDatabase } from "../database.ts";
import { identities, passkeys } from "./tables.ts";

/** An account at a provider that signs a user in. */
export type Identity = typeof identities.$inferSelect;

/** Accounts at OpenID Connect providers, identified by issuer and subject. */
export interface Identities {
  find(issuer: string, subject: string): Identity | null;
  /** Lists the identities of a user, the oldest first. */
  list(userId: number): Identity[];
  /** @throws SQLITE_CONSTRAINT_PRIMARYKEY when the identity exists, for any user */
  add(identity: Pick<Identity, "issuer" | "subject" | "userId" | "provider" | "email">): void;
  /** Notes a sign-in, and the current name of the provider. */
  touch(issuer: string, subject: string, provider: string): void;
  remove(issuer: string, subject: string): void;
  /** True if the user can sign in with a passkey. */
  hasPasskey(userId: number): boolean;
}

export function createIdentities({ db, clock }: HomeDatabase): Identities {
  const isIdentity = (issuer: string, subject: string) =>
    and(eq(identities.issuer, issuer), eq(identities.subject, subject));
  return {
    find: (issuer, subject) => db.select().from(identities).where(isIdentity(issuer, subject)).get() ?? null,
    list: (userId) =>
      db
        .select()
        .from(identities)
        .where(eq(identities.userId, userId))
        .orderBy(asc(identities.createdAt), asc(identities.issuer))
        .all(),
    add(identity) {
      const now = clock.now();
      db.insert(identities)
        .values({ ...identity, createdAt: now, lastUsedAt: now })
        .run();
    },
    touch(issuer, subject, provider) {
      db.update(identities).set({ lastUsedAt: clock.now(), provider }).where(isIdentity(issuer, subject)).run();
    },
    remove(issuer, subject) {
      db.delete(identities).where(isIdentity(issuer, subject)).run();
    },
    hasPasskey: (userId) =>
      db.select({ id: passkeys.id }).from(passkeys).where(eq(passkeys.userId, userId)).get() !== undefined,
  };
}
