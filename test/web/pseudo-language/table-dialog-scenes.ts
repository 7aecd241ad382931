/** Editors, dialogs and sheets of the page of a table. */
import type { Page } from "playwright-core";
import { button, dialog, item, press } from "../controls.ts";
import { KINDS, LINK_COLUMN, MARKDOWN_COLUMN } from "./kinds.ts";
import { t, type PseudoScene } from "./scenes.ts";
import { edit, kinds, openPanel, select } from "./table-scenes.ts";

const PHONE = { width: 390, height: 844 };

const allRows = (command: string) => async (page: Page) => {
  await select(page, 1, 1);
  await page.keyboard.press("Control+a");
  await button(page.locator(".all-rows"), command).click();
};

/** Commands that run at once; other scenes find the rows as they were. */
const atOnce =
  (command: string): NonNullable<PseudoScene["open"]> =>
  async (page, _, check) => {
    await allRows(command)(page);
    await page.locator(".toast").waitFor();
    await check();
    await page.locator(".toast button").first().click();
    await page.locator(".toast").waitFor({ state: "detached" });
  };

/** On a phone, whose window is narrow before anything opens. */
const onPhone = (name: string, open: NonNullable<PseudoScene["open"]>, query = ""): PseudoScene =>
  kinds(
    `phone: ${name}`,
    async (page, sample, check) => {
      await page.setViewportSize(PHONE);
      await open(page, sample, check);
    },
    query,
  );

const editOnPhone = (type: (typeof KINDS)[number]) => async (page: Page) => {
  await edit(page, 1, KINDS.indexOf(type) + 1);
  await page.getByRole("option").first().waitFor();
};

const inMoreTools = (name: string) => async (page: Page) => {
  await button(page, t("table.tools.more")).click();
  await item(page, name).click();
  await dialog(page).waitFor();
};

export const TABLE_DIALOG_SCENES: readonly PseudoScene[] = [
  kinds("panel of a column that a formula fills", async (page) => {
    await openPanel("AText")(page);
    await page.locator(".kinds input").nth(1).check();
    await page.locator(".triggers input[type=radio]").nth(1).check();
    await page.locator(".trigger-columns input").first().waitFor();
  }),
  kinds("a cell of Markdown and its editor", async (page, _, check) => {
    await select(page, 1, MARKDOWN_COLUMN);
    await page.locator(".markdown-line strong").waitFor();
    await check();
    await page.keyboard.press("F2");
    await page.locator(".editor textarea").waitFor();
  }),
  kinds("editor of a hyperlink", async (page) => {
    await select(page, 1, LINK_COLUMN);
    await page.keyboard.press("F2");
    await page.locator(".link-editor input").first().waitFor();
  }),
  kinds("edit all rows", async (page, _, check) => {
    await allRows(t("table.all.edit"))(page);
    await dialog(page).waitFor();
    const actions = dialog(page).getByLabel(t("table.all.action"));
    for (const action of ["clear", "replace", "set"] as const) {
      await actions.selectOption({ label: t(`table.all.action.${action}`) });
      await check();
    }
  }),
  kinds("duplicate all rows", atOnce(t("table.all.duplicate"))),
  kinds("delete all rows", atOnce(t("table.all.delete"))),
  kinds("hyperlink and Markdown in the panel of a row", async (page, _, check) => {
    await select(page, 1, 1);
    await page.keyboard.press("Shift+Enter");
    const field = page.locator(".card-field").filter({ hasText: "Notes" });
    await field.locator("strong").waitFor();
    await check();
    await page.locator(".card-field").filter({ hasText: "Site" }).locator(".field-value").first().click();
    await page.locator(".panel .link-editor").waitFor();
  }),
  onPhone("menu of more tools", async (page) => {
    await button(page, t("table.tools.more")).click();
    await page.getByRole("menu").waitFor();
  }),
  onPhone("sheet of a choice", editOnPhone("Choice")),
  onPhone("sheet of several choices", editOnPhone("ChoiceList")),
  onPhone("sheet of a reference", editOnPhone("Ref:Places")),
  onPhone("sheet of several references", async (page) => {
    await editOnPhone("RefList:Places")(page);
    await page.keyboard.type("1");
    await page.locator(".choices > .at").waitFor();
  }),
  onPhone("sheet of a text that is no option", async (page) => {
    await editOnPhone("Choice")(page);
    await press(page, "Control+a");
    await page.keyboard.type("qqq");
    await page.getByRole("option").first().waitFor();
    await press(page, "ArrowUp", "Enter");
    await page.locator(".editor-message > p").waitFor();
  }),
  onPhone(
    "sheet of the filter",
    async (page) => {
      await button(page, t("table.filter.count", { count: 1 })).click();
      await dialog(page).waitFor();
    },
    `?filter=${encodeURIComponent('{"AText":{"contains":"e"}}')}`,
  ),
  onPhone(
    "sheet of the sort order",
    async (page) => {
      await button(page, t("table.sort.count", { count: 2 })).click();
      await dialog(page).waitFor();
    },
    "?sort=AText,-ANumeric",
  ),
  onPhone(
    "sheet of the groups",
    async (page) => {
      await button(page, t("table.groups.button", { count: 1 })).click();
      await dialog(page).waitFor();
    },
    "?group=ADate:month",
  ),
  onPhone("sheet of the columns", inMoreTools(t("table.columns"))),
  onPhone(
    "sheet of totals",
    async (page) => {
      await page.locator(".grid .total").first().click({ force: true });
      await page.getByRole("menu").waitFor();
    },
    "?totals=AText:unique",
  ),
];
