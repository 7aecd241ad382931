import { describe, expect, test } from "bun:test";
import type { Browser, Locator, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, startSite, visit, type Site, type Visit } from "./browser.ts";
import { button, problem, shownText } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";
import { ADA, PASSWORD } from "./visitor.ts";

const openMenu = (page: Page): Promise<void> => page.locator("header summary").click();
const newKey = (page: Page): Locator => page.getByLabel("Your new API key");

async function typeSignIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await button(page, "Sign in").click();
}

/** Status and body of an API call with a key. */
async function callApi(site: Site, key: string, path: string): Promise<[number, unknown]> {
  const response = await fetch(`${site.address}${path}`, { headers: { Authorization: `Bearer ${key}` } });
  return [response.status, await response.json()];
}

describe.skipIf(!CHROMIUM)(inBrowser("a person at the pages"), () => {
  let browser: Browser;
  let site: Site;
  let openWindow: Story["openWindow"];
  let ada: Visit;
  let page: Page;
  let email: string;
  const begin = (story: Story) => {
    ({ browser, site, openWindow, ada, page, email } = story);
  };
  eachStory(begin, { isSignedIn: false });

  test("is redirected to the setup instructions by every page until the first user exists", async () => {
    await using empty = startSite();
    await using ada = await visit(browser, empty);
    const link = empty.firstRunLink() ?? "";
    for (const path of ["/", "/sign-in", "/profile", "/docs/abc", "/o/team/", "/trash", "/admin", "/nothing"]) {
      await ada.page.goto(path);
      expect([path, new URL(ada.page.url()).pathname]).toEqual([path, "/first-run"]);
      await expectPoll(() => ada.page.locator("h1").textContent()).toBe("Set up Quern");
    }
    await expectPoll(() => ada.page.locator("main").innerText()).toContain(
      "in the file first-run-link in the server's data folder",
    );
    await expectPoll(() => ada.page.locator("main").innerText()).toContain("in the server's log");
    await ada.page.goto("/first-run?token=wrong");
    await expectPoll(() => problem(ada.page).textContent()).toContain("This setup link is not valid.");
    await ada.page.goto(link);
    await expectPoll(() => ada.page.locator("h1").textContent()).toBe("Welcome to Quern");
    await ada.page.goto(`${site.address}/sign-in`);
    await expectPoll(() => ada.page.locator("h1").textContent()).toBe("Sign in");
    await ada.page.goto(`${site.address}/first-run`);
    await expectPoll(() => ada.page.locator("h1").textContent()).toBe("Setup is complete");
  });

  test("creates the first user by the link, once", async () => {
    await using empty = startSite();
    const link = empty.firstRunLink() ?? "";
    await using ada = await visit(browser, empty);
    await ada.page.goto(link);
    await ada.page.getByLabel("Name").fill(ADA.name);
    await ada.page.getByLabel("Email").fill(ADA.email);
    await ada.page.getByLabel("Password").fill("short");
    await button(ada.page, "Create user").click();
    await expectPoll(() => ada.page.locator("input:invalid").getAttribute("name")).toBe("password");
    await ada.page.getByLabel("Password").fill(PASSWORD);
    await ada.page.keyboard.press("Enter");
    await ada.page.waitForURL("/");
    await expectPoll(() => ada.page.getByRole("heading", { level: 2 }).allTextContents()).toEqual(["Personal"]);
    await ada.page.goto("/profile");
    await expectPoll(() => ada.page.locator("#you dd").allTextContents()).toEqual([ADA.name, ADA.email]);

    await using eve = await visit(browser, empty);
    await eve.page.goto(link);
    await expectPoll(() => eve.page.locator("h1").textContent()).toBe("Setup is complete");
    await eve.page.getByRole("link", { name: "Sign in" }).click();
    await expectPoll(() => eve.page.locator("h1").textContent()).toBe("Sign in");
    expect([...ada.problems, ...eve.problems]).toEqual([]);
  });

  test("signs out, mistypes the password, and signs in again", async () => {
    await ada.signIn(email);
    await page.goto("/profile");
    await openMenu(page);
    await button(page, "Sign out").click();
    await page.waitForURL("/sign-in");
    await page.goBack();
    await page.waitForURL("/sign-in?next=%2Fprofile");
    await typeSignIn(page, { email, password: "wrong horse" });
    await expectPoll(() => problem(page).textContent()).toBe("The email address or the password is wrong.");
    await expectPoll(() => page.getByLabel("Email").inputValue()).toBe(email);
    await expectPoll(() => page.getByLabel("Password").inputValue()).toBe("");
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await page.waitForURL("/profile");
    await page.goto("/sign-in");
    await page.waitForURL("/");
    expect(ada.problems).toEqual([]);
  });

  test("creates a key, copies it, uses it, deletes it, and creates another", async () => {
    await ada.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await ada.signIn(email);
    await page.goto("/profile");
    await button(page, "Create").click();
    const key = await newKey(page).inputValue();
    expect(key).toMatch(/^[0-9a-f]{40}$/);
    await button(page, "Copy").click();
    await button(page, "Copied").waitFor();
    await expectPoll(() => page.evaluate<string>("navigator.clipboard.readText()")).toBe(key);
    expect(await callApi(site, key, "/api/orgs")).toMatchObject([200, [{ owner: { name: ADA.name } }]]);

    await page.reload();
    await expectPoll(() => problem(page).textContent()).toBe(
      "You already have an API key; delete it to create another.",
    );
    for (const path of [page.url(), "/profile"]) {
      await page.goto(path);
      expect(await newKey(page).count()).toBe(0);
      expect(await page.content()).not.toContain(key);
      await expectPoll(() => page.locator("#api code").textContent()).toBe(key.slice(0, 6).padEnd(40, "*"));
    }
    expect((await callApi(site, key, "/api/orgs"))[0]).toBe(200);

    await button(page, "Delete").click();
    await expectPoll(() => page.getByRole("status").textContent()).toStartWith("API key deleted.");
    expect((await callApi(site, key, "/api/orgs"))[0]).toBe(401);
    await button(page, "Create").click();
    const another = await newKey(page).inputValue();
    expect(another).not.toBe(key);
    expect((await callApi(site, another, "/api/orgs"))[0]).toBe(200);
    expect(ada.problems).toEqual([]);
  });

  test("gets the key selected where the clipboard is unavailable", async () => {
    await using ada = await openWindow();
    await ada.context.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await ada.signIn(email);
    await ada.page.goto("/profile");
    await button(ada.page, "Create").click();
    await button(ada.page, "Copy").click();
    await button(ada.page, "Press Ctrl+C").waitFor();
    await expectPoll(() => ada.page.evaluate<string>("getSelection().toString()")).toBe(
      await newKey(ada.page).inputValue(),
    );
    expect(ada.problems).toEqual([]);
  });

  test("creates a labelled key, sees its last use, and revokes it", async () => {
    await ada.signIn(email);
    await page.goto("/profile");
    for (const label of [HOSTILE_NAME, "Till"]) {
      await page.getByLabel("Label of the new key").fill(label);
      await page.getByLabel("Expires after").selectOption("90 days");
      await button(page, "Create key").click();
      await newKey(page).waitFor();
    }
    const key = await newKey(page).inputValue();
    expect((await callApi(site, key, "/api/orgs"))[0]).toBe(200);
    await page.goto("/profile");
    await expectPoll(() => page.locator("#keys .name").allTextContents()).toEqual([HOSTILE_NAME, "Till"]);
    await page.locator("#keys li").last().getByText("last used just now").waitFor();
    await expectHarmless(page);
    await button(page, "Revoke Till").click();
    await shownText(page, "Key revoked.").waitFor();
    expect((await callApi(site, key, "/api/orgs"))[0]).toBe(401);
    await expectPoll(() => page.locator("#keys .name").allTextContents()).toEqual([HOSTILE_NAME]);
    expect(ada.problems).toEqual([]);
  });

  test("changes the name, to anything", async () => {
    await ada.signIn(email);
    await page.goto("/profile");
    for (const name of [`"'><img src=x onerror=alert(1)><script>alert(1)</script>`, "𝒜da & Ærø"]) {
      await page.getByLabel("Change name").fill(name);
      await button(page, "Save").click();
      await expectPoll(() => page.getByRole("status").textContent()).toBe("Name changed.");
      await expectPoll(() => page.locator("#you dd").first().textContent()).toBe(name);
      await expectPoll(() => page.getByLabel("Change name").inputValue()).toBe(name);
    }
    expect(ada.problems).toEqual([]);
  });

  test("changes the password, which ends the sessions of other browsers", async () => {
    const here = ada;
    await using there = await openWindow();
    for (const each of [here, there]) {
      await each.signIn(email);
      await each.page.goto("/profile");
    }
    await here.page.getByLabel("Current password").fill(PASSWORD);
    await here.page.getByLabel("New password").fill("another horse");
    await button(here.page, "Change").click();
    await expectPoll(() => here.page.getByRole("status").textContent()).toContain("Password changed.");
    await there.page.reload();
    await there.page.waitForURL("/sign-in?next=%2Fprofile");
    await typeSignIn(there.page, { email, password: "another horse" });
    await there.page.waitForURL("/profile");
    await here.page.reload();
    await expectPoll(() => here.page.locator("h1").textContent()).toBe("Profile");
    expect([...here.problems, ...there.problems]).toEqual([]);
  });

  test("does all this without scripts", async () => {
    await using ada = await openWindow({ javaScriptEnabled: false });
    const { page } = ada;
    await page.goto("/sign-in");
    await typeSignIn(page, { email, password: PASSWORD });
    await page.waitForURL("/");
    await expectPoll(() => page.getByRole("heading", { level: 3 }).allTextContents()).toEqual(["Home"]);
    expect(await button(page, "New document").count()).toBe(0);
    await page.goto("/profile");
    await button(page, "Create").click();
    await expectPoll(() => newKey(page).inputValue()).toMatch(/^[0-9a-f]{40}$/);
    expect(await button(page, "Copy").isVisible()).toBe(false);
    await button(page, "Delete").click();
    await button(page, "Create").waitFor();
    await openMenu(page);
    await page.getByRole("link", { name: "API reference" }).click();
    await page.getByRole("link", { name: "Fetch records of a table" }).click();
    await expectPoll(() => page.locator("#fetchRecords h2").isVisible()).toBe(true);
    await openMenu(page);
    await button(page, "Sign out").click();
    await page.waitForURL("/sign-in");
    expect(ada.problems).toEqual([]);
  });

  test("finds an operation in the reference", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto("/reference");
    const listed = await page.locator(".operations a").count();
    const { paths } = (await (await fetch(`${site.address}/openapi.json`)).json()) as { paths: Record<string, object> };
    expect(listed).toBe(Object.values(paths).flatMap((methods) => Object.keys(methods)).length);
    await page.getByRole("link", { name: "Add records" }).click();
    await page.waitForURL("/reference/records#addRecords");
    const operation = page.locator("#addRecords");
    expect((await operation.boundingBox())?.y).toBeLessThan(100);
    await expectPoll(() => operation.locator(".route").textContent()).toBe(
      "POST /api/docs/{docId}/tables/{tableId}/records",
    );
    await operation.getByText("Errors:").click();
    await expectPoll(() => operation.locator("dt").first().isVisible()).toBe(true);
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.waitForURL("/sign-in");
    expect(ada.problems).toEqual([]);
  });
});
