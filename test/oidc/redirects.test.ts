/** Where the browser goes: addresses of the callback, team sites, the page after signing in, and signing out. */
import { describe, expect, test } from "bun:test";
import { without } from "./attack.ts";
import { oidcSite, type OidcSiteOptions } from "./oidc-site.ts";

const settings = { CREATE_USERS: "true" };

describe("after signing in", () => {
  test.each(["/profile?done=name", "/o/team/profile", "/a//b", "/#part"])("the browser goes to %s", async (next) => {
    await using t = await oidcSite({ settings });
    const { page } = await t.signIn(undefined, "keycloak", next);
    expect(page.to).toBe(new URL(next, "http://quern.test").href);
  });

  test("the browser goes to no other server", async () => {
    await using t = await oidcSite({ settings });
    for (const next of [
      "https://evil.example/",
      "//evil.example",
      "/\\evil.example",
      "/.//evil.example",
      "/a/..//evil.example",
      "/\t/evil.example",
      "javascript:alert(1)",
      "%2f%2fevil.example",
      "http://quern.test@evil.example/",
      "",
    ]) {
      const { page } = await t.signIn(t.browser(), "keycloak", next);
      expect([next, page.to]).toEqual([next, "http://quern.test/"]);
    }
  });

  test("a parameter of the callback changes nothing", async () => {
    await using t = await oidcSite({ settings });
    t.provider.behaviour = { redirect: (params) => params.set("next", "https://evil.example/") };
    expect((await t.signIn()).page.to).toBe("http://quern.test/");
  });

  test("a signed-in browser does not sign in again", async () => {
    await using t = await oidcSite({ settings });
    const { browser } = await t.signIn();
    const page = await browser.get("/sign-in/oidc/keycloak/start?next=%2Fprofile");
    expect(page.to).toBe("http://quern.test/profile");
    expect(browser.cookie("quern_flow")).toBeUndefined();
  });
});

describe("the request to the provider", () => {
  test("has all parameters of the authorization code flow with PKCE", async () => {
    await using t = await oidcSite({ settings: { SCOPES: "openid email groups" } });
    const url = new URL(await t.start(t.browser()));
    expect(`${url.origin}${url.pathname}`).toBe(`${t.provider.issuer}/authorize`);
    const { state, nonce, code_challenge, ...rest } = Object.fromEntries(url.searchParams);
    expect(rest).toEqual({
      client_id: "quern",
      redirect_uri: "http://quern.test/sign-in/oidc/keycloak/callback",
      response_type: "code",
      scope: "openid email groups",
      code_challenge_method: "S256",
    });
    expect(state).toMatch(/^[0-9a-f]{64}$/);
    expect(nonce).toMatch(/^[0-9a-f]{64}$/);
    expect(code_challenge).toMatch(/^[\w-]{43}$/);
    const other = new URL(await t.start(t.browser())).searchParams;
    expect([other.get("state"), other.get("nonce")]).not.toContain(state);
  });

  test("has a cookie that scripts and other sites cannot use", async () => {
    const variables = { QUERN_PUBLIC_URL: "https://quern.test" };
    await using t = await oidcSite({ variables });
    const browser = t.browser();
    await t.start(browser);
    expect(browser.cookie("quern_flow")?.flags.toSorted()).toEqual([
      "HttpOnly",
      "Max-Age=600",
      "Path=/sign-in/oidc",
      "SameSite=Lax",
      "Secure",
    ]);
    expect(browser.cookie("quern_flow")?.value).not.toMatch(/keycloak|[0-9a-f]{64}/);
  });
});

