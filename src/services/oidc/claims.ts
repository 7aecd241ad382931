import type { ProviderSettings } from "./provider-settings.ts";

/** What a provider says about a user, checked for its form. */
export interface Claims {
  readonly issuer: string;
  readonly subject: string;
  /** Empty if there is none. */
  readonly email: string;
  /** Only true for the boolean `true`. */
  readonly isEmailVerified: boolean;
  /** Never empty: at worst the local part of the address, or the subject. */
  readonly name: string;
  /** Null without a groups claim in the settings. */
  readonly groups: readonly string[] | null;
  /** The claim is in the settings, and not in the token. */
  readonly isGroupsClaimMissing: boolean;
}

type RawClaims = Readonly<Record<string, unknown>>;
interface IdToken extends RawClaims {
  readonly iss: string;
  readonly sub: string;
}

const MAX_NAME_LENGTH = 200;
const MAX_GROUPS = 10_000;

/**
 * Reads the claims of an ID token, and of the response of the user info endpoint for the same subject.
 * @param userInfo null if it was not needed
 */
export function claimsOf(idToken: IdToken, userInfo: RawClaims | null, { groupsClaim }: ProviderSettings): Claims {
  const sources: RawClaims[] = userInfo ? [idToken, userInfo] : [idToken];
  // An address and its verification belong together: both are from one source.
  const withEmail = sources.filter(({ email }) => typeof email === "string");
  const source = withEmail.find((each) => each["email_verified"] === true) ?? withEmail[0];
  const email = typeof source?.["email"] === "string" ? source["email"] : "";
  const groups = groupsClaim === null ? undefined : sources.map((each) => each[groupsClaim]).find((value) => value);
  return {
    issuer: idToken.iss,
    subject: idToken.sub,
    email,
    isEmailVerified: source?.["email_verified"] === true,
    name: nameOf(sources) || cleanName(email.replace(/@.*/, "")) || cleanName(idToken.sub),
    groups: groupsClaim === null ? null : textsOf(groups),
    isGroupsClaimMissing: groupsClaim !== null && groups === undefined,
  };
}

function nameOf(sources: readonly RawClaims[]): string {
  const first = (claim: string): string =>
    sources.map((each) => each[claim]).find((value) => typeof value === "string") ?? "";
  return (
    cleanName(first("name")) ||
    cleanName(`${first("given_name")} ${first("family_name")}`) ||
    cleanName(first("preferred_username"))
  );
}

/** Without control characters, as people would type it. */
const cleanName = (text: string): string =>
  text
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim()
    .slice(0, MAX_NAME_LENGTH);

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "string").slice(0, MAX_GROUPS);
