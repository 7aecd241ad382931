/** Signing in through a real provider, with its pages, in a browser. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { addUser } from "../../src/services/accounts/users.ts";
import { CHEAP_PASSWORD_HASH, TEST_FLAGS } from "../helpers/app.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { freePort } from "../helpers/server-process.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { startRealProvider, type RealProvider } from "../oidc/real-provider.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, serveSite, sharedBrowser, visit, type Site, type Visit } from "./browser.ts";
import { button, problem } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { PASSWORD } from "./visitor.ts";

const SECRET = "a secret of the test";

/** Fills in the pages of the provider: any password is accepted. */
async function signInAtProvider(page: Page, login: string): Promise<void> {
  await page.locator("input[name=login]").fill(login);
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.getByRole("button", { name: "Continue" }).click();
}

describe.skipIf(!CHROMIUM)(inBrowser("a person with an account at a provider"), () => {
  let site: Site;
  let provider: RealProvider;
  beforeAll(async () => {
    const folder = tempFolder();
    const port = freePort();
    const variables = {
      QUERN_OIDC_KEYCLOAK_ISSUER: `http://127.0.0.1:${port}`,
      QUERN_OIDC_KEYCLOAK_CLIENT_ID: "quern",
      QUERN_OIDC_KEYCLOAK_CLIENT_SECRET: SECRET,
      QUERN_OIDC_KEYCLOAK_ALLOWED_DOMAINS: "example.com",
      QUERN_OIDC_KEYCLOAK_CREATE_USERS: "true",
    };
    const config = readConfig({ data: folder, ...TEST_FLAGS }, variables);
    site = serveSite(createApp(config, { passwordCost: CHEAP_PASSWORD_HASH }), folder);
    const callback = `${site.address}/sign-in/oidc/keycloak/callback`;
    provider = await startRealProvider({ redirectUris: [callback], clientSecret: SECRET, port });
    await addUser(site.app.ctx, { email: "root@example.com", name: "Root", password: PASSWORD, isAdmin: true });
  });
  afterAll(async () => {
    await provider[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  const FONTS = "https://fonts.googleapis.com/";
  /** Opens a window in which the provider's pages, which are not ours, find their font and their icon. */
  const open = async (): Promise<Visit> => {
    const window = await visit(await sharedBrowser(), site);
    await window.context.route(`${FONTS}**`, (route) => route.fulfill({ contentType: "text/css", body: "" }));
    await window.context.route(`${provider.issuer}/favicon.ico`, (route) => route.fulfill({ status: 204 }));
    return window;
  };
  const problemsHere = ({ problems }: Visit) =>
    problems.filter((problem) => !problem.includes(provider.issuer) && !problem.includes(FONTS));

  test("gets an account by signing in, sees it on the profile, and signs out of both", async () => {
    await using ada = await open();
    const { page } = ada;
    await page.goto("/profile");
    await expectAccessible(page);
    await page.getByRole("link", { name: "Continue with Keycloak" }).click();
    await signInAtProvider(page, "ada");
    await page.waitForURL(`${site.address}/profile`);
    await expectPoll(() => page.locator("#you").innerText()).toContain("ada@example.com");
    const methods = page.locator("#identities");
    expect(await methods.innerText()).toContain("Keycloak");
    await expectAccessible(page);
    await button(methods, "Disconnect Keycloak").click();
    await expectPoll(() => problem(methods).innerText()).toContain("This is your last way to sign in.");
    await page.locator("header summary").click();
    await button(page, "Sign out").click();
    const out = page.getByRole("link", { name: "Sign out of Keycloak" });
    await out.waitFor();
    await expectAccessible(page);
    await out.click();
    await page.waitForURL(`${provider.issuer}/**`);
    await page.goto("/profile");
    expect(page.url()).toContain("/sign-in");
    expect(problemsHere(ada)).toEqual([]);
  });

  test("connects it to the account that they are signed in to", async () => {
    await using root = await open();
    const { page } = root;
    await root.signIn("root@example.com");
    await page.goto("/profile");
    const methods = page.locator("#identities");
    await methods.getByRole("link", { name: "Connect Keycloak" }).click();
    await signInAtProvider(page, "someone-else");
    await expectPoll(() => methods.locator(".note").innerText()).toBe("Account connected.");
    expect(await methods.innerText()).toContain("someone-else@example.com");
    expect(await page.locator("#you").innerText()).toContain("root@example.com");
    await button(methods, "Disconnect Keycloak").click();
    await expectPoll(() => methods.locator(".note").innerText()).toBe("Account disconnected.");
    expect(problemsHere(root)).toEqual([]);
  });

  test("cancels at the provider, and can try again", async () => {
    await using eve = await open();
    const { page } = eve;
    await page.goto("/sign-in");
    await page.getByRole("link", { name: "Continue with Keycloak" }).click();
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.getByRole("heading", { name: "Sign-in failed" }).waitFor();
    expect(await problem(page).innerText()).toContain("The sign-in was cancelled");
    await expectAccessible(page);
    await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
    await page.getByRole("link", { name: "Continue with Keycloak" }).waitFor();
    expect(problemsHere(eve)).toEqual([]);
  });

  test("may have a hostile address at the provider", async () => {
    const { ctx } = site.app;
    const { id } = await addUser(ctx, { email: "mallory@example.com", name: "Mallory", password: PASSWORD });
    const identity = { issuer: provider.issuer, subject: "m", userId: id, provider: "keycloak", email: HOSTILE_NAME };
    ctx.home.transaction(() => ctx.home.identities.add(identity));
    await using mallory = await open();
    await mallory.signIn("mallory@example.com");
    await mallory.page.goto("/profile");
    expect(await mallory.page.locator("#identities").innerText()).toContain(HOSTILE_NAME.slice(0, 5));
    await expectHarmless(mallory.page);
    expect(problemsHere(mallory)).toEqual([]);
  });
});
