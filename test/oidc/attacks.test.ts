/**
 * Attacks on the steps of a sign-in, for confidential and public clients: each is refused, starts no session and changes
 * nothing that is stored.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addUser } from "../../src/services/accounts/users.ts";
import { CLIENT_ID, type Claims, type TestProvider } from "./test-provider.ts";
import type { CookieBrowser, Page } from "./cookie-browser.ts";
import { oidcSite, type OidcSite } from "./oidc-site.ts";

interface Attack {
  readonly name: string;
  readonly step: "callback" | "token" | "user info" | "account";
  /** Returns the page that the browser reaches. */
  run(t: OidcSite, browser: CookieBrowser): Promise<Page>;
  readonly status: number;
  /** Part of the page. */
  readonly says: string;
}

const EXPIRED = { status: 400, says: "This sign-in was not started in this browser" };
const INVALID = { status: 403, says: "response is not valid" };
const CLOCK = { status: 403, says: "The clocks of this server and of the provider differ" };
const REFUSED = { status: 403, says: "No user can sign in with this account" };
const CANCELLED = { status: 403, says: "was cancelled, or the provider refused it" };
const UNAVAILABLE = { status: 503, says: "cannot be reached, or is not set up correctly" };

/** Signs in while the provider behaves in another way. */
const behaving =
  (behaviour: TestProvider["behaviour"]) =>
  async (t: OidcSite, browser: CookieBrowser): Promise<Page> => {
    t.provider.behaviour = behaviour;
    return (await t.signIn(browser)).page;
  };

const claiming = (change: (claims: Claims) => Claims) => behaving({ claims: change });
const redirecting = (redirect: (params: URLSearchParams) => void) => behaving({ redirect });
const asAccount =
  (account: TestProvider["account"]) =>
  async (t: OidcSite, browser: CookieBrowser): Promise<Page> => {
    t.provider.account = account;
    return (await t.signIn(browser)).page;
  };

/** Values that the server has encrypted for another purpose: shown to a signed-in user. */
const sealedLinks = new WeakMap<OidcSite, string>();

const nowS = () => Math.floor(Date.now() / 1000);
const ADA = { sub: "1", email: "ada@example.com", email_verified: true };
const answering = (path: string, answer: () => Response | Promise<Response>) =>
  behaving({ answers: { [path]: answer } });

