import { expect, test } from "bun:test";
import { applyUserActions, type UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import type { OpenDocument } from "../../../src/doc/document.ts";
import { exportedSection } from "../../../src/doc/read/exported-section.ts";
import { visibilityFor } from "../../../src/doc/read/visibility-filter.ts";
import { drainMeasurements } from "../../../src/lib/observability/measurements.ts";
import { must } from "../../../src/lib/assert.ts";
import { ANN } from "../actions/scratch.ts";
import { grantOf, sampleDocument } from "../read/sample.ts";

const ROWS = 4000;
const WIDGET = 99;

/** A table with a widget: numbers in another order than the ids, and a text that 40 rows share. */
function largeDocument(): OpenDocument {
  const rows = Array.from({ length: ROWS }, (_, at) => ({ Price: (at * 7) % ROWS, Code: `code ${at % 100}` }));
  const columns = { Price: "Numeric", Code: "Text" };
  const document = sampleDocument([{ id: "T", columns, rows }], { indexes: { minRows: 1000 } });
  const { ref } = must(document.schema.tableById.get("T"));
  document.db.run("insert into _grist_Views_section (id, tableRef) values (?, ?)", WIDGET, ref);
  return document;
}

const apply = (document: OpenDocument, ...actions: UserAction[]) =>
  applyUserActions(document, actions, { parse: false, user: ANN, nowMs: 0 });

/** Returns the ids of the rows of the widget with these filters by column. */
function exportIds(
  document: OpenDocument,
  filters: Readonly<Record<string, object>>,
  role: "owners" | "viewers" = "owners",
): number[] {
  const columns = must(document.schema.tableById.get("T")).columnById;
  const specs = Object.entries(filters).map(([id, filter]) => ({
    colRef: must(columns.get(id)).ref,
    filter: JSON.stringify(filter),
  }));
  const visibility = visibilityFor(document, grantOf("sample", role));
  const overrides = { filters: JSON.stringify(specs) };
  return [...exportedSection(visibility, { db: document.db }, String(WIDGET), overrides).batches()]
    .flat()
    .map(([id]) => Number(id));
}

/** Returns how often an index answered while `work` ran. */
function hitsDuring(work: () => void): number {
  drainMeasurements();
  work();
  return drainMeasurements().counts.indexHits ?? 0;
}

function buildAfterTwo(document: OpenDocument, read: () => void): void {
  read();
  read();
  while (document.ownIndexes?.runStep(1000));
}

const idsWhere = (document: OpenDocument, condition: string): number[] =>
  document.db.values(`select id from T where ${condition} order by manualSort`).map(([id]) => Number(id));

test("a widget's range filter that repeats is answered by an index, in step with changes", () => {
  using document = largeDocument();
  const read = (): number[] => exportIds(document, { Price: { min: 100, max: 110 } });
  const expected = read();
  expect(expected).toEqual(idsWhere(document, "Price between 100 and 110"));
  buildAfterTwo(document, read);
  expect(hitsDuring(() => expect(read()).toEqual(expected))).toBeGreaterThan(0);
  const cells = [100, 110, 99.5, 110.5, null, "105", ["E", "ValueError"]];
  apply(document, ["BulkUpdateRecord", "T", cells.map((_, at) => at + 1), { Price: cells }]);
  apply(document, ["RemoveRecord", "T", must(expected.at(-1))]);
  expect(read()).toEqual(idsWhere(document, "typeof(Price) <> 'text' and Price between 100 and 110"));
});

test("the condition that finds fewer rows selects them, and the others are checked", () => {
  using document = largeDocument();
  const wide = { Price: { min: 0, max: 300 }, Code: { included: ["code 7"] } };
  const read = (): number[] => exportIds(document, wide);
  buildAfterTwo(document, read);
  const expected = idsWhere(document, "Price between 0 and 300 and Code = 'code 7'");
  expect(expected.length).toBeGreaterThan(0);
  expect(read()).toEqual(expected);
  expect(exportIds(document, { ...wide, Price: { min: 5, max: 6 } })).toEqual(
    idsWhere(document, "Price between 5 and 6 and Code = 'code 7'"),
  );
});

test("a range of most rows is read in the order of the table", () => {
  using document = largeDocument();
  const read = (): number[] => exportIds(document, { Price: { min: 10 } });
  buildAfterTwo(document, read);
  expect(read()).toEqual(idsWhere(document, "Price >= 10"));
});

test("a filter that very many rows pass keeps the order of the table", () => {
  using document = largeDocument();
  document.db.exec(`with recursive n(id) as (select ${ROWS + 1} union all select id + 1 from n where id < 170000)
    insert into T (id, manualSort, Price) select id, -(id % 97), id % 3 from n`);
  const filter = { Price: { max: 1 } };
  const expected = document.db
    .values("select id from T where Price <= 1 order by manualSort, id")
    .map(([id]) => Number(id));
  expect(expected.length).toBeGreaterThan(100_000);
  expect(exportIds(document, filter)).toEqual(expected);
});

test("ranges of callers from whom rules hide rows are read without indexes", () => {
  using document = largeDocument();
  apply(
    document,
    ["AddRecord", "_grist_ACLResources", -1, { tableId: "T", colIds: "*" }],
    [
      "AddRecord",
      "_grist_ACLRules",
      null,
      { resource: -1, aclFormula: "user.Access != 'owners' and rec.Price == 105", permissionsText: "none" },
    ],
  );
  const filter = { Price: { min: 100, max: 110 } };
  buildAfterTwo(document, () => exportIds(document, filter));
  expect(hitsDuring(() => exportIds(document, filter))).toBeGreaterThan(0);
  const visible = idsWhere(document, "Price between 100 and 110 and Price <> 105");
  const hits = hitsDuring(() => expect(exportIds(document, filter, "viewers")).toEqual(visible));
  expect(hits).toBe(0);
});

test("removed rows that an index still finds are not exported", () => {
  using document = largeDocument();
  const code = { Code: { included: ["code 7"] } };
  buildAfterTwo(document, () => exportIds(document, code));
  expect(exportIds(document, code)).toHaveLength(40);
  const removed = idsWhere(document, "Code = 'code 7' and id % 400 < 200");
  apply(document, ["BulkRemoveRecord", "T", removed]);
  const expected = idsWhere(document, "Code = 'code 7'");
  let exported: number[] = [];
  expect(
    hitsDuring(() => {
      exported = exportIds(document, code);
    }),
  ).toBe(1);
  expect([removed.length, exported]).toEqual([20, expected]);
});
