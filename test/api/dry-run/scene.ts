import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestApp } from "../../helpers/app.ts";
import { createSharedFixture } from "../../helpers/request-steps.ts";

/** Orders with a formula, a trigger formula and a summary, of customers; a webhook of orders is added by the tests. */
export const TABLES: readonly unknown[] = [
  [
    "AddTable",
    "Customers",
    [
      { id: "Name", type: "Text", isFormula: false },
      { id: "Rate", type: "Numeric", isFormula: false },
      { id: "Spent", type: "Numeric", isFormula: true, formula: "SUM(Orders.lookupRecords(Customer=$id).Total)" },
    ],
  ],
  [
    "AddTable",
    "Orders",
    [
      { id: "Customer", type: "Ref:Customers", isFormula: false },
      { id: "Amount", type: "Int", isFormula: false },
      { id: "Status", type: "Text", isFormula: false },
      { id: "Total", type: "Numeric", isFormula: true, formula: "$Amount * $Customer.Rate" },
      { id: "Note", type: "Text", isFormula: false, formula: "'total %s' % $Total", recalcWhen: 2 },
    ],
  ],
  ["BulkAddRecord", "Customers", [1, 2, 3], { Name: ["Ann", "Bob", "Cid"], Rate: [10, 20, 30] }],
  [
    "BulkAddRecord",
    "Orders",
    [1, 2, 3, 4],
    { Customer: [1, 2, 1, 3], Amount: [1, 2, 3, 4], Status: ["new", "new", "done", "open"] },
  ],
];

interface Columns {
  readonly columns: { id: string; fields: { colRef: number; parentId: number } }[];
}

/** Creates a shared document with the tables and a summary of orders by status. */
export async function createScene(server: TestApp): Promise<string> {
  const { doc } = await createSharedFixture(server);
  await server.must("POST", `${doc}/apply`, TABLES);
  const { columns } = await server.must<Columns>("GET", `${doc}/tables/Orders/columns`);
  const status = columns.find(({ id }) => id === "Status");
  await server.must("POST", `${doc}/apply`, [
    ["CreateViewSection", status?.fields.parentId, 0, "record", [status?.fields.colRef], null],
  ]);
  return doc;
}

/** Returns the bytes of a document's file and its log; null for a file that does not exist. */
export function fileBytes({ folder }: TestApp, doc: string): (Buffer | null)[] {
  const file = join(folder, "docs", doc.split("/").at(-1) ?? "", "document.grist");
  return [file, `${file}-wal`].map((path) => (existsSync(path) ? readFileSync(path) : null));
}
