import type { Page } from "playwright-core";
import { publishForm } from "./form-sample.ts";
import type { PageToShow } from "./pages.ts";

const formPage = (name: string, prepare: (page: Page) => Promise<unknown>): PageToShow => ({
  name,
  path: () => "/sign-in",
  isPublic: true,
  async prepare(page, { call }) {
    const { path } = await publishForm(call);
    await page.goto(path);
    await prepare(page);
  },
});

async function fillIn(page: Page): Promise<void> {
  await page.getByLabel("Your email (required)").fill("vera@example.com");
  await page.getByLabel("I accept the rules (required)").check();
  await page.getByLabel("M", { exact: true }).check();
}

/** Published forms, as visitors see them. */
export const FORM_PAGES: readonly PageToShow[] = [
  formPage("form", async () => {}),
  formPage("form-problems", async (page) => {
    await fillIn(page);
    await page.getByLabel("Your age").fill("old");
    await page.getByRole("button", { name: "Join" }).click();
    await page.locator(".summary").waitFor();
  }),
  formPage("form-thanks", async (page) => {
    await fillIn(page);
    await page.getByLabel("Sails").check();
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByRole("link", { name: "Send another answer" }).waitFor();
  }),
  { name: "form-unknown", path: () => "/forms/unknown/1", isPublic: true },
];