const ATTACKS: readonly Attack[] = [
  // The callback.
  { name: "no state", step: "callback", run: redirecting((params) => params.delete("state")), ...EXPIRED },
  { name: "an empty state", step: "callback", run: redirecting((params) => params.set("state", "")), ...EXPIRED },
  {
    name: "a wrong state",
    step: "callback",
    run: redirecting((params) => params.set("state", "0".repeat(64))),
    ...EXPIRED,
  },
  {
    name: "a second state",
    step: "callback",
    run: redirecting((params) => params.append("state", "0".repeat(64))),
    ...EXPIRED,
  },
  {
    name: "the callback of another browser",
    step: "callback",
    async run(t, browser) {
      const attacker = t.browser();
      await t.start(browser);
      return browser.get(t.provider.authorize(await t.start(attacker)).href);
    },
    ...EXPIRED,
  },
  {
    name: "a browser without the cookie",
    step: "callback",
    run: async (t, browser) => browser.get(t.provider.authorize(await t.start(t.browser())).href),
    ...EXPIRED,
  },
  {
    name: "a cookie that was changed",
    step: "callback",
    async run(t, browser) {
      const url = await t.start(browser);
      const { value = "", path = "/" } = browser.cookie("quern_flow") ?? {};
      const bytes = Buffer.from(value, "base64url");
      bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
      browser.setCookie("quern_flow", bytes.toString("base64url"), path);
      return browser.get(t.provider.authorize(url).href);
    },
    ...EXPIRED,
  },
  {
    name: "a cookie for another purpose",
    step: "callback",
    async run(t, browser) {
      const url = await t.start(browser);
      const link = sealedLinks.get(t) ?? "";
      expect(link).not.toBe("");
      browser.setCookie("quern_flow", link, "/sign-in/oidc");
      return browser.get(t.provider.authorize(url).href);
    },
    ...EXPIRED,
  },
  {
    name: "the callback twice",
    step: "callback",
    async run(t, browser) {
      t.provider.account = { ...ADA, email_verified: false };
      const url = await t.start(browser);
      const cookie = browser.cookie("quern_flow")?.value ?? "";
      const callback = t.provider.authorize(url);
      await browser.get(callback.href);
      t.provider.account = ADA;
      browser.setCookie("quern_flow", cookie, "/sign-in/oidc");
      return browser.get(callback.href);
    },
    ...EXPIRED,
  },
  {
    name: "the same state with a new code",
    step: "callback",
    async run(t, browser) {
      t.provider.account = { ...ADA, email_verified: false };
      const url = await t.start(browser);
      const cookie = browser.cookie("quern_flow")?.value ?? "";
      await browser.get(t.provider.authorize(url).href);
      t.provider.account = ADA;
      browser.setCookie("quern_flow", cookie, "/sign-in/oidc");
      return browser.get(t.provider.authorize(url).href);
    },
    ...EXPIRED,
  },
  {
    name: "a flow of another provider (mix-up)",
    step: "callback",
    async run(t, browser) {
      const callback = t.provider.authorize(await t.start(browser, "other"));
      callback.pathname = "/sign-in/oidc/keycloak/callback";
      return browser.get(callback.href);
    },
    ...EXPIRED,
  },
  {
    name: "a code of another provider (mix-up)",
    step: "callback",
    async run(t, browser) {
      // The hostile provider sends the browser to the other one, and back with its code.
      const url = new URL(await t.start(browser, "keycloak"));
      return browser.get(t.other.authorize(url.href).href);
    },
    ...INVALID,
  },
  {
    name: "a code of another provider, without its name (mix-up)",
    step: "callback",
    async run(t, browser) {
      const callback = t.other.authorize(await t.start(browser, "keycloak"));
      callback.searchParams.delete("iss");
      return browser.get(callback.href);
    },
    ...INVALID,
  },
  {
    name: "a wrong iss",
    step: "callback",
    run: redirecting((params) => params.set("iss", "https://evil.example")),
    ...INVALID,
  },
  { name: "no iss", step: "callback", run: redirecting((params) => params.delete("iss")), ...INVALID },
  { name: "no code", step: "callback", run: redirecting((params) => params.delete("code")), ...INVALID },
  { name: "a wrong code", step: "callback", run: redirecting((params) => params.set("code", "x")), ...CANCELLED },
  {
    name: "a code that was used by another browser (replay)",
    step: "callback",
    async run(t, browser) {
      const first = t.browser();
      t.provider.account = { ...ADA, email_verified: false };
      const stolen = t.provider.authorize(await t.start(first));
      await first.get(stolen.href);
      const own = t.provider.authorize(await t.start(browser));
      own.searchParams.set("code", stolen.searchParams.get("code") ?? "");
      return browser.get(own.href);
    },
    ...CANCELLED,
  },
  {
    name: "an unused code of another browser (injection)",
    step: "callback",
    async run(t, browser) {
      const stolen = t.provider.authorize(await t.start(t.browser()));
      const own = t.provider.authorize(await t.start(browser));
      own.searchParams.set("code", stolen.searchParams.get("code") ?? "");
      return browser.get(own.href);
    },
    ...CANCELLED,
  },
  {
    name: "an error of the provider",
    step: "callback",
    run: redirecting((params) => {
      params.delete("code");
      params.set("error", "access_denied");
      params.set("error_description", "<b>No</b>");
    }),
    ...CANCELLED,
  },
  {
    name: "an error beside a code",
    step: "callback",
    run: redirecting((params) => params.set("error", "access_denied")),
    ...CANCELLED,
  },
  // The token.
  { name: "a wrong nonce", step: "token", run: claiming((claims) => ({ ...claims, nonce: "x" })), ...INVALID },
  { name: "no nonce", step: "token", run: claiming(({ nonce: _, ...claims }) => claims), ...INVALID },
  { name: "a wrong audience", step: "token", run: claiming((claims) => ({ ...claims, aud: "other" })), ...INVALID },
  { name: "no audience", step: "token", run: claiming(({ aud: _, ...claims }) => claims), ...INVALID },
  {
    name: "an audience for several, authorized for another",
    step: "token",
    run: claiming((claims) => ({ ...claims, aud: [CLIENT_ID, "other"], azp: "other" })),
    ...INVALID,
  },
  {
    name: "a wrong issuer",
    step: "token",
    run: claiming((claims) => ({ ...claims, iss: "https://evil.example" })),
    ...INVALID,
  },
  {
    name: "the issuer of the other provider",
    step: "token",
    run: async (t, browser) => claiming((claims) => ({ ...claims, iss: t.other.issuer }))(t, browser),
    ...INVALID,
  },
  { name: "no subject", step: "token", run: claiming(({ sub: _, ...claims }) => claims), ...INVALID },
  { name: "a subject that is no text", step: "token", run: claiming((claims) => ({ ...claims, sub: 1 })), ...INVALID },
  { name: "an expired token", step: "token", run: claiming((claims) => ({ ...claims, exp: nowS() - 90 })), ...CLOCK },
  { name: "a token without an end", step: "token", run: claiming(({ exp: _, ...claims }) => claims), ...INVALID },
  {
    name: "a token that is not yet valid",
    step: "token",
    run: claiming((claims) => ({ ...claims, nbf: nowS() + 90 })),
    ...CLOCK,
  },
  {
    name: "a token of the future",
    step: "token",
    run: claiming((claims) => ({ ...claims, iat: nowS() + 90, exp: nowS() + 300 })),
    ...CLOCK,
  },
  { name: "alg none", step: "token", run: behaving({ signature: "none" }), ...INVALID },
  {
    name: "alg none that the provider announces",
    step: "token",
    run: behaving({
      signature: "none",
      discovery: (document) => ({ ...document, id_token_signing_alg_values_supported: ["none", "RS256"] }),
    }),
    ...INVALID,
  },
  { name: "HS256 with the public key", step: "token", run: behaving({ signature: "hs256-public-key" }), ...INVALID },
  {
    name: "HS256 with the public key that the provider announces",
    step: "token",
    run: behaving({
      signature: "hs256-public-key",
      discovery: (document) => ({ ...document, id_token_signing_alg_values_supported: ["HS256", "RS256"] }),
    }),
    ...INVALID,
  },
  {
    name: "HS256 with the client secret",
    step: "token",
    run: behaving({
      signature: "hs256-client-secret",
      discovery: (document) => ({ ...document, id_token_signing_alg_values_supported: ["HS256", "RS256"] }),
    }),
    ...INVALID,
  },
  { name: "the signature of another key", step: "token", run: behaving({ signature: "other-key" }), ...INVALID },
  { name: "an unknown key", step: "token", run: behaving({ signature: "unknown-key" }), ...INVALID },
  {
    name: "no ID token",
    step: "token",
    run: answering("/token", () => Response.json({ access_token: "a", token_type: "bearer" })),
    ...INVALID,
  },
  {
    name: "an ID token that is no token",
    step: "token",
    run: answering("/token", () => Response.json({ access_token: "a", token_type: "bearer", id_token: "x" })),
    ...INVALID,
  },
  {
    name: "a page instead of tokens",
    step: "token",
    run: answering("/token", () => new Response("<html>", { headers: { "Content-Type": "text/html" } })),
    ...INVALID,
  },
  {
    name: "a redirect instead of tokens",
    step: "token",
    run: answering("/token", () => Response.redirect("http://127.0.0.1:1/")),
    ...INVALID,
  },
  {
    name: "a failure instead of tokens",
    step: "token",
    run: answering("/token", () => new Response("", { status: 500 })),
    ...INVALID,
  },
  {
    name: "an endless token",
    step: "token",
    run: answering("/token", () => {
      const chunk = new Uint8Array(64 * 1024).fill(0x20);
      const body = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
      return new Response(body, { headers: { "Content-Type": "application/json" } });
    }),
    ...UNAVAILABLE,
  },
  { name: "no keys", step: "token", run: answering("/jwks", () => Response.json({ keys: [] })), ...INVALID },
  // User info.
  {
    name: "user info of another subject",
    step: "user info",
    async run(t, browser) {
      t.provider.account = { sub: "1" };
      return behaving({ userInfo: () => ({ ...ADA, sub: "2" }) })(t, browser);
    },
    ...INVALID,
  },
  {
    name: "user info without a subject",
    step: "user info",
    async run(t, browser) {
      t.provider.account = { sub: "1" };
      return behaving({ userInfo: () => ({ email: ADA.email, email_verified: true }) })(t, browser);
    },
    ...INVALID,
  },
  {
    name: "an address of the token that user info verifies under another spelling",
    step: "user info",
    async run(t, browser) {
      t.provider.account = { sub: "1", email: ADA.email };
      return behaving({ userInfo: () => ({ sub: "1", email: "mallory@evil.example", email_verified: true }) })(
        t,
        browser,
      );
    },
    ...REFUSED,
  },
  // The account.
  { name: "no address", step: "account", run: asAccount({ sub: "1" }), ...REFUSED },
  { name: "an unverified address", step: "account", run: asAccount({ ...ADA, email_verified: false }), ...REFUSED },
  {
    name: "an address without verification",
    step: "account",
    run: asAccount({ sub: "1", email: ADA.email }),
    ...REFUSED,
  },
  {
    name: "a verification that is a text",
    step: "account",
    run: asAccount({ ...ADA, email_verified: "true" }),
    ...REFUSED,
  },
  { name: "another domain", step: "account", run: asAccount({ ...ADA, email: "ada@evil.example" }), ...REFUSED },
  { name: "a domain below", step: "account", run: asAccount({ ...ADA, email: "ada@mail.example.com" }), ...REFUSED },
  {
    name: "a domain that ends alike",
    step: "account",
    run: asAccount({ ...ADA, email: "ada@evilexample.com" }),
    ...REFUSED,
  },
  {
    name: "two at signs",
    step: "account",
    run: asAccount({ ...ADA, email: "ada@evil.example@example.com" }),
    ...REFUSED,
  },
  {
    name: "characters that become an address",
    step: "account",
    run: asAccount({ ...ADA, email: "vi\u212Ae@example.com" }),
    ...REFUSED,
  },
  {
    name: "an unknown user where none are created",
    step: "account",
    run: asAccount({ ...ADA, email: "new@example.com" }),
    ...REFUSED,
  },
  { name: "an administrator", step: "account", run: asAccount({ ...ADA, email: "root@example.com" }), ...REFUSED },
  { name: "a disabled user", step: "account", run: asAccount({ ...ADA, email: "dora@example.com" }), ...REFUSED },
  { name: "a disabled user who was connected", step: "account", run: asAccount({ sub: "disabled" }), ...REFUSED },
  { name: "a service account", step: "account", run: asAccount({ ...ADA, email: "robot@example.com" }), ...REFUSED },
  {
    name: "another subject with the address of a connected user",
    step: "account",
    run: asAccount({ sub: "another", email: "emil@example.com", email_verified: true }),
    ...REFUSED,
  },
];

