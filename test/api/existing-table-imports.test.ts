import { afterAll, beforeAll, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { createDocumentFixture, type DocumentFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

interface Report {
  readonly decimal: string;
  readonly tables: { columns: { id: string; unconverted?: number; examples?: string[]; converted?: number }[] }[];
}

/** Returns the rows of a table of these columns after an import, without their ids, and the report of the import. */
async function imported(
  columns: readonly { id: string; fields: object }[],
  csv: string,
  query = "",
): Promise<{ rows: unknown[]; report: Report }> {
  place = await createDocumentFixture(server);
  await server.must("POST", `${place.doc}/tables`, { tables: [{ id: "Goods", columns }] });
  const raw = new FormData();
  raw.append("upload", new File([csv], "x.csv"));
  const { status, body } = await server.call("owner", "POST", `${place.doc}/import?table=Goods${query}`, undefined, {
    raw,
  });
  expect(status).toBe(200);
  const { records } = await server.must<{ records: { fields: unknown }[] }>("GET", `${place.doc}/tables/Goods/records`);
  return { rows: records.map(({ fields }) => fields), report: body as Report };
}

const typed = (id: string, type: string, options?: object) => ({
  id,
  fields: { type, ...(options && { widgetOptions: JSON.stringify(options) }) },
});
const day = (year: number, month: number, date: number) => Date.UTC(year, month - 1, date) / 1000;

test("numbers are parsed with the file's decimal separator, not the document's locale or the column's format", async () => {
  const columns = [typed("Price", "Numeric", { numMode: "currency", currency: "USD" }), typed("Count", "Int")];
  const { rows, report } = await imported(columns, "Price;Count\n1,50;3\n1.234,50;1.000\n12,00 €;7\n");
  expect(rows).toEqual([
    { Price: 1.5, Count: 3 },
    { Price: 1234.5, Count: 1000 },
    { Price: 12, Count: 7 },
  ]);
  expect(report.decimal).toBe(",");
});

test("values that cannot be parsed stay texts and are counted, even if the column itself could parse them", async () => {
  const columns = [typed("Price", "Numeric"), typed("Due", "Date")];
  const csv = 'Price,Due\n1.50,2024-01-05\n"1,5",soon\nlots,20240105\n12E4,\n9.25,2024-01-06\n';
  const { rows, report } = await imported(columns, csv);
  expect(rows).toMatchObject([
    { Price: 1.5, Due: day(2024, 1, 5) },
    { Price: "1,5", Due: "soon" },
    { Price: "lots", Due: "20240105" },
    { Price: "12E4", Due: null },
    { Price: 9.25, Due: day(2024, 1, 6) },
  ]);
  const [price, due] = report.tables[0]?.columns ?? [];
  expect(price).toMatchObject({ converted: 2, unconverted: 3, examples: ["1,5", "lots", "12E4"] });
  expect(due).toMatchObject({ converted: 2, unconverted: 2, examples: ["soon", "20240105"] });
});

test("dates are parsed in the file's order of day and month, whatever the column's format", async () => {
  const columns = [typed("Due", "Date", { dateFormat: "MM/DD/YYYY" }), typed("At", "DateTime:Europe/Berlin")];
  const { rows } = await imported(columns, "Due,At\n25/12/2023,1/2/2024 13:00\n01/02/2024,2/2/2024 13:00\n");
  expect(rows).toEqual([
    { Due: day(2023, 12, 25), At: day(2024, 2, 1) + 12 * 3600 },
    { Due: day(2024, 2, 1), At: day(2024, 2, 2) + 12 * 3600 },
  ]);
});

test("booleans are parsed in the words of the file and of the column", async () => {
  const { rows } = await imported(
    [typed("Paid", "Bool"), typed("Sent", "Bool")],
    "Paid,Sent\nWAHR,yes\nFALSCH,0\n,maybe\n",
  );
  expect(rows).toMatchObject([{ Paid: true, Sent: true }, { Paid: false, Sent: false }, { Sent: "maybe" }]);
});

test("an empty column gets the type and format detected in the file", async () => {
  const { rows } = await imported([{ id: "Due", fields: { isFormula: true } }], "Due\n31.12.2024\n1.2.2024\n");
  expect(rows).toEqual([{ Due: day(2024, 12, 31) }, { Due: day(2024, 2, 1) }]);
  const { columns } = await server.must<{ columns: { fields: { type: string; widgetOptions: string } }[] }>(
    "GET",
    `${place.doc}/tables/Goods/columns`,
  );
  expect(columns[0]?.fields).toMatchObject({ type: "Date" });
  expect(JSON.parse(columns[0]?.fields.widgetOptions ?? "")).toMatchObject({ dateFormat: "D.M.YYYY" });
});

test("new columns have a currency if the document has another one, and times are in the document's time zone", async () => {
  const csv = "Name,Fee,At\nx,5.00 €,2024-07-01 12:00\n";
  await imported([typed("Name", "Text")], csv, "&addColumns=1");
  const { columns } = await server.must<{ columns: { id: string; fields: { type: string; widgetOptions: string } }[] }>(
    "GET",
    `${place.doc}/tables/Goods/columns`,
  );
  expect(columns.map(({ id, fields }) => [id, fields.type])).toEqual([
    ["Name", "Text"],
    ["Fee", "Numeric"],
    ["At", "DateTime:UTC"],
  ]);
  expect(JSON.parse(columns[1]?.fields.widgetOptions ?? "")).toMatchObject({ numMode: "currency", currency: "EUR" });
});

test("texts for missing values become blanks if all other values match the type", async () => {
  const columns = [typed("A", "Numeric"), typed("B", "Numeric"), typed("C", "Date")];
  const { rows } = await imported(columns, "A,B,C\n1,1,-\nn/a,n/a,-\n2,lots,-\n");
  expect(rows).toEqual([
    { A: 1, B: 1, C: null },
    { A: null, B: "n/a", C: null },
    { A: 2, B: "lots", C: null },
  ]);
});

test("numbers in JSON texts have a decimal point, in any language of the caller", async () => {
  place = await createDocumentFixture(server);
  await server.must("POST", `${place.doc}/tables`, { tables: [{ id: "Goods", columns: [typed("Price", "Numeric")] }] });
  const raw = new FormData();
  raw.append("upload", new File(['[{"Price": "1.234"}, {"Price": 2}]'], "x.json"));
  const headers = { "Accept-Language": "de" };
  const path = `${place.doc}/import?table=Goods`;
  expect((await server.call("owner", "POST", path, undefined, { raw, headers })).status).toBe(200);
  const { records } = await server.must<{ records: { fields: unknown }[] }>("GET", `${place.doc}/tables/Goods/records`);
  expect(records.map(({ fields }) => fields)).toEqual([{ Price: 1.234 }, { Price: 2 }]);
});

test("editors who cannot change the structure can also fill empty columns by an import", async () => {
  place = await createDocumentFixture(server);
  await server.must("PATCH", `${place.doc}/access`, { delta: { users: { "Emil@example.com": "editors" } } });
  await server.must("POST", `${place.doc}/tables`, {
    tables: [{ id: "Goods", columns: [{ id: "Due", fields: { isFormula: true } }] }],
  });
  await server.must("POST", `${place.doc}/apply`, [
    ["AddRecord", "_grist_ACLResources", -1, { tableId: "*", colIds: "*" }],
    ["AddRecord", "_grist_ACLRules", null, { resource: -1, aclFormula: "user.Access != OWNER", permissionsText: "-S" }],
  ]);
  const raw = new FormData();
  raw.append("upload", new File(["Due\n31.12.2024\n"], "x.csv"));
  const { status } = await server.call("editor", "POST", `${place.doc}/import?table=Goods`, undefined, { raw });
  expect(status).toBe(200);
  const { records } = await server.must<{ records: { fields: unknown }[] }>("GET", `${place.doc}/tables/Goods/records`);
  expect(records).toMatchObject([{ fields: { Due: day(2024, 12, 31) } }]);
});

test("texts in reference columns without a matching record stay texts and are counted, also in a dry run", async () => {
  place = await createDocumentFixture(server);
  const [people, goods] = ["People", "Goods"];
  await server.must("POST", `${place.doc}/tables`, { tables: [{ id: people, columns: [typed("Name", "Text")] }] });
  const records = ["Ada", "Bob"].map((Name) => ({ fields: { Name } }));
  await server.must("POST", `${place.doc}/tables/${people}/records`, { records });
  const columns = [typed("Owner", "Ref:People"), typed("Team", "RefList:People"), typed("Tags", "ChoiceList")];
  await server.must("POST", `${place.doc}/tables`, { tables: [{ id: goods, columns }] });
  await server.must("POST", `${place.doc}/apply`, [
    [
      "UpdateRecord",
      "_grist_Tables_column",
      await columnRef(goods, "Owner"),
      { visibleCol: await columnRef(people, "Name") },
    ],
    [
      "UpdateRecord",
      "_grist_Tables_column",
      await columnRef(goods, "Team"),
      { visibleCol: await columnRef(people, "Name") },
    ],
  ]);
  const csv = 'Owner,Team,Tags\nAda,"Ada, Bob","x, y"\nNobody,Bob,\nBob,"Ada, Nobody",x\n,Nobody,y\n';
  const send = async (query: string): Promise<Report> => {
    const raw = new FormData();
    raw.append("upload", new File([csv], "x.csv"));
    const path = `${place.doc}/import?table=${goods}${query}`;
    const { status, body } = await server.call("owner", "POST", path, undefined, { raw });
    expect(status).toBe(200);
    return body as Report;
  };
  for (const query of ["&dryRun=1", ""]) {
    const { tables } = await send(query);
    expect(tables[0]?.columns).toMatchObject([
      { id: "Owner", converted: 2, unconverted: 1, examples: ["Nobody"], firstValue: 1 },
      { id: "Team", converted: 2, unconverted: 2, examples: ["Ada, Nobody", "Nobody"] },
      { id: "Tags", converted: 3, unconverted: 0, examples: [] },
    ]);
  }
  const { records: rows } = await server.must<{ records: { fields: unknown }[] }>(
    "GET",
    `${place.doc}/tables/${goods}/records`,
  );
  expect(rows.map(({ fields }) => fields)).toEqual([
    { Owner: 1, Team: ["L", 1, 2], Tags: ["L", "x", "y"] },
    { Owner: "Nobody", Team: ["L", 2], Tags: null },
    { Owner: 2, Team: "Ada, Nobody", Tags: ["L", "x"] },
    { Owner: 0, Team: "Nobody", Tags: ["L", "y"] },
  ]);
});

test("a record that the caller cannot read matches no text, as if it did not exist", async () => {
  place = await createDocumentFixture(server);
  await server.must("PATCH", `${place.doc}/access`, { delta: { users: { "Emil@example.com": "editors" } } });
  await server.must("POST", `${place.doc}/tables`, { tables: [{ id: "People", columns: [typed("Name", "Text")] }] });
  const records = ["Ada", "Hidden"].map((Name) => ({ fields: { Name } }));
  await server.must("POST", `${place.doc}/tables/People/records`, { records });
  await server.must("POST", `${place.doc}/tables`, {
    tables: [{ id: "Goods", columns: [typed("Owner", "Ref:People")] }],
  });
  const visibleCol = await columnRef("People", "Name");
  await server.must("POST", `${place.doc}/apply`, [
    ["UpdateRecord", "_grist_Tables_column", await columnRef("Goods", "Owner"), { visibleCol }],
    ["AddRecord", "_grist_ACLResources", -1, { tableId: "People", colIds: "*" }],
    [
      "AddRecord",
      "_grist_ACLRules",
      null,
      { resource: -1, aclFormula: 'user.Access != OWNER and rec.Name == "Hidden"', permissionsText: "-R" },
    ],
  ]);
  const raw = new FormData();
  raw.append("upload", new File(["Owner\nAda\nHidden\nNobody\n"], "x.csv"));
  const path = `${place.doc}/import?table=Goods&dryRun=1`;
  const { status, body } = await server.call("editor", "POST", path, undefined, { raw });
  expect([status, (body as Report).tables?.[0]?.columns]).toMatchObject([
    200,
    [{ id: "Owner", converted: 1, unconverted: 2, examples: ["Hidden", "Nobody"] }],
  ]);
});

/** Returns the number of a column, for use as a display column. */
async function columnRef(table: string, id: string): Promise<number> {
  const { columns } = await server.must<{ columns: { id: string; fields: { colRef: number } }[] }>(
    "GET",
    `${place.doc}/tables/${table}/columns`,
  );
  return columns.find((column) => column.id === id)?.fields.colRef ?? 0;
}
