import type { HomeDatabase } from "../database.ts";

/** How a user signs in, and when they were last active. */
export interface UserFacts {
  readonly userId: number;
  readonly hasPassword: boolean;
  readonly hasAuthenticator: boolean;
  readonly passkeys: number;
  /** Names of the single sign-on providers with a connected account, in alphabetical order. */
  readonly providers: readonly string[];
  readonly keys: number;
  /** When the session that was used last expires; null without sessions. */
  readonly sessionExpiresAt: number | null;
  /** When an API key was last used; null for never. */
  readonly keyUsedAt: number | null;
}

export interface UserFactsStore {
  /** Returns the facts of all users, by id. */
  all(): ReadonlyMap<number, UserFacts>;
  /** Returns the facts of a user; null if the user does not exist. */
  of(userId: number): UserFacts | null;
}

type FactsRow = Omit<UserFacts, "hasPassword" | "hasAuthenticator" | "providers"> & {
  readonly hasPassword: number;
  readonly hasAuthenticator: number;
  /** A JSON array. */
  readonly providers: string;
};

const SELECT = `select u.id as userId,
  exists (select 1 from passwords p where p.user_id = u.id) as hasPassword,
  exists (select 1 from totp_secrets t where t.user_id = u.id) as hasAuthenticator,
  (select count(*) from passkeys k where k.user_id = u.id) as passkeys,
  (select json_group_array(provider) from
    (select distinct i.provider from identities i where i.user_id = u.id order by i.provider)) as providers,
  (select count(*) from api_keys a where a.user_id = u.id) as keys,
  (select max(s.expires_at) from sessions s where s.user_id = u.id) as sessionExpiresAt,
  (select max(a.last_used_at) from api_keys a where a.user_id = u.id) as keyUsedAt
  from users u where u.kind <> 'pseudo'`;

export function createUserFacts({ raw }: Pick<HomeDatabase, "raw">): UserFactsStore {
  return {
    all: () => new Map(raw.all<FactsRow>(SELECT).map((row) => [row.userId, factsOf(row)])),
    of(userId) {
      const row = raw.get<FactsRow>(`${SELECT} and u.id = ?`, userId);
      return row && factsOf(row);
    },
  };
}

const factsOf = ({ hasPassword, hasAuthenticator, providers, ...row }: FactsRow): UserFacts => ({
  ...row,
  hasPassword: hasPassword === 1,
  hasAuthenticator: hasAuthenticator === 1,
  providers: JSON.parse(providers) as string[],
});
