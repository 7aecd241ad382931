/** The tree of pages in the sidebar, its commands, and the dialogs of pages and sections. */
import type { Page } from "playwright-core";
import { button, dialog, item, press } from "../controls.ts";
import { kinds } from "./table-scenes.ts";
import { t, type PseudoScene, waitForDialog, waitForToast } from "./scenes.ts";

const openMenu = (page: Page, at: "first" | "last") =>
  page.locator("#pages [data-menu=page]")[at]().click({ force: true });

const inMenu =
  (command: string, at: "first" | "last" = "first"): NonNullable<PseudoScene["open"]> =>
  async (page) => {
    await openMenu(page, at);
    await item(page, command).click();
    await waitForDialog(page);
  };

const newPage = async (page: Page) => {
  await button(page.locator("#pages"), t("base.document.pageList.add")).click();
  await waitForDialog(page);
};

/** Other scenes find the pages as they were. */
const undone: NonNullable<PseudoScene["open"]> = async (page, _, check) => {
  await waitForToast(page);
  await check();
  await page.locator(".toast button").first().click();
  await page.locator(".toast").waitFor({ state: "detached" });
};

export const PAGE_SCENES: readonly PseudoScene[] = [
  kinds("the search of a document", async (page) => {
    await press(page, "Control+k");
    await page.locator("[role=combobox][name=q]").fill("kind");
    await page.getByRole("option").first().waitFor();
  }),
  kinds("menu of a page", async (page) => {
    await openMenu(page, "first");
    await page.getByRole("menuitem").first().waitFor();
  }),
  kinds("renaming a page", inMenu(t("pageList.rename.menu"))),
  kinds("a renamed page", async (page, sample, check) => {
    await inMenu(t("pageList.rename.menu"))(page, sample, check);
    await dialog(page).locator("input").fill("Another");
    await press(page, "Enter");
    await undone(page, sample, check);
  }),
  kinds("deleting a page", inMenu(t("pageList.delete.menu"))),
  kinds("a new page with a table", newPage),
  kinds("a new page with a summary", async (page) => {
    await newPage(page);
    await dialog(page).locator("input[name=summary]").check();
    await dialog(page).locator("input[name=group]").first().waitFor();
  }),
  kinds("a new page with a new table", async (page) => {
    await newPage(page);
    await dialog(page).locator("select[name=table]").selectOption("0");
    await dialog(page).locator("input[name=name]").waitFor();
  }),
];
