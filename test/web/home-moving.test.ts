import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, listed, makeDocument } from "./calls.ts";
import { button, dialog, press } from "./controls.ts";
import { choose, names, toast, workspace } from "./home-page.ts";
import { eachStory, type Story } from "./scene.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a person who tidies up"), () => {
  let ada: Visit;
  let page: Page;
  let invite: Story["invite"];
  let storage: number;
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    await page.setViewportSize({ width: 1440, height: 900 });
    storage = await call<number>(ada, "POST", "/api/orgs/current/workspaces", { name: "Storage" });
  });

  const entry = (name: string) => page.getByRole("treeitem", { name, exact: true });
  const row = (doc: string) => page.locator(`#doc-${doc}`);
  /** The names of the documents in a workspace. */
  const stored = async (name: string) =>
    (await listed(ada)).find((each) => each.name === name)?.docs.map((document) => document.name);

  test("drags a document onto a workspace of the sidebar, and undoes it", async () => {
    const doc = await makeDocument(ada, "Old orders");
    await page.goto("/");
    // By its name, which is a link.
    await row(doc).getByRole("link").dragTo(entry("Storage").getByRole("link"));
    await toast(page).getByText("“Old orders” moved to Storage.").waitFor();
    await expectPoll(() => names(workspace(page, "Storage"))).toEqual(["Old orders"]);
    expect(await stored("Storage")).toEqual(["Old orders"]);
    expect(await violations(page)).toEqual([]);
    await button(toast(page), "Undo").click();
    await expectPoll(() => names(workspace(page, "Home"))).toEqual(["Old orders"]);
    expect(await stored("Storage")).toEqual([]);
    // Onto its own workspace, nothing happens; onto the list of another one, it moves.
    await row(doc).dragTo(entry("Home"));
    expect(await stored("Home")).toEqual(["Old orders"]);
    await row(doc).dragTo(workspace(page, "Storage"));
    await expectPoll(() => stored("Storage")).toEqual(["Old orders"]);
    expect(ada.problems).toEqual([]);
  });

  test("moves a document by keys alone, from the page of a workspace", async () => {
    const [home] = await listed(ada);
    const doc = await makeDocument(ada, "Old orders");
    await page.goto(`/workspaces/${home?.id}`);
    await button(row(doc), "Actions for Old orders").focus();
    await press(page, "Enter", "m");
    await expectPoll(() => page.evaluate<string>("document.activeElement.textContent")).toBe("Move to…");
    await press(page, "Enter");
    await expectPoll(() => dialog(page).getByLabel("Target workspace").inputValue()).toBe(String(storage));
    await button(dialog(page), "Move").press("Enter");
    await expectPoll(() => names(page)).toEqual([]);
    await button(toast(page), "Undo").press("Enter");
    await expectPoll(() => names(page)).toEqual(["Old orders"]);
    expect(ada.problems).toEqual([]);
  });

  test("sees why a document cannot be moved, and where it stays", async () => {
    const doc = await makeDocument(ada, "Old orders");
    await page.goto("/");
    await page.route("**/move", (route) =>
      route.fulfill({ status: 403, json: { error: "No access", details: { code: "access.denied" } } }),
    );
    await row(doc).dragTo(entry("Storage"));
    await page.locator(".toast.problem").waitFor();
    await expectPoll(() => names(workspace(page, "Home"))).toEqual(["Old orders"]);
    await page.unroute("**/move");
    await button(page.locator(".toast.problem"), "Try again").click();
    await expectPoll(() => stored("Storage")).toEqual(["Old orders"]);
    expect(ada.problems.filter((each) => !each.includes("403"))).toEqual([]);
  });

  test("drags only documents that they own", async () => {
    const doc = await makeDocument(ada, "Shared");
    await using ben = await invite(doc, "editors");
    await ben.page.goto("/");
    await expectPoll(() => ben.page.locator(`#doc-${doc}`).getAttribute("draggable")).toBe(null);
    expect(ben.problems).toEqual([]);
  });

  test("leaves the page of a workspace with it", async () => {
    await page.goto(`/workspaces/${storage}`);
    await choose(page, "the workspace Storage", "Move to trash");
    await button(dialog(page), "Move to trash").click();
    await page.waitForURL("/");
    await expectPoll(() => entry("Storage").count()).toBe(0);
    expect(ada.problems.filter((each) => !each.includes("404"))).toEqual([]);
  });
});
