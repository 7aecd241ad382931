/** What the compiler says about programs that use the client: each feature, used correctly and wrongly. */
import { beforeAll, describe, expect, test } from "bun:test";
import { type TypeProblem, typeProblems } from "../helpers/type-check.ts";
import { builtSdk } from "./built-sdk.ts";

const SCHEMA = `export interface Schema {
  Countries: { Name: { type: "Text" }; Continent: { type: "Ref"; target: "Continents" } };
  Continents: { Title: { type: "Text" } };
  Customers: {
    Name: { type: "Text" };
    City: { type: "Text" };
    Country: { type: "Ref"; target: "Countries" };
    Friends: { type: "RefList"; target: "Customers" };
  };
  Orders: {
    Customer: { type: "Ref"; target: "Customers" };
    Watchers: { type: "RefList"; target: "Customers" };
    Somewhere: { type: "Ref" };
    Amount: { type: "Int" };
    Price: { type: "Numeric" };
    Ordered: { type: "Date" };
    Status: { type: "Choice"; choices: "open" | "shipped" };
    Tags: { type: "ChoiceList"; choices: "new" | "urgent" };
    Files: { type: "Attachments" };
    Paid: { type: "Bool" };
    Note: { type: "Text" };
    Total: { type: "Any"; value: number; computed: true };
    Mixed: { type: "Any"; computed: true };
    "order no": { type: "Text" };
  };
}
`;

const PRELUDE = `import { createClient, fromList, QuernError, ref, toList, verifyWebhook } from "quern-client";
import type { Delivery, ErrorCode, WebhookRow } from "quern-client";
import type { Schema } from "./schema.d.ts";
const client = createClient<Schema>({ url: "https://quern.example.com", key: "secret" });
const doc = client.doc("id");
const orders = doc.table("Orders");
const untyped = createClient({ url: "" }).doc("id").table("Anything");
declare function is<T>(value: T): void;
declare const signal: AbortSignal;
export {};
void [toList, fromList, ref, verifyWebhook, QuernError, untyped, signal];
`;

