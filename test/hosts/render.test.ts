import { afterAll, describe, expect, test } from "bun:test";
import { AppError } from "../../src/errors.ts";
import type { Rendered } from "../../src/hosts/documents.ts";
import { readVerbs } from "../../src/hosts/verbs/reads.ts";
import { decode, grantOf, sampleDocument, textOf } from "../doc/read/sample.ts";
import { SECOND, TestClock } from "../helpers/clock.ts";

const ROWS = 12_000;
const clock = new TestClock();
const document = sampleDocument(
  [
    {
      id: "Big",
      columns: { Name: "Text", N: "Int", List: "ChoiceList", Missing: "Any", Long: "Text" },
      rows: Array.from({ length: ROWS }, (_, at) => ({
        Name: `row ${(at * 7919) % 12_007}`,
        N: (at * 31) % 1000,
        List: at % 3 ? ["L", "a", `b${at}`] : null,
        Long: "long ".repeat(at % 150),
      })),
    },
  ],
  { clock },
);
afterAll(() => document.close());
const grant = grantOf("11111111-2222-4333-8444-555555555555");

const fetchRecords = (query: { sort?: string; filter?: string; limit?: string } = {}): Rendered =>
  readVerbs["records.fetch"].run(document, grant, { table: "Big", hidden: false, typed: false, ...query });
const fetchData = (query: { sort?: string; filter?: string; limit?: string } = {}): Rendered =>
  readVerbs["data.fetch"].run(document, grant, { table: "Big", typed: false, ...query });

interface Records {
  records: { id: number; fields: Record<string, unknown> }[];
}

/** Returns the answer as records, read in chunks of one message each. */
function recordsInParts(sort?: string): Records["records"] {
  const order = (JSON.parse(textOf(document, fetchRecords({ ...(sort && { sort }), limit: "0" }))) as Records).records;
  const parts: Records["records"] = [];
  for (let at = 0; at < ROWS; at += 3000) {
    const ids = order.slice(at, at + 3000).map(({ id }) => id);
    const answer = fetchRecords({ filter: JSON.stringify({ id: ids }), ...(sort && { sort }) });
    if (answer.kind !== "bytes") throw new Error("too large for this test");
    parts.push(...(JSON.parse(decode(answer.bytes)) as Records).records);
  }
  return parts;
}

describe("a large answer is chunked", () => {
  test.each([undefined, "-id", "N", "-Name"])("records sorted by %s", (sort) => {
    const answer = fetchRecords(sort === undefined ? {} : { sort });
    expect(answer.kind).toBe("cursor");
    const { records } = JSON.parse(textOf(document, answer)) as Records;
    expect(records).toHaveLength(ROWS);
    expect(records).toEqual(recordsInParts(sort));
    expect(document.cursors.size).toBe(0);
  });

  test.each([undefined, "-Name"])("data sorted by %s", (sort) => {
    const answer = fetchData(sort === undefined ? {} : { sort });
    expect(answer.kind).toBe("cursor");
    const data = JSON.parse(textOf(document, answer)) as Record<string, unknown[]>;
    expect(Object.keys(data)).toEqual(["id", "manualSort", "Name", "N", "List", "Missing", "Long"]);
    const records = recordsInParts(sort);
    expect(data["id"]).toEqual(records.map(({ id }) => id));
    for (const column of ["Name", "N", "List", "Missing", "Long"]) {
      expect(data[column]).toEqual(records.map(({ fields }) => fields[column]));
    }
  });

  test("a limit or filter that leaves few rows avoids chunking", () => {
    expect(fetchRecords({ limit: "5000" }).kind).toBe("bytes");
    expect(fetchRecords({ filter: '{"N":[3,4]}' }).kind).toBe("bytes");
    expect(fetchData({ limit: "5000", sort: "Name" }).kind).toBe("bytes");
  });

  test.each(["%s read a snapshot, whatever is committed meanwhile", "data"])(
    "%s show one moment, whatever is committed meanwhile",
    (form) => {
      const answer = form === "data" ? fetchData() : fetchRecords();
      document.db.run("update Big set Long = 'changed', N = -1");
      document.db.exec("delete from Big where id > 6000");
      document.onChanged({ schema: false });
      const text = textOf(document, answer);
      expect(text).not.toContain("changed");
      const parsed = JSON.parse(text) as Records & { id: number[] };
      expect((parsed.records ?? parsed.id).length).toBe(form === "data" ? 6000 : ROWS);
      // Keep enough rows for the next round to be large.
      document.db.run("update Big set Long = ?", "long ".repeat(200));
      document.onChanged({ schema: false });
    },
  );
});

describe("a cursor", () => {
  const open = () => {
    const answer = fetchRecords();
    if (answer.kind !== "cursor") throw new Error("not large");
    return answer.cursor;
  };

  test("ends when it was read, released or idle for long", () => {
    const [released, unused, used] = [open(), open(), open()];
    expect(document.cursors.size).toBe(3);
    document.cursors.close(released);
    document.cursors.close(released);
    clock.pass(20 * SECOND);
    expect(document.cursors.next(used)).toBeInstanceOf(Uint8Array);
    clock.pass(5 * SECOND);
    document.cursors.closeIdleSince(clock.elapsed() - 10 * SECOND);
    expect(document.cursors.size).toBe(1);
    for (const cursor of [released, unused, "never was"]) {
      expect(() => document.cursors.next(cursor)).toThrow(expect.objectContaining({ code: "unavailable" }));
    }
    while (document.cursors.next(used)) expect(document.cursors.size).toBe(1);
    expect(document.cursors.size).toBe(0);
    expect(() => document.cursors.next(used)).toThrow(AppError);
  });

  test("counts against a limit", () => {
    const cursors = Array.from({ length: 64 }, open);
    expect(open).toThrow(expect.objectContaining({ code: "tooMany" }));
    for (const cursor of cursors) document.cursors.close(cursor);
    document.cursors.close(open());
  });
});

describe("ETags", () => {
  const fetch = (seed: string, tags: string[]) =>
    readVerbs["records.fetch"].run(document, grant, {
      table: "Big",
      hidden: false,
      typed: false,
      limit: "1",
      condition: { seed, tags },
    });

  test("are checked without reading", () => {
    const { tag } = fetch("seed", []);
    expect(tag).toMatch(/^[0-9a-f]{32}$/);
    expect(fetch("seed", ["other", tag])).toEqual({ kind: "unchanged", tag });
    // Not even an unknown column is checked.
    const unread = { table: "Nope", hidden: false, typed: false, condition: { seed: "seed", tags: [tag] } };
    expect(readVerbs["records.fetch"].run(document, grant, unread).kind).toBe("unchanged");
  });

  test("differ by seed, document and commit", () => {
    const before = fetch("seed", []).tag;
    expect(fetch("another", [before]).kind).toBe("bytes");
    const elsewhere = readVerbs["tables.list"].run(document, grantOf("22222222-2222-4333-8444-555555555555"), {
      expandColumns: false,
      condition: { seed: "seed", tags: [before] },
    });
    expect(elsewhere.kind).toBe("bytes");
    document.db.transaction(() => document.db.run("update _grist_DocInfo set timezone = timezone"));
    expect(fetch("seed", [before]).kind).toBe("bytes");
  });
});
