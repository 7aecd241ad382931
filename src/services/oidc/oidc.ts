/** Single sign-on: the providers of the settings. */
import { notFound } from "../../errors.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Log } from "../../lib/observability/log.ts";
import { ProviderClient } from "./provider-client.ts";
import type { ProviderSettings } from "./provider-settings.ts";

/** A provider as pages show it. */
export interface ProviderButton {
  readonly name: string;
  /** The text of its button; null for the default. */
  readonly button: string | null;
  /** Its name as people read it: `Keycloak`. */
  readonly label: string;
}

export interface Oidc {
  /** In the order of their names. */
  readonly buttons: readonly ProviderButton[];
  /** Returns the client of a provider. @throws AppError `notFound` */
  provider(name: string): ProviderClient;
}

export interface OidcOptions {
  readonly providers: readonly ProviderSettings[];
  readonly clock: Clock;
  readonly log: Log;
}

export function createOidc({ providers, clock, log }: OidcOptions): Oidc {
  const clients = new Map(providers.map((settings) => [settings.name, new ProviderClient(settings, clock)]));
  for (const { name, trustEmail } of providers) {
    // A user who can set an address at this provider can sign in as the user who has it here.
    if (trustEmail) log.warn("oidc.email_trusted", { provider: name });
  }
  return {
    buttons: providers.map(({ name, button }) => ({ name, button, label: labelOf(name) })),
    provider(name) {
      const client = clients.get(name);
      if (!client) throw notFound("There is no provider with this name", "provider.not_found");
      return client;
    },
  };
}

const labelOf = (name: string): string =>
  name
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
