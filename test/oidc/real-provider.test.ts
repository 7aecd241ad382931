/** The whole flow with a real provider, for confidential and public clients. */
import { describe, expect, test } from "bun:test";
import { freePort } from "../helpers/server-process.ts";
import { testApp } from "../helpers/app.ts";
import { CookieBrowser } from "./cookie-browser.ts";
import { startRealProvider } from "./real-provider.ts";
import { signInAtProvider } from "./real-provider-pages.ts";

describe.each([
  ["a confidential client", "a secret of the test"],
  ["a public client", null],
])("%s of a real provider", (_, clientSecret) => {
  test("signs in, with groups, as often as wanted", async () => {
    const port = freePort();
    await using provider = await startRealProvider({
      redirectUris: ["http://quern.test/sign-in/oidc/real/callback"],
      clientSecret,
      port,
    });
    const variables = {
      QUERN_OIDC_REAL_ISSUER: provider.issuer,
      QUERN_OIDC_REAL_CLIENT_ID: "quern",
      ...(clientSecret !== null && { QUERN_OIDC_REAL_CLIENT_SECRET: clientSecret }),
      QUERN_OIDC_REAL_ALLOWED_DOMAINS: "example.com",
      QUERN_OIDC_REAL_CREATE_USERS: "true",
      QUERN_OIDC_REAL_GROUPS_CLAIM: "groups",
    };
    await using t = await testApp({ variables });
    const { home } = t.app.ctx;
    const sales = home.groups.add({ name: "sales", managedBy: "real" });
    for (let n = 0; n < 2; n++) {
      const browser = new CookieBrowser(t.app);
      const { to } = await browser.get("/sign-in/oidc/real/start?next=%2Fprofile");
      const callback = await signInAtProvider(to ?? "", "ada");
      expect(callback).toStartWith("http://quern.test/sign-in/oidc/real/callback?code=");
      expect((await browser.get(callback)).to).toBe("http://quern.test/profile");
      expect((await browser.get("/profile")).html).toContain("ada@example.com");
    }
    expect(home.users.byEmail("ada@example.com")?.name).toBe("Ada Kern");
    expect(home.groups.membersOf(sales.id).map(({ email }) => email)).toEqual(["ada@example.com"]);
    expect(home.raw.all("select subject, provider from identities")).toEqual([{ subject: "ada", provider: "real" }]);
  });
});
