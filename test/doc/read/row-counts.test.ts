/** Numbers of rows, and pages found with their help, in tables of several ranges of ids. */
import { afterAll, describe, expect, test } from "bun:test";
import { readVerbs } from "../../../src/hosts/verbs/reads.ts";
import { ruledDocument } from "../rules/reading.ts";
import { grantOf, sampleDocument, type SampleRecord, textOf } from "./sample.ts";

const COUNT = 1500;
const columns = { Weight: "Int", City: "Text", Part: "Int" };
/** Ids with gaps of different sizes: some ranges have many rows, others none. */
const rows = Array.from({ length: COUNT }, (_, at) => ({
  id: at * 3 + (at > 500 ? 30_000 : 1) + (at > 1400 ? 900_000 : 0),
  Weight: (at * 7919) % 1000,
  City: ["Oslo", "Lima", "Graz", ""][at % 4] ?? "",
  Part: at % 5,
  manualSort: at,
}));
type Document = ReturnType<typeof sampleDocument>;

const FILTERS = [
  { Weight: { gte: 0 } },
  { Weight: { lt: 300 } },
  { Weight: { gt: 5000 } },
  { City: ["Oslo", "Graz"] },
  { City: { startsWith: "Gr" }, Weight: { gte: 100 } },
];
const SORTS = ["", "id", "-id", "manualSort", "-manualSort"];
const OFFSETS = [0, 1, 99, 700, 1399, 1405, 5000];

function read(document: Document, query: Record<string, string>): { ids: number[]; total: number | undefined } {
  const args = { table: "Books", hidden: false, typed: false, total: true, limit: "20", ...query };
  const text = textOf(document, readVerbs["records.fetch"].run(document, grantOf("sample"), args));
  const { records, total } = JSON.parse(text) as { records: SampleRecord[]; total?: number };
  return { ids: records.map(({ id }) => id), total };
}

function matching(
  filter: (typeof FILTERS)[number],
  sort: string,
  isSeen: (row: (typeof rows)[number]) => boolean,
): number[] {
  const ids = rows
    .filter(isSeen)
    .filter(({ Weight, City }) => {
      const { gte = 0, lt = Infinity, gt = -1 } = (filter.Weight ?? {}) as Record<string, number>;
      const isCity = !filter.City || (Array.isArray(filter.City) ? filter.City.includes(City) : City.startsWith("Gr"));
      return isCity && Weight >= gte && Weight < lt && Weight > gt;
    })
    .map(({ id }) => id);
  return sort.startsWith("-") ? ids.toReversed() : ids;
}

describe.each([
  ["without rules", () => sampleDocument([{ id: "Books", columns, rows }]), () => true],
  [
    "under rules for rows",
    () =>
      ruledDocument([{ id: "Books", columns, rows }], {
        "Books:*": [{ formula: "rec.Part == 2", permissions: "-R" }],
      }),
    ({ Part }: (typeof rows)[number]) => Part !== 2,
  ],
])("%s", (_, make, isSeen) => {
  // The first query decides how rows are counted, so each one has a document of its own.
  test.each(FILTERS.flatMap((filter) => SORTS.map((sort) => ({ filter, sort }))))(
    "%j: each page has the total, and the rows of its place",
    ({ filter, sort }) => {
      const document = make();
      const expected = matching(filter, sort, isSeen);
      for (const offset of OFFSETS) {
        const found = read(document, { filter: JSON.stringify(filter), sort, offset: String(offset) });
        expect(found).toEqual({ total: expected.length, ids: expected.slice(offset, offset + 20) });
      }
      document.close();
    },
  );
});

describe("a column with marshalled cells", () => {
  const document = sampleDocument([{ id: "Books", columns, rows }]);
  afterAll(() => document.close());

  test("is counted cell by cell, wherever they are", () => {
    // The number 7: SQLite compares it with no other number.
    const seven = Buffer.from("6907000000", "hex");
    document.db.transaction(() =>
      document.db.run("update Books set Weight = ? where id = ?", seven, rows[1450]?.id ?? 0),
    );
    const filter = JSON.stringify({ Weight: { lt: 300 } });
    const expected = rows.filter(({ Weight }, at) => at === 1450 || Weight < 300).map(({ id }) => id);
    for (const offset of OFFSETS)
      expect(read(document, { filter, offset: String(offset) })).toEqual({
        total: expected.length,
        ids: expected.slice(offset, offset + 20),
      });
  });

  test("is counted again after a change", () => {
    const filter = JSON.stringify({ City: { startsWith: "Gr" } });
    const before = read(document, { filter }).total ?? 0;
    document.db.transaction(() => document.db.run("update Books set City = 'Graz' where id = ?", rows[0]?.id ?? 0));
    expect(read(document, { filter, offset: "10" }).total).toBe(before + 1);
  });
});