/** Statements of an async function. Each cell of the table is filled. */
const CASES: readonly (readonly [feature: string, correct: string, wrong: string])[] = [
  ["a client", `createClient({ url: "x", retries: 0 });`, `createClient({ key: "x" });`],
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
  [
    "creating",
    `is<number[]>(await orders.create([{ Amount: 1, Status: "open", Ordered: "2026-03-01" }]));`,
    `orders.create([{ Amount: "1" }]);`,
  ],
  ["a new record's columns", `orders.create([{ Note: "x" }]);`, `orders.create([{ Nte: "x" }]);`],
  ["a new record's choice", `orders.create([{ Status: "shipped" }]);`, `orders.create([{ Status: "sent" }]);`],
  [
    "a new record's list",
    `orders.create([{ Tags: toList(["new"]), Files: toList([1]) }]);`,
    `orders.create([{ Tags: ["new"] }]);`,
  ],
  [
    "an item of a new record's list",
    `orders.create([{ Tags: toList(["urgent"]) }]);`,
    `orders.create([{ Tags: toList(["later"]) }]);`,
  ],
  ["computed columns", `orders.create([{ Price: 1 }]);`, `orders.create([{ Total: 1 }]);`],
  ["a reference to write", `orders.create([{ Customer: 3 }]);`, `orders.create([{ Customer: { id: 3 } }]);`],
  [
    "returned records",
    `is<number | null | undefined>((await orders.create([{}], { return: "records" }))[0]?.fields.Total);`,
    `(await orders.create([{}]))[0]?.fields;`,
  ],
  [
    "returned ids",
    `is<number[]>(await orders.update([], { return: "ids" }));`,
    `is<number[]>(await orders.update([]));`,
  ],
  [
    "a dry run",
    `is<number | undefined>((await orders.create([{}], { dryrun: true })).tables[0]?.rows.added);`,
    `is<number[]>(await orders.create([{}], { dryrun: true }));`,
  ],
  [
    "updating",
    `is<null>(await orders.update([{ id: 1, fields: { Paid: true } }]));`,
    `orders.update([{ fields: { Paid: true } }]);`,
  ],
  [
    "updating a computed column",
    `orders.update([{ id: 1, fields: { Price: 2 } }]);`,
    `orders.update([{ id: 1, fields: { Total: 2 } }]);`,
  ],
  [
    "updating by a filter",
    `orders.updateWhere({ Status: ["open"] }, { Status: "shipped" }, { maxRows: 10 });`,
    `orders.updateWhere({ Status: ["open"] }, { Status: "gone" });`,
  ],
  [
    "the filter of an update",
    `orders.updateWhere({ Amount: { gt: 1 } }, { Paid: true });`,
    `orders.updateWhere({ Amuont: { gt: 1 } }, { Paid: true });`,
  ],
  [
    "upserting",
    `is<number[]>((await orders.upsert([{ require: { Note: "x" }, fields: { Price: 2 } }])).addRecordIds);`,
    `orders.upsert([{ fields: { Price: 2 } }]);`,
  ],
  [
    "options of upserting",
    `orders.upsert([], { onmany: "all", noadd: true });`,
    `orders.upsert([], { onmany: "some" });`,
  ],
  [
    "upserting by a formula",
    `orders.upsert([{ require: { Total: 3 } }]);`,
    `orders.upsert([{ require: { Total: "3" } }]);`,
  ],
  ["deleting", `orders.delete([1, 2]);`, `orders.delete(["1"]);`],
  [
    "deleting by a filter",
    `orders.deleteWhere({ Paid: [true] }, { maxRows: 5 });`,
    `orders.deleteWhere({ Piad: [true] });`,
  ],
  [
    "a batch",
    `doc.batch([{ op: "add", as: "o", table: "Orders", records: [{ fields: { Amount: 1 } }] }]);`,
    `doc.batch([{ op: "add", table: "Orders", records: [{ fields: { Amount: "x" } }] }]);`,
  ],
  [
    "a table of a batch",
    `doc.batch([{ op: "delete", table: "Customers", ids: [1] }]);`,
    `doc.batch([{ op: "delete", table: "Clients", ids: [1] }]);`,
  ],
  [
    "references in a batch",
    `doc.batch([{ op: "update", table: "Orders", records: [{ id: ref("o.ids.0"), fields: { Customer: ref("c.ids.0") } }] }]);`,
    `ref("o.0");`,
  ],
  [
    "an operation of a batch",
    `doc.batch([{ op: "upsert", table: "Orders", records: [{ require: { Note: "x" } }], onmany: "all" }]);`,
    `doc.batch([{ op: "insert", table: "Orders", records: [] }]);`,
  ],
  [
    "results of a batch",
    `is<(number | null)[] | undefined>((await doc.batch([]))[0]?.ids);`,
    `(await doc.batch([])).results;`,
  ],
  [
    "a dry run of a batch",
    `(await doc.batch([], { dryrun: true })).isTruncated;`,
    `(await doc.batch([])).isTruncated;`,
  ],
  [
    "groups",
    `is<string | null | undefined>((await orders.aggregate({ groupBy: ["Note"] })).groups[0]?.Note);`,
    `orders.aggregate({ groupBy: ["Nte"] });`,
  ],
  [
    "periods",
    `is<string | null | undefined>((await orders.aggregate({ groupBy: [{ column: "Ordered", by: "month" }] })).groups[0]?.Ordered);`,
    `orders.aggregate({ groupBy: [{ column: "Ordered", by: "decade" }] });`,
  ],
  [
    "named groups",
    `(await orders.aggregate({ groupBy: [{ column: "Ordered", as: "day" }] })).groups[0]?.day;`,
    `(await orders.aggregate({ groupBy: [{ column: "Ordered", as: "day" }] })).groups[0]?.Ordered;`,
  ],
  [
    "measures",
    `is<number | null | undefined>((await orders.aggregate({ measures: { sum: { sum: "Price" } } })).groups[0]?.sum);`,
    `orders.aggregate({ measures: { sum: { sum: "Prize" } } });`,
  ],
  [
    "sums of numbers",
    `orders.aggregate({ measures: { sum: { sum: "Total" } } });`,
    `orders.aggregate({ measures: { sum: { sum: "Note" } } });`,
  ],
  [
    "measures of other types",
    `is<string | null | undefined>((await orders.aggregate({ measures: { last: { max: "Ordered" } } })).totals?.last);`,
    `orders.aggregate({ measures: { last: { latest: "Ordered" } } });`,
  ],
  [
    "names of measures",
    `(await orders.aggregate({ measures: { n: "count" } })).groups[0]?.n;`,
    `(await orders.aggregate({ measures: { n: "count" } })).groups[0]?.count;`,
  ],
  [
    "sorted groups",
    `orders.aggregate({ groupBy: ["Note"], measures: { n: "count" }, sort: ["-n", "Note"] });`,
    `orders.aggregate({ measures: { n: "count" }, sort: ["-m"] });`,
  ],
  [
    "SQL",
    "is<{ n: number }[]>(await doc.sql<{ n: number }>`select count(*) as n from Orders where Amount > ${3}`);",
    "doc.sql`select ${new Date()}`;",
  ],
  ["options of SQL", "doc.sqlWith({ timeout: 100 })`select 1`;", "doc.sqlWith({ timeout: '100' })`select 1`;"],
  ["SQL as a text", "doc.sql`select 1`;", `doc.sql("select 1");`],
  [
    "uploads",
    `is<number[]>(await doc.attachments.upload([{ name: "a.txt", data: "text" }], { onProgress: ({ sentBytes }) => is<number>(sentBytes) }));`,
    `doc.attachments.upload([{ data: "text" }]);`,
  ],
  ["downloads", `is<Response>(await doc.attachments.download(7));`, `doc.attachments.download("7");`],
  ["a signal", `orders.list({ signal });`, `orders.list({ signal: 1000 });`],
  [
    "a key of a write",
    `orders.create([{}], { idempotencyKey: "delivery-1" });`,
    `orders.create([{}], { idempotencyKey: 1 });`,
  ],
  [
    "codes of errors",
    `try { await orders.get(1); } catch (error) { if (error instanceof QuernError && error.code === "record.not_found") is<number>(error.status); }`,
    `try { await orders.get(1); } catch (error) { if (error instanceof QuernError) error.code === "record.missing"; }`,
  ],
  ["a code in a variable", `is<ErrorCode>("table.not_found");`, `is<ErrorCode>("table.not.found");`],
  [
    "a webhook",
    `is<Delivery<WebhookRow<Schema, "Orders">>>(await verifyWebhook<Schema, "Orders">({ secret: "s", headers: {}, body: "" }));`,
    `verifyWebhook({ secret: "s", headers: {} });`,
  ],
  [
    "rows of a webhook",
    `is<number | null | undefined>((await verifyWebhook<Schema, "Orders">({ secret: "s", headers: {}, body: "" })).rows[0]?.Amount);`,
    `(await verifyWebhook<Schema, "Orders">({ secret: "s", headers: {}, body: "" })).rows[0]?.Amuont;`,
  ],
  [
    "rows of a webhook without a schema",
    `is<number | undefined>((await verifyWebhook({ secret: "s", headers: {}, body: "" })).rows[0]?.id);`,
    `is<string>((await verifyWebhook({ secret: "s", headers: {}, body: "" })).rows[0]?.Name);`,
  ],
  [
    "a client without declarations",
    `(await untyped.list({ filter: { A: { gt: 1 } }, fields: ["A", "B.C"], sort: "-A" })).records[0]?.fields["A"];`,
    `untyped.list({ limit: "10" });`,
  ],
  [
    "writes without declarations",
    `untyped.create([{ A: 1, B: "x", C: ["L", 1] }]);`,
    `untyped.create([{ A: { nested: true } }]);`,
  ],
  [
    "aggregation without declarations",
    `(await untyped.aggregate({ groupBy: ["A"], measures: { s: { sum: "B" } } })).groups[0]?.s;`,
    `untyped.aggregate({ groupBy: "A" });`,
  ],
  ["other requests", `is<unknown>(await doc.request("GET", "states"));`, `doc.request({ path: "states" });`],
];

