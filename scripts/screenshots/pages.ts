import type { Page } from "playwright-core";
import type { Sample } from "./sample.ts";
import { CONTENT, DELIVERIES } from "./deliveries.ts";
import { FORM_BUILDER_PAGES } from "./form-builder-pages.ts";
import { HOME_PAGES } from "./home-pages.ts";
import { PAGE_TREE_PAGES } from "./page-tree-pages.ts";

export interface PageToShow {
  /** Used in file names: lower case with dashes. */
  readonly name: string;
  /** Path of the page; `sample` has the ids. */
  readonly path: (sample: Sample) => string;
  /** Visited without signing in. */
  readonly isPublic?: boolean;
  /** Brings the page into the state to capture, and waits for content that loads late. */
  readonly prepare?: (page: Page, sample: Sample) => Promise<unknown>;
}

/** Columns with formulas, and the tables that they read. */
const SALES = [
  {
    id: "Customers",
    columns: [{ id: "Name", fields: { type: "Text" } }],
    rows: [{ Name: "Karin Lindqvist" }, { Name: "Bruno Ortiz" }],
    formulas: {},
  },
  {
    id: "Orders",
    columns: [
      { id: "Title", fields: { type: "Text" } },
      { id: "Customer", fields: { type: "Ref:Customers" } },
      { id: "Quantity", fields: { type: "Int" } },
      { id: "Price", fields: { type: "Numeric" } },
    ],
    rows: [
      { Title: "Bell", Customer: 1, Quantity: 0, Price: 12.5 },
      { Title: "Lamp", Customer: 1, Quantity: 3, Price: 40 },
    ],
    formulas: {
      Total: "$Quantity * $Price",
      Spent: "SUM(Orders.lookupRecords(Customer=$Customer, order_by='-Price').Total)",
      Each: "$Price / $Quantity",
      Half: "$Each / 2",
    },
  },
];

/** Opens the explanation of a cell of `Orders`. */
async function openWhy(page: Page, { call, otherDocId }: Sample, column: string): Promise<void> {
  const docPath = `/docs/${otherDocId}`;
  const { tables } = await call<{ tables: { id: string }[] }>("GET", `${docPath}/tables`);
  for (const { id, columns, rows, formulas } of tables.some((table) => table.id === "Orders") ? [] : SALES) {
    await call("POST", `${docPath}/tables`, { tables: [{ id, columns }] });
    await call("POST", `${docPath}/tables/${id}/records`, { records: rows.map((fields) => ({ fields })) });
    for (const [name, formula] of Object.entries(formulas)) {
      const fields = { type: "Numeric", isFormula: true, formula };
      await call("POST", `${docPath}/tables/${id}/columns`, { columns: [{ id: name, fields }] });
    }
  }
  await page.goto(`${docPath}/tables/Orders#row=1&column=${column}`);
  await page.locator(".grid :focus").waitFor();
  await page.keyboard.press("Shift+F10");
  await page.getByRole("menuitem", { name: "Why?" }).click();
  await page.locator(".why section").first().waitFor();
}

const tablePage = ({ docId }: Sample): string => `/docs/${docId}/tables/Stock`;

const SHOWN_FILTER = {
  Category: ["Finishes", "Tools"],
  Price: { gt: 5 },
  or: [{ Item: { contains: "l" } }, { Quantity: { gte: 1, lte: 50 } }],
};

