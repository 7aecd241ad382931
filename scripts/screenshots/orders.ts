/** An order book: choices in colour, references, Markdown, links, a formula, a style rule, and enough rows for totals. */
import type { Page } from "playwright-core";
import { PALETTE } from "../../src/web/base/palette.ts";
import type { Sample } from "./sample.ts";

const CUSTOMERS = [
  ["Karin Lindqvist", "Stockholm"],
  ["Bruno Ortiz", "Lyon"],
  ["Chloé Dubois", "Paris"],
  ["Jonas Weber", "Berlin"],
  ["Mei Tanaka", "Osaka"],
  ["Amara Okafor", "Lagos"],
];
const PRODUCTS = ["City bike", "Touring bike", "Cargo bike", "Child seat", "Rack bag", "Dynamo lamp", "Repair"];
const PRICES = [899, 1249, 3490, 139.9, 79.5, 64, 45];
const STATUS = ["New", "In progress", "Shipped", "Paid", "Cancelled"];
const TAGS = ["Express", "Gift", "Pick up", "Warranty"];
const ROWS = 96;
const DAY_S = 86_400;
const FIRST_DAY_S = Date.UTC(2026, 0, 5) / 1000;

const choices = (names: readonly string[], from: number) => {
  const pairs = names.map((name, at) => {
    const pair = PALETTE[(from + at) % PALETTE.length];
    return [name, { fillColor: pair?.light.fill, textColor: pair?.light.text }];
  });
  return JSON.stringify({ choices: names, choiceOptions: Object.fromEntries(pairs) });
};

const made = new WeakMap<Sample, Promise<string>>();

/** Opens the order book, which is created when it is first shown. */
export async function openOrders(page: Page, sample: Sample, query = ""): Promise<void> {
  const doc = made.get(sample) ?? make(sample);
  made.set(sample, doc);
  await page.goto(`/docs/${await doc}/tables/Orders${query}`);
  await page.locator(".grid .body .cell").first().waitFor();
}

/** Opens a new page with the orders as cards. */
export async function openOrderCards(
  page: Page,
  sample: Sample,
  { kind = "detail", theme = "form" }: { kind?: "detail" | "single"; theme?: string } = {},
): Promise<void> {
  await openOrders(page, sample);
  const path = new URL(page.url()).pathname.replace(/\/tables\/.*/, "");
  const { tables } = await sample.call<{ tables: { id: string; fields: { tableRef: number } }[] }>(
    "GET",
    `${path}/tables`,
  );
  const table = tables.find(({ id }) => id === "Orders")?.fields.tableRef;
  const { retValues } = await sample.call<{ retValues: { viewRef: number; sectionRef: number }[] }>(
    "POST",
    `${path}/apply`,
    [["CreateViewSection", table, 0, kind, null, null]],
  );
  const [section] = retValues;
  await sample.call("POST", `${path}/apply`, [
    ["UpdateRecord", "_grist_Views_section", section?.sectionRef, { theme }],
  ]);
  await page.goto(`${path}/pages/${section?.viewRef}`);
  await page.locator(".record-card:not(.unread)").first().waitFor();
}

