import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { callWithToken, createToken } from "../../helpers/end-users.ts";
import { createSharedFixture, type DocumentFixture } from "../../helpers/request-steps.ts";

const APP = "https://app.example";
const LISTED = "https://listed.example";
const OWN = "http://quern.test";
const FOREIGN = "https://foreign.example";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp({ flags: { "cors-origins": LISTED } });
  place = await createSharedFixture(server);
});
afterAll(() => server[Symbol.asyncDispose]());

const SAME_ORIGIN = { "Sec-Fetch-Site": "same-origin" };

describe("a request with a token", () => {
  test.each<[origins: string[] | undefined, headers: Record<string, string>, status: number]>([
    [[APP], { Origin: APP }, 200],
    [[APP, OWN], { Origin: OWN }, 200],
    [[APP, OWN], { Origin: APP }, 200],
    [[APP], { Origin: FOREIGN }, 403],
    [[APP], { Origin: LISTED }, 403],
    [[APP], { Origin: OWN }, 403],
    [[APP], { Origin: "null" }, 403],
    [[APP], { Origin: `${APP}:8443` }, 403],
    [[APP], { Origin: "http://app.example" }, 403],
    [[APP], { Origin: `${APP}.foreign.example` }, 403],
    [[APP], {}, 403],
    [[APP], SAME_ORIGIN, 403],
    [[OWN], SAME_ORIGIN, 200],
    [[OWN], {}, 403],
    [[OWN], { "Sec-Fetch-Site": "cross-site" }, 403],
    [undefined, {}, 200],
    [undefined, { Origin: OWN }, 200],
    [undefined, { Origin: LISTED }, 200],
    [undefined, { Origin: APP }, 403],
  ])("for %j from %j → %i", async (origins, headers, status) => {
    const token = await createToken(server, place.doc, origins ? { origins } : {});
    for (const step of [
      ["GET", `${place.doc}/tables`],
      ["POST", `${place.doc}/tables/Table1/records`, { records: [{ fields: {} }] }],
    ] as const) {
      const reply = await callWithToken(server, token, step, { headers });
      expect([reply.status, reply.body.details?.code]).toEqual([status, status === 200 ? undefined : "access.origin"]);
      const readable = [headers["Origin"], "*"];
      if (headers["Origin"] && headers["Origin"] !== OWN)
        expect(readable).toContain(reply.headers.get("access-control-allow-origin") ?? "");
      if (status === 200 && headers["Origin"] === APP)
        expect(reply.headers.get("access-control-allow-origin")).toBe(APP);
    }
  });
});

describe("a preflight request", () => {
  const allowsAuthorization = async (path: string, origin: string) => {
    const headers = { Origin: origin, "Access-Control-Request-Headers": "authorization" };
    const reply = await server.call("anon", "OPTIONS", path, undefined, { headers });
    expect(reply.status).toBe(200);
    return reply.headers.get("access-control-allow-headers")?.includes("Authorization") ?? false;
  };

  test.each<[path: string, origin: string, allowed: boolean]>([
    ["/api/docs/new/tables", APP, true],
    ["/api/jobs/x", APP, true],
    ["/o/team/api/docs/x/tables", FOREIGN, true],
    ["/api/docs", APP, false],
    ["/api/profile/user", APP, false],
    ["/api/orgs", FOREIGN, false],
    ["/api/orgs", LISTED, true],
    ["/api/docs/x/tables", OWN, false],
  ])("of %s from %s: Authorization %p", async (path, origin, allowed) => {
    expect(await allowsAuthorization(path, origin)).toBe(allowed);
  });

  test("does not let API keys in from other origins", async () => {
    const reply = await server.call("owner", "GET", `${place.doc}/tables`, undefined, { headers: { Origin: APP } });
    expect([reply.status, reply.body.details.code]).toEqual([403, "access.origin"]);
  });

  test("does not exist for installations that trust a reverse proxy, except for listed origins", async () => {
    const flags = { "forward-auth-header": "X-User", "trusted-proxies": "0.0.0.0/0", "cors-origins": LISTED };
    await using proxied = await testApp({ flags });
    const allowed = async (origin: string) => {
      const headers = { Origin: origin, "X-User": "olga@example.com" };
      const reply = await proxied.call("anon", "OPTIONS", "/api/docs/x/tables", undefined, { headers });
      return reply.headers.get("access-control-allow-origin");
    };
    expect([await allowed(APP), await allowed(LISTED)]).toEqual([null, LISTED]);
  });
});

test("access rules see the origin of the request", async () => {
  const { doc } = place;
  const columns = [{ id: "From", fields: { type: "Text", isFormula: false, formula: "str(user.Origin)" } }];
  await server.must("POST", `${doc}/tables`, { tables: [{ id: "Seen", columns }] });
  const token = await createToken(server, doc, { origins: [APP] });
  const step = ["POST", `${doc}/tables/Seen/records?return=records`, { records: [{ fields: {} }] }] as const;
  const reply = await callWithToken(server, token, step, { headers: { Origin: APP } });
  expect(reply.body.records[0].fields).toEqual({ From: APP });
});
