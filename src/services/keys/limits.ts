/** The limits of an API key, as they are stored. */
import { expandScopes, SCOPES, type KeyLimits, type KeyRestrictions, type Scope } from "../../authorization.ts";
import type { ApiKey } from "../../home/api-keys.ts";

/** The columns of a key that limit it. */
export type StoredLimits = Pick<ApiKey, "scopes" | "restrictions" | "networks">;

export const NO_LIMITS: StoredLimits = { scopes: null, restrictions: null, networks: null };

/** Limits as they are given: with only the scopes that were named. */
export interface GivenLimits {
  readonly scopes: readonly Scope[] | null;
  readonly restrictions: KeyRestrictions | null;
  readonly networks: readonly string[] | null;
}

export const isLimited = ({ scopes, restrictions, networks }: StoredLimits): boolean =>
  scopes !== null || restrictions !== null || networks !== null;

/** Returns the limits of a key for the actor; undefined for a key without limits. */
export function limitsOf(stored: StoredLimits): KeyLimits | undefined {
  if (!isLimited(stored)) return undefined;
  const { scopes, restrictions, networks } = readLimits(stored);
  return { scopes: scopes && expandScopes(scopes), restrictions, networks };
}

/** Parses stored limits. Scopes of a later version are left out. */
export const readLimits = ({ scopes, restrictions, networks }: StoredLimits): GivenLimits => ({
  scopes: scopes === null ? null : (JSON.parse(scopes) as string[]).filter(isScope),
  restrictions: restrictions === null ? null : (JSON.parse(restrictions) as KeyRestrictions),
  networks: networks === null ? null : (JSON.parse(networks) as string[]),
});

/** Returns limits as they are stored. */
export const storedLimits = ({ scopes, restrictions, networks }: GivenLimits): StoredLimits => ({
  scopes: scopes && JSON.stringify(scopes),
  restrictions: restrictions && JSON.stringify(restrictions),
  networks: networks && JSON.stringify(networks),
});

export const isScope = (name: string): name is Scope => Object.hasOwn(SCOPES, name);
