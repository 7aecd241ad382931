/** An OpenID Connect provider in the settings. */
export interface ProviderSettings {
  /** Part of the addresses of its pages. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  /** Domains whose addresses the provider may vouch for; `*` for all. */
  readonly allowedDomains: readonly string[];
  /** The text of the button; null for the default. */
  readonly button: string | null;
  /** Whether its addresses count as verified even if it does not say so. */
  readonly trustEmail: boolean;
  /** Whether the first sign-in of an unknown address creates an account. */
  readonly createUsers: boolean;
  /** The claim with the names of the user's groups. */
  readonly groupsClaim: string | null;
}