let problems: TypeProblem[] = [];
/** The file has one line for each use. */
const firstLine = PRELUDE.split("\n").length;

beforeAll(async () => {
  const { folder } = await builtSdk();
  const use = (at: 1 | 2) => `${PRELUDE}${CASES.map((row) => `void (async () => { ${row[at]} });`).join("\n")}\n`;
  problems = await typeProblems(
    { "schema.d.ts": SCHEMA, "correct.ts": use(1), "wrong.ts": use(2) },
    { compilerOptions: { paths: { "quern-client": [`${folder}/index.d.ts`] } } },
  );
}, 60_000);

const problemsOf = (file: string, at: number) =>
  problems.filter((problem) => problem.file.endsWith(file) && problem.line === firstLine + at);

describe("the compiler accepts", () => {
  test.each(CASES.map(([feature], at) => [feature, at] as const))("%s", (_, at) => {
    expect(problemsOf("correct.ts", at).map(({ message }) => message)).toEqual([]);
  });
});

describe("the compiler refuses a wrong use of", () => {
  test.each(CASES.map(([feature], at) => [feature, at] as const))("%s", (_, at) => {
    expect(problemsOf("wrong.ts", at).length).toBeGreaterThan(0);
  });
});

test("nothing else is wrong, and each line is that of its use", () => {
  expect(
    problems.filter(
      ({ file, line }) => line < firstLine || line >= firstLine + CASES.length || !/(correct|wrong)\.ts$/.test(file),
    ),
  ).toEqual([]);
});
