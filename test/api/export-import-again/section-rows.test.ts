/**
 * Checks that the query of a section's view selects the rows that a download of the section has, in the same order, for every grid of
 * every document in the folder QUERN_TEST_FIXTURES.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RecordJson, RecordsPage, TableListing, ColumnListing } from "../../../src/web/base/table-data.ts";
import { textOf } from "../../../src/web/base/views/metadata-values.ts";
import { rowsQuery } from "../../../src/web/base/view-query.ts";
import { columnsInSection } from "../../../src/web/base/views/field-settings.ts";
import { readSections, type SectionData } from "../../../src/web/base/views/section-data.ts";
import { readSectionView } from "../../../src/web/base/views/section-view.ts";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { createDocumentFixture, type DocumentFixture } from "../../helpers/request-steps.ts";

const folder = process.env["QUERN_TEST_FIXTURES"];
const documents = folder === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith(".grist"));

let server: TestApp;
let place: DocumentFixture;
const counts = { sections: 0, rows: 0, filtered: 0, sorted: 0 };
beforeAll(async () => {
  server = await testApp();
  place = await createDocumentFixture(server);
});
afterAll(() => {
  if (folder !== undefined) console.log("Rows of sections:", JSON.stringify(counts));
  return server[Symbol.asyncDispose]();
});

const SETTINGS = { locale: "en-US", timezone: "UTC" };

test.skipIf(folder === undefined)("the folder has documents (skipped without QUERN_TEST_FIXTURES)", () => {
  expect(documents).not.toEqual([]);
});

test.each(documents)("%s", async (name) => {
  const form = new FormData();
  form.append("upload", new File([new Uint8Array(readFileSync(join(folder ?? "", name)))], name));
  const { body } = await server.call("owner", "POST", `${place.shelf}/import`, undefined, { raw: form });
  const doc = `/o/docs/api/docs/${body.id}`;
  const { tables } = await server.must<{ tables: TableListing[] }>("GET", `${doc}/tables`);
  const tableIds = new Map(tables.map(({ id, fields }) => [fields.tableRef, id]));
  const records = async (table: string): Promise<readonly RecordJson[]> =>
    (await server.must<RecordsPage>("GET", `${doc}/tables/${table}/records?hidden=true`)).records;
  const sections = readSections(
    {
      sections: await records("_grist_Views_section"),
      fields: await records("_grist_Views_section_field"),
      filters: await records("_grist_Filters"),
    },
    tableIds,
  );
  for (const section of sections.filter(({ kind, table }) => kind === "record" && table !== null))
    await checkSection(doc, section);
});

async function checkSection(doc: string, section: SectionData): Promise<void> {
  const path = `${doc}/tables/${encodeURIComponent(section.table ?? "")}`;
  const { columns } = await server.must<{ columns: ColumnListing[] }>("GET", `${path}/columns?hidden=true`);
  const { state } = readSectionView(section, columns);
  const query = rowsQuery(state, { columns: columnsInSection(columns, section), settings: SETTINGS });
  const found = await server.must<RecordsPage>(
    "GET",
    `${path}/records?${new URLSearchParams({ ...query, hidden: "true" }).toString()}`,
  );
  const headers = { Host: "quern.test", Authorization: `Bearer ${server.keys.owner}` };
  const url = `http://quern.test${doc}/download/csv?viewSection=${section.ref}`;
  const answer = await server.app.handle(new Request(url, { headers }));
  const [, ...rows] = cellsOf(await answer.text());
  // Texts are the same in both; numbers and dates have formats.
  const shown = state.order.map((id) => columns.find((column) => column.id === id));
  const texts = shown.flatMap((column, at) => (column?.fields.type === "Text" && !column.fields.isFormula ? [at] : []));
  const wanted = rows.map((row) => texts.map((at) => row[at] ?? ""));
  const selected = found.records.map(({ fields }) => texts.map((at) => textOf(fields[shown[at]?.id ?? ""])));
  if (shown.length > 0) expect([section.ref, query, selected]).toEqual([section.ref, query, wanted]);
  counts.sections++;
  counts.rows += rows.length;
  counts.filtered += query.filter === undefined ? 0 : 1;
  counts.sorted += state.sort.length > 0 ? 1 : 0;
}

/** The cells of a CSV file. */
function cellsOf(text: string): string[][] {
  const rows: string[][] = [];
  for (const line of text.replaceAll("\r\n", "\n").matchAll(/((?:"(?:[^"]|"")*"|[^"\n])*)\n?/g)) {
    if (line[0] === "") continue;
    const cells = [...(line[1] ?? "").matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)];
    rows.push(cells.map(([, cell = ""]) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)));
  }
  return rows;
}
