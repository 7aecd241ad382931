/** The page of users, and the page of one user. */
import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { addUser, findOrInvite, insertUser } from "../../src/services/accounts/users.ts";
import { createGroup } from "../../src/services/accounts/groups.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { enrolledUser } from "../helpers/second-factor.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Site, type Visit } from "./browser.ts";
import { call, makeDocument } from "./calls.ts";
import { button, problem, shownText } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { type Scene, setScene } from "./scene.ts";
import { ADA, PASSWORD } from "./visitor.ts";

const ROOT = { email: "root@example.com", name: "Root", password: PASSWORD, isAdmin: true };

describe.skipIf(!CHROMIUM)(inBrowser("an administrator of users"), () => {
  let site: Site;
  let openWindow: Scene["openWindow"];
  let root: Visit;
  let page: Page;
  setScene(
    async (scene) => {
      ({ site, openWindow } = scene);
      root = await openWindow();
      page = root.page;
    },
    { people: [ROOT, ADA] },
  );
  beforeEach(async () => {
    await root.reset();
    await root.signIn(ROOT.email);
  });

  const names = () => page.locator(".rows tbody a.name").allInnerTexts();
  const idOf = (email: string) => site.app.ctx.home.users.byEmail(email)?.id ?? 0;
  const openMenu = (email: string) => page.getByLabel(`Actions for ${email}`).click();

  test("selects, sorts and searches users, and keeps all of it in the address", async () => {
    const { ctx } = site.app;
    await enrolledUser(ctx, "erin@example.com");
    findOrInvite(ctx, "soon@example.com");
    await page.goto("/admin/users");
    const selections = page.getByRole("navigation", { name: "Show" });
    await selections.getByRole("link", { name: "Without second factor" }).click();
    await expectPoll(async () => (await names()).toSorted()).toEqual(["Ada Lovelace", "Root"]);
    await page.getByRole("link", { name: "Name", exact: true }).click();
    await expectPoll(names).toEqual(["Ada Lovelace", "Root"]);
    await page.getByRole("link", { name: "Name", exact: true }).click();
    await expectPoll(names).toEqual(["Root", "Ada Lovelace"]);
    await expectPoll(() => page.locator("th[aria-sort]").getAttribute("aria-sort")).toBe("descending");
    await page.getByRole("searchbox", { name: "Search users" }).fill("ada");
    await page.keyboard.press("Enter");
    await expectPoll(names).toEqual(["Ada Lovelace"]);
    expect(new URL(page.url()).searchParams.toString()).toBe("show=withoutSecondFactor&sort=-name&q=ada");
    await expectAccessible(page);
    await selections.getByRole("link", { name: "All", exact: false }).click();
    await expectPoll(names).toEqual(["Ada Lovelace"]);
    await page.goto("/admin/users?show=pending");
    await expectPoll(names).toEqual(["soon@example.com"]);
    await page.goto("/admin/users?q=erin");
    await expectPoll(() => page.locator(".rows tbody").innerText()).toContain("Authenticator app");
    expect(root.problems).toEqual([]);
  });

  test("turns pages", async () => {
    const { ctx } = site.app;
    ctx.home.transaction(() => {
      for (let n = 100; n < 160; n++) insertUser(ctx, { email: `u${n}@example.com`, name: `Many ${n}`, hash: null });
    });
    await page.goto("/admin/users?q=many&sort=name");
    await expectPoll(async () => [(await names())[0], (await names()).length]).toEqual(["Many 100", 50]);
    await page.getByRole("link", { name: "Next" }).click();
    await expectPoll(names).toEqual(Array.from({ length: 10 }, (_, n) => `Many ${150 + n}`));
    expect(await page.getByRole("link", { name: "Next" }).count()).toBe(0);
    await page.getByRole("link", { name: "Previous" }).click();
    await expectPoll(async () => (await names()).length).toBe(50);
    expect(root.problems).toEqual([]);
  });

  test("makes an administrator and undoes it, by keys alone", async () => {
    await page.goto("/admin/users?q=lovelace");
    await page.getByLabel(`Actions for ${ADA.email}`).focus();
    await page.keyboard.press("Enter");
    await button(page, `Make administrator ${ADA.email}`).focus();
    await page.keyboard.press("Enter");
    await shownText(page, "The user is an administrator now.").waitFor();
    expect(site.app.ctx.home.users.byEmail(ADA.email)?.isAdmin).toBe(true);
    expect(page.url()).toContain("q=lovelace");
    await expectAccessible(page);
    await button(page, "Undo").focus();
    await page.keyboard.press("Enter");
    await shownText(page, "no longer an administrator").waitFor();
    expect(site.app.ctx.home.users.byEmail(ADA.email)?.isAdmin).toBe(false);
    await page.goto("/admin/users?q=root");
    await openMenu(ROOT.email);
    await button(page, `Withdraw administrator ${ROOT.email}`).click();
    await expectPoll(() => problem(page).textContent()).toContain("This is the last administrator.");
    expect(root.problems).toEqual([]);
  });

  test("sees sessions, keys and roles of a user, and ends the sessions", async () => {
    const { ctx } = site.app;
    const doc = await makeDocument(root, HOSTILE_NAME);
    await call(root, "PATCH", `/api/docs/${doc}/access`, { delta: { users: { [ADA.email]: "editors" } } });
    const { id } = createGroup(ctx, { name: HOSTILE_NAME, managedBy: null, externalId: null });
    ctx.home.groups.addMember(id, idOf(ADA.email));
    await using ada = await openWindow();
    await ada.signIn();
    await call(ada, "POST", "/api/profile/keys", { label: HOSTILE_NAME });
    await page.goto("/admin/users?q=lovelace");
    await page.getByRole("link", { name: ADA.name }).click();
    await page.getByRole("heading", { level: 1, name: ADA.name }).waitFor();
    await expectPoll(() => page.getByRole("region", { name: "Access" }).innerText()).toContain("Editor");
    await expectPoll(() => page.getByText(HOSTILE_NAME, { exact: true }).count()).toBe(3);
    await expectHarmless(page);
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("region", { name: "Sessions" }).getByRole("button", { name: "End all sessions" }).click();
    await shownText(page, "signed out everywhere").waitFor();
    await shownText(page, "Not signed in anywhere.").waitFor();
    await ada.page.goto("/profile");
    await ada.page.waitForURL("/sign-in?next=%2Fprofile");
    await page.getByRole("link", { name: "Show in the audit log" }).click();
    await page.waitForURL("/admin/audit?actor=ada%40example.com");
    expect([...root.problems, ...ada.problems]).toEqual([]);
  });

  test("deletes a user after a text that names them", async () => {
    await addUser(site.app.ctx, { email: "gone@example.com", name: HOSTILE_NAME });
    await page.goto("/admin/users?q=gone");
    await openMenu("gone@example.com");
    await page.getByRole("link", { name: "Delete user…" }).click();
    await shownText(page, "This cannot be undone.").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: `Delete "'><img` }).click();
    await shownText(page, "User deleted.").waitFor();
    expect(site.app.ctx.home.users.byEmail("gone@example.com")).toBeNull();
    expect(root.problems).toEqual([]);
  });

  test("adds an administrator with a name, and a member of a site", async () => {
    await call(root, "POST", "/api/orgs", { name: HOSTILE_NAME, domain: "crew" });
    await page.goto("/admin/users");
    await page.getByRole("link", { name: "Add user" }).click();
    await expectAccessible(page);
    await page.getByRole("textbox", { name: "Name" }).fill("Nina & Söhne");
    await page.getByRole("textbox", { name: "Email", exact: true }).fill("no address");
    await page.keyboard.press("Enter");
    await expectPoll(() => page.locator("input:invalid").getAttribute("name")).toBe("email");
    await page.getByRole("textbox", { name: "Email", exact: true }).fill(ADA.email);
    await button(page, "Add user").click();
    await expectPoll(() => problem(page).textContent()).toContain("already exists");
    expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Nina & Söhne");
    await page.getByRole("textbox", { name: "Email", exact: true }).fill("nina@example.com");
    await page.getByLabel("Role in this installation").selectOption("Administrator");
    await page.getByRole("combobox", { name: "Site", exact: true }).selectOption({ label: HOSTILE_NAME });
    await page.getByLabel("Role on the site").selectOption("Editor");
    await button(page, "Add user").click();
    const link = await page.getByLabel("Link to create the account").inputValue();
    await expectHarmless(page);
    await using nina = await openWindow();
    await nina.page.goto(link);
    await expectPoll(() => nina.page.getByLabel("Your name").inputValue()).toBe("Nina & Söhne");
    const { home } = site.app.ctx;
    expect(home.users.byEmail("nina@example.com")?.isAdmin).toBe(true);
    expect(home.memberships.ofUser(idOf("nina@example.com")).map(({ name, role }) => [name, role])).toEqual([
      [HOSTILE_NAME, "editors"],
    ]);
    expect([...root.problems, ...nina.problems]).toEqual([]);
  });
});
