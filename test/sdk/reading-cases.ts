/** Uses of the client as statements of an async function, correct and wrong ones. Each cell is filled. */
export const READING_CASES: readonly (readonly [feature: string, correct: string, wrong: string])[] = [
  ["a client", `createClient({ url: "x", retries: 0 });`, `createClient({ key: "x" });`],
  [
    "a key that changes",
    `createClient({ url: "x", key: async () => (await fetch("/token")).text() });`,
    `createClient({ url: "x", key: () => 7 });`,
  ],
  ["a table", `doc.table("Customers");`, `doc.table("Custumers");`],
  [
    "a document of its own schema",
    `client.doc<{ A: { B: { type: "Int" } } }>("x").table("A");`,
    `client.doc<{ A: object }>("x").table("B");`,
  ],
  [
    "all columns",
    `is<number | null>((await orders.list()).records[0]!.fields.Amount);`,
    `(await orders.list()).records[0]!.fields.Amuont;`,
  ],
  [
    "an unchecked index",
    `(await orders.list()).records[0]?.fields.Amount;`,
    `(await orders.list()).records[0].fields.Amount;`,
  ],
  [
    "a value that may be null",
    `is<number>((await orders.get(1)).fields.Amount ?? 0);`,
    `is<number>((await orders.get(1)).fields.Amount);`,
  ],
  [
    "a choice",
    `is<"open" | "shipped" | "" | null>((await orders.get(1)).fields.Status);`,
    `is<"open" | null>((await orders.get(1)).fields.Status);`,
  ],
  [
    "a comparison with a choice",
    `(await orders.get(1)).fields.Status === "open";`,
    `(await orders.get(1)).fields.Status === "opened";`,
  ],
  [
    "a list of choices",
    `is<("new" | "urgent")[]>(fromList((await orders.get(1)).fields.Tags));`,
    `is<"new"[]>(fromList((await orders.get(1)).fields.Tags));`,
  ],
  [
    "a reference",
    `is<number | null>((await orders.get(1)).fields.Customer);`,
    `(await orders.get(1)).fields.Customer.Name;`,
  ],
  [
    "a list of references",
    `is<number[]>(fromList((await orders.get(1)).fields.Watchers));`,
    `is<string[]>(fromList((await orders.get(1)).fields.Watchers));`,
  ],
  [
    "a formula with a known result",
    `is<number | null>((await orders.get(1)).fields.Total);`,
    `is<string | null>((await orders.get(1)).fields.Total);`,
  ],
  [
    "a formula with an unknown result",
    `typeof (await orders.get(1)).fields.Mixed === "string";`,
    `is<string>((await orders.get(1)).fields.Mixed);`,
  ],
  [
    "a name that is no identifier",
    `is<string | null>((await orders.get(1)).fields["order no"]);`,
    `(await orders.get(1)).fields["order number"];`,
  ],
  [
    "a projection",
    `(await orders.list({ fields: ["Amount"] })).records[0]!.fields.Amount;`,
    `(await orders.list({ fields: ["Amount"] })).records[0]!.fields.Price;`,
  ],
  [
    "names in a projection",
    `orders.list({ fields: ["Amount", "Price"] });`,
    `orders.list({ fields: ["Amount", "Prize"] });`,
  ],
  [
    "a path",
    `is<string | null>((await orders.list({ fields: ["Customer.City"] })).records[0]!.fields["Customer.City"]);`,
    `orders.list({ fields: ["Customer.Town"] });`,
  ],
  [
    "a path through two references",
    `is<string | null>((await orders.list({ fields: ["Customer.Country.Name"] })).records[0]!.fields["Customer.Country.Name"]);`,
    `orders.list({ fields: ["Customer.Country.Nmae"] });`,
  ],
  [
    "a path through three references",
    `is<string | null>((await orders.get(1, { fields: ["Customer.Country.Continent.Title"] })).fields["Customer.Country.Continent.Title"]);`,
    `is<string | null>((await orders.get(1, { fields: ["Customer.Country.Continent.Title"] })).fields["Customer.Country.Continent.Name"]);`,
  ],
  [
    "a path through no reference",
    `orders.list({ fields: ["Customer.Name"] });`,
    `orders.list({ fields: ["Amount.Name"] });`,
  ],
  [
    "a path to an unknown table",
    `orders.list({ fields: ["Somewhere"] });`,
    `orders.list({ fields: ["Somewhere.Name"] });`,
  ],
  [
    "a path through a list",
    `is<(string | null)[]>(fromList((await orders.get(1, { fields: ["Watchers.Name"] })).fields["Watchers.Name"]));`,
    `is<string | null>((await orders.get(1, { fields: ["Watchers.Name"] })).fields["Watchers.Name"]);`,
  ],
  [
    "an expanded reference",
    `is<string | null | undefined>((await orders.get(1, { expand: ["Customer"] })).fields.Customer?.fields.City);`,
    `(await orders.get(1, { expand: ["Customer"] })).fields.Customer.fields.City;`,
  ],
  ["what is expanded", `orders.get(1, { expand: ["Customer"] });`, `orders.get(1, { expand: ["Amount"] });`],
  [
    "an expanded list",
    `is<string | null | undefined>((await orders.get(1, { expand: ["Watchers"] })).fields.Watchers[0]?.fields.Name);`,
    `(await orders.get(1, { expand: ["Watchers"] })).fields.Watchers.fields;`,
  ],
  [
    "references on two levels",
    `is<string | null | undefined>((await orders.get(1, { expand: ["Customer.Country"] })).fields.Customer?.fields.Country?.fields.Name);`,
    `(await orders.get(1, { expand: ["Customer.Country"] })).fields.Customer?.fields.Country?.fields.City;`,
  ],
  [
    "a second level that is not a reference",
    `orders.get(1, { expand: ["Customer.Friends"] });`,
    `orders.get(1, { expand: ["Customer.City"] });`,
  ],
  [
    "expanding with a projection",
    `const [r] = (await orders.list({ fields: ["Amount"], expand: ["Customer"] })).records; is<string | null | undefined>(r?.fields.Customer?.fields.Name); r?.fields.Amount;`,
    `(await orders.list({ fields: ["Amount"], expand: ["Customer"] })).records[0]?.fields.Price;`,
  ],
  [
    "a reference that is not expanded",
    `is<number | null>((await orders.get(1, { expand: ["Watchers"] })).fields.Customer);`,
    `(await orders.get(1, { expand: ["Watchers"] })).fields.Customer?.fields;`,
  ],
  [
    "dates as texts",
    `is<string | null>((await orders.get(1, { cellFormat: "iso" })).fields.Ordered);`,
    `is<number | null>((await orders.get(1, { cellFormat: "iso" })).fields.Ordered);`,
  ],
  [
    "dates as numbers",
    `is<number | null>((await orders.get(1)).fields.Ordered);`,
    `is<string | null>((await orders.get(1)).fields.Ordered);`,
  ],
  [
    "plain lists",
    `is<number[] | null>((await orders.get(1, { cellFormat: "iso" })).fields.Watchers);`,
    `is<number[] | null>((await orders.get(1)).fields.Watchers);`,
  ],
  [
    "displayed texts",
    `is<string>((await orders.get(1, { cellFormat: "display" })).fields.Amount);`,
    `is<number>((await orders.get(1, { cellFormat: "display" })).fields.Amount);`,
  ],
  ["a format", `orders.list({ cellFormat: "iso" });`, `orders.list({ cellFormat: "json" });`],
  ["the total", `is<number | undefined>((await orders.list({ total: true })).total);`, `orders.list({ total: 1 });`],
  ["a limit", `orders.list({ limit: 10, offset: 20 });`, `orders.list({ limit: "10" });`],
  ["a sort", `orders.list({ sort: ["-Price", "id", "Note:naturalSort"] });`, `orders.list({ sort: ["-Prize"] });`],
  ["a single sort", `orders.list({ sort: "-Price" });`, `orders.list({ sort: "Prize" });`],
  ["a past state", `orders.list({ at: "2026-01-31" });`, `orders.list({ at: new Date() });`],
  ["an option", `orders.list({ hidden: true });`, `orders.list({ hiden: true });`],
  ["a list of values", `orders.list({ filter: { Amount: [1, 2] } });`, `orders.list({ filter: { Amount: ["1"] } });`],
  ["a filtered column", `orders.list({ filter: { Amount: [1] } });`, `orders.list({ filter: { Amuont: [1] } });`],
  [
    "a value of choices",
    `orders.list({ filter: { Status: ["open", ""] } });`,
    `orders.list({ filter: { Status: ["opened"] } });`,
  ],
  [
    "an operator of numbers",
    `orders.list({ filter: { Amount: { gt: 1, lte: 4 } } });`,
    `orders.list({ filter: { Amount: { contains: "1" } } });`,
  ],
  [
    "an operator of texts",
    `orders.list({ filter: { Note: { startsWith: "a", matches: "b" } } });`,
    `orders.list({ filter: { Note: { startsWith: 1 } } });`,
  ],
  [
    "an unknown operator",
    `orders.list({ filter: { Amount: { eq: 1 } } });`,
    `orders.list({ filter: { Amount: { equals: 1 } } });`,
  ],
  [
    "an operator of dates",
    `orders.list({ filter: { Ordered: { within: "thisMonth", lt: "2026-04-01" } } });`,
    `orders.list({ filter: { Amount: { within: "thisMonth" } } });`,
  ],
  [
    "an operator of lists",
    `orders.list({ filter: { Tags: { hasAny: ["new"] } } });`,
    `orders.list({ filter: { Tags: { hasAny: ["old"] } } });`,
  ],
  [
    "an operator of booleans",
    `orders.list({ filter: { Paid: { eq: true } } });`,
    `orders.list({ filter: { Paid: { gt: true } } });`,
  ],
  [
    "an operator of references",
    `orders.list({ filter: { Customer: { eq: "Acme", ne: 3 } } });`,
    `orders.list({ filter: { Customer: { eq: true } } });`,
  ],
  [
    "empty cells",
    `orders.list({ filter: { Note: { empty: true } } });`,
    `orders.list({ filter: { Note: { empty: "yes" } } });`,
  ],
  [
    "a filter on a path",
    `orders.list({ filter: { "Customer.City": { eq: "Bern" } } });`,
    `orders.list({ filter: { "Customer.Town": { eq: "Bern" } } });`,
  ],
  [
    "an operator on a path",
    `orders.list({ filter: { "Customer.City": { contains: "e" } } });`,
    `orders.list({ filter: { "Customer.City": { has: "e" } } });`,
  ],
  [
    "combined conditions",
    `orders.list({ filter: { or: [{ Amount: [1] }, { not: { Paid: [true] } }] } });`,
    `orders.list({ filter: { or: [{ Amuont: [1] }] } });`,
  ],
  ["row ids", `orders.list({ filter: { id: { gt: 3 } } });`, `orders.list({ filter: { id: ["3"] } });`],
  [
    "pages",
    `for await (const page of orders.pages({ limit: 100, fields: ["Amount"] })) is<number | null | undefined>(page[0]?.fields.Amount);`,
    `for await (const page of orders.pages({ fields: ["Amount"] })) page[0]?.fields.Price;`,
  ],
  ["pages without an offset", `orders.pages({ sort: "Amount" });`, `orders.pages({ offset: 10 });`],
  ["an id", `orders.get(7);`, `orders.get("7");`],
];
