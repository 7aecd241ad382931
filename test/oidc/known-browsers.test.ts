/** The cookie by which a browser shows the accounts that it has signed in to. */
import { expect, test } from "bun:test";
import { knownDevice } from "../../src/services/accounts/known-devices.ts";
import { issueReset } from "../../src/services/accounts/password-resets.ts";
import { issueSignInLink } from "../../src/services/accounts/sign-in-links.ts";
import { addUser } from "../../src/services/accounts/users.ts";
import { inviteByCommand } from "../../src/services/invitations/invitations.ts";
import type { CookieBrowser, Page } from "./cookie-browser.ts";
import { oidcSite, type OidcSite } from "./oidc-site.ts";

const password = "correct horse";

/** The ways to sign in whose pages set cookies; `test/services/passkeys` has passkeys. */
const WAYS: readonly [email: string, way: (t: OidcSite, browser: CookieBrowser, email: string) => Promise<Page>][] = [
  ["password@example.com", (_t, browser, email) => browser.post("/sign-in", { email, password })],
  ["ada@example.com", async (t, browser) => (await t.signIn(browser)).page],
  [
    "link@example.com",
    ({ app }, browser, email) => browser.post("/sign-in/link", { token: issueSignInLink(app.ctx, email).token }),
  ],
  [
    "invited@example.com",
    ({ app }, browser, email) => {
      const { token } = inviteByCommand(app.ctx, email);
      return browser.post("/invitation", { token, name: "Ida", password });
    },
  ],
  [
    "reset@example.com",
    ({ app }, browser, email) => {
      const user = app.ctx.home.users.byEmail(email);
      if (!user) throw new Error("no user");
      return browser.post("/reset-password", { token: issueReset(app.ctx, user).token, password, name: "" });
    },
  ],
];

test("names the accounts of every way to sign in, one after the other in the same browser", async () => {
  await using t = await oidcSite();
  const { ctx } = t.app;
  for (const [email] of WAYS) {
    if (!email.startsWith("invited")) await addUser(ctx, { email, name: "Someone", password });
  }
  const browser = t.browser();
  for (const [email, way] of WAYS) {
    const page = await way(t, browser, email);
    expect([email, page.status]).toEqual([email, 303]);
    await browser.post("/sign-out");
  }
  const cookie = browser.cookie("quern_device");
  const isKnown = (email: string) =>
    knownDevice(ctx, ctx.home.users.byEmail(email)?.id ?? 0, cookie?.value ?? null) !== null;
  expect(WAYS.filter(([email]) => !isKnown(email))).toEqual([]);
  expect(cookie?.flags).toContain("HttpOnly");
});
