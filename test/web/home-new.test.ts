import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, listed, makeDocument } from "./calls.ts";
import { button, dialog, item, press } from "./controls.ts";
import { chooseNew, names } from "./home-page.ts";
import { eachStory, type Story } from "./scene.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a person who creates documents and places"), () => {
  let ada: Visit;
  let page: Page;
  let invite: Story["invite"];
  eachStory((story) => {
    ({ ada, page, invite } = story);
  });

  const filled = () =>
    page.evaluate<string[]>(`[...document.querySelectorAll("main button, main .button")]
      .filter((each) => each.checkVisibility() && !each.matches(".plain, .bare, .danger, .sort"))
      .map((each) => each.textContent.trim())`);

  test("creates a document in the only workspace, with keys alone", async () => {
    await page.goto("/");
    await expectPoll(filled).toEqual(["New"]);
    await button(page, "New").focus();
    await press(page, "Enter");
    await expectPoll(() => page.getByRole("menuitem").allTextContents()).toEqual([
      "New document",
      "Import a file",
      "Import from an address…",
      "New workspace",
      "New site",
    ]);
    expect(await violations(page)).toEqual([]);
    await press(page, "Enter");
    await expectPoll(() => dialog(page).locator("h2").textContent()).toBe("New document in Home");
    await page.keyboard.type("Bread");
    await press(page, "Enter");
    await page.waitForURL(/\/docs\//);
    await expectPoll(async () => (await listed(ada))[0]?.docs.map(({ name }) => name)).toEqual(["Bread"]);
    expect(ada.problems).toEqual([]);
  });

  test("selects the workspace of a document, and the site of a workspace", async () => {
    const site = await call<number>(ada, "POST", "/api/orgs", { name: "Bakery" });
    await page.goto("/");
    await chooseNew(page, "New workspace");
    await dialog(page).getByLabel("Name").fill("Daily work");
    await dialog(page).getByLabel("Site").selectOption("Bakery");
    await button(dialog(page), "Create").click();
    await dialog(page).waitFor({ state: "detached" });
    // The sidebar and the list have it.
    const entry = page.getByRole("treeitem", { name: "Daily work" });
    await entry.waitFor();
    await page.getByRole("region", { name: "Daily work Bakery" }).waitFor();
    await chooseNew(page, "New document");
    await dialog(page).getByLabel("Workspace").selectOption("Daily work – Bakery");
    await button(dialog(page), "Continue").click();
    await expectPoll(() => dialog(page).locator("h2").textContent()).toBe("New document in Daily work");
    await button(dialog(page), "Create").click();
    await page.waitForURL(/\/docs\//);
    const workspaces = await call<{ name: string; docs: { name: string }[] }[]>(
      ada,
      "GET",
      `/api/orgs/${site}/workspaces`,
    );
    const docs = workspaces.find(({ name }) => name === "Daily work")?.docs;
    expect(docs?.map(({ name }) => name)).toEqual(["Untitled document"]);
    expect(ada.problems).toEqual([]);
  });

  test("uses the workspace of the page, and opens an imported file there", async () => {
    const archive = await call<number>(ada, "POST", "/api/orgs/current/workspaces", { name: "Archive" });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/workspaces/${archive}`);
    const chosen = page.waitForEvent("filechooser");
    await chooseNew(page, "Import a file");
    await (
      await chosen
    ).setFiles({ name: "Prices.csv", mimeType: "text/csv", buffer: Buffer.from("Bread,Price\nRye,4\n") });
    await button(dialog(page), "Import 1 row").click();
    await page.waitForURL(/\/docs\//);
    await page.goto(`/workspaces/${archive}`);
    await expectPoll(() => names(page)).toEqual(["Prices"]);
    await expectPoll(filled).toEqual(["New"]);
    await button(page, "New").click();
    // A site is created on the page of all documents.
    expect(await item(page, "New site").count()).toBe(0);
    expect(ada.problems).toEqual([]);
  });

  test("opens the copy of a document that is imported as it is", async () => {
    const doc = await makeDocument(ada, "Original");
    const file = await (await ada.context.request.get(`/api/docs/${doc}/download`)).body();
    await page.goto("/");
    const chosen = page.waitForEvent("filechooser");
    await chooseNew(page, "Import a file");
    await (await chosen).setFiles({ name: "Copy.grist", mimeType: "application/octet-stream", buffer: file });
    await page.waitForURL(/\/docs\//);
    expect(page.url()).not.toContain(doc);
    expect(ada.problems).toEqual([]);
  });

  test("adds nothing to places of others", async () => {
    const doc = await makeDocument(ada, "Shared");
    await using ben = await invite(doc, "editors");
    const workspace = (await listed(ada))[0]?.id;
    await ben.page.goto(`/workspaces/${workspace}`);
    await expectPoll(() => names(ben.page)).toEqual(["Shared"]);
    await chooseNew(ben.page, "New document");
    // In the only workspace of their own.
    await expectPoll(() => dialog(ben.page).locator("h2").textContent()).toBe("New document in Home");
    await button(dialog(ben.page), "Create").click();
    await ben.page.waitForURL(/\/docs\//);
    const file = await (await ada.context.request.get(`/api/docs/${doc}/download`)).body();
    await ben.page.goto(`/workspaces/${workspace}`);
    const chosen = ben.page.waitForEvent("filechooser");
    await chooseNew(ben.page, "Import a file");
    await (await chosen).setFiles({ name: "Copy.grist", mimeType: "application/octet-stream", buffer: file });
    await ben.page.waitForURL(/\/docs\//);
    expect((await listed(ada))[0]?.docs.map(({ name }) => name)).toEqual(["Shared"]);
    expect([...ada.problems, ...ben.problems]).toEqual([]);
  });
});
