/** Allowed destinations of webhooks, as a table. */
import { describe, expect, test } from "bun:test";
import { parseAllowedDestination } from "../../src/lib/network/allowed-destinations.ts";
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
  test.each([
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "0:0:0:0:0:FFFF:10.0.0.1",
    "64:ff9b::7f00:1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "ff02::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "localhost",
    "",
  ])("%p", (address) => expect(isPublicAddress(address)).toBe(false));
});

test.each(["1.1.1.1", "172.32.0.1", "192.169.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:1.1.1.1"])(
  "%p is public",
  (address) => expect(isPublicAddress(address)).toBe(true),
);

describe("is rejected when a webhook is created, in any spelling", () => {
  test.each([
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://127.0.0.1./",
    "https://%31%32%37.0.0.1/",
    "https://１２７.0.0.1/",
    "https://0/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[0:0:0:0:0:ffff:a00:1]/",
    "https://169.254.169.254/latest/meta-data/",
    "https://[fd00:ec2::254]/",
    "https://10.0.0.1:8443/",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://a.localhost/",
    "http://example.com/",
    "http://1.1.1.1/",
    "https://user:word@example.com/",
    "https://example.com@127.0.0.1/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "//example.com",
    "example.com",
    "https://",
    "",
  ])("%p", (url) => expect(takes(policy(), url)).toBe(false));
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
