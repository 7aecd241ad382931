import type { Page } from "playwright-core";
import { type FormSite, publishForm } from "./form-sample.ts";
import type { PageToShow } from "./pages.ts";

const formPage = (name: string, prepare: (page: Page, form: FormSite) => Promise<unknown>): PageToShow => ({
  name,
  path: () => "/sign-in",
  isPublic: true,
  async prepare(page, { call }) {
    const form = await publishForm(call);
    await page.goto(form.path);
    await prepare(page, form);
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
  formPage("form-closing", async (page, form) => {
    await form.setForm({ closesAt: "2999-05-03T12:00:00.000Z" });
    // A reload would keep the place in the text below.
    await page.goto(`${form.path}?`);
  }),
  formPage("form-closed", async (page, form) => {
    await form.setForm({ closesAt: "2026-05-03T12:00:00.000Z" });
    await page.reload();
  }),
  {
    name: "form-preview",
    path: () => "/",
    async prepare(page, { call }) {
      const form = await publishForm(call);
      await form.setForm({ closesAt: "2026-05-03T12:00:00.000Z" });
      await page.goto(`/docs/${form.doc}/forms/${form.section}`);
    },
  },
  { name: "form-unknown", path: () => "/forms/unknown/1", isPublic: true },
];
