/** States of the page of a table. */
import type { Page } from "playwright-core";
import { button, dialog, item, press } from "../controls.ts";
import { cell, pasteText } from "../table-page.ts";
import { columnName, KINDS } from "./kinds.ts";
import { refuse, t, waitForDialog, waitForToast, type PseudoScene } from "./scenes.ts";

/** On the table with a column of each type. */
export const kinds = (name: string, open?: PseudoScene["open"], query = ""): PseudoScene => ({
  name: `table: ${name}`,
  path: ({ kindsId }) => `/docs/${kindsId}/tables/Kinds${query}`,
  async open(page, sample, check) {
    await page.locator(".grid [role=columnheader]").first().waitFor();
    await open?.(page, sample, check);
  },
});

const FORMULA_COLUMN = KINDS.length + 1;
const BROKEN_COLUMN = KINDS.length + 2;

const columnMenu = (page: Page, column: string) =>
  page.locator(`button[aria-label=${JSON.stringify(t("table.column.menu", { column }))}]`).click({ force: true });

export const inColumnMenu = (column: string, action: string) => async (page: Page) => {
  await columnMenu(page, column);
  await item(page, action).click();
};

export const openPanel = (column: string) => async (page: Page) => {
  await inColumnMenu(column, t("table.column.edit"))(page);
  await page.locator(".panel").waitFor();
};

const tableMenu = (page: Page) =>
  button(page, t("table.menu", { table: "Kinds" }))
    .first()
    .click();

export const inTableMenu = (action: string) => async (page: Page) => {
  await tableMenu(page);
  await item(page, action).click();
  await waitForDialog(page);
};

/** Scrolls to a cell and selects it. */
export async function select(page: Page, row: number, column: number): Promise<void> {
  await cell(page, row, 1).click();
  for (let at = 1; at < column; at++) await page.keyboard.press("ArrowRight");
}

export async function edit(page: Page, row: number, column: number): Promise<void> {
  await select(page, row, column);
  await page.keyboard.press("Enter");
  await page.locator(".editor").first().waitFor();
}

const rowMenu = async (page: Page) => {
  await page.locator(".grid .body [role=rowheader]").first().click({ button: "right" });
  await page.getByRole("menu").waitFor();
};

/** The types with an editor of their own kind; check boxes change at once, and files open a dialog. */
const EDITED = KINDS.filter((type) => type !== "Bool" && type !== "Attachments");

