/** The document that the examples of all pages use: a small shop for bicycle parts. */

export type Call = <T>(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown) => Promise<T>;

interface SampleColumn {
  readonly type: string;
  readonly formula?: string;
  readonly widgetOptions?: Readonly<Record<string, unknown>>;
}

interface SampleTable {
  readonly columns: Readonly<Record<string, SampleColumn>>;
  /** Values of the columns without a formula, in order. */
  readonly rows: readonly (readonly unknown[])[];
}

const date = (text: string): number => Date.parse(text) / 1000;

const TABLES: Readonly<Record<string, SampleTable>> = {
  Customers: {
    columns: { Name: { type: "Text" }, City: { type: "Text" }, Email: { type: "Text" } },
    rows: [
      ["Ann Lee", "Bern", "ann@example.com"],
      ["Bob Stone", "Oslo", "bob@example.com"],
      ["Cora Diaz", "Bern", "cora@example.com"],
    ],
  },
  Items: {
    columns: {
      Item: { type: "Text" },
      Category: { type: "Choice", widgetOptions: { choices: ["Parts", "Lights", "Bags"] } },
      Price: { type: "Numeric" },
      Quantity: { type: "Int" },
      Files: { type: "Attachments" },
    },
    rows: [
      ["Bell", "Parts", 12.5, 40, null],
      ["Basket", "Bags", 34, 7, null],
      ["Chain", "Parts", 19.9, 25, null],
      ["Front light", "Lights", 24, 0, null],
      ["Pannier", "Bags", 58, 3, null],
    ],
  },
  Orders: {
    columns: {
      Customer: { type: "Ref:Customers" },
      Item: { type: "Ref:Items" },
      Amount: { type: "Int" },
      Ordered: { type: "Date" },
      Due: { type: "Date" },
      Status: { type: "Choice", widgetOptions: { choices: ["open", "shipped"] } },
      Paid: { type: "Bool" },
      City: { type: "Text", formula: "$Customer.City" },
      Total: { type: "Numeric", formula: "$Amount * $Item.Price" },
    },
    rows: [
      [1, 1, 2, date("2026-03-02"), date("2026-03-16"), "shipped", true],
      [2, 2, 1, date("2026-03-05"), date("2026-03-19"), "open", false],
      [1, 5, 1, date("2026-03-09"), date("2026-03-23"), "open", true],
      [3, 3, 4, date("2026-04-01"), date("2026-04-15"), "open", false],
      [2, 4, 3, date("2026-04-07"), date("2026-04-21"), "shipped", true],
    ],
  },
  People: {
    columns: { Name: { type: "Text" }, Mail: { type: "Text" }, Team: { type: "Text" } },
    rows: [
      ["Ada", "ada@example.com", "Office"],
      ["Eva", "eva@example.com", "Workshop"],
    ],
  },
};

/** Creates the document in a workspace; returns its id. */
export async function createSampleDocument(call: Call, workspace: number): Promise<string> {
  const document = await call<string>("POST", `/workspaces/${workspace}/docs`, { name: "Bicycle shop" });
  // One table after the other: references need the tables that they refer to.
  for (const [id, { columns, rows }] of Object.entries(TABLES)) {
    const described = Object.entries(columns).map(([name, { type, formula, widgetOptions }]) => ({
      id: name,
      fields: {
        label: name,
        type,
        ...(formula !== undefined && { formula, isFormula: true }),
        ...(widgetOptions !== undefined && { widgetOptions: JSON.stringify(widgetOptions) }),
      },
    }));
    await call("POST", `/docs/${document}/tables`, { tables: [{ id, columns: described }] });
    const names = Object.entries(columns).flatMap(([name, { formula }]) => (formula === undefined ? [name] : []));
    const records = rows.map((row) => ({ fields: Object.fromEntries(names.map((name, i) => [name, row[i]])) }));
    await call("POST", `/docs/${document}/tables/${id}/records`, { records });
  }
  return document;
}
