import { beforeEach, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Site, type Visit } from "./browser.ts";
import { call, makeDocument } from "./calls.ts";
import { button, shownText } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { type Scene, setScene } from "./scene.ts";
import { ADA } from "./visitor.ts";

const BEN = { email: "ben@example.com", name: "Ben Miller" };
const HOSTILE_PERSON = { email: "mallory@example.com", name: HOSTILE_NAME };

const person = (page: Page, name: string): Locator => page.locator("#people li").filter({ hasText: name });
const expectToast = (page: Page, text: string): Promise<void> =>
  page.locator(".toast").filter({ hasText: text }).waitFor();

describe.skipIf(!CHROMIUM)(inBrowser("a person who shares"), () => {
  let site: Site;
  let openWindow: Scene["openWindow"];
  let ada: Visit;
  let ben: Visit;
  let page: Page;
  let doc: string;
  const begin = async (scene: Scene) => {
    ({ site, openWindow } = scene);
    ada = await openWindow();
    ben = await openWindow();
    page = ada.page;
  };
  setScene(begin, { people: [ADA, BEN, HOSTILE_PERSON] });
  beforeEach(async () => {
    await ada.reset();
    await ada.signIn();
    await ben.reset();
    await ben.signIn(BEN.email);
    doc = await makeDocument(ada, "Recipes");
  });

  async function invite(emails: string, role: string): Promise<void> {
    await page.getByLabel("Email addresses").fill(emails);
    await page.locator("#invite select").selectOption(role);
    await button(page, "Share").click();
  }

  test("invites a user, who finds the document at home, changes their role, and removes it", async () => {
    await page.goto(`/docs/${doc}`);
    await page.getByRole("link", { name: "Sharing", exact: true }).click();
    await invite(BEN.email, "viewers");
    await expectToast(page, `Shared with ${BEN.email}.`);
    await expectPoll(() => person(page, BEN.name).innerText()).toContain("Granted here");
    await expectAccessible(page);

    await ben.page.goto("/");
    await ben.page.getByRole("link", { name: "Recipes" }).first().click();
    await ben.page.getByText("Viewer").first().waitFor();

    await page.getByLabel(`Role of ${BEN.name}`).selectOption("editors");
    await expectToast(page, "Ben Miller is now an editor.");
    const { access } = await call<{ access: string }>(ben, "GET", `/api/docs/${doc}`);
    expect(access).toBe("editors");

    await page.getByLabel(`Role of ${BEN.name}`).selectOption("");
    await expectToast(page, "Ben Miller no longer has a role here.");
    expect((await ben.page.goto(`/docs/${doc}`))?.status()).toBe(403);
    expect([...ada.problems, ...ada.refusals]).toEqual([]);
  });

  test("invites several people, also without accounts, and sees which address is invalid", async () => {
    await page.goto(`/docs/${doc}/sharing`);
    await invite("ben@example.com, nobody", "viewers");
    await shownText(page, "“nobody” is not a valid email address.").waitFor();
    await expectPoll(() => page.getByLabel("Email addresses").inputValue()).toBe("ben@example.com, nobody");
    await invite("ben@example.com\nnew.one@example.com", "owners");
    await expectToast(page, "Shared with 2 people.");
    await expectPoll(() => person(page, "new.one@example.com").innerText()).toContain("Invited");
    // The server validates, too.
    await invite(`${ADA.email} ben@example.com`, "viewers");
    await page.locator("#invite-problem").getByText("Owners cannot change their own permissions").waitFor();
    expect(ada.refusals).toEqual([`400 PATCH /api/docs/${doc}/access`]);
  });

  test("sees inherited roles, and limits them", async () => {
    const { workspace } = await call<{ workspace: { id: number } }>(ada, "GET", `/api/docs/${doc}`);
    await page.goto(`/workspaces/${workspace.id}/sharing`);
    await invite(BEN.email, "editors");
    await expectToast(page, "Shared with");
    await expectAccessible(page);
    await page.goto(`/docs/${doc}/sharing`);
    await expectPoll(() => person(page, BEN.name).innerText()).toContain("Inherited from the workspace Home");
    await expectPoll(() => page.getByLabel(`Role of ${BEN.name}`).locator("option:checked").innerText()).toBe(
      "Editor (inherited)",
    );
    await page.locator("#inheritance select").selectOption("viewers");
    await expectToast(page, "Inheritance changed.");
    await expectPoll(() => page.getByLabel(`Role of ${BEN.name}`).locator("option:checked").innerText()).toBe(
      "Viewer (inherited)",
    );
    expect(await call<{ access: string }>(ben, "GET", `/api/docs/${doc}`)).toMatchObject({
      access: "viewers",
    });
    await call(ada, "PATCH", `/api/workspaces/${workspace.id}/access`, { delta: { users: { [BEN.email]: null } } });
    expect([...ada.problems, ...ada.refusals]).toEqual([]);
  });

  test("makes a document public after a warning, and private again", async () => {
    const stranger = await openWindow();
    await page.goto(`/docs/${doc}/sharing`);
    const everybody = page.getByLabel("Anyone with the link");
    await everybody.selectOption("viewers");
    await button(page.getByRole("dialog"), "Cancel").click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    while ((await everybody.inputValue()) !== "") await page.waitForTimeout(10);
    await everybody.selectOption("viewers");
    await expectAccessible(page);
    await button(page.getByRole("dialog"), "Make public").click();
    await expectToast(page, "This document is now public.");
    await shownText(page, "Anyone with the link can view this document").waitFor();
    expect((await stranger.page.goto(`/docs/${doc}`))?.status()).toBe(200);
    await page.getByLabel("Anyone with the link").selectOption("");
    await expectToast(page, "no longer public");
    expect((await stranger.context.request.get(`/api/docs/${doc}`)).status()).toBe(403);
    await stranger.context.close();
  });

  test("leaves a shared document, and sees there only permitted actions", async () => {
    await call(ada, "PATCH", `/api/docs/${doc}/access`, { delta: { users: { [BEN.email]: "viewers" } } });
    await ben.page.goto(`/docs/${doc}/sharing`);
    await expectPoll(() => ben.page.locator("#people li").count()).toBe(1);
    expect(await ben.page.getByLabel("Email addresses").count()).toBe(0);
    await expectAccessible(ben.page);
    await button(ben.page, "Leave").click();
    await button(ben.page.getByRole("dialog"), "Leave").click();
    await ben.page.waitForURL(`${site.address}/`);
    expect((await ben.page.goto(`/docs/${doc}`))?.status()).toBe(403);
  });

  test("removes a user from a site with all their roles", async () => {
    const org = await call<number>(ada, "POST", "/api/orgs", { name: "Bakery", domain: "bakery" });
    await page.goto("/sites/bakery/sharing");
    await invite(BEN.email, "members");
    await expectToast(page, "Shared with");
    await page.getByLabel(`Role of ${BEN.name}`).selectOption("");
    await button(page.getByRole("dialog"), "Remove").click();
    await expectToast(page, "was removed from the site");
    const { users } = await call<{ users: { email: string }[] }>(ada, "GET", `/api/orgs/${org}/access`);
    expect(users.map(({ email }) => email)).toEqual([ADA.email]);
    await expectAccessible(page);
  });

  test("names are shown as texts", async () => {
    await call(ada, "PATCH", `/api/docs/${doc}`, { name: HOSTILE_NAME });
    await call(ada, "PATCH", `/api/docs/${doc}/access`, { delta: { users: { [HOSTILE_PERSON.email]: "viewers" } } });
    await page.goto(`/docs/${doc}/sharing`);
    await page.locator(`#people li[data-email="${HOSTILE_PERSON.email}"] select`).selectOption("editors");
    await expectToast(page, "is now an editor");
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });
});
