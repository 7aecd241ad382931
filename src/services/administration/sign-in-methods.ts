/** How users sign in here: passwords, second factors, and providers of single sign-on. For administrators. */
import type { UserGrant } from "../../authorization.ts";
import { guardAdmin } from "../access/guards.ts";
import type { SecondFactorRequirement } from "../accounts/identity.ts";
import type { Context } from "../context.ts";
import type { ProviderClient, ProviderStatus } from "../oidc/provider-client.ts";
import { countUsers } from "./users.ts";

export interface ProviderDescription extends ProviderStatus {
  readonly name: string;
  /** As people read it: `Keycloak`. */
  readonly label: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Whether a client secret is set; it is never shown. */
  readonly hasSecret: boolean;
  readonly scopes: readonly string[];
  readonly allowedDomains: readonly string[];
  readonly createUsers: boolean;
  readonly trustEmail: boolean;
  readonly groupsClaim: string | null;
}

export interface SignInMethods {
  readonly acceptsPasswords: boolean;
  /** Whom a password alone does not sign in. */
  readonly requiredSecondFactor: SecondFactorRequirement;
  /** People who can sign in: not disabled, and not only invited. */
  readonly people: number;
  readonly withoutSecondFactor: number;
  readonly providers: readonly ProviderDescription[];
}

/** @throws AppError `forbidden` */
export function describeSignIn(ctx: Context, grant: UserGrant): SignInMethods {
  guardAdmin(grant, "view this page");
  const { identity, oidc } = ctx;
  const { active, withoutSecondFactor } = countUsers(ctx, grant);
  return {
    acceptsPasswords: identity.acceptsPasswords,
    requiredSecondFactor: identity.requiredSecondFactor,
    people: active,
    withoutSecondFactor,
    providers: oidc.buttons.map(({ name, label }) => describeProvider(oidc.provider(name), label)),
  };
}

/**
 * Reads the discovery document of a provider again.
 * @throws AppError `forbidden`; `notFound` for a provider that is not in the settings
 */
export async function testProvider(ctx: Context, grant: UserGrant, name: string): Promise<ProviderStatus> {
  guardAdmin(grant, "test providers");
  return ctx.oidc.provider(name).test();
}

/** Returns whether the last answer of a provider was a failure. */
export const isFailing = ({ lastSuccessAt, lastFailure }: ProviderStatus): boolean =>
  lastFailure !== null && lastFailure.at >= (lastSuccessAt ?? 0);

function describeProvider({ settings, status }: ProviderClient, label: string): ProviderDescription {
  const { name, issuer, clientId, clientSecret, scopes, allowedDomains, createUsers, trustEmail, groupsClaim } =
    settings;
  const shown = { name, label, issuer, clientId, scopes, allowedDomains, createUsers, trustEmail, groupsClaim };
  return { ...shown, hasSecret: clientSecret !== null, ...status };
}
