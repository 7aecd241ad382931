/**
 * Checks that tables with columns of every type and format show the same texts after export and import, and have the
 * types that docs/imports.md promises, in several languages.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { createDocumentFixture, type DocumentFixture } from "../../helpers/request-steps.ts";
import { DELIMITED, differences, type ImportedTable, RoundTrips, type ShownTable } from "./round-trip.ts";
import { type GeneratedColumn, type GeneratedTable, TABLES } from "./tables.ts";

let server: TestApp;
let place: DocumentFixture;
let trips: RoundTrips;
beforeAll(async () => {
  server = await testApp();
  place = await createDocumentFixture(server);
  trips = new RoundTrips(server, place.shelf);
});
afterAll(() => server[Symbol.asyncDispose]());

const idOf = ({ label }: GeneratedColumn): string => label.replaceAll(" ", "_");

/** Creates a document of all tables in a language and returns its path. */
async function made(locale: string): Promise<string> {
  const uuid = await server.must<string>("POST", `${place.shelf}/docs`, { name: locale });
  const doc = `/o/docs/api/docs/${uuid}`;
  await server.must("POST", `${doc}/apply`, [
    ["UpdateRecord", "_grist_DocInfo", 1, { documentSettings: JSON.stringify({ locale }) }],
    ["RemoveTable", "Table1"],
    ...TABLES.flatMap(actionsOf),
  ]);
  for (const table of TABLES) await showColumns(doc, table);
  return doc;
}

function actionsOf({ id, columns }: GeneratedTable): unknown[] {
  const added = columns.map((column) => ({
    id: idOf(column),
    label: column.label,
    type: column.type,
    widgetOptions: JSON.stringify(column.options ?? {}),
    isFormula: column.formula !== undefined,
    formula: column.formula ?? "",
  }));
  const rows = Array.from({ length: Math.max(...columns.map(({ values }) => values.length)) }, () => null);
  const filled = columns.filter(({ formula }) => formula === undefined);
  const cells = filled.map((column) => [idOf(column), rows.map((_, row) => column.values[row] ?? null)]);
  return [
    ["AddTable", id, added],
    ["BulkAddRecord", id, rows, Object.fromEntries(cells)],
  ];
}

/** Sets the display columns of references. */
async function showColumns(doc: string, { id, columns }: GeneratedTable): Promise<void> {
  for (const column of columns) {
    if (column.shows === undefined) continue;
    const target = column.type.split(":")[1] ?? "";
    const shown = (await trips.columns(doc, target)).find(({ label }) => label === column.shows);
    const own = (await trips.columns(doc, id)).find(({ label }) => label === column.label);
    await server.must("POST", `${doc}/apply`, [
      ["UpdateRecord", "_grist_Tables_column", own?.colRef, { visibleCol: shown?.colRef }],
      ["SetDisplayFormula", id, null, own?.colRef, `$${idOf(column)}.${shown?.id}`],
    ]);
  }
}

/** Returns what a table should show after import from a workbook or a text file. */
function expected(before: ShownTable, columns: readonly GeneratedColumn[], by: "text" | "workbook"): ShownTable {
  const rows = before.rows.map((row) =>
    row.map((shown, at) => {
      const change = columns[at]?.changes?.[by];
      return change ? change(shown) : shown;
    }),
  );
  return { labels: before.labels, rows };
}

const typesOf = ({ types }: ImportedTable): (string | undefined)[] => types.map((type) => type.split(":")[0]);

describe.each(["en-US", "en-GB", "de-DE", "fr-FR", "de-CH", "ja-JP"])("%s", (locale) => {
  let doc: string;
  beforeAll(async () => {
    doc = await made(locale);
  });

  // Locales with a decimal comma and with a decimal point cover the others.
  const formats = locale === "en-US" || locale === "de-DE" ? DELIMITED : (["csv"] as const);
  test.each([...formats])("as %s all cells show the same, and columns get the types of the docs", async (format) => {
    for (const { id, columns } of TABLES) {
      const before = expected(await trips.shown(doc, id), columns, "text");
      const file = new File([await trips.download(doc, `${format}?tableId=${id}`)], `${id}.${format}`);
      const [after] = await trips.imported(file, { locale });
      expect([id, after?.shown.labels]).toEqual([id, before.labels]);
      expect([id, after && differences(before, after.shown)]).toEqual([id, []]);
      expect([id, after && typesOf(after)]).toEqual([id, columns.map(({ becomes }) => becomes)]);
    }
  });

  test("as a workbook of the document all cells show the same, and columns get the types of the docs", async () => {
    const imported = await trips.imported(new File([await trips.download(doc, "xlsx")], "all.xlsx"), { locale });
    expect(imported.map(({ id }) => id)).toEqual(TABLES.map(({ id }) => id));
    for (const [at, { id, columns }] of TABLES.entries()) {
      const before = expected(await trips.shown(doc, id), columns, "workbook");
      const after = imported[at];
      expect([id, after?.shown.labels]).toEqual([id, before.labels]);
      expect([id, after && differences(before, after.shown)]).toEqual([id, []]);
      const types = columns.map(({ becomes, inWorkbook }) => inWorkbook ?? becomes);
      expect([id, after && typesOf(after)]).toEqual([id, types]);
    }
  });
});