describe("with a public URL", () => {
  const options: OidcSiteOptions = {
    settings,
    variables: { QUERN_PUBLIC_URL: "https://quern.test", QUERN_BASE_DOMAIN: "quern.test" },
  };
  const TEAM = "https://team.quern.test";

  test("a team site's sign-in passes through it and returns, with a session there only", async () => {
    await using t = await oidcSite(options);
    const browser = t.browser(TEAM);
    const first = await browser.get("/sign-in/oidc/keycloak/start?next=%2Fprofile");
    expect(first.to).toStartWith("https://quern.test/sign-in/oidc/keycloak/start?departure=");
    const second = await browser.get(first.to ?? "");
    const callback = t.provider.authorize(second.to ?? "");
    expect(callback.origin).toBe("https://quern.test");
    const third = await browser.get(callback.href);
    expect(third.to).toStartWith(`${TEAM}/sign-in/oidc/keycloak/return?arrival=`);
    expect(browser.cookie("quern_session", "https://quern.test")).toBeUndefined();
    const last = await browser.get(third.to ?? "");
    expect(last.to).toBe(`${TEAM}/profile`);
    expect(browser.cookie("quern_session", TEAM)?.flags).toContain("Secure");
    const again = t.browser(TEAM);
    expect((await again.get(third.to ?? "")).status).toBe(400);
  });

  test.each<[string, (t: Awaited<ReturnType<typeof oidcSite>>, arrival: string) => Promise<number>]>([
    ["another browser", async (t, arrival) => (await t.browser(TEAM).get(arrival)).status],
    [
      "another browser that has started",
      async (t, arrival) => {
        const victim = t.browser(TEAM);
        await victim.get("/sign-in/oidc/keycloak/start");
        return (await victim.get(arrival)).status;
      },
    ],
    [
      "another provider",
      async (t, arrival) => {
        const victim = t.browser(TEAM);
        await victim.get("/sign-in/oidc/other/start");
        return (await victim.get(arrival.replace("/keycloak/", "/other/"))).status;
      },
    ],
  ])("the way back is refused in %s", async (_, attack) => {
    await using t = await oidcSite(options);
    const attacker = t.browser(TEAM);
    const second = await attacker.get((await attacker.get("/sign-in/oidc/keycloak/start")).to ?? "");
    const { to } = await attacker.get(t.provider.authorize(second.to ?? "").href);
    const before = t.home();
    expect(await attack(t, to ?? "")).toBe(400);
    expect(t.home()).toBe(before);
  });

  test("an account is connected to the user who is signed in at the team site", async () => {
    await using t = await oidcSite(options);
    const walk = async (browser: ReturnType<typeof t.browser>, start: string, name: "keycloak" | "other") => {
      const second = await browser.get((await browser.get(start)).to ?? "");
      const provider = name === "other" ? t.other : t.provider;
      const third = await browser.get(provider.authorize(second.to ?? "").href);
      return browser.get(third.to ?? "");
    };
    const browser = t.browser(TEAM);
    await walk(browser, "/sign-in/oidc/keycloak/start", "keycloak");
    const { html } = await browser.get("/profile");
    t.other.account = { sub: "second", email: "x@elsewhere.example" };
    const start = /\/sign-in\/oidc\/other\/start\?link=[\w-]+/.exec(html)?.[0] ?? "";
    const page = await walk(browser, start, "other");
    expect(page.to).toBe(`${TEAM}/profile?done=identity#identities`);
    const ada = t.app.ctx.home.users.byEmail("ada@example.com");
    expect(t.app.ctx.home.identities.list(ada?.id ?? 0).map(({ provider }) => provider)).toEqual(["keycloak", "other"]);
  });

  test.each([
    "http://10.0.0.5:8080",
    "https://evil.example",
    "https://evilquern.test",
    "https://quern.test.evil.example",
  ])("a sign-in that starts at %s goes on at the public URL", async (origin) => {
    await using t = await oidcSite(options);
    const page = await t.browser(origin).get("/sign-in/oidc/keycloak/start?next=%2Fprofile");
    expect(page.to).toBe("https://quern.test/sign-in/oidc/keycloak/start?next=%2Fprofile");
  });

  test("a departure that this server has not made is refused", async () => {
    await using t = await oidcSite(options);
    for (const departure of [
      "",
      "x",
      Buffer.from(JSON.stringify({ origin: "https://evil.example" })).toString("base64url"),
    ]) {
      const page = await t.browser("https://quern.test").get(`/sign-in/oidc/keycloak/start?departure=${departure}`);
      expect([departure, page.status, page.to]).toEqual([departure, 400, null]);
    }
  });
});

describe("signing out", () => {
  test("ends the session, and offers to sign out of the provider that was used", async () => {
    await using t = await oidcSite({ settings });
    const { browser } = await t.signIn();
    const out = await browser.post("/sign-out");
    expect(out.to).toBe("http://quern.test/sign-out/keycloak");
    expect(await t.userOf(browser)).toBeNull();
    const { status, html } = await browser.get(out.to ?? "");
    expect(status).toBe(200);
    expect(html).toContain(`href="${t.provider.issuer}/end?client_id=quern"`);
    expect((await browser.post("/sign-out")).to).toBe("http://quern.test/sign-in");
  });

  test("offers nothing if the provider has no page for it, or is down, or is no longer configured", async () => {
    await using t = await oidcSite({ settings });
    t.provider.behaviour = { discovery: without("end_session_endpoint") };
    t.other.behaviour = { answers: { "/.well-known/openid-configuration": () => new Response("", { status: 500 }) } };
    for (const name of ["keycloak", "other"]) {
      const { status, html } = await t.browser().get(`/sign-out/${name}`);
      expect([name, status, html.includes("/end?")]).toEqual([name, 200, false]);
    }
    expect((await t.browser().get("/sign-out/former")).to).toBe("http://quern.test/sign-in");
  });
});

test("before the first user no provider creates one", async () => {
  await using t = await oidcSite({ settings });
  t.app.ctx.home.raw.exec("delete from users where kind = 'person'");
  const before = t.home();
  const browser = t.browser();
  const page = await browser.get("/sign-in/oidc/keycloak/start");
  expect(page.to).toBe("http://quern.test/first-run");
  expect(t.home()).toBe(before);
});

test("an unknown provider is not found", async () => {
  await using t = await oidcSite();
  for (const step of ["start", "callback", "return"]) {
    const page = await t.browser().get(`/sign-in/oidc/unknown/${step}`);
    expect([step, page.status]).toEqual([step, step === "return" ? 400 : 404]);
  }
});
