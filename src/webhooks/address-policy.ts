import { BlockList, isIP } from "node:net";
import { type AppError, forbidden } from "../errors.ts";
import type { AllowedDestination } from "../lib/network/allowed-destinations.ts";
import { type ConnectionPolicy, hostOf } from "../lib/network/pinned-addresses.ts";

/**
 * Allowed destinations of webhooks and of imports by address: by default only public addresses via https, so that users
 * cannot reach hosts behind the server's firewall (SSRF). Addresses in any spelling that a resolver or URL accepts are normalized to one
 * of two forms and checked against lists of non-public networks.
 */

/** Networks that are not part of the public internet (IANA special-purpose registries). */
const PRIVATE_IPV4_NETWORKS = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  // Link-local, includes the metadata services of cloud providers.
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/** All other IPv6 addresses have special purposes. */
const PUBLIC_IPV6_NETWORKS = ["2000::/3"];
/** Reserved within that: protocol assignments with Teredo, documentation, and 6to4, which embed IPv4 addresses. */
const RESERVED_IPV6_NETWORKS = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

const privateIpv4 = blockList(PRIVATE_IPV4_NETWORKS, "ipv4");
const publicIpv6 = blockList(PUBLIC_IPV6_NETWORKS, "ipv6");
const reservedIpv6 = blockList(RESERVED_IPV6_NETWORKS, "ipv6");

function blockList(networks: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Returns true for an address on the public internet. */
export function isPublicAddress(address: string): boolean {
  const normalized = normalizeAddress(address);
  switch (isIP(normalized)) {
    case 4:
      return !privateIpv4.check(normalized, "ipv4");
    case 6:
      return publicIpv6.check(normalized, "ipv6") && !reservedIpv6.check(normalized, "ipv6");
    default:
      return false;
  }
}

/** Removes the zone and converts an IPv4-mapped IPv6 address to IPv4. */
function normalizeAddress(address: string): string {
  const bare = address.replace(/%.*$/, "").toLowerCase();
  if (isIP(bare) !== 6) return bare;
  // The URL parser writes every IPv6 address in its shortest form, in hexadecimal digits.
  const shortest = new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(shortest);
  if (!mapped) return shortest;
  const [high = 0, low = 0] = mapped.slice(1).map((part) => Number.parseInt(part, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** What connects to the addresses, for the refusals. */
export interface PolicySubject {
  /** How refusals call the URL. */
  readonly url: string;
  /** The setting with additional destinations. */
  readonly setting: string;
  /** What to do about credentials in the URL. */
  readonly credentialsAdvice: string;
  readonly deny: (message: string) => AppError;
}

const WEBHOOKS: PolicySubject = {
  url: "A webhook's url",
  setting: "QUERN_WEBHOOK_ALLOW",
  credentialsAdvice: "; use the field authorization",
  deny: (message) => forbidden(message, "webhook.url_denied"),
};

/** Decides where requests to URLs of users may connect. */
export class AddressPolicy implements ConnectionPolicy {
  readonly #allowed: readonly AllowedDestination[];
  readonly #subject: PolicySubject;

  /** @param allowed destinations in addition to public ones */
  constructor(allowed: readonly AllowedDestination[], subject: PolicySubject = WEBHOOKS) {
    this.#allowed = allowed;
    this.#subject = subject;
  }

  /**
   * Parses and checks a URL.
   * @throws AppError of the subject when it is invalid, or not allowed regardless of what its host resolves to: the error
   *   does not reveal whether the host exists
   */
  checkUrl(text: string): URL {
    const url = URL.canParse(text) ? new URL(text) : null;
    const { credentialsAdvice } = this.#subject;
    if (!url) throw this.#denied("must be an absolute URL such as https://example.com/hook");
    if (url.protocol !== "https:" && url.protocol !== "http:") throw this.#notHttps();
    if (url.username !== "" || url.password !== "")
      throw this.#denied(`must not contain credentials${credentialsAdvice}`);
    const host = hostOf(url);
    if (this.#isAllowedHost(host, portOf(url))) return url;
    const isLiteral = isIP(host) !== 0;
    if (isLiteral && this.#isInAllowedNetwork(host, portOf(url))) return url;
    if (url.protocol === "http:") throw this.#notHttps();
    if (isLiteral ? !isPublicAddress(host) : /(^|\.)localhost$/.test(host))
      throw this.#denied(`must point to a public address, ${this.#unlessAllowed()}`);
    return url;
  }

  /** Returns whether a connection to an address, to which the URL's host resolved, is allowed. */
  mayConnect(url: URL, address: string): boolean {
    const port = portOf(url);
    if (this.#isAllowedHost(hostOf(url), port) || this.#isInAllowedNetwork(normalizeAddress(address), port))
      return true;
    return url.protocol === "https:" && isPublicAddress(address);
  }

  #denied(text: string): AppError {
    return this.#subject.deny(`${this.#subject.url} ${text}`);
  }

  #notHttps(): AppError {
    return this.#denied(`must start with https://, ${this.#unlessAllowed()}`);
  }

  #unlessAllowed(): string {
    return `unless the setting ${this.#subject.setting} allows its host`;
  }

  /** Whether the host itself, or everything, is allowed. */
  #isAllowedHost(host: string, port: number): boolean {
    return this.#allowed.some((allowed) => {
      if (allowed.kind === "everything") return true;
      return allowed.kind === "host" && allowed.host === host && (allowed.port ?? port) === port;
    });
  }

  #isInAllowedNetwork(address: string, port: number): boolean {
    return this.#allowed.some(
      (allowed) => allowed.kind === "network" && (allowed.port ?? port) === port && allowed.network.contains(address),
    );
  }
}

export const portOf = ({ protocol, port }: URL): number =>
  port !== "" ? Number(port) : protocol === "https:" ? 443 : 80;
