import { BlockList, isIP } from "node:net";
import { forbidden } from "../errors.ts";
import type { AllowedDestination } from "../lib/network/allowed-destinations.ts";

/**
 * Where webhooks may go: by default to public addresses by https alone, so that nobody reaches through the server what
 * is behind its firewall. An address in any spelling that a resolver or URL takes comes out as one of two forms, and is
 * held against lists of what is not public.
 */

/** Networks that are not part of the public internet (IANA special-purpose registries). */
const PRIVATE_IPV4_NETWORKS = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  // Link-local, with the metadata services of clouds.
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

/** All of IPv6 but this is for special purposes. */
const PUBLIC_IPV6_NETWORKS = ["2000::/3"];
/** Within that: protocol assignments with Teredo, documentation, and 6to4, which hide IPv4 addresses. */
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

/** True for an address that everybody on the internet reaches. */
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

/** Without zone; an IPv4 address that is written as an IPv6 one comes out as IPv4. */
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

/** Where webhooks may go. */
export class AddressPolicy {
  readonly #allowed: readonly AllowedDestination[];

  /** @param allowed places besides public ones */
  constructor(allowed: readonly AllowedDestination[]) {
    this.#allowed = allowed;
  }

  /**
   * The parsed address.
   * @throws AppError `forbidden` when it is no address, or one that is not allowed whatever its name stands for
   */
  checkUrl(text: string): URL {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (!url) throw urlDenied("The url of a webhook must be a full address like https://example.com/hook");
    if (url.protocol !== "https:" && url.protocol !== "http:")
      throw urlDenied("A webhook's url must begin with https://");
    if (url.username !== "" || url.password !== "") {
      throw urlDenied("A webhook's url cannot hold a password; use the field authorization");
    }
    const host = hostOf(url);
    if (this.#isAllowedHost(host, portOf(url))) return url;
    const isLiteral = isIP(host) !== 0;
    if (isLiteral && this.#isInAllowedNetwork(host, portOf(url))) return url;
    if (url.protocol === "http:") throw urlDenied("A webhook's url must begin with https://");
    if (isLiteral ? !isPublicAddress(host) : /(^|\.)localhost$/.test(host)) throw notPublicAddress();
    return url;
  }

  /** Whether a connection to an address, which the host of a url stands for, may be made. */
  mayConnect(url: URL, address: string): boolean {
    const port = portOf(url);
    if (this.#isAllowedHost(hostOf(url), port) || this.#isInAllowedNetwork(normalizeAddress(address), port))
      return true;
    return url.protocol === "https:" && isPublicAddress(address);
  }

  /** The host itself, or everything, is allowed. */
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

/** A refusal that says nothing of what is there. */
const urlDenied = (message: string): Error => forbidden(message, "webhook.url_denied");

const notPublicAddress = (): Error => urlDenied("A webhook's url must lead to a public address");

/** In lower case, without brackets, and without the dot that the root of all names may be written with. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");

export const portOf = ({ protocol, port }: URL): number =>
  port !== "" ? Number(port) : protocol === "https:" ? 443 : 80;
