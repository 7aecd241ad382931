import { afterAll, describe, expect, test } from "bun:test";
import { AppError } from "../../../src/errors.ts";
import { readVerbs } from "../../../src/hosts/verbs/reads.ts";
import { ruledDocument } from "../rules/reading.ts";
import { fetchData, fetchIds, grantOf, sampleDocument, type SampleRecord, textOf } from "./sample.ts";

const COUNT = 53;
const columns = { Name: "Text", Pages: "Int", City: "Choice" };
const rows = Array.from({ length: COUNT }, (_, at) => ({
  id: at * 3 + 1,
  Name: `${["Ash", "elm", "Fir"][at % 3] ?? ""}${(at * 17) % 30}`,
  Pages: (at * 7) % 5,
  City: ["Oslo", "Lima", "", "Oslo"][at % 4] ?? "",
  manualSort: (at * 389) % 1000,
}));

interface Leafed {
  records: SampleRecord[];
  total?: number;
}

type Document = ReturnType<typeof sampleDocument>;

const fetchPage = (document: Document, query: { offset?: string; limit?: string; sort?: string; filter?: string }) => {
  const asked = { table: "Books", hidden: false, typed: false, total: true, ...query };
  return JSON.parse(textOf(document, readVerbs["records.fetch"].run(document, grantOf("sample"), asked))) as Leafed;
};

const QUERIES = ["", "id", "-id", "manualSort", "Pages", "-Name:naturalSort", "City,-Pages"].flatMap((sort) =>
  ["", '{"City":["Oslo",""]}', '{"City":["Nowhere"]}'].map((filter) => ({ sort, filter })),
);

describe.each([
  ["without rules", sampleDocument([{ id: "Books", columns, rows }])],
  [
    "under rules",
    ruledDocument([{ id: "Books", columns, rows }], {
      "Books:*": [{ formula: "rec.Pages == 2", permissions: "-R" }],
      "Books:City": [{ formula: "rec.Pages == 3", permissions: "-R" }],
    }),
  ],
])("%s", (_, document) => {
  afterAll(() => document.close());

  test.each(QUERIES)("%j: the pages add up to all rows, and each has the total", (query) => {
    const whole = fetchIds(document, { table: "Books", ...query });
    const leafed: number[] = [];
    for (let offset = 0; offset < COUNT + 20; offset += 10) {
      const { records, total } = fetchPage(document, { ...query, offset: `${offset}`, limit: "10" });
      expect(total).toBe(whole.length);
      leafed.push(...records.map(({ id }) => id));
    }
    expect(leafed).toEqual(whole);
    expect(fetchData(document, { table: "Books", ...query, offset: "7", limit: "3" })["id"]).toEqual(
      whole.slice(7, 10),
    );
  });
});

test("pages reflect changes", () => {
  using document = sampleDocument([{ id: "Books", columns, rows }]);
  const ask = () => fetchPage(document, { sort: "-Pages", offset: "50", limit: "10" });
  const before = ask();
  document.db.transaction(() => document.db.run("delete from Books where id in (1, 4)"));
  expect([before.total, ask().total]).toEqual([53, 51]);
  expect(ask().records).toHaveLength(1);
});

test.each(["-1", "x", "NaN"])("an offset of %s is refused", (offset) => {
  using document = sampleDocument([{ id: "Books", columns, rows }]);
  expect(() => fetchPage(document, { offset })).toThrow(AppError);
});

test("a table that the file lacks has no pages", () => {
  using document = sampleDocument([{ id: "Books", columns, rows }]);
  const query = { table: "_grist_Attachments", hidden: false, typed: false, total: true, offset: "5" };
  const answer = readVerbs["records.fetch"].run(document, grantOf("sample"), query);
  expect(JSON.parse(textOf(document, answer))).toEqual({ records: [], total: 0 });
});