/** Every page, and every state of a page with a distinct appearance. */
export const PAGES: readonly PageToShow[] = [
  { name: "sign-in", path: () => "/sign-in", isPublic: true },
  { name: "first-run-used-up", path: () => "/first-run", isPublic: true },
  { name: "nothing-here", path: () => "/nothing" },
  { name: "profile", path: () => "/profile" },
  { name: "profile-sessions", path: () => "/profile#sessions" },
  {
    name: "profile-new-key",
    path: () => "/profile",
    async prepare(page) {
      await page.getByLabel("Label of the new key").fill(`Till ${page.viewportSize()?.width}`);
      await page.getByRole("button", { name: "Create key" }).click();
      await page.getByLabel("Your new API key").waitFor();
    },
  },
  {
    name: "profile-limited-key",
    path: () => "/profile",
    async prepare(page) {
      const summary = page.locator("summary", { hasText: "Limit the key" });
      await summary.click();
      await page.getByLabel("records:write").scrollIntoViewIfNeeded();
    },
  },
  { name: "security", path: () => "/profile/security" },
  {
    name: "security-app",
    path: () => "/profile/security",
    async prepare(page) {
      await page.getByRole("button", { name: "Add app" }).click();
      await page.locator("svg.qr-code").waitFor();
    },
  },
  { name: "admin", path: () => "/admin" },
  { name: "admin-users", path: () => "/admin/users" },
  {
    name: "admin-users-reset",
    path: () => "/admin/users",
    async prepare(page) {
      await page.getByLabel("Actions for ben@example.com").click();
      await page.getByRole("button", { name: "Reset password ben@example.com" }).click();
    },
  },
  {
    name: "admin-users-menu",
    path: () => "/admin/users",
    prepare: (page) => page.getByLabel("Actions for new.baker@example.com").click(),
  },
  { name: "admin-users-add", path: () => "/admin/users/add" },
  { name: "admin-user", path: () => "/admin/users/5" },
  { name: "admin-groups", path: () => "/admin/groups" },
  { name: "admin-sign-in", path: () => "/admin/providers" },
  { name: "admin-jobs", path: () => "/admin/jobs" },
  { name: "admin-documents", path: () => "/admin/documents" },
  { name: "admin-audit", path: () => "/admin/audit" },
  { name: "admin-email", path: () => "/admin/email" },
  { name: "admin-errors", path: () => "/admin/errors" },
  {
    name: "admin-backups",
    path: () => "/admin/backups",
    async prepare(page) {
      await page.getByRole("button", { name: "Back up now" }).click();
      await page.locator("#points-title + .entries").waitFor();
      await page.getByRole("button", { name: "Back up now" }).waitFor();
    },
  },
  { name: "admin-settings", path: () => "/admin/settings" },
  { name: "reset-password", path: ({ resetPath }) => resetPath, isPublic: true },
  { name: "help", path: () => "/help" },
  { name: "help-guide", path: () => "/help/webhooks" },
  { name: "help-settings", path: () => "/help/settings" },
  { name: "help-functions", path: () => "/help/functions" },
  { name: "help-results", path: () => "/help?q=webhook" },
  {
    name: "help-search",
    path: () => "/help/formulas",
    async prepare(page) {
      const sidebar = page.getByRole("button", { name: "Open sidebar" });
      if (await sidebar.isVisible()) await sidebar.click();
      await page.getByRole("combobox", { name: "Search help" }).fill("attachment");
      await page.getByRole("option").first().waitFor();
      await page.keyboard.press("ArrowDown");
    },
  },
  { name: "reference", path: () => "/reference" },
  { name: "reference-group", path: () => "/reference/records" },
  ...HOME_PAGES,
  ...FORM_BUILDER_PAGES,
  ...PAGE_TREE_PAGES,
  { name: "sharing-document", path: ({ docId }) => `/docs/${docId}/sharing` },
  { name: "sharing-workspace", path: ({ workspaceId }) => `/workspaces/${workspaceId}/sharing` },
  { name: "sharing-site", path: () => "/sites/bakery/sharing" },
  { name: "trash", path: () => "/trash" },
  { name: "sql", path: ({ docId }) => `/docs/${docId}/sql` },
  {
    name: "sql-result",
    path: ({ docId }) => `/docs/${docId}/sql`,
    prepare: (page) => runQuery(page, "select * from Stock where Price > 2\norder by Price desc", "rows in"),
  },
  {
    name: "sql-refused",
    path: ({ docId }) => `/docs/${docId}/sql`,
    prepare: (page) => runQuery(page, "select Colour from Stock where Price > ?", "no such column"),
  },
  {
    name: "sql-last-queries",
    path: ({ docId }) => `/docs/${docId}/sql`,
    async prepare(page) {
      await runQuery(page, "select count(*) from Stock", "1 row in");
      await page.getByRole("button", { name: "Recent queries" }).click();
    },
  },
  {
    name: "table-filter",
    path: (sample) => `${tablePage(sample)}?sort=-Price&filter=${encodeURIComponent(JSON.stringify(SHOWN_FILTER))}`,
    async prepare(page) {
      await page.getByRole("button", { name: "Filter 4" }).click();
      await page.getByRole("dialog", { name: "Filter" }).waitFor();
      await page.getByRole("button", { name: "Values: Finishes, Tools" }).click();
      await page.locator(".filter-values label").nth(2).waitFor();
    },
  },
  {
    name: "table-sort",
    path: (sample) => `${tablePage(sample)}?sort=-Category,Price&lines=2&hide=Supplier`,
    prepare: (page) => page.getByRole("button", { name: "Sort 2" }).click(),
  },
  {
    name: "table-columns",
    path: (sample) => `${tablePage(sample)}?hide=Supplier`,
    async prepare(page) {
      const columns = page.getByRole("button", { name: "Columns 1 hidden" });
      if (await columns.isVisible()) await columns.click();
      else {
        await page.getByRole("button", { name: "More tools" }).click();
        await page.getByRole("menuitem", { name: "Columns 1 hidden" }).click();
      }
      await page.getByRole("dialog", { name: "Columns" }).waitFor();
    },
  },
  {
    name: "table-find",
    path: (sample) => `${tablePage(sample)}?find=wood`,
    prepare: (page) => page.getByRole("button", { name: "Find", exact: true }).click(),
  },
  { name: "table-empty", path: ({ otherDocId }) => `/docs/${otherDocId}/tables/Table1` },
  { name: "code", path: ({ docId }) => `/docs/${docId}/code?table=Stock` },
  {
    name: "code-key",
    path: ({ docId }) => `/docs/${docId}/code?table=Stock&lang=python`,
    prepare: (page) => pasteKey(page, "4f1c0d5e8a7b"),
  },
  {
    name: "code-paste",
    path: ({ docId }) => `/docs/${docId}/code?table=Stock&lang=javascript`,
    async prepare(page) {
      await page.getByRole("button", { name: "Paste key" }).click();
      await page.keyboard.type("not a key");
      await page.keyboard.press("Enter");
      await page.locator(".field-problem").waitFor();
    },
  },
  { name: "webhooks-none", path: ({ otherDocId }) => `/docs/${otherDocId}/webhooks` },
  { name: "webhooks", path: ({ docId }) => `/docs/${docId}/webhooks` },
  {
    name: "webhooks-form",
    path: ({ docId }) => `/docs/${docId}/webhooks`,
    prepare: (page) => page.getByRole("button", { name: "Edit" }).first().click(),
  },
  {
    name: "webhooks-refused",
    path: ({ docId }) => `/docs/${docId}/webhooks`,
    async prepare(page) {
      await page.getByRole("button", { name: "Add webhook" }).click();
      await page.getByLabel("URL").fill("http://10.0.0.1/hook");
      await page.keyboard.press("Enter");
      await page.locator(".field-problem").waitFor();
    },
  },
  {
    name: "webhooks-deliveries",
    path: ({ docId }) => `/docs/${docId}/webhooks`,
    async prepare(page) {
      await page.route("**/deliveries", (route) => route.fulfill({ json: { deliveries: DELIVERIES } }));
      await page.route("**/deliveries/*", (route) => route.fulfill({ json: { ...DELIVERIES[1], ...CONTENT } }));
      await page.getByRole("button", { name: "Deliveries" }).first().click();
      await page.locator(".delivery summary").nth(1).click();
      await page.getByRole("button", { name: "Send again" }).waitFor();
    },
  },
  { name: "table", path: tablePage, prepare: (page) => page.locator(".grid .cell").first().waitFor() },
  {
    name: "table-totals",
    path: (sample) => `${tablePage(sample)}?totals=Quantity:sum,Price:average,Item:unique`,
    async prepare(page) {
      await page.locator(".grid .total .value").first().waitFor();
      await page.locator(".grid .body [role=gridcell][aria-colindex='3']").nth(0).click();
      await page.keyboard.press("Shift+ArrowDown");
      await page.keyboard.press("Shift+ArrowDown");
    },
  },
  {
    name: "table-groups",
    path: (sample) => `${tablePage(sample)}?group=Category,Received:quarter&totals=Quantity:sum,Price:average`,
    async prepare(page) {
      await page.locator(".grid .group-total").first().waitFor();
      await page.locator(".grid .body .group-toggle").nth(1).click();
    },
  },
  {
    name: "table-edit",
    path: tablePage,
    async prepare(page) {
      await page.locator(".grid .cell").first().click();
      await page.keyboard.press("Enter");
      await page.locator(".editor").waitFor();
    },
  },
  {
    name: "table-row",
    path: tablePage,
    async prepare(page) {
      await page.locator(".grid .cell").first().click();
      await page.keyboard.press("Escape");
      await page.keyboard.press("Shift+Enter");
      await page.locator(".card-field").first().waitFor();
    },
  },
  { name: "table-why", path: tablePage, prepare: (page, sample) => openWhy(page, sample, "Spent") },
  { name: "table-why-error", path: tablePage, prepare: (page, sample) => openWhy(page, sample, "Half") },
  {
    name: "table-column-menu",
    path: tablePage,
    prepare: (page) => page.locator(".column-menu").first().click({ force: true }),
  },
  {
    name: "table-choices",
    path: tablePage,
    prepare: async (page) => {
      await page.locator(".column-menu").nth(1).click({ force: true });
      await page.getByRole("menuitem", { name: "Edit column…" }).click();
      await page.getByRole("button", { name: "Add values in use" }).click();
      await page.locator(".choices-field .swatch").nth(1).click();
    },
  },
  {
    name: "table-column",
    path: tablePage,
    async prepare(page) {
      await page.locator(".column-menu").first().click({ force: true });
      await page.getByRole("menuitem", { name: "Edit column…" }).click();
      await page.locator(".panel").getByRole("radio", { name: "Formula" }).check();
      await page.locator(".panel").getByText("Functions", { exact: true }).click();
      await page.locator(".functions li").first().waitFor();
    },
  },
  {
    name: "table-formula",
    path: tablePage,
    async prepare(page) {
      await page.locator(".column-menu").first().click({ force: true });
      await page.getByRole("menuitem", { name: "Edit column…" }).click();
      await page.locator(".panel").getByRole("radio", { name: "Formula" }).check();
      await page.locator(".code-editor .cm-content").first().click();
      await page.keyboard.insertText("IF(Nothing, 'a', 2) # tax\n");
      await page.getByText("No function, table or variable").waitFor();
      await page.keyboard.press("Control+Space");
      await page.locator(".cm-tooltip-autocomplete li").first().waitFor();
    },
  },
  { name: "history", path: ({ docId }) => `/docs/${docId}/history` },
  { name: "history-state", path: ({ docId }) => `/docs/${docId}/history/3` },
  {
    name: "document-settings",
    path: ({ docId }) => `/docs/${docId}/settings`,
    prepare: (page) => page.locator("#usage table").waitFor(),
  },
  { name: "history-compare", path: ({ docId }) => `/docs/${docId}/history/3?with=now` },
];

async function pasteKey(page: Page, key: string): Promise<void> {
  await page.getByRole("button", { name: "Paste key" }).click();
  await page.keyboard.type(key);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove key" }).waitFor();
}

async function runQuery(page: Page, sql: string, until: string): Promise<void> {
  await page.locator(".code-editor .cm-content").press("Control+a");
  await page.keyboard.insertText(sql);
  await page.keyboard.press("Control+Enter");
  await page.getByText(until).first().waitFor();
}
