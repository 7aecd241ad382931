import { describe, expect, test } from "bun:test";
import { closesConnection, requireSingleHost, validHost, withAbsoluteUrl } from "../../src/http/request-url.ts";

describe("a valid Host header", () => {
  test.each([
    "localhost",
    "docs.example.org",
    "a_b:8080",
    "127.0.0.1:1",
    "[::1]",
    "[::1]:8080",
    "xn--bcher-kva.example",
  ])("%s", (host) => expect(validHost(host)).toBe(host));
});

describe("an invalid Host header", () => {
  const hosts = [
    "",
    "a b",
    "a/b",
    "a?b",
    "a#b",
    "u@a",
    "a\\b",
    "a:x",
    "a:99999",
    "[::1",
    "a,b",
    "a, b",
    "é.example",
    "<a>",
  ];
  test.each(hosts)("%s", (host) => expect(validHost(host)).toBe(null));

  test("that is missing", () => expect(validHost(null)).toBe(null));
});

test("leaves a request with an absolute URL unchanged", () => {
  const request = new Request("http://quern.test/a?b");
  expect(withAbsoluteUrl(request)).toBe(request);
});

test.each<[header: string | null, closes: boolean]>([
  [null, false],
  ["", false],
  ["keep-alive", false],
  ["Upgrade", false],
  ["closed", false],
  ["close", true],
  ["Close", true],
  ["keep-alive, Close", true],
  ["TE,close", true],
])("Connection: %s closes the connection: %p", (header, closes) => {
  const request = new Request("http://quern.test/", { headers: header === null ? {} : { Connection: header } });
  expect(closesConnection(request)).toBe(closes);
});

test("refuses two Host headers", () => {
  for (const host of ["a, b", "a, a", "a,", ", a"]) {
    const request = new Request("http://quern.test/", { headers: { Host: host } });
    expect(() => requireSingleHost(request)).toThrow(expect.objectContaining({ code: "invalid" }));
  }
  expect(() => requireSingleHost(new Request("http://quern.test/"))).not.toThrow();
});
