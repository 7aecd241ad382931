/** Allowed destinations of webhooks, as a table. */
import { describe, expect, test } from "bun:test";
import { parseAllowedDestination } from "../../src/lib/network/allowed-destinations.ts";
import { DENIED_URLS, PRIVATE_ADDRESSES } from "./address-table.ts";
import { AddressPolicy, isPublicAddress } from "../../src/webhooks/address-policy.ts";

const policy = (...allowed: string[]) => new AddressPolicy(allowed.map(parseAllowedDestination));
const takes = (one: AddressPolicy, url: string): boolean => {
  try {
    one.checkUrl(url);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: "forbidden", message: expect.stringMatching(/./) });
    return false;
  }
};

describe("is not public", () => {
  test.each(PRIVATE_ADDRESSES)("%p", (address) => expect(isPublicAddress(address)).toBe(false));
});

test.each(["1.1.1.1", "172.32.0.1", "192.169.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:1.1.1.1"])(
  "%p is public",
  (address) => expect(isPublicAddress(address)).toBe(true),
);

describe("is rejected when a webhook is created, in any spelling", () => {
  test.each(DENIED_URLS)("%p", (url) => expect(takes(policy(), url)).toBe(false));
});

test.each(["https://example.com/", "https://EXAMPLE.com:8443/a?b=c", "https://1.1.1.1/", "https://[2606:4700::1111]/"])(
  "%p is taken",
  (url) => expect(takes(policy(), url)).toBe(true),
);

describe("a setting allows", () => {
  test.each([
    ["*", "http://127.0.0.1:9/", true],
    ["*", "ftp://127.0.0.1/", false],
    ["127.0.0.0/8", "http://127.0.0.1:9/", true],
    ["127.0.0.0/8", "http://2130706433/", true],
    ["127.0.0.0/8", "http://[::ffff:127.0.0.1]/", true],
    ["127.0.0.0/8", "http://10.0.0.1/", false],
    ["127.0.0.0/8", "http://localhost/", false],
    ["localhost", "http://localhost:81/", true],
    ["localhost:80", "http://localhost/", true],
    ["localhost:80", "http://localhost:81/", false],
    ["127.0.0.1:8080", "http://127.0.0.1:8080/", true],
    ["127.0.0.1:8080", "http://127.0.0.1:8081/", false],
    ["[::1]", "http://[::1]:81/", true],
    ["::1", "https://[0:0:0:0:0:0:0:1]/", true],
    ["[::1]:81", "http://[::1]:80/", false],
    ["hooks.local", "http://HOOKS.local/", true],
    ["hooks.local", "http://hooks.local.example.com/", false],
  ])("%s: %s", (allowed, url, expected) => expect(takes(policy(allowed), url)).toBe(expected));

  test.each(["", "a b", "http://a", "a/b", "127.0.0.1/33", "a:0", "a:70000", "[a]", "::1:80:", "-"])(
    "cannot be %p",
    (text) => expect(() => parseAllowedDestination(text)).toThrow("must be"),
  );
});

describe("a connection is made", () => {
  test.each([
    [[], "https://example.com/", "1.1.1.1", true],
    [[], "https://example.com/", "127.0.0.1", false],
    [[], "https://example.com/", "::ffff:169.254.169.254", false],
    [["10.0.0.0/8"], "https://example.com/", "10.1.1.1", true],
    [["10.0.0.0/8"], "https://example.com/", "192.168.1.1", false],
    [["example.com"], "http://example.com/", "192.168.1.1", true],
    [["other.com"], "https://example.com/", "192.168.1.1", false],
  ] as const)("with %p allowed, for %s, to %s: %p", (allowed, url, address, expected) =>
    expect(policy(...allowed).mayConnect(new URL(url), address)).toBe(expected),
  );
});
