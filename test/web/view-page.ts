/** A page with customers and their orders, for tests of pages with sections. */
import type { Locator, Page } from "playwright-core";
import { call, makeDocument, makeTable } from "./calls.ts";
import type { Visit } from "./browser.ts";

export const CUSTOMERS = {
  id: "Customers",
  columns: [
    { id: "Name", fields: { type: "Text" } },
    { id: "City", fields: { type: "Text" } },
  ],
  rows: [
    { Name: "Anna", City: "Berlin" },
    { Name: "Bruno", City: "Lyon" },
    { Name: "Chloe", City: "Paris" },
  ],
};

export const ORDERS = {
  id: "Orders",
  columns: [
    { id: "Number", fields: { type: "Text" } },
    { id: "Customer", fields: { type: "Ref:Customers" } },
    { id: "Amount", fields: { type: "Int" } },
  ],
  rows: [
    { Number: "A-1", Customer: 1, Amount: 10 },
    { Number: "A-2", Customer: 1, Amount: 20 },
    { Number: "B-1", Customer: 2, Amount: 30 },
  ],
};

export interface MadePage {
  readonly doc: string;
  readonly view: number;
  /** Row ids of sections. */
  readonly customers: number;
  readonly orders: number;
}

type Action = readonly [name: string, ...args: unknown[]];

export const apply = (visit: Visit, doc: string, actions: readonly Action[]) =>
  call<{ retValues: unknown[] }>(visit, "POST", `/api/docs/${doc}/apply`, actions).then(({ retValues }) => retValues);

interface MadeSection {
  readonly viewRef: number;
  readonly sectionRef: number;
}

/** Row ids of the metadata of tables and columns. */
export async function refsOf(visit: Visit, doc: string) {
  const { tables } = await call<{
    tables: { id: string; fields: { tableRef: number }; columns: { id: string; fields: { colRef: number } }[] }[];
  }>(visit, "GET", `/api/docs/${doc}/tables?expand=column`);
  const table = (id: string) => tables.find((each) => each.id === id);
  return {
    table: (id: string): number => table(id)?.fields.tableRef ?? 0,
    column: (id: string, column: string): number =>
      table(id)?.columns.find((each) => each.id === column)?.fields.colRef ?? 0,
  };
}

/** Adds a section to a page, or makes one with it (`view` 0). */
export async function addSection(
  visit: Visit,
  doc: string,
  {
    view,
    table,
    kind = "record",
    groupBy = null,
  }: { view: number; table: number; kind?: string; groupBy?: number[] | null },
): Promise<MadeSection> {
  const [made] = await apply(visit, doc, [["CreateViewSection", table, view, kind, groupBy, null]]);
  return made as MadeSection;
}

/** Makes a document with a page that shows customers, and beside them the orders of the selected one. */
export async function makePage(visit: Visit, { isLinked = true } = {}): Promise<MadePage> {
  const doc = await makeDocument(visit);
  await makeTable(visit, doc, CUSTOMERS);
  await makeTable(visit, doc, ORDERS);
  const refs = await refsOf(visit, doc);
  const customers = await addSection(visit, doc, { view: 0, table: refs.table("Customers") });
  const view = customers.viewRef;
  const orders = await addSection(visit, doc, { view, table: refs.table("Orders") });
  await apply(visit, doc, [
    ["UpdateRecord", "_grist_Views", view, { name: "Customers and orders" }],
    ...(isLinked
      ? [
          [
            "UpdateRecord",
            "_grist_Views_section",
            orders.sectionRef,
            { linkSrcSectionRef: customers.sectionRef, linkTargetColRef: refs.column("Orders", "Customer") },
          ] as const,
        ]
      : []),
  ]);
  return { doc, view, customers: customers.sectionRef, orders: orders.sectionRef };
}

export async function openView(page: Page, { doc, view }: Pick<MadePage, "doc" | "view">, query = ""): Promise<void> {
  await page.goto(`/docs/${doc}/pages/${view}${query}`);
  await page.locator(".grid").first().waitFor();
}

export const section = (page: Page, ref: number): Locator => page.locator(`#section-${ref}`);

/** The cell at a row and a column of a section, both from 1. */
export const cellOf = (page: Page, ref: number, row: number, column: number): Locator =>
  section(page, ref).locator(
    `.grid [role=row][aria-rowindex="${row + 1}"] [role=gridcell][aria-colindex="${column + 1}"]`,
  );

/** The texts of the rendered rows of a section, in order. */
export const rowsOf = (page: Page, ref: number): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll("#section-${ref} .grid .body [role=row]")].map((row) =>
    [...row.querySelectorAll("[role=gridcell]")].map((cell) => cell.textContent).join("|"))`);
