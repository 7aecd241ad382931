import { BlockList, isIP, isIPv6 } from "node:net";

/** An address, or a network in CIDR form, that addresses can be matched against. */
export interface Network {
  /** As written. */
  readonly text: string;
  /** Returns true when the network contains the address (IPv4, IPv6, or IPv4 mapped into IPv6). */
  contains(address: string): boolean;
}

/** Parses `10.0.0.0/8` or `::1`. Throws an Error with the reason. */
export function parseNetwork(text: string): Network {
  const [address = "", bits] = text.split("/");
  const version = isIP(address);
  const maxBits = version === 6 ? 128 : 32;
  if (!version || (bits !== undefined && (!/^\d+$/.test(bits) || Number(bits) > maxBits))) {
    throw new Error(`must be addresses or networks like 10.0.0.0/8, not ${JSON.stringify(text)}`);
  }
  const block = new BlockList();
  block.addSubnet(address, bits === undefined ? maxBits : Number(bits), version === 6 ? "ipv6" : "ipv4");
  return {
    text,
    contains(candidate) {
      const unmapped =
        candidate.toLowerCase().startsWith("::ffff:") && candidate.includes(".") ? candidate.slice(7) : candidate;
      const family = isIP(unmapped);
      return family !== 0 && block.check(unmapped, family === 6 ? "ipv6" : "ipv4");
    },
  };
}

/** The key by which an address is rate-limited: an IPv6 customer usually has a whole /64. */
export function networkPrefixOf(address: string): string {
  if (!isIPv6(address) || address.includes(".")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const groups = head === "" ? [] : head.split(":");
  const rest = tail ? tail.split(":") : [];
  const full =
    tail === undefined ? groups : [...groups, ...Array<string>(8 - groups.length - rest.length).fill("0"), ...rest];
  return full
    .slice(0, 4)
    .map((group) => parseInt(group, 16))
    .join(":");
}

/** True if the outer network contains all addresses of the inner one. Both must be valid. */
export function containsNetwork(outer: string, inner: string): boolean {
  const [address = "", bits] = inner.split("/");
  const [outerAddress = "", outerBits] = outer.split("/");
  if (isIP(address) !== isIP(outerAddress)) return false;
  const maxBits = isIP(address) === 6 ? 128 : 32;
  const lengthOf = (text: string | undefined) => (text === undefined ? maxBits : Number(text));
  return lengthOf(bits) >= lengthOf(outerBits) && parseNetwork(outer).contains(address);
}