export const TABLE_SCENES: readonly PseudoScene[] = [
  kinds("a column of each type"),
  { name: "table: without rows", path: ({ otherDocId }) => `/docs/${otherDocId}/tables/Table1` },
  { name: "table: summary", path: ({ docId }) => `/docs/${docId}/tables/Stock_summary_Category` },
  { name: "table: unknown", path: ({ docId }) => `/docs/${docId}/tables/Unicorn` },
  kinds("sorted and filtered", undefined, "?sort=-AText,ANumeric&filter=%7B%22AText%22%3A%5B%22Other%22%5D%7D"),
  kinds("filtered without results", undefined, "?filter=%7B%22AText%22%3A%5B%22Unicorn%22%5D%7D"),
  kinds("menu of the table", tableMenu),
  kinds("rename the table", inTableMenu(t("table.rename.menu"))),
  kinds("delete the table", inTableMenu(t("table.delete.menu"))),
  kinds("add a table", async (page) => {
    await button(page, t("table.add")).first().click();
    await waitForDialog(page);
  }),
  kinds("menu of a column", (page) => columnMenu(page, "AText")),
  kinds("column panels of all types", async (page, _, check) => {
    for (const type of KINDS) {
      await openPanel(columnName(type))(page);
      await page
        .locator(".panel h2")
        .filter({ hasText: columnName(type) })
        .waitFor();
      await check();
    }
  }),
  kinds("panel of a formula", async (page, _, check) => {
    await openPanel("Sum")(page);
    for (const fold of await page.locator(".panel details summary").all()) await fold.click();
    await check();
    await page.keyboard.press("Escape");
    await openPanel("Broken")(page);
    await page.locator(".panel .problem").first().waitFor();
  }),
  kinds("preview of a conversion", async (page) => {
    await openPanel("AText")(page);
    await page.locator(".panel select").first().selectOption("Numeric");
    await page.locator(".panel .note").first().waitFor();
  }),
  kinds("leave a changed panel", async (page) => {
    await openPanel("AText")(page);
    await page.locator(".panel input").first().fill("Other name");
    await page.keyboard.press("Escape");
    await waitForDialog(page);
  }),
  kinds("column with a name in use", async (page) => {
    await openPanel("AText")(page);
    await page.locator(".panel input").first().fill("ANumeric");
    await page.locator(".panel .same-name").waitFor();
  }),
  kinds("new column", async (page) => {
    await inColumnMenu("AText", t("table.column.insertRight"))(page);
    await waitForDialog(page);
  }),
  kinds("rename a column", async (page) => {
    await inColumnMenu("AText", t("table.column.rename"))(page);
    await page.locator(".header-editor input").fill("");
    await page.keyboard.press("Enter");
    await page.locator(".name-problem:not(:empty)").waitFor();
  }),
  kinds("width of a column", async (page) => {
    await inColumnMenu("AText", t("table.column.width"))(page);
    await page.locator("dialog input").waitFor();
  }),
  kinds("frozen column", inColumnMenu("AText", t("table.column.freeze"))),
  kinds("duplicated column", async (page, _, check) => {
    await inColumnMenu("AText", t("table.column.duplicate"))(page);
    await page.locator(".toast").waitFor();
    await check();
    // Other scenes find columns by their position.
    await page.locator(".toast button").first().click();
    await page.locator(".toast").waitFor({ state: "detached" });
  }),
  kinds("delete a column", async (page) => {
    await inColumnMenu("AText", t("table.column.delete"))(page);
    await waitForDialog(page);
  }),
  kinds("hidden column", async (page) => {
    await inColumnMenu("AText", t("table.column.hide"))(page);
    await waitForToast(page);
    await button(page, t("table.columns.hidden", { count: 1 })).click();
    await dialog(page).waitFor();
  }),
  kinds(
    "find",
    async (page, _, check) => {
      await page.locator("#sheet-view .view-chip").waitFor();
      await check();
      await button(page, t("table.find")).click();
    },
    "?find=e",
  ),
  kinds(
    "sort order",
    async (page) => {
      await button(page, t("table.sort.count", { count: 3 })).click();
      await dialog(page).locator(".grip").first().click();
      await page.getByRole("menu").waitFor();
    },
    "?sort=AText,-ANumeric,ABool",
  ),
  kinds(
    "rows of several lines",
    async (page) => {
      await button(page, t("table.lines.set", { lines: t("table.lines.count", { count: 2 }) })).click();
      await page.getByRole("menu").waitFor();
    },
    "?lines=2",
  ),
  kinds("sort by a column", inColumnMenu("AText", t("table.column.sortAscending"))),
  ...["AText", "AChoice", "ARefList"].map((column) =>
    kinds(`filter by ${column}`, async (page, _, check) => {
      await inColumnMenu(column, t("table.column.filter"))(page);
      const builder = dialog(page);
      const many = column === "ARefList" ? "hasAnyOf" : "isAnyOf";
      await builder.locator("select.operator").selectOption(many);
      await check();
      await builder.locator(".value-button").click();
      await builder.locator("input[type=checkbox]").first().waitFor();
      await builder.locator("input[type=search]").fill("unknown");
    }),
  ),
  kinds(
    "totals",
    async (page, _, check) => {
      await page.locator(".grid .total .value").first().waitFor();
      await check();
      await page.locator(".grid .total").first().click({ force: true });
      await page.getByRole("menu").waitFor();
    },
    "?totals=AText:unique,ANumeric:sum,ADate:minimum",
  ),
  kinds(
    "groups",
    async (page, _, check) => {
      await page.locator(".grid .group-toggle").first().waitFor();
      await check();
      await button(page, t("table.groups.button", { count: 2 })).click();
      await page.locator(".group-popover").waitFor();
      await check();
      await page.keyboard.press("Escape");
      await page.locator(".grid .group-toggle").first().click({ button: "right" });
      await page.getByRole("menu").waitFor();
    },
    "?group=AChoice,ADate:month&totals=ANumeric:sum",
  ),
  kinds("a range of cells", async (page) => {
    await select(page, 1, KINDS.indexOf("Numeric") + 1);
    await press(page, "Shift+ArrowRight", "Shift+ArrowDown");
    await page.locator("#sheet-range:not(:empty)").waitFor();
  }),
  kinds("filter builder", async (page, _, check) => {
    await button(page, t("table.filter")).click();
    const builder = dialog(page);
    await button(builder, t("table.filter.addGroup")).click();
    await check();
    await builder.locator(".more").first().click();
    await page.getByRole("menu").waitFor();
  }),
  kinds("operators of all types", async (page, _, check) => {
    for (const type of KINDS) {
      await inColumnMenu(columnName(type), t("table.column.filter"))(page);
      const operators = dialog(page).locator("select.operator").last();
      // The builder opens after the menu has closed.
      await operators.waitFor();
      for (const operator of await operators
        .locator("option")
        .evaluateAll((all) => all.map((each) => (each as unknown as { value: string }).value))) {
        await operators.selectOption(operator);
      }
      await check();
      await page.keyboard.press("Escape");
    }
  }),
  kinds(
    "conditions in words",
    undefined,
    `?filter=${encodeURIComponent(JSON.stringify({ AText: { contains: "e" }, ANumeric: { gte: 1, lte: 5 }, ADate: { within: "last7days" }, or: [{ ABool: [true] }, { AText: { eq: "a" } }], not: { AText: ["b"] } }))}`,
  ),
  kinds("download", async (page) => {
    await page
      .locator("#sheet-tools button")
      .filter({ hasText: t("table.tools.download") })
      .click();
    await page.getByRole("menu").waitFor();
  }),
  kinds("undo", async (page) => {
    await button(page, t("table.undo")).click({ force: true });
  }),
  kinds("editors of all types", async (page, _, check) => {
    for (const type of EDITED) {
      await edit(page, 1, KINDS.indexOf(type) + 1);
      await check();
      await press(page, "Escape", "Escape");
    }
  }),
  kinds("choices of a column", async (page, _, check) => {
    await inColumnMenu("AChoice", t("table.column.edit"))(page);
    await page.locator(".choices-field .swatch").first().click();
    await check();
    await page.locator(".swatches .swatch").nth(4).click();
    await page.locator(".choice-name > input").first().fill("other");
    await page.locator(".choice-name > .rename").first().waitFor();
    await check();
    await page.locator(".choices-field li > button:last-child").first().click();
    await page.locator(".choice-notes > .hint").waitFor();
  }),
  kinds("styles of a column", async (page, _, check) => {
    await openPanel("ANumeric")(page);
    await page.locator(".rules-field > .bar button").click();
    await page.locator(".rule select").selectOption({ index: 3 });
    await page.locator(".style-sample").last().click();
    await check();
    await page.locator(".swatches .swatch").nth(2).click();
    await page.locator(".rules-field .grip").click();
  }),
  kinds("styles of rows", async (page) => {
    await page.locator("#sheet-name + button").click();
    await item(page, t("table.rules.rowsMenu")).click();
    await page.locator(".rules-field > .bar button").click();
    await page.locator(".rule").waitFor();
    await page.locator(".rule .inserts > summary").click();
    await page.locator(".rule .functions li").first().waitFor();
  }),
  kinds("values that do not fit", async (page, _, check) => {
    for (const type of ["Numeric", "Date", "Choice", "Ref:Places"] as const) {
      await select(page, 2, KINDS.indexOf(type) + 1);
      await check();
      await page.keyboard.type("qqq");
      await page.keyboard.press("Enter");
      await check();
      await press(page, "Escape", "Escape");
    }
  }),
  kinds("discarded text", async (page) => {
    await select(page, 1, 1);
    await page.keyboard.type("A text that is long enough to be worth keeping, since somebody typed it.");
    await page.keyboard.press("Escape");
    await waitForToast(page);
  }),
  kinds("refused change", async (page) => {
    await refuse(page, "**/apply*", {
      status: 403,
      code: "access.rules",
      error: "Blocked by table update access rules",
    });
    await select(page, 1, 1);
    await page.keyboard.type("New");
    await page.keyboard.press("Enter");
    await page.locator(".problem, .toast").first().waitFor();
  }),
  kinds("a formula that fails", async (page) => {
    await select(page, 1, BROKEN_COLUMN);
  }),
  kinds("a formula in a cell", async (page) => {
    await select(page, 1, FORMULA_COLUMN);
    await page.keyboard.press("Enter");
  }),
  kinds("files of a cell", async (page, _, check) => {
    await select(page, 1, KINDS.indexOf("Attachments") + 1);
    await page.keyboard.press("Enter");
    await dialog(page).locator(".file-list bdi").waitFor();
    await check();
    await page.keyboard.press("Escape");
    await select(page, 2, KINDS.indexOf("Attachments") + 1);
    await page.keyboard.press("Enter");
    await waitForDialog(page);
  }),
  kinds("why a formula fails", async (page) => {
    await select(page, 1, BROKEN_COLUMN);
    await button(page, t("table.why")).click();
    await page.locator(".panel h3").first().waitFor();
  }),
  kinds("why a cell has its value", async (page, _, check) => {
    for (const column of [1, FORMULA_COLUMN]) {
      await select(page, 1, column);
      await press(page, "Shift+F10");
      await item(page, t("table.why")).click();
      await page.locator(".panel h3").first().waitFor();
      await check();
    }
  }),
  kinds("shortcuts", async (page, _, check) => {
    await press(page, "F1");
    await waitForDialog(page);
    await check();
    await page.keyboard.type("unknown");
  }),
  kinds("menu of a row", rowMenu),
  kinds("menu of a cell", async (page) => {
    await cell(page, 1, 1).click({ button: "right" });
    await page.getByRole("menu").waitFor();
  }),
  kinds("fill a series", async (page) => {
    await select(page, 1, KINDS.indexOf("Numeric") + 1);
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+F10");
    await item(page, t("table.cellMenu.fillSeries")).click();
    await waitForDialog(page);
  }),
  kinds("delete a row", async (page) => {
    await rowMenu(page);
    await item(page, t("table.row.delete", { count: 1 })).click();
    await page.locator("dialog, .toast").first().waitFor();
  }),
  kinds("duplicated row", async (page) => {
    await rowMenu(page);
    await item(page, t("table.row.duplicate", { count: 1 })).click();
    await waitForToast(page);
  }),
  kinds("panel of a row", async (page, _, check) => {
    await select(page, 1, 1);
    await page.keyboard.press("Shift+Enter");
    await page.locator(".card-field").first().waitFor();
    await check();
    await page.locator(".card-field .field-value").first().click();
    await page.locator(".panel .editor").waitFor();
  }),
  kinds("paste", async (page) => {
    await select(page, 2, 1);
    await pasteText(page, "One\t1\nTwo\tnot a number\nThree\t3");
    await page.locator("dialog, .toast").first().waitFor();
  }),
  kinds("paste of more columns", async (page) => {
    await select(page, 1, KINDS.length);
    const line = Array.from({ length: 20 }, (_, at) => at).join("\t");
    await pasteText(page, `${line}\n${line}`);
    await page.locator("dialog, .toast").first().waitFor();
  }),
  kinds("the document is deleted elsewhere", async (page, { call, kindsId }) => {
    await call("POST", `/docs/${kindsId}/remove`, {});
    await page.locator("#sheet-live:not(:empty)").waitFor();
    await call("POST", `/docs/${kindsId}/unremove`, {});
  }),
];
