import { isIP } from "node:net";
import { type Network, parseNetwork } from "./networks.ts";

/** A destination that requests are allowed to: any, a network, or a host name, with or without port. */
export type AllowedDestination =
  | { readonly kind: "everything" }
  | { readonly kind: "network"; readonly network: Network; readonly port: number | null }
  | { readonly kind: "host"; readonly host: string; readonly port: number | null };

const HOST_NAME = /^[a-z\d_]([a-z\d_-]*[a-z\d_])?(\.[a-z\d_]([a-z\d_-]*[a-z\d_])?)*$/;

/**
 * Parses `*`, `10.0.0.0/8`, `::1`, `[::1]:8080`, `hooks.local`, `hooks.local:8080`. Throws an Error with the reason.
 */
export function parseAllowedDestination(text: string): AllowedDestination {
  if (text === "*") return { kind: "everything" };
  if (isIP(text.split("/")[0] ?? "") !== 0) return { kind: "network", network: parseNetwork(text), port: null };
  const [, bracketed, name, digits] = /^(?:\[([^\]]*)\]|([^:/[\]]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = digits === undefined ? null : Number(digits);
  const host = (bracketed ?? name ?? "").toLowerCase();
  if (port === null || (port >= 1 && port <= 65_535)) {
    if (isIP(host) !== 0 && (bracketed !== undefined) === (isIP(host) === 6))
      return { kind: "network", network: parseNetwork(host), port };
    if (bracketed === undefined && HOST_NAME.test(host)) return { kind: "host", host, port };
  }
  throw new Error(`must be hosts, host:port, networks like 10.0.0.0/8, or *, not ${JSON.stringify(text)}`);
}
