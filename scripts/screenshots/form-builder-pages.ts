/** Pictures of the builder of forms. */
import type { Page } from "playwright-core";
import type { PageToShow } from "./pages.ts";
import type { Sample } from "./sample.ts";

const COLUMNS = [
  { id: "Mail", fields: { label: "Your mail", type: "Text", description: "We answer within a day." } },
  {
    id: "Size",
    fields: {
      type: "Choice",
      widgetOptions: JSON.stringify({ choices: ["S", "M", "L"], formSelectFormat: "radio" }),
    },
  },
  {
    id: "Topics",
    fields: { type: "ChoiceList", widgetOptions: JSON.stringify({ choices: ["Bread", "Cakes", "Coffee"] }) },
  },
  { id: "When", fields: { label: "When do you come?", type: "Date" } },
  { id: "Phone", fields: { type: "Text" } },
  { id: "News", fields: { label: "Send me news", type: "Bool" } },
  { id: "Photo", fields: { type: "Attachments" } },
];

/** Adds a form to the second document, unless it has one, and opens its builder. */
async function openBuilder(page: Page, { call, otherDocId }: Sample): Promise<void> {
  const path = `/docs/${otherDocId}`;
  const { tables } = await call<{ tables: { id: string; fields: { tableRef: number } }[] }>("GET", `${path}/tables`);
  if (!tables.some(({ id }) => id === "Signup"))
    await call("POST", `${path}/tables`, { tables: [{ id: "Signup", columns: COLUMNS }] });
  const listed = await call<{ tables: typeof tables }>("GET", `${path}/tables`);
  const tableRef = listed.tables.find(({ id }) => id === "Signup")?.fields.tableRef;
  const filter = encodeURIComponent(JSON.stringify({ parentKey: ["form"] }));
  const sections = `${path}/tables/_grist_Views_section/records?filter=${filter}`;
  let [form] = (await call<{ records: { id: number }[] }>("GET", sections)).records;
  if (!form) {
    await call("POST", `${path}/apply`, [["CreateViewSection", tableRef, 0, "form", null, null]]);
    [form] = (await call<{ records: { id: number }[] }>("GET", sections)).records;
    const title = "Join the bakery’s friends";
    await call("POST", `${path}/apply`, [["UpdateRecord", "_grist_Views_section", form?.id, { title }]]);
  }
  await page.goto(`${path}/forms/${form?.id}/edit`);
  await page.locator(".form-box.question").first().waitFor();
}

const builder = (name: string, open?: (page: Page) => Promise<unknown>): PageToShow => ({
  name: `form-builder${name}`,
  path: ({ docId }) => `/docs/${docId}/settings`,
  async prepare(page, sample) {
    await openBuilder(page, sample);
    await open?.(page);
  },
});

export const FORM_BUILDER_PAGES: readonly PageToShow[] = [
  builder(""),
  builder("-question", async (page) => {
    await page.locator(".form-box.question", { hasText: "Size" }).locator("[data-control=name]").click();
    await page.locator(".panel").waitFor();
  }),
  builder("-settings", async (page) => {
    const add = page.getByRole("button", { name: "Add", exact: true });
    if (await add.isVisible()) await add.click();
    await page.getByRole("button", { name: "Thank-you, closing…" }).click();
    await page.locator(".panel").waitFor();
  }),
  builder("-move", (page) =>
    page.locator(".form-box.question", { hasText: "Topics" }).locator("[data-control=move]").click({ force: true }),
  ),
  builder("-published", async (page) => {
    const publish = page.getByRole("button", { name: "Publish", exact: true });
    if (await publish.isVisible()) await publish.click();
    await page.getByRole("button", { name: "Unpublish" }).waitFor();
    await page.getByRole("button", { name: "Move Send me news" }).scrollIntoViewIfNeeded();
  }),
  builder("-add", async (page) => {
    const add = page.getByRole("button", { name: "Add", exact: true });
    if (await add.isVisible()) await add.click();
    else await page.getByRole("button", { name: "New question" }).click();
  }),
];
