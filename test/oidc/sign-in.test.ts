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
  });

  test.each([true, false])("works for a client with a secret, and for a public one: %s", async (isConfidential) => {
    await using t = await oidcSite({ isConfidential, settings: { CREATE_USERS: "true" } });
    const { browser } = await t.signIn();
    expect(await t.userOf(browser)).toBe("ada@example.com");
    expect(t.app.ctx.home.users.byEmail("ada@example.com")?.name).toBe("Ada from the provider");
  });
});
