/** Checks that exported and imported files have the same values, for all types of columns. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { createDocumentFixture, type DocumentFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp();
  place = await createDocumentFixture(server);
  const targets = [
    { id: "Teams", columns: [{ id: "Title", fields: { type: "Text" } }] },
    { id: "All", columns: COLUMNS },
    { id: "Again", columns: COLUMNS },
  ];
  for (const table of targets) await server.must("POST", `${place.doc}/tables`, { tables: [table] });
  const titles = ["Red, inc", "Blue", 'The "third"'];
  await addAll(
    "Teams",
    titles.map((Title) => ({ Title })),
  );
  for (const table of ["All", "Again"]) await showTitles(table);
  await addAll("All", ROWS);
});
afterAll(() => server[Symbol.asyncDispose]());

const COLUMNS = [
  { id: "Text", fields: { type: "Text" } },
  { id: "Num", fields: { type: "Numeric" } },
  { id: "Money", fields: { type: "Numeric", widgetOptions: '{"numMode":"currency","currency":"EUR","decimals":2}' } },
  { id: "Paren", fields: { type: "Numeric", widgetOptions: '{"numSign":"parens"}' } },
  { id: "Share", fields: { type: "Numeric", widgetOptions: '{"numMode":"percent","decimals":1}' } },
  { id: "Int", fields: { type: "Int" } },
  { id: "Bool", fields: { type: "Bool" } },
  { id: "Day", fields: { type: "Date" } },
  { id: "Fancy", fields: { type: "Date", widgetOptions: '{"dateFormat":"MMMM Do, YYYY"}' } },
  { id: "At", fields: { type: "DateTime:America/New_York" } },
  {
    id: "Clock",
    fields: { type: "DateTime:UTC", widgetOptions: '{"dateFormat":"DD.MM.YYYY","timeFormat":"HH:mm:ss"}' },
  },
  { id: "Pick", fields: { type: "Choice" } },
  { id: "Picks", fields: { type: "ChoiceList" } },
  { id: "One", fields: { type: "Ref:Teams" } },
  { id: "Many", fields: { type: "RefList:Teams" } },
];

const ROWS = [
  {
    Text: ' "quoted", with\nlines ',
    Num: 1234.5678,
    Money: -1234.5,
    Paren: -7,
    Share: 0.125,
    Int: -42,
    Bool: true,
    Day: "2024-02-29",
    Fancy: "1999-12-31",
    At: "2024-07-04T16:30:00Z",
    Clock: "2024-07-04T16:30:15Z",
    Pick: "a, b",
    Picks: ["L", "x", "y, z", 'say "hi"'],
    One: 1,
    Many: ["L", 3, 1],
  },
  { Text: "=1+1", Num: 1e-7, Money: 0, Paren: 0, Share: 1, Int: 0, Bool: false, Pick: "", One: 0 },
  { Text: "日本語 😀", Num: 1e15, Int: 2_147_483_647, Pick: "", Picks: ["L", "one"], One: 2, Many: ["L", 2] },
];

const addAll = (table: string, rows: readonly object[]) =>
  server.must("POST", `${place.doc}/tables/${table}/records?noparse=1`, {
    records: rows.map((fields) => ({ fields: { ...emptyRow(table), ...fields } })),
  });

const emptyRow = (table: string): object =>
  table === "All"
    ? Object.fromEntries(COLUMNS.map(({ id, fields }) => [id, /Num|Int|Date/.test(fields.type) ? null : undefined]))
    : {};

/** Makes both references display the titles of teams. */
async function showTitles(table: string): Promise<void> {
  interface Columns {
    columns: { id: string; fields: { colRef: number } }[];
  }
  const teams = await server.must<Columns>("GET", `${place.doc}/tables/Teams/columns`);
  const own = await server.must<Columns>("GET", `${place.doc}/tables/${table}/columns`);
  const title = teams.columns[0]?.fields.colRef;
  for (const id of ["One", "Many"]) {
    const ref = own.columns.find((column) => column.id === id)?.fields.colRef;
    await server.must("PATCH", `${place.doc}/tables/${table}/columns`, {
      columns: [{ id, fields: { visibleCol: title } }],
    });
    await server.must("POST", `${place.doc}/apply`, [["SetDisplayFormula", table, null, ref, `$${id}.Title`]]);
  }
}

async function download(path: string): Promise<Blob> {
  const headers = { Host: "quern.test", Authorization: `Bearer ${server.keys.owner}` };
  const answer = await server.app.handle(
    new Request(`http://quern.test${place.doc}/download${path.startsWith("?") ? path : `/${path}`}`, { headers }),
  );
  expect(answer.status).toBe(200);
  return answer.blob();
}

async function upload(path: string, name: string, content: Blob) {
  const raw = new FormData();
  raw.append("upload", new File([content], name));
  const reply = await server.call("owner", "POST", path, undefined, { raw });
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return reply.body as { id: string };
}

interface Records {
  records: { id: number; fields: Record<string, unknown> }[];
}
const recordsOf = async (doc: string, table: string) =>
  (await server.must<Records>("GET", `${doc}/tables/${table}/records`)).records.map(({ fields }) => fields);

test.each(["csv", "tsv", "dsv"])("%s, into a table with the same columns", async (format) => {
  await upload(`${place.doc}/import?table=Again`, `again.${format}`, await download(`${format}?tableId=All`));
  expect(await recordsOf(place.doc, "Again")).toEqual(await recordsOf(place.doc, "All"));
  await server.must("POST", `${place.doc}/apply`, [["ReplaceTableData", "Again", [], {}]]);
});

test("a workbook, as a new document: numbers, dates and booleans as such, all others as text", async () => {
  const { id } = await upload(`${place.shelf}/import`, "all.xlsx", await download("xlsx?tableId=All&header=colId"));
  const [first] = await recordsOf(`/o/docs/api/docs/${id}`, "All");
  const [original] = await recordsOf(place.doc, "All");
  expect(first).toEqual({
    ...original,
    // Local time of New York, without the time zone.
    At: Number(original?.["At"]) - 4 * 3600,
    Picks: 'x; y, z; say "hi"',
    One: "Red, inc",
    Many: '"The ""third""", "Red, inc"',
  });
});

test("a document, as a document", async () => {
  const { id } = await upload(`${place.shelf}/import`, "whole.grist", await download("?nohistory=1"));
  expect(await recordsOf(`/o/docs/api/docs/${id}`, "All")).toEqual(await recordsOf(place.doc, "All"));
});
