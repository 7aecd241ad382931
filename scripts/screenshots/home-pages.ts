/** Pictures of the pages that list documents. */
import type { PageToShow } from "./pages.ts";

export const HOME_PAGES: readonly PageToShow[] = [
  { name: "home", path: () => "/" },
  {
    name: "home-menu",
    path: () => "/",
    prepare: (page) => page.getByRole("button", { name: "Actions for Workshop stock" }).click(),
  },
  {
    name: "home-new",
    path: () => "/",
    prepare: (page) => page.getByRole("button", { name: "New", exact: true }).click(),
  },
  {
    name: "home-dialog",
    path: () => "/",
    async prepare(page) {
      await page.getByRole("button", { name: "New", exact: true }).click();
      await page.getByRole("menuitem", { name: "New site" }).click();
    },
  },
  {
    name: "home-new-document",
    path: () => "/",
    async prepare(page) {
      await page.getByRole("button", { name: "New document" }).first().click();
      await page.getByRole("radio", { name: "Order book" }).check();
    },
  },
  { name: "home-search", path: () => "/?q=stock" },
  {
    name: "home-search-nothing",
    path: () => "/?q=unicorn",
    prepare: (page) => page.locator("#row-results:not([aria-busy]) .bar p:not(:empty)").waitFor(),
  },
  {
    name: "home-user-menu",
    path: () => "/",
    prepare: (page) => page.locator("header summary").click(),
  },
  {
    name: "home-grid",
    path: () => "/",
    async prepare(page) {
      await page.getByRole("button", { name: "View", exact: true }).click();
      await page.getByRole("menuitemradio", { name: "Grid" }).click();
      await page.locator("#home[data-view=grid]").waitFor();
      await page.context().clearCookies({ name: "quern_documents" });
    },
  },
  { name: "home-workspace", path: ({ workspaceId }) => `/workspaces/${workspaceId}` },
  { name: "home-of-a-site", path: () => "/o/bakery/" },
  { name: "home-of-a-new-site", path: () => "/o/garden/" },
  {
    name: "home-import",
    path: () => "/",
    async prepare(page, { workspaceId }) {
      await page.evaluate(`(() => {
        const data = new DataTransfer();
        data.items.add(new File(["Bread,Price\\nRye,4.20\\nSpelt,5.10\\n"], "Prices.csv"));
        data.items.add(new File(["\\u0000\\u0001 not a table"], "Picture.bin"));
        document.querySelector("#workspace-${workspaceId}")
          .dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
      })()`);
      await page.locator(".import").getByText("Imported Prices.csv").waitFor();
      await page.getByText("import failed").waitFor();
    },
  },
  {
    name: "home-search-rows",
    path: () => "/?q=wood",
    prepare: (page) => page.locator("#row-results:not([aria-busy]) li").first().waitFor(),
  },
];
