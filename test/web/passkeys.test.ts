/** Second factors and passkeys in the browser, with its virtual authenticator. */
import { describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { codeAt, STEP_MS } from "../helpers/second-factor.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Site, type Visit, visit } from "./browser.ts";
import { button, problem } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { PASSWORD } from "./visitor.ts";

/** Passkeys need a host name. */
const localAddress = ({ address }: Site): string => address.replace("127.0.0.1", "localhost");

/** Adds an authenticator that verifies its user to a page. */
async function addAuthenticator({ context, page }: Visit): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function typePassword(page: Page, base: string, email: string): Promise<void> {
  await page.goto(`${base}/sign-in`);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await button(page, "Sign in").click();
}

const signOut = async (page: Page): Promise<void> => {
  await page.locator("header summary").click();
  await button(page, "Sign out").click();
  await page.waitForURL(/\/sign-in/);
};

describe.skipIf(!CHROMIUM)(inBrowser("a person with a second factor"), () => {
  let site: Site;
  let ada: Visit;
  let page: Page;
  let email: string;
  let browser: Browser;
  eachStory((story) => void ({ site, ada, page, email, browser } = story), { isSignedIn: false });

  test("adds a passkey, and signs in with it instead of the password, and after it", async () => {
    // A window of its own: the authenticator stays with it.
    await using window = await visit(browser, { ...site, address: localAddress(site) });
    const { page } = window;
    const base = localAddress(site);
    await addAuthenticator(window);
    await typePassword(page, base, email);
    await page.waitForURL(`${base}/`);
    await page.goto(`${base}/profile`);
    await page.getByRole("link", { name: "Two-step verification and passkeys" }).click();
    await page.getByLabel("Name of the new passkey").fill("Laptop");
    await button(page, "Add passkey").click();
    const codes = page.locator("#recovery-codes");
    await codes.waitFor();
    expect((await codes.inputValue()).split("\n")).toHaveLength(10);
    expect(await page.evaluate("document.activeElement.id")).toBe("recovery-title");
    const download = page.waitForEvent("download");
    await button(page, "Save as a file").click();
    expect((await download).suggestedFilename()).toBe("quern-recovery-codes.txt");
    await page.getByRole("link", { name: "Continue" }).click();
    await expectPoll(() => page.getByRole("status").first().textContent()).toBe("Passkey added.");
    await expectPoll(() => page.locator("#passkeys .name").textContent()).toBe("Laptop");
    await expectAccessible(page);

    await signOut(page);
    await button(page, "Sign in with a passkey").click();
    await page.waitForURL(`${base}/`);
    await expectPoll(() => page.locator("header summary .name").count()).toBe(1);

    await signOut(page);
    await typePassword(page, base, email);
    await page.waitForURL(`${base}/sign-in/second-factor`);
    await button(page, "Use a passkey").click();
    await page.waitForURL(`${base}/`);

    await page.goto(`${base}/profile/security`);
    await button(page, "Remove Laptop").click();
    await expectPoll(() => page.getByRole("status").first().textContent()).toBe("Passkey removed.");
    await signOut(page);
    await typePassword(page, base, email);
    await page.waitForURL(`${base}/`);
    expect(window.problems).toEqual([]);
  });

  test("reads that no passkey fits", async () => {
    // A window of its own: the authenticator stays with it.
    await using window = await visit(browser, { ...site, address: localAddress(site) });
    const { page } = window;
    const base = localAddress(site);
    await addAuthenticator(window);
    await page.goto(`${base}/sign-in`);
    await button(page, "Sign in with a passkey").click();
    await expectPoll(() => problem(page.locator("#passkey")).textContent()).toBe(
      "No passkey was used. Try again, or sign in with your password.",
    );
    await typePassword(page, base, email);
    await page.waitForURL(`${base}/`);
    expect(window.problems).toEqual([]);
  });

  test("reads why passkeys are not available at an IP address", async () => {
    await page.goto("/sign-in");
    expect(await button(page, "Sign in with a passkey").count()).toBe(0);
    await typePassword(page, site.address, email);
    await page.waitForURL("/");
    await page.goto("/profile/security");
    await expectPoll(() => page.locator("#passkeys .note").textContent()).toContain("Passkeys need a host name.");
    expect(await page.locator("#add-passkey").count()).toBe(0);
    await expectAccessible(page);
    expect(ada.problems).toEqual([]);
  });

  test("adds an authenticator app without a script, and signs in with codes", async () => {
    await typePassword(page, site.address, email);
    await page.waitForURL("/");
    await page.goto("/profile/security");
    await button(page, "Add app").click();
    const secret = await page.locator("#totp-secret").inputValue();
    await expectPoll(() => page.locator("svg.qr-code").isVisible()).toBe(true);
    await expectAccessible(page);
    await page.getByLabel("Code that the app shows").fill("12345");
    await button(page, "Add app").click();
    await expectPoll(() => problem(page).textContent()).toContain("The code is wrong");
    const added = Date.now();
    await page.getByLabel("Code that the app shows").fill(codeAt(secret, added));
    await button(page, "Add app").click();
    const codes = (await page.locator("#recovery-codes").inputValue()).split("\n");
    expect(codes).toHaveLength(10);
    await signOut(page);
    await typePassword(page, site.address, email);
    await page.waitForURL("/sign-in/second-factor");
    await expectAccessible(page);
    // The next code is accepted early, and that of the same period was used.
    const next = Math.max(added + STEP_MS, Date.now());
    await page.getByLabel("Code of your authenticator app").fill(codeAt(secret, next));
    await page.keyboard.press("Enter");
    await page.waitForURL("/");
    await signOut(page);
    await typePassword(page, site.address, email);
    await page.getByLabel("Code of your authenticator app").fill(codes[0] ?? "");
    await button(page, "Sign in").click();
    await page.waitForURL("/");
    await page.goto("/profile/security");
    await expectPoll(() => page.locator("#two-step").innerText()).toContain("9 codes left");
    await button(page, "Remove app").click();
    await expectPoll(() => page.locator("#two-step").innerText()).toContain("Not added");
    expect(ada.problems).toEqual([]);
  });
});
