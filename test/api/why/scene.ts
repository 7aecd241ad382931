import type { TestApp } from "../../helpers/app.ts";
import { createSharedFixture } from "../../helpers/request-steps.ts";

const text = (id: string, label = id) => ({ id, fields: { type: "Text", label } });
const typed = (id: string, type: string) => ({ id, fields: { type, label: id } });
export const formula = (id: string, body: string, type = "Any") => ({
  id,
  fields: { type, label: id, formula: body, isFormula: true },
});

/** Creates a document of customers and orders, shared with `editor` and `viewer`; returns its path. */
export async function orders(app: TestApp): Promise<string> {
  const { doc } = await createSharedFixture(app, { "anon@getgrist.com": "viewers" });
  const tables = [
    { id: "Customers", columns: [text("Name", "Full name"), text("City"), typed("Rate", "Numeric"), text("Secret")] },
    {
      id: "Orders",
      columns: [
        text("Title"),
        typed("Customer", "Ref:Customers"),
        typed("Quantity", "Int"),
        typed("Price", "Numeric"),
        typed("Tags", "ChoiceList"),
        formula("Total", "$Quantity * $Price", "Numeric"),
        formula("City", "$Customer.City", "Text"),
        formula("Ratio", "x = $Price\nreturn x / $Quantity", "Numeric"),
      ],
    },
  ];
  await app.must("POST", `${doc}/tables`, { tables });
  const customers = [
    { Name: "Ada", City: "Oslo", Rate: 2, Secret: "s1" },
    { Name: "Bo", City: "Bari", Rate: 3, Secret: "s2" },
  ];
  await app.must("POST", `${doc}/tables/Customers/records`, { records: customers.map((fields) => ({ fields })) });
  const rows = [
    { Title: "First", Customer: 1, Quantity: 2, Price: 10, Tags: ["L", "red", "big"] },
    { Title: "Second", Customer: 1, Quantity: 0, Price: 5, Tags: ["L", "red"] },
    { Title: "Third", Customer: 2, Quantity: 1, Price: 7, Tags: null },
  ];
  await app.must("POST", `${doc}/tables/Orders/records`, { records: rows.map((fields) => ({ fields })) });
  return doc;
}

export async function addColumns(app: TestApp, table: string, columns: readonly object[]): Promise<void> {
  await app.must("POST", `${table}/columns`, { columns });
}
