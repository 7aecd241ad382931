import { describe, expect, test } from "bun:test";
import { addUser } from "../../src/services/accounts/users.ts";
import { oidcSite } from "./oidc-site.ts";

describe("signing in through a provider", () => {
  test("connects the account with the verified address, and keeps the profile", async () => {
    await using t = await oidcSite();
    await addUser(t.app.ctx, { email: "ada@example.com", name: "Ada" });
    const { browser, page } = await t.signIn();
    expect([page.status, page.to]).toEqual([303, "http://quern.test/"]);
    expect(await t.userOf(browser)).toBe("ada@example.com");
    expect(t.app.ctx.home.users.byEmail("ada@example.com")?.name).toBe("Ada");
    expect(browser.cookie("quern_session")?.flags.toSorted()).toEqual([
      "HttpOnly",
      "Max-Age=2592000",
      "Path=/",
      "SameSite=Lax",
    ]);
    expect(browser.cookie("quern_flow")).toBeUndefined();
    const entries = t.app.ctx.home.raw.all<{ event: string; details: string }>(
      "select event, details from audit_entries where actor = 'ada@example.com' order by number",
    );
    const details = { method: "provider", provider: "keycloak" };
    expect(entries.map((entry) => [entry.event, JSON.parse(entry.details) as object])).toEqual([
      ["identity.connected", details],
      ["session.started", details],
    ]);
  });

  test("is not delayed by attempts to sign in with a password, from its network or to its account", async () => {
    await using t = await oidcSite();
    await addUser(t.app.ctx, { email: "ada@example.com", name: "Ada" });
    const attempt = async (n: number) => {
      const email = n < 12 ? "ada@example.com" : `u${n}@example.com`;
      return (await t.browser().post("/sign-in", { email, password: "wrong horse" })).status;
    };
    for (let n = 0; n < 40; n++) await attempt(n);
    expect([await attempt(0), await attempt(99)]).toEqual([429, 429]);
    const { browser, page } = await t.signIn();
    expect([page.status, await t.userOf(browser)]).toEqual([303, "ada@example.com"]);
  });

  test.each([true, false])("works for a client with a secret, and for a public one: %s", async (isConfidential) => {
    await using t = await oidcSite({ isConfidential, settings: { CREATE_USERS: "true" } });
    const { browser } = await t.signIn();
    expect(await t.userOf(browser)).toBe("ada@example.com");
    expect(t.app.ctx.home.users.byEmail("ada@example.com")?.name).toBe("Ada from the provider");
  });
});
