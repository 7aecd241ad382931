import { lookup } from "node:dns";
import { isIP } from "node:net";
import { guarded } from "../callbacks.ts";

/**
 * Addresses of outgoing requests to hosts that users name. The host is resolved once, and the connection uses the
 * addresses that were checked: a DNS answer that changes a moment later (DNS rebinding) has no effect.
 */

/** Resolves host names; the system's resolver except in tests. */
export type AddressResolver = (host: string) => Promise<readonly ResolvedAddress[]>;

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Decides where requests may connect. */
export interface ConnectionPolicy {
  /** Returns whether a connection to an address, to which the URL's host resolved, is allowed. */
  mayConnect(url: URL, address: string): boolean;
}

export class AddressDeniedError extends Error {}

/** Returns the host without brackets and without a trailing dot. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");

/** @throws AddressDeniedError when any address is not allowed: the connection may use any of them */
export async function resolveAddresses(
  url: URL,
  { policy, resolve = resolveBySystem }: { policy: ConnectionPolicy; resolve?: AddressResolver | undefined },
): Promise<readonly ResolvedAddress[]> {
  const host = hostOf(url);
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (addresses.length === 0) throw new Error("The receiver's host name does not resolve to an address");
  if (!addresses.every(({ address }) => policy.mayConnect(url, address))) {
    throw new AddressDeniedError("The address is not allowed by this server");
  }
  return addresses;
}

const resolveBySystem: AddressResolver = (host) =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

type LookupCallback = (
  error: Error | null,
  address: string | { address: string; family: number }[],
  family?: number,
) => void;

/** Returns the `lookup` option of a request that connects to the checked addresses. */
export const pinnedLookup =
  (addresses: readonly ResolvedAddress[]) =>
  (_host: string, options: { all?: boolean | undefined }, callback: LookupCallback): void => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family ?? 4);
  };

/** Resolves with `work`, or rejects when the signal aborts first. */
export function withSignal<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = guarded(() => reject(new Error("Aborted")));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
