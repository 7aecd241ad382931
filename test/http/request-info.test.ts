import { expect, test } from "bun:test";
import { NO_REQUEST_INFO } from "../../src/authorization.ts";
import { requestInfo } from "../../src/http/request-info.ts";

const infoOf = (search: string, headers: Record<string, string> = {}) =>
  requestInfo({ request: new Request("http://localhost/api", { headers }), search });

test("parameters whose names end with an underscore are link parameters", () => {
  expect(infoOf("Code_=a%20b&sort=Name&Team_=1&_=2").linkKey).toEqual({ Code: "a b", Team: "1" });
  expect(infoOf("a_=1&a_=2&__proto___=x").linkKey).toEqual(
    Object.fromEntries([
      ["a", "2"],
      ["__proto__", "x"],
    ]),
  );
});

test("the origin is the Origin header", () => {
  expect(infoOf("", { Origin: "https://example.com" })).toEqual({ origin: "https://example.com", linkKey: {} });
  expect(infoOf("sort=Name")).toBe(NO_REQUEST_INFO);
});
