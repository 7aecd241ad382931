/** What the server does about providers that are slow, down, rotate their keys, or have another time. */
import { describe, expect, test } from "bun:test";
import { createMemoryLog } from "./memory-log.ts";
import { TestClock } from "../helpers/clock.ts";
import { without } from "./attack.ts";
import { oidcSite } from "./oidc-site.ts";

const settings = { CREATE_USERS: "true" };
const nowS = () => Math.floor(Date.now() / 1000);

describe("a provider", () => {
  test("may rotate its keys at any time", async () => {
    await using t = await oidcSite({ settings });
    await t.signIn();
    t.provider.rotateKeys();
    expect(await t.userOf((await t.signIn()).browser)).toBe("ada@example.com");
  });

  test.each([
    ["expired for 30 s", { exp: nowS() - 30 }],
    ["valid in 30 s", { nbf: nowS() + 30 }],
    ["issued in 30 s", { iat: nowS() + 30 }],
  ])("may have a clock that differs a little: %s", async (_, times) => {
    await using t = await oidcSite({ settings });
    t.provider.behaviour = { claims: (claims) => ({ ...claims, ...times }) };
    expect(await t.userOf((await t.signIn()).browser)).toBe("ada@example.com");
  });

  test("that is down is asked again after 10 s, and other ways to sign in go on", async () => {
    const clock = new TestClock();
    const log = createMemoryLog();
    await using t = await oidcSite({ settings, clock, log });
    const discovery = "/.well-known/openid-configuration";
    t.provider.behaviour = { answers: { [discovery]: () => new Response("", { status: 502 }) } };
    const browser = t.browser();
    for (let n = 0; n < 3; n++) {
      const page = await browser.get("/sign-in/oidc/keycloak/start");
      expect([page.status, page.html.includes("The provider cannot be reached")]).toEqual([503, true]);
    }
    expect(t.provider.requests).toEqual([discovery]);
    expect(log.events("oidc.provider_failed")).toHaveLength(3);
    expect(await t.userOf((await t.signIn(undefined, "other")).browser)).toBe("ada@example.com");
    t.provider.behaviour = {};
    clock.pass(10_001);
    expect((await browser.get("/sign-in/oidc/keycloak/start")).status).toBe(302);
    expect(t.provider.requests).toEqual([discovery, discovery]);
  });

  test("is asked for its discovery document once, also by visitors at the same time", async () => {
    await using t = await oidcSite();
    await Promise.all([1, 2, 3].map(() => t.browser().get("/sign-in/oidc/keycloak/start")));
    await t.browser().get("/sign-in/oidc/keycloak/start");
    expect(t.provider.requests).toHaveLength(1);
  });

  test("that hangs is given up after 10 s, while other requests are answered", async () => {
    await using t = await oidcSite({ settings });
    const hanging = Promise.withResolvers<Response>();
    t.provider.behaviour = { answers: { "/token": () => hanging.promise } };
    const browser = t.browser();
    const callback = t.provider.authorize(await t.start(browser));
    const before = t.home();
    const startMs = performance.now();
    const pending = browser.get(callback.href);
    const other = await t.signIn(undefined, "other");
    expect(await t.userOf(other.browser)).toBe("ada@example.com");
    expect(performance.now() - startMs).toBeLessThan(9000);
    await other.browser.post("/sign-out");
    const page = await pending;
    hanging.resolve(new Response());
    expect(performance.now() - startMs).toBeGreaterThan(9000);
    expect([page.status, page.html.includes("The provider cannot be reached")]).toEqual([503, true]);
    expect(browser.cookie("quern_session")).toBeUndefined();
    expect(before).not.toContain(t.provider.issuer);
    expect(t.home()).not.toContain(t.provider.issuer);
  }, 60_000);

  test.each<[string, (document: Record<string, unknown>) => Record<string, unknown>]>([
    ["another issuer", (document) => ({ ...document, issuer: "https://evil.example" })],
    ["no authorization endpoint", without("authorization_endpoint")],
    ["a page without TLS", (document) => ({ ...document, authorization_endpoint: "ftp://evil.example/" })],
    ["a script as page", (document) => ({ ...document, authorization_endpoint: "javascript:alert(1)" })],
  ])("with a discovery document with %s is refused", async (_, discovery) => {
    await using t = await oidcSite();
    t.provider.behaviour = { discovery };
    const page = await t.browser().get("/sign-in/oidc/keycloak/start");
    expect([page.to, page.status >= 400, page.html.includes("Sign-in failed")]).toEqual([null, true, true]);
  });

  test("with a huge discovery document is refused", async () => {
    await using t = await oidcSite();
    t.provider.behaviour = { discovery: (document) => ({ ...document, padding: "x".repeat(2_000_000) }) };
    expect((await t.browser().get("/sign-in/oidc/keycloak/start")).status).toBe(503);
  });
});

test("the log has reasons, and neither addresses nor secrets", async () => {
  const log = createMemoryLog();
  await using t = await oidcSite({ log, settings: { ...settings, TRUST_EMAIL: "true" } });
  expect(log.events("oidc.email_trusted").map(({ provider }) => provider)).toEqual(["keycloak", "other"]);
  await t.signIn();
  t.provider.account = { sub: "2", email: "ada@example.com" };
  await t.signIn();
  await t.browser().get("/sign-in/oidc/keycloak/callback?state=x&code=secretcode");
  t.provider.behaviour = { signature: "none" };
  await t.signIn();
  expect(log.events("oidc.user_created")).toMatchObject([{ provider: "keycloak" }]);
  expect(log.events("oidc.sign_in_refused")).toEqual([{ provider: "keycloak", reason: "other_subject" }]);
  expect(log.events("oidc.callback_refused")).toEqual([{ provider: "keycloak", reason: "cookie" }]);
  expect(log.events("oidc.provider_failed")).toMatchObject([{ provider: "keycloak", kind: "invalid" }]);
  expect(log.text()).not.toMatch(/ada@example\.com|provider secret|secretcode/);
});
