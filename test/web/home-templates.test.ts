import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { listed } from "./calls.ts";
import { button, dialog } from "./controls.ts";
import { names, workspace } from "./home-page.ts";
import { eachStory } from "./scene.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a person who starts from a template"), () => {
  let ada: Visit;
  let page: Page;
  eachStory((story) => {
    ({ ada, page } = story);
  });

  test("selects it by keys, keeps an own name, and gets tables with formats, references and colours", async () => {
    await page.goto("/");
    await button(workspace(page, "Home"), "New document").click();
    const name = dialog(page).getByLabel("Name");
    await expectPoll(() => name.inputValue()).toBe("Untitled document");
    await dialog(page).getByRole("radio", { name: "Empty document" }).focus();
    await page.keyboard.press("ArrowDown");
    await expectPoll(() => name.inputValue()).toBe("Order book");
    await page.keyboard.press("ArrowDown");
    await expectPoll(() => name.inputValue()).toBe("Tasks");
    await page.keyboard.press("ArrowUp");
    await name.fill("My orders");
    await dialog(page).getByRole("radio", { name: "Tasks" }).check();
    await dialog(page).getByRole("radio", { name: "Order book" }).check();
    await expectPoll(() => name.inputValue()).toBe("My orders");
    await button(dialog(page), "Create").click();
    await page.waitForURL(/\/docs\/[0-9a-f-]{36}/);
    await page.locator(".grid .body .cell").first().waitFor();
    const texts = await page.locator(".grid .body .cell").allTextContents();
    expect(texts).toEqual(expect.arrayContaining(["Ortiz Cycling", "City bike", "$3,596.00", "Paid"]));
    const colours = () =>
      page.evaluate<Record<string, string>>(
        `Object.fromEntries([...document.querySelectorAll(".grid .body .pill")]
          .map((pill) => [pill.textContent, getComputedStyle(pill).backgroundColor]))`,
      );
    await expectPoll(colours).toMatchObject({ Paid: "rgb(194, 239, 201)", "In progress": "rgb(255, 219, 165)" });
    expect((await listed(ada))[0]?.docs.map((document) => document.name)).toEqual(["My orders"]);
    expect(ada.problems).toEqual([]);
  });

  test("starts from a card of the empty workspace", async () => {
    await page.goto("/");
    await button(workspace(page, "Home"), "Tasks").click();
    await expectPoll(() => dialog(page).getByRole("radio", { name: "Tasks" }).isChecked()).toBe(true);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\/[0-9a-f-]{36}/);
    await page.locator(".grid .body .cell").first().waitFor();
    expect(await page.locator(".grid .body .cell").allTextContents()).toEqual(
      expect.arrayContaining(["Website relaunch", "Cleo Marsh", "In progress"]),
    );
    await page.goto("/");
    await expectPoll(() => names(page)).toEqual(["Tasks"]);
    expect(ada.problems).toEqual([]);
  });

  test("selects a file instead", async () => {
    await page.goto("/");
    await button(workspace(page, "Home"), "New document").click();
    const chosen = page.waitForEvent("filechooser");
    await button(dialog(page), "Import a file").click();
    await (await chosen).setFiles({ name: "Names.csv", mimeType: "text/csv", buffer: Buffer.from("A\n1\n") });
    await expectPoll(() => dialog(page).textContent()).toContain("Names.csv");
    expect(ada.problems).toEqual([]);
  });
});
