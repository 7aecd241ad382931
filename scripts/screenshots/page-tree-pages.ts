/** The tree of pages in the sidebar, with its menus and dialogs, of the order book. */
import type { Page } from "playwright-core";
import type { PageToShow } from "./pages.ts";
import type { Sample } from "./sample.ts";

const NAMES = ["Open orders", "-Late orders", "-Orders of a customer with a name that does not fit", "Plan"];

/** Adds pages once; each hyphen is a level. */
async function addPages({ call, docId }: Sample): Promise<void> {
  const path = `/docs/${docId}`;
  const { records } = await call<{ records: { fields: { name: string } }[] }>(
    "GET",
    `${path}/tables/_grist_Views/records`,
  );
  if (records.some(({ fields }) => fields.name === "Plan")) return;
  for (const text of NAMES) {
    const name = text.replace(/^-+/, "");
    await call("POST", `${path}/apply`, [
      ["AddRecord", "_grist_Views", -1, { name, type: "empty" }],
      ["AddRecord", "_grist_Pages", null, { viewRef: -1, indentation: text.length - name.length }],
    ]);
  }
}

const showSidebar = async (page: Page) => {
  const opener = page.locator(".sidebar-button");
  if (await opener.isVisible()) await opener.click();
  await page.locator("#pages [role=treeitem]").first().waitFor();
};

const pages = (name: string, open?: (page: Page) => Promise<unknown>): PageToShow => ({
  name: `page-tree${name}`,
  path: ({ docId }) => `/docs/${docId}/tables/Stock`,
  async prepare(page, sample) {
    await addPages(sample);
    await page.reload();
    await page.locator(".grid").waitFor();
    await showSidebar(page);
    await open?.(page);
  },
});

const openMenu = (at: number) => async (page: Page) => {
  await page.locator("#pages [data-menu=page]").nth(at).click({ force: true });
  await page.getByRole("menuitem").first().waitFor();
};

const openNew = async (page: Page) => {
  await page.locator("#pages [data-do=new-page]").click();
  await page.locator("dialog[open]").waitFor();
};

export const PAGE_TREE_PAGES: readonly PageToShow[] = [
  {
    name: "page-search",
    path: ({ docId }) => `/docs/${docId}/tables/Stock`,
    async prepare(page, sample) {
      await addPages(sample);
      await page.reload();
      await page.locator(".grid").waitFor();
      await page.keyboard.press("Control+k");
      await page.locator("[role=combobox][name=q]").fill("order");
      await page.getByRole("option").first().waitFor();
    },
  },
  pages(""),
  pages("-menu", openMenu(1)),
  pages("-new", openNew),
  pages("-new-summary", async (page) => {
    await openNew(page);
    await page.locator("input[name=summary]").check();
    await page.locator("input[name=group]").first().waitFor();
  }),
  pages("-delete", async (page) => {
    await openMenu(0)(page);
    await page.getByRole("menuitem").last().click();
    await page.locator("dialog[open]").waitFor();
  }),
];
