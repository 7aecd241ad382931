/** The import window: a German file as a new table, and into an existing one. */
import type { Page } from "playwright-core";
import type { PageToShow } from "./pages.ts";

const CSV = `Deliveries March 2026

Item;Category;Price;Quantity;Delivered;Account
Bell;Parts;12,50 €;40;02.03.2026;00421
Wax;Finishes;1.234,00 €;n/a;05.03.2026;00422
Clamp;Tools;19,90 €;25;11.03.2026;00423
`;

async function openImport(page: Page): Promise<void> {
  const buffer = Buffer.from(CSV);
  // The sidebar of a phone is closed.
  await page.locator("#tables .add").first().dispatchEvent("click");
  await page.locator("dialog input[type=file]").setInputFiles({ name: "deliveries.csv", mimeType: "text/csv", buffer });
  await page.locator(".import-result").waitFor();
}

export const IMPORT_PAGES: readonly PageToShow[] = [
  {
    name: "import",
    path: ({ docId }) => `/docs/${docId}/tables/Stock`,
    async prepare(page) {
      await openImport(page);
      await page.locator(".import-columns .type select").first().waitFor();
      await page.locator(".import-result[aria-busy=false]").waitFor();
    },
  },
  {
    name: "import-existing",
    path: ({ docId }) => `/docs/${docId}/tables/Stock`,
    async prepare(page) {
      await openImport(page);
      await page.locator(".import-goal select").selectOption("Stock");
      await page.getByLabel("Update rows with the same …").check();
      await page.locator(".import-key .choices input").first().check();
      await page.locator(".import-result[aria-busy=false]").waitFor();
    },
  },
];