async function make({ call, workspaceId }: Sample): Promise<string> {
  const doc = await call<string>("POST", `/workspaces/${workspaceId}/docs`, { name: "Bicycle shop" });
  const add = (table: string, rows: readonly object[]) =>
    call("POST", `/docs/${doc}/tables/${table}/records`, { records: rows.map((fields) => ({ fields })) });
  const text = (id: string, options = {}) => ({ id, fields: { label: id, type: "Text", ...options } });
  const money = JSON.stringify({ numMode: "currency", decimals: 2 });
  const columns = [
    { id: "Order_no", fields: { label: "Order no", type: "Text" } },
    { id: "Customer", fields: { label: "Customer", type: "Ref:Customers" } },
    text("Product"),
    { id: "Status", fields: { label: "Status", type: "Choice", widgetOptions: choices(STATUS, 0) } },
    { id: "Ordered", fields: { label: "Ordered", type: "Date", widgetOptions: '{"dateFormat":"D MMM YYYY"}' } },
    { id: "Quantity", fields: { label: "Quantity", type: "Int" } },
    { id: "Price", fields: { label: "Price", type: "Numeric", widgetOptions: money } },
    {
      id: "Total",
      fields: { label: "Total", type: "Numeric", isFormula: true, formula: "$Quantity * $Price", widgetOptions: money },
    },
    { id: "Tags", fields: { label: "Tags", type: "ChoiceList", widgetOptions: choices(TAGS, 8) } },
    text("Notes", { widgetOptions: '{"widget":"Markdown"}' }),
    text("Tracking", { widgetOptions: '{"widget":"HyperLink"}' }),
    { id: "Express", fields: { label: "Express", type: "Bool" } },
  ];
  await call("POST", `/docs/${doc}/tables`, { tables: [{ id: "Customers", columns: [text("Name"), text("City")] }] });
  await add(
    "Customers",
    CUSTOMERS.map(([Name, City]) => ({ Name, City })),
  );
  await call("POST", `/docs/${doc}/tables`, { tables: [{ id: "Orders", columns }] });
  await add(
    "Orders",
    Array.from({ length: ROWS }, (_, at) => order(at)),
  );
  await styleLargeOrders(call, doc);
  await call("POST", `/docs/${doc}/apply`, [["RemoveTable", "Table1"]]);
  return doc;
}

function order(at: number): object {
  const product = (at * 5 + Math.floor(at / 7)) % PRODUCTS.length;
  const status = STATUS[(at * 3 + Math.floor(at / 4)) % STATUS.length] ?? "New";
  return {
    Order_no: `2026-${String(at + 11).padStart(5, "0")}`,
    Customer: ((at * 7 + Math.floor(at / 5)) % CUSTOMERS.length) + 1,
    Product: PRODUCTS[product],
    Status: status,
    Ordered: FIRST_DAY_S + at * DAY_S,
    Quantity: 1 + ((at * 11) % 4),
    Price: PRICES[product],
    Tags: at % 3 === 0 ? ["L", TAGS[at % TAGS.length], ...(at % 2 === 0 ? [TAGS[(at + 1) % TAGS.length]] : [])] : null,
    Notes: at % 4 === 1 ? "Call **before** delivery, see [the map](https://maps.example.com)" : "",
    Tracking: status === "Shipped" ? `Parcel https://parcels.example.com/${at + 4000}` : "",
    Express: at % 5 === 0,
  };
}

/** Names of customers are shown, and totals above an amount are highlighted. */
async function styleLargeOrders(call: Sample["call"], doc: string): Promise<void> {
  const refs = async (table: string): Promise<Map<string, number>> => {
    const path = `/docs/${doc}/tables/${table}/columns`;
    const { columns } = await call<{ columns: { id: string; fields: { colRef: number } }[] }>("GET", path);
    return new Map(columns.map(({ id, fields }) => [id, fields.colRef]));
  };
  const orders = await refs("Orders");
  const [customer, total] = [orders.get("Customer"), orders.get("Total")];
  const amber = PALETTE[2]?.light;
  const style = { fillColor: amber?.fill, textColor: amber?.text, fontBold: true };
  const widgetOptions = JSON.stringify({ numMode: "currency", decimals: 2, rulesOptions: [style] });
  await call("POST", `/docs/${doc}/apply`, [
    ["UpdateRecord", "_grist_Tables_column", customer, { visibleCol: (await refs("Customers")).get("Name") }],
    ["SetDisplayFormula", "Orders", null, customer, "$Customer.Name"],
    ["AddEmptyRule", "Orders", 0, total],
    ["ModifyColumn", "Orders", "gristHelper_ConditionalRule", { formula: "$Total is not None and $Total > 5000" }],
    ["UpdateRecord", "_grist_Tables_column", total, { widgetOptions }],
  ]);
}