describe.each([
  ["a confidential client", true],
  ["a public client", false],
] as const)("with %s, the server refuses", (_, isConfidential) => {
  let t: OidcSite;
  beforeAll(async () => {
    t = await oidcSite({ isConfidential });
    const { ctx } = t.app;
    await addUser(ctx, { email: "ada@example.com", name: "Ada" });
    const vike = await addUser(ctx, { email: "vike@example.com", name: "Vike" });
    const dora = await addUser(ctx, { email: "dora@example.com", name: "Dora" });
    const former = await addUser(ctx, { email: "former@example.com", name: "Former" });
    ctx.home.transaction(() => {
      ctx.home.users.add({ email: "robot@example.com", name: "Robot", kind: "service" });
      const identity = { issuer: t.provider.issuer, provider: "keycloak", email: "" };
      ctx.home.identities.add({
        ...identity,
        subject: "emil",
        userId: ctx.home.users.byEmail("emil@example.com")?.id ?? 0,
      });
      ctx.home.identities.add({ ...identity, subject: "disabled", userId: former.id });
      for (const { id } of [dora, former]) ctx.home.users.change(id, { disabledAt: 1 });
    });
    expect(vike.id).toBeGreaterThan(0);
    t.other.account = { sub: "2", email: "vito@example.com", email_verified: true };
    const { browser: vito } = await t.signIn(undefined, "other");
    const { html } = await vito.get("/profile");
    sealedLinks.set(t, /start\?link=([\w-]+)/.exec(html)?.[1] ?? "");
  });
  afterAll(() => t[Symbol.asyncDispose]());

  test.each(ATTACKS.map((attack) => [`${attack.step}: ${attack.name}`, attack] as const))(
    "%s",
    async (_name, attack) => {
      t.provider.behaviour = {};
      t.provider.account = ADA;
      const before = t.home();
      const browser = t.browser();
      const page = await attack.run(t, browser);
      expect([page.status, page.html.includes(attack.says) ? attack.says : page.html]).toEqual([
        attack.status,
        attack.says,
      ]);
      expect(page.html).not.toContain("<b>No</b>");
      expect(browser.cookie("quern_session")).toBeUndefined();
      expect(await t.userOf(browser)).toBeNull();
      expect(t.home()).toEqual(before);
    },
  );

  test("nothing of this: the same sign-in without an attack", async () => {
    t.provider.behaviour = {};
    t.provider.account = ADA;
    const { browser } = await t.signIn();
    expect(await t.userOf(browser)).toBe("ada@example.com");
  });
});
