import { isIP } from "node:net";

/** The name under which browsers keep passkeys, and the origin of the page that uses one. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/** Why passkeys cannot be used: at an IP address, without https, or at a host that the settings do not name. */
export type PasskeyObstacle = "address" | "insecure" | "host";

export const OBSTACLES: Readonly<Record<PasskeyObstacle, string>> = {
  address: "Passkeys require a host name; this page was opened at an IP address",
  insecure: "Passkeys require https, except on localhost",
  host: "Passkeys work only at the address in QUERN_PUBLIC_URL, or below QUERN_BASE_DOMAIN",
};

export interface RelyingPartySettings {
  readonly baseDomain: string | null;
  readonly publicUrl: string | null;
}

/**
 * Returns the relying party for a page: the base domain with all team sites, the host of the public URL, or `localhost`.
 * Any other host would be taken from the request, and passkeys would be lost with the next name of the server.
 * @param origin of the page
 */
export function findRelyingParty(
  { baseDomain, publicUrl }: RelyingPartySettings,
  origin: string,
): RelyingParty | { readonly obstacle: PasskeyObstacle } {
  const publicAddress = publicUrl === null ? null : new URL(publicUrl);
  const requested = new URL(origin);
  // A reverse proxy may have terminated TLS.
  const page = publicAddress?.host === requested.host ? publicAddress : requested;
  const host = page.hostname;
  const isLocal = host === "localhost" || host.endsWith(".localhost");
  if (isIP(host.replaceAll(/[[\]]/g, "")) !== 0) return { obstacle: "address" };
  if (page.protocol !== "https:" && !isLocal) return { obstacle: "insecure" };
  const candidates = [baseDomain, publicAddress?.hostname ?? null, "localhost"];
  const id = candidates.find((name) => name !== null && (host === name || host.endsWith(`.${name}`)));
  return id ? { id, origin: page.origin } : { obstacle: "host" };
}
