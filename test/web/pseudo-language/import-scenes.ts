/** The import window in its stages. */
import type { Page } from "playwright-core";
import { button, dialog, problem } from "../controls.ts";
import { t, type PseudoScene } from "./scenes.ts";
import { kinds } from "./table-scenes.ts";

const CSV = ["Summary", "", "AText;ADate;ANumeric;Other", "00421;02.03.2026;1,5;x", "00422;05.03.2026;n/a;y", ""];

const openWindow = async (page: Page) => {
  await button(page.locator("#sidebar"), t("import.title")).click({ force: true });
  await dialog(page).waitFor();
};

const chooseFile = (page: Page, name: string, text: string) =>
  dialog(page)
    .locator("input[type=file]")
    .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

const openPreview = async (page: Page, name = "Orders.csv", text = CSV.join("\n")) => {
  await openWindow(page);
  await chooseFile(page, name, text);
  await page.locator(".import-result").waitFor();
};

export const IMPORT_SCENES: readonly PseudoScene[] = [
  kinds("import: choose a file", async (page, _, check) => {
    await openWindow(page);
    await check();
    await page.locator(".import-choose input[type=url]").fill("ftp://");
    await page.keyboard.press("Enter");
    await page.locator(".field-problem").waitFor();
  }),
  kinds("import: preview", (page) => openPreview(page)),
  kinds("import: rows that exist", async (page) => {
    await openPreview(page);
    await page.locator(".import-goal select").selectOption("Kinds");
    await page.locator(".import-rows input[value=update]").check();
    await page.locator(".import-key .choices input").first().check();
    await page.locator(".import-result[aria-busy=false]").waitFor();
  }),
  kinds("import: several tables", (page) =>
    openPreview(
      page,
      "shop.json",
      JSON.stringify({ orders: [{ n: 1, by: { name: "Ann" } }], goods: [{ name: "Bell" }] }),
    ),
  ),
  kinds("import: progress", async (page) => {
    await page.route("**/uploads", () => {});
    await openWindow(page);
    await chooseFile(page, "Orders.csv", CSV.join("\n"));
    await page.locator(".import-progress progress").waitFor();
  }),
  kinds("import: refused file", async (page) => {
    await openWindow(page);
    await chooseFile(page, "letter.pdf", "%PDF-1.4");
    await problem(dialog(page)).waitFor();
  }),
  kinds("import: close without importing", async (page) => {
    await openPreview(page);
    await page.locator(".import-columns input").first().uncheck();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").nth(1).waitFor();
  }),
];
