/** Servers that accept no passwords, and links that sign users in there. */
import { describe, expect, test } from "bun:test";
import { issueSignInLink, signInLinkPath } from "../../src/services/accounts/sign-in-links.ts";
import { createReset, resetPath } from "../../src/services/accounts/password-resets.ts";
import { issueFirstRunToken } from "../../src/services/accounts/first-run.ts";
import { addUser } from "../../src/services/accounts/users.ts";
import { grantOf } from "../helpers/users.ts";
import { TestClock } from "../helpers/clock.ts";
import { oidcSite } from "./oidc-site.ts";

const ADA = { email: "ada@example.com", name: "Ada", password: "correct horse" };
const off = { QUERN_PASSWORDS: "off" };

describe("without passwords", () => {
  test("the sign-in page has the providers only, and refuses passwords", async () => {
    await using t = await oidcSite({ variables: off });
    await addUser(t.app.ctx, ADA);
    const browser = t.browser();
    const { html } = await browser.get("/sign-in");
    expect(html).toMatch(/Continue with .*Keycloak/);
    expect(html).not.toContain('type="password"');
    const page = await browser.post("/sign-in", ADA);
    expect([page.status, page.html.includes("This server accepts no passwords.")]).toEqual([403, true]);
    expect(browser.cookie("quern_session")).toBeUndefined();
  });

  test("passwords are neither set nor reset", async () => {
    await using t = await oidcSite({ variables: off });
    const { ctx } = t.app;
    await addUser(ctx, { ...ADA, isAdmin: true });
    const { browser } = await t.signInByLink(ADA.email);
    const { html } = await browser.get("/profile");
    expect(html).not.toContain('type="password"');
    const before = t.home();
    const changed = await browser.post("/profile/password", { current: ADA.password, next: "another horse" });
    expect(changed.status).toBe(403);
    const { id } = ctx.home.users.byEmail("emil@example.com") ?? { id: 0 };
    expect((await browser.get("/admin/users")).html).not.toContain("/reset");
    expect((await browser.post(`/admin/users/${id}/reset`)).status).toBe(403);
    expect(() => createReset(ctx, grantOf(ctx, ADA.email), id)).toThrow("accepts no passwords");
    expect(t.home()).toBe(before);
  });

  test("a link from before, for setting a password, does not work", async () => {
    await using t = await oidcSite();
    await addUser(t.app.ctx, { ...ADA, isAdmin: true });
    const { token } = createReset(
      t.app.ctx,
      grantOf(t.app.ctx, ADA.email),
      t.app.ctx.home.users.byEmail(ADA.email)?.id ?? 0,
    );
    Object.assign(t.app.ctx.identity, { acceptsPasswords: false });
    expect((await t.browser().get(resetPath(token))).status).toBe(403);
    expect((await t.browser().post("/reset-password", { token, password: "another horse" })).status).toBe(403);
  });

  test("the first administrator needs none", async () => {
    await using t = await oidcSite({ variables: off });
    t.app.ctx.home.raw.exec("delete from users where kind = 'person'");
    const token = issueFirstRunToken(t.app.ctx) ?? "";
    const browser = t.browser();
    expect((await browser.get(`/first-run?token=${token}`)).html).not.toContain('type="password"');
    const page = await browser.post("/first-run", { token, name: "Root", email: "root@example.com" });
    expect(page.to).toBe("http://quern.test/");
    expect(await t.userOf(browser)).toBe("root@example.com");
    expect(t.app.ctx.home.raw.all("select * from passwords")).toEqual([]);
  });
});

describe("a sign-in link", () => {
  test.each([{}, off])("signs in once, when the button is pressed: %j", async (variables) => {
    await using t = await oidcSite({ variables });
    await addUser(t.app.ctx, ADA);
    const { token } = issueSignInLink(t.app.ctx, "Ada@Example.com");
    const path = signInLinkPath(token);
    for (const prefetcher of [t.browser(), t.browser()]) {
      const page = await prefetcher.get(path);
      expect([page.status, page.html.includes("ada@example.com")]).toEqual([200, true]);
      expect(prefetcher.cookie("quern_session")).toBeUndefined();
    }
    const browser = t.browser();
    expect((await browser.post("/sign-in/link", { token })).to).toBe("http://quern.test/");
    expect(await t.userOf(browser)).toBe("ada@example.com");
    expect((await t.browser().get(path)).status).toBe(403);
    const again = t.browser();
    expect((await again.post("/sign-in/link", { token })).status).toBe(403);
    expect(again.cookie("quern_session")).toBeUndefined();
  });

  test("expires after 15 minutes, and with the next link", async () => {
    const clock = new TestClock();
    await using t = await oidcSite({ clock });
    await addUser(t.app.ctx, ADA);
    const first = issueSignInLink(t.app.ctx, ADA.email);
    const second = issueSignInLink(t.app.ctx, ADA.email);
    expect((await t.browser().get(signInLinkPath(first.token))).status).toBe(403);
    clock.pass(15 * 60_000 - 1);
    expect((await t.browser().get(signInLinkPath(second.token))).status).toBe(200);
    clock.pass(1);
    expect((await t.browser().get(signInLinkPath(second.token))).status).toBe(403);
    expect((await t.browser().post("/sign-in/link", { token: second.token })).status).toBe(403);
  });

  test("works for users who can sign in only", async () => {
    await using t = await oidcSite();
    const { ctx } = t.app;
    const { id } = await addUser(ctx, ADA);
    const { token } = issueSignInLink(ctx, ADA.email);
    ctx.home.users.change(id, { disabledAt: 1 });
    expect((await t.browser().post("/sign-in/link", { token })).status).toBe(403);
    expect(() => issueSignInLink(ctx, ADA.email)).toThrow("is disabled");
    expect(() => issueSignInLink(ctx, "unknown@example.com")).toThrow("user not found");
    expect(() => issueSignInLink(ctx, "anon@getgrist.com")).toThrow("user not found");
  });

  test.each(["", "x", "0".repeat(64)])("with the token %j does not work", async (token) => {
    await using t = await oidcSite();
    expect((await t.browser().get(`/sign-in/link?token=${token}`)).status).toBe(403);
    expect((await t.browser().post("/sign-in/link", { token })).status).toBe(403);
  });

  test("is refused from a page of another origin", async () => {
    await using t = await oidcSite();
    await addUser(t.app.ctx, ADA);
    const { token } = issueSignInLink(t.app.ctx, ADA.email);
    const page = await t.browser().post("/sign-in/link", { token }, { Origin: "https://evil.example" });
    expect(page.status).toBe(403);
    expect((await t.browser().get(signInLinkPath(token))).status).toBe(200);
  });
});
