import { expect, test } from "bun:test";
import { parseNetwork } from "../../../src/lib/network/networks.ts";

const cases: [network: string, address: string, inside: boolean][] = [
  ["10.0.0.0/8", "10.200.3.4", true],
  ["10.0.0.0/8", "11.0.0.1", false],
  ["127.0.0.1", "127.0.0.1", true],
  ["127.0.0.1", "127.0.0.2", false],
  ["127.0.0.1", "::ffff:127.0.0.1", true],
  ["fd00::/8", "fd12::1", true],
  ["fd00::/8", "fe80::1", false],
  ["::1", "::1", true],
  ["10.0.0.0/8", "not an address", false],
];

test.each(cases)("%s contains %s: %p", (network, address, inside) => {
  expect(parseNetwork(network).contains(address)).toBe(inside);
});

test.each(["10.0.0.0/33", "ten", "", "1.2.3.4/x", "::1/129"])("%p is not a network", (text) => {
  expect(() => parseNetwork(text)).toThrow("must be addresses");
});
