import { describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button, fillCode, item } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, openTable } from "./table-page.ts";

/** The editor in its shadow tree, once it has replaced the text area. */
const editor = (panel: Locator, at = 0): Locator => panel.locator(".code-editor .cm-content").nth(at);
const text = (panel: Locator): Promise<string> => panel.locator("textarea[name=formula]").inputValue();
const options = (panel: Locator): Locator => panel.locator(".cm-tooltip-autocomplete li");
const live = (panel: Locator): Locator => panel.locator(".formula-live").first();

async function editColumn(page: Page, name: string): Promise<Locator> {
  await button(page, `Menu of ${name}`).click();
  await item(page, "Edit column…").click();
  const panel = page.locator(".panel");
  await panel.getByRole("heading", { name: `Column ${name}`, exact: true }).waitFor();
  return panel;
}

describe.skipIf(!CHROMIUM)(inBrowser("a person who writes formulas"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let invite: Story["invite"];
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, {
      id: "Customers",
      columns: [
        { id: "Name", fields: { type: "Text", label: "Full name" } },
        { id: "Notes", fields: { type: "Text", label: HOSTILE_NAME } },
      ],
      rows: [{ Name: "Ann" }, { Name: "Bo" }],
    });
    await makeTable(ada, doc, {
      id: "Orders",
      columns: [
        { id: "Customer", fields: { type: "Ref:Customers" } },
        { id: "Amount", fields: { type: "Numeric", label: "Total amount" } },
        { id: "Double", fields: { type: "Numeric", isFormula: true, formula: "$Amount * 2" } },
      ],
      rows: [
        { Customer: 1, Amount: 10 },
        { Customer: 2, Amount: 0 },
      ],
    });
    await openTable(page, doc, "Orders");
  });

  test("writes one with completion, and corrects a mistake from its underline", async () => {
    const panel = await editColumn(page, "Double");
    await editor(panel).waitFor();
    await live(panel).getByText("Row 1: 20").waitFor();
    await fillCode(editor(panel), "");
    await editor(panel).pressSequentially("$Cus");
    await options(panel).first().waitFor();
    await expectPoll(() => options(panel).allTextContents()).toEqual(["Customer$Customer · Reference"]);
    await page.keyboard.press("Enter");
    await page.keyboard.type(".");
    await expectPoll(async () => (await options(panel).allTextContents())[0]).toBe("Full nameName · Text");
    await expectHarmless(page);
    // The list closes before the panel does.
    await page.keyboard.press("Escape");
    await options(panel).first().waitFor({ state: "detached" });
    await page.keyboard.type("Nam");
    await expectPoll(() => options(panel).allTextContents()).toEqual(["Full nameName · Text"]);
    await page.keyboard.press("Tab");
    await expectPoll(() => text(panel)).toBe("$Customer.Name");
    await live(panel).getByText("Row 1: Ann").waitFor();

    await fillCode(editor(panel), "$Amout + SUM(1, ");
    await panel.locator(".formula-call strong").getByText("…").waitFor();
    await page.keyboard.type("2)");
    await live(panel).getByText("No column Amout. Did you mean Amount?").waitFor();
    await expectPoll(() => panel.locator(".cm-problem").textContent()).toBe("Amout");
    await expectPoll(() => editor(panel).getAttribute("aria-invalid")).toBe("true");
    await expectPoll(() => editor(panel).getAttribute("aria-description")).toBe(
      "No column Amout. Did you mean Amount?",
    );
    await expectAccessible(page);
    await page.keyboard.press("Control+.");
    await expectPoll(() => text(panel)).toBe("$Amount + SUM(1, 2)");
    await live(panel).getByText("Row 1: 13").waitFor();
    await expectPoll(() => panel.locator(".cm-problem").count()).toBe(0);

    // By the button as well, and for the row of the active cell.
    await fillCode(editor(panel), "SUMM($Amount, 5)");
    await button(live(panel), "Replace").click();
    await expectPoll(() => text(panel)).toBe("SUM($Amount, 5)");
    await cell(page, 2, 2).click();
    await live(panel).getByText("Row 2: 5").waitFor();
    await button(panel, "Save").click();
    await panel.waitFor({ state: "detached" });
    await expectPoll(() => cell(page, 1, 3).textContent()).toBe("15");
    await page.reload();
    await expectPoll(() => cell(page, 2, 3).textContent()).toBe("5");
    expect(ada.problems).toEqual([]);
  });

  test("sees errors of a row in words, and syntax errors where they are", async () => {
    const panel = await editColumn(page, "Double");
    await fillCode(editor(panel), "1 / $Amount");
    await live(panel).getByText("Row 1: 0.1").waitFor();
    await cell(page, 2, 2).click();
    await live(panel).getByText("Row 2: A number is divided by zero.").waitFor();
    await fillCode(editor(panel), "len($Amount");
    await live(panel).getByText("The formula has a syntax error").waitFor();
    await expectPoll(() => panel.locator(".cm-problem").count()).toBe(1);
    expect(ada.problems).toEqual([]);
  });

  test("leaves the field by Tab, and the panel by Escape", async () => {
    const panel = await editColumn(page, "Double");
    await editor(panel).focus();
    await page.keyboard.press("Tab");
    await expectPoll(() => page.evaluate<boolean>("document.activeElement.matches('.code-editor')")).toBe(false);
    await page.keyboard.press("Shift+Tab");
    await expectPoll(() => page.evaluate<boolean>("document.activeElement.matches('.code-editor')")).toBe(true);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect(ada.problems).toEqual([]);
  });

  test("types before the editor has loaded, and keeps text and caret", async () => {
    const waiting: (() => void)[] = [];
    await page.route(/\/assets\/chunk\..*\.js/, async (route) => {
      const response = await route.fetch();
      if ((await response.text()).includes("cm-content")) await new Promise<void>((resolve) => waiting.push(resolve));
      await route.fulfill({ response });
    });
    const panel = await editColumn(page, "Double");
    const area = panel.locator("textarea[name=formula]");
    await area.fill("$Amount + 100");
    await area.press("Home");
    await page.keyboard.type("1 + ");
    await expectPoll(() => waiting.length).toBeGreaterThan(0);
    for (const resume of waiting) resume();
    await editor(panel).waitFor();
    await page.keyboard.type("2 + ");
    await expectPoll(() => text(panel)).toBe("1 + 2 + $Amount + 100");
    await live(panel).getByText("Row 1: 113").waitFor();
    await page.unrouteAll({ behavior: "wait" });
    expect(ada.problems).toEqual([]);
  });

  test("writes in the plain field where the editor cannot be loaded", async () => {
    await page.route(/\/assets\/chunk\..*\.js/, async (route) => {
      const response = await route.fetch();
      if ((await response.text()).includes("cm-content")) await route.abort();
      else await route.fulfill({ response });
    });
    const panel = await editColumn(page, "Double");
    await panel.locator("textarea[name=formula]").fill("$Amount + 1");
    await button(panel, "Save").click();
    await panel.waitFor({ state: "detached" });
    await expectPoll(() => cell(page, 1, 3).textContent()).toBe("11");
    await page.unrouteAll({ behavior: "wait" });
  });

  test("writes conditions of styles in the same editor", async () => {
    const panel = await editColumn(page, "Total amount");
    await button(panel, "Add rule").click();
    await editor(panel, 1).waitFor();
    await page.keyboard.type("$Am");
    await expectPoll(() => options(panel).allTextContents()).toEqual(["Total amount$Amount · Number"]);
    await page.keyboard.press("Enter");
    await page.keyboard.type(" > 5");
    await panel.locator(".rule .formula-live").getByText("Row 1: true").waitFor();
    await button(panel, "Save").click();
    await panel.waitFor({ state: "detached" });
    expect(ada.problems).toEqual([]);
  });

  test("does not see results of cells that access rules hide", async () => {
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "Customers", colIds: "Name" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access != OWNER", permissionsText: "-R" },
      ],
    ]);
    const ben = await invite(doc, "editors");
    await openTable(ben.page, doc, "Orders");
    const panel = await editColumn(ben.page, "Double");
    await fillCode(editor(panel), "$Customer.");
    await editor(panel).press("Control+ ");
    await expectPoll(async () => (await options(panel).allTextContents()).join()).not.toContain("Full name");
    await fillCode(editor(panel), "$Customer.Name");
    await live(panel).getByText("No column Name.").waitFor();
    await fillCode(editor(panel), "getattr($Customer, 'Name')");
    await live(panel).getByText("Row 1: unknown").waitFor();
    expect(ben.problems).toEqual([]);
  });
});
