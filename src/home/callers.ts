import type { HomeDatabase } from "./database.ts";

/** The user of a key or session, with everything that decides whether it is valid. */
export interface Caller {
  readonly userId: number;
  readonly email: string;
  readonly name: string;
  readonly ref: string;
  readonly kind: "person" | "service" | "pseudo";
  readonly isAdmin: boolean;
  /** The user, or the owner of the service account, was disabled. */
  readonly isDisabled: boolean;
  /** When the key, session or service account expires, whichever comes first; null = never. */
  readonly expiresAt: number | null;
}

/** The columns of a key that limit it, as JSON; null for none. */
interface StoredKeyLimits {
  readonly scopes: string | null;
  readonly restrictions: string | null;
  readonly networks: string | null;
}

export interface KeyCaller extends Caller, StoredKeyLimits {
  readonly keyId: number;
}

/** A key by its id, with the hash that distinguishes it from a later key with the same id. */
export interface IssuingKey extends KeyCaller {
  readonly hash: string;
}

/** Authentication lookups by hash, one query each. */
export interface CallerLookups {
  /** Finds a caller by the SHA-256 of a key. */
  byKey(hash: string): KeyCaller | null;
  /** Finds the caller of a key by its id. */
  byKeyId(keyId: number): IssuingKey | null;
  /** Finds a caller by the SHA-256 of a session token. */
  bySession(hash: string): Caller | null;
  /** Finds a user who called earlier, with a key that must still exist, or without one. */
  byId(userId: number, keyId: number | null): (Caller & StoredKeyLimits) | null;
}

interface Row {
  userId: number;
  email: string;
  name: string;
  ref: string;
  kind: Caller["kind"];
  isAdmin: number;
  disabledAt: number | null;
  expiresAt: number | null;
  accountExpiresAt: number | null;
}

const USER = `u.id as userId, u.email, u.name, u.ref, u.kind, u.is_admin as isAdmin,
  coalesce(u.disabled_at, owner.disabled_at) as disabledAt, account.expires_at as accountExpiresAt`;
const JOINED = `left join service_accounts account on u.kind = 'service' and account.user_id = u.id
  left join users owner on owner.id = account.owner_id`;

const LIMITS = "k.scopes, k.restrictions, k.networks";

export function createCallers({ raw }: HomeDatabase): CallerLookups {
  const byKey = `select ${USER}, k.id as keyId, k.expires_at as expiresAt, ${LIMITS}
    from api_keys k join users u on u.id = k.user_id ${JOINED} where k.hash = ?`;
  const byKeyId = `select ${USER}, k.id as keyId, k.hash, k.expires_at as expiresAt, ${LIMITS}
    from api_keys k join users u on u.id = k.user_id ${JOINED} where k.id = ?`;
  const bySession = `select ${USER}, s.expires_at as expiresAt
    from sessions s join users u on u.id = s.user_id ${JOINED} where s.hash = ?`;
  const byId = `select ${USER}, k.expires_at as expiresAt, ${LIMITS}
    from users u left join api_keys k on k.id = ?2 and k.user_id = u.id ${JOINED}
    where u.id = ?1 and (?2 is null or k.id is not null)`;
  return {
    byId(userId, keyId) {
      const row = raw.get<Row & StoredKeyLimits>(byId, userId, keyId);
      return row && { ...callerOf(row), ...limitsOf(row) };
    },
    byKey(hash) {
      const row = raw.get<Row & StoredKeyLimits & { keyId: number }>(byKey, hash);
      return row && { ...callerOf(row), ...limitsOf(row), keyId: row.keyId };
    },
    byKeyId(id) {
      const row = raw.get<Row & StoredKeyLimits & { keyId: number; hash: string }>(byKeyId, id);
      return row && { ...callerOf(row), ...limitsOf(row), keyId: row.keyId, hash: row.hash };
    },
    bySession(hash) {
      const row = raw.get<Row>(bySession, hash);
      return row && callerOf(row);
    },
  };
}

const limitsOf = ({ scopes, restrictions, networks }: StoredKeyLimits): StoredKeyLimits => ({
  scopes,
  restrictions,
  networks,
});

const callerOf = (row: Row): Caller => ({
  userId: row.userId,
  email: row.email,
  name: row.name,
  ref: row.ref,
  kind: row.kind,
  isAdmin: row.isAdmin === 1,
  isDisabled: row.disabledAt !== null,
  expiresAt:
    row.expiresAt === null || row.accountExpiresAt === null
      ? (row.expiresAt ?? row.accountExpiresAt)
      : Math.min(row.expiresAt, row.accountExpiresAt),
});
