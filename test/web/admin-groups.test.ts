/** The pages of groups. */
import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { createGroup } from "../../src/services/accounts/groups.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Site, type Visit } from "./browser.ts";
import { button, problem, shownText } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { setScene } from "./scene.ts";
import { ADA, PASSWORD } from "./visitor.ts";

const ROOT = { email: "root@example.com", name: "Root", password: PASSWORD, isAdmin: true };

describe.skipIf(!CHROMIUM)(inBrowser("an administrator of groups"), () => {
  let site: Site;
  let root: Visit;
  let page: Page;
  setScene(
    async (scene) => {
      ({ site } = scene);
      root = await scene.openWindow();
      page = root.page;
    },
    { people: [ROOT, { ...ADA, name: HOSTILE_NAME }] },
  );
  beforeEach(async () => {
    await root.reset();
    await root.signIn(ROOT.email);
  });

  test("adds a group with a member, undoes removing the member, renames and deletes it", async () => {
    await page.goto("/admin");
    await page.getByRole("link", { name: "Groups" }).first().click();
    await shownText(page, "No groups yet").waitFor();
    await expectAccessible(page);
    await page.getByRole("textbox", { name: "Name" }).fill(HOSTILE_NAME);
    await page.keyboard.press("Enter");
    await shownText(page, "Group added.").waitFor();
    await page.getByLabel("Email of the new member").fill("nobody@example.com");
    await page.keyboard.press("Enter");
    await expectPoll(() => problem(page).textContent()).toContain("No user has this address.");
    expect(await page.getByLabel("Email of the new member").inputValue()).toBe("nobody@example.com");
    await page.getByLabel("Email of the new member").fill(ADA.email);
    await page.keyboard.press("Enter");
    await shownText(page, "Member added.").waitFor();
    await expectHarmless(page);
    await expectAccessible(page);
    const members = () => site.app.ctx.home.groups.membersOf(site.app.ctx.home.groups.list()[0]?.id ?? 0).length;
    await button(page, `Remove ${ADA.email}`).click();
    await shownText(page, "Member removed.").waitFor();
    expect(members()).toBe(0);
    await button(page, "Undo").click();
    await shownText(page, "Member added.").waitFor();
    expect(members()).toBe(1);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Crew");
    await button(page, "Rename").click();
    await page.getByRole("heading", { level: 1, name: "Crew" }).waitFor();
    await page.getByText("Delete group…").click();
    await shownText(page, "1 member loses the access").waitFor();
    await expectAccessible(page);
    await button(page, "Delete Crew").click();
    await shownText(page, "Group deleted.").waitFor();
    expect(site.app.ctx.home.groups.list()).toEqual([]);
    expect(root.problems).toEqual([]);
  });

  test("sees that a provider manages a group, which is read only", async () => {
    const { id } = createGroup(site.app.ctx, { name: "Okta people", managedBy: "okta", externalId: null });
    await page.goto("/admin/groups");
    await page.getByRole("link", { name: "Okta people" }).click();
    await shownText(page, "sets the members when they sign in").waitFor();
    expect(await page.getByLabel("Email of the new member").count()).toBe(0);
    expect(await button(page, "Rename").count()).toBe(0);
    await expectAccessible(page);
    await page.goto(`/admin/groups/${id + 1}`);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
  });
});
