/**
 * Checks that every table of every document in a folder shows the same texts after export and import, and that its
 * columns have the types that docs/imports.md promises. QUERN_TEST_FIXTURES names the folder of documents (`.grist`);
 * without it there is nothing to test.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { createDocumentFixture, type DocumentFixture } from "../../helpers/request-steps.ts";
import {
  type ColumnInfo,
  DELIMITED,
  differences,
  type ImportedTable,
  RoundTrips,
  type ShownTable,
} from "./round-trip.ts";

const folder = process.env["QUERN_TEST_FIXTURES"];
const documents = folder === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith(".grist"));

let server: TestApp;
let place: DocumentFixture;
let trips: RoundTrips;
const counts = { tables: 0, imports: 0, cells: 0, types: 0 };
beforeAll(async () => {
  server = await testApp();
  place = await createDocumentFixture(server);
  trips = new RoundTrips(server, place.shelf);
});
afterAll(() => {
  if (folder !== undefined) console.log("Export and import again:", JSON.stringify(counts));
  return server[Symbol.asyncDispose]();
});

test.skipIf(folder === undefined)("the folder has documents (skipped without QUERN_TEST_FIXTURES)", () => {
  expect(documents).not.toEqual([]);
});

test.each(documents)("%s", async (name) => {
  const doc = await uploaded(name);
  const locale = await localeOf(doc);
  const problems: unknown[] = [];
  for (const table of await trips.tables(doc)) {
    const before = await trips.shown(doc, table);
    if (before.labels.length === 0) continue;
    const columns = await exportedColumns(doc, table, before);
    const types = await promisedTypes(doc, table, { columns, before });
    counts.tables++;
    for (const format of [...DELIMITED, "xlsx"]) {
      const file = new File([await trips.download(doc, `${format}?tableId=${table}`)], `${table}.${format}`);
      const [after] = await trips.imported(file, { locale });
      if (!after) throw new Error(`Nothing was imported from ${file.name}`);
      const leftOut = format === "xlsx" ? leftOutOf(columns) : new Set();
      const different = differences(before, after.shown).filter(({ column }) => !leftOut.has(column));
      const found = { labels: after.shown.labels, different, types: asPromised(types, after) };
      const wanted = { labels: before.labels, different: [], types };
      if (!Bun.deepEquals(found, wanted)) problems.push({ file: file.name, found, wanted });
      counts.imports++;
      counts.cells += before.rows.length * before.labels.length;
      counts.types += types.filter((type) => type !== null).length;
    }
  }
  expect(problems).toEqual([]);
});

async function uploaded(name: string): Promise<string> {
  const form = new FormData();
  form.append("upload", new File([new Uint8Array(readFileSync(join(folder ?? "", name)))], name));
  const { status, body } = await server.call("owner", "POST", `${place.shelf}/import`, undefined, { raw: form });
  expect([name, status]).toEqual([name, 200]);
  return `/o/docs/api/docs/${body.id}`;
}

async function localeOf(doc: string): Promise<string> {
  const { records } = await server.must<{ records: { fields: { documentSettings: string } }[] }>(
    "GET",
    `${doc}/tables/_grist_DocInfo/records`,
  );
  const settings: unknown = JSON.parse(records[0]?.fields.documentSettings || "{}");
  const locale = (settings as { locale?: unknown }).locale;
  return typeof locale === "string" && locale !== "" ? locale : "en-US";
}

/** Returns the columns of a table in export order. */
async function exportedColumns(doc: string, table: string, { labels }: ShownTable): Promise<ColumnInfo[]> {
  const ids = (await (await trips.download(doc, `csv?tableId=${table}&header=colId`)).text())
    .split("\n")[0]
    ?.split(",");
  const columns = await trips.columns(doc, table);
  return labels.map((_, at) => {
    const column = columns.find(({ id }) => id === ids?.[at]);
    if (!column) throw new Error(`${table} has no column ${ids?.[at]}`);
    return column;
  });
}

/** Parts of formats that are not a day, month or year: an import does not detect such texts as dates. */
const NO_WHOLE_DATE = /\[|d{1,4}|Q|[EeWwZzXxGg]/;

/**
 * Returns the types that an import has to detect from the displayed texts; null for columns without a promise: without
 * values, with many non-matching texts, Bool with blanks or a single value, dates in formats without a whole date.
 */
async function promisedTypes(
  doc: string,
  table: string,
  { columns, before }: { columns: readonly ColumnInfo[]; before: ShownTable },
): Promise<(string | null)[]> {
  const data = await server.must<Record<string, unknown[]>>("GET", `${doc}/tables/${table}/data`);
  return columns.map(({ id, type, widgetOptions }, at) => {
    const [base = ""] = type.split(":");
    const values = (data[id] ?? []).filter((value) => value !== null && value !== "");
    const shown = before.rows.map((row) => row[at] ?? "").filter((text) => text !== "");
    if (shown.length === 0) return null;
    const numbers = values.filter((value) => typeof value === "number").length;
    const isMostly = numbers >= 0.9 * values.length;
    const { dateFormat = "" } = JSON.parse(widgetOptions || "{}") as { dateFormat?: string };
    if (base === "Numeric") return isMostly ? base : null;
    if (base === "Date" || base === "DateTime") return isMostly && !NO_WHOLE_DATE.test(dateFormat) ? base : null;
    if (base === "Bool") return new Set(shown).size === 2 && shown.length === before.rows.length ? base : null;
    return base === "Text" && shown.some((text) => !/\d/.test(text) && !/^(true|false)$/i.test(text)) ? base : null;
  });
}

/** Returns the columns that a workbook holds in another form than the displayed one. */
const leftOutOf = (columns: readonly ColumnInfo[]): ReadonlySet<string> =>
  new Set(columns.filter(({ type }) => /^(ChoiceList|Ref|RefList|Attachments)/.test(type)).map(({ label }) => label));

/** Returns the types detected by an import, for columns with a promise. */
const asPromised = (types: readonly (string | null)[], after: ImportedTable): (string | null | undefined)[] =>
  types.map((type, at) => (type === null ? null : after.types[at]?.split(":")[0]));
