import { describe, expect, test } from "bun:test";
import type { OpenDocument } from "../../../src/doc/document.ts";
import { IndexBudget } from "../../../src/doc/indexes/index-budget.ts";
import type { IndexOptions } from "../../../src/doc/indexes/index-options.ts";
import { parseFilterValue } from "../../../src/doc/filters/parse-filter.ts";
import { parseSort, splitSort } from "../../../src/doc/read/parse-sort.ts";
import { selectRows } from "../../../src/doc/read/row-query.ts";
import { visibilityFor } from "../../../src/doc/read/visibility-filter.ts";
import { drainMeasurements } from "../../../src/lib/observability/measurements.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { TestClock } from "../../helpers/clock.ts";
import { applyUserActions, type UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { ANN } from "../actions/scratch.ts";
import { fetchIds, grantOf, sampleDocument } from "../read/sample.ts";

const KEYS = 1000;
const keyOf = (id: number): string => `key ${(id * 7) % KEYS}`;

/** A table of 3,000 rows; each key occurs three times. */
function largeDocument(options: IndexOptions = {}, clock = new TestClock()): OpenDocument {
  const rows = Array.from({ length: 3 * KEYS }, (_, at) => ({ Key: keyOf(at + 1), Kind: at % 2, Other: `o${at}` }));
  return sampleDocument([{ id: "T", columns: { Key: "Text", Kind: "Int", Other: "Text" }, rows }], {
    indexes: { minRows: 1000, ...options },
    clock,
  });
}

const apply = (document: OpenDocument, ...actions: UserAction[]) =>
  applyUserActions(document, actions, { parse: false, user: ANN, nowMs: 0 });

const byFilter = (document: OpenDocument, column: string, ...allowed: CellValue[]): number[] =>
  fetchIds(document, { table: "T", filter: JSON.stringify({ [column]: allowed }) });

const bySort = (document: OpenDocument, sort: string, offset = 0): number[] =>
  fetchIds(document, { table: "T", sort, limit: "5", offset: String(offset) });

function build({ ownIndexes }: OpenDocument): void {
  while (ownIndexes?.runStep(1000));
}

/** Returns how often an index answered while `work` ran. */
function hitsDuring(work: () => void): number {
  drainMeasurements();
  work();
  return drainMeasurements().counts.indexHits ?? 0;
}

/** Uses a filter and a sort until both have an index. */
function buildBoth(document: OpenDocument): void {
  for (let i = 0; i < 2; i++) {
    byFilter(document, "Key", "key 1");
    bySort(document, "-Key");
  }
  build(document);
}

describe("an index", () => {
  test("is built when a filter or sort is used for the second time", () => {
    using document = largeDocument();
    for (const read of [() => byFilter(document, "Key", "key 1"), () => bySort(document, "Key")]) {
      read();
      build(document);
      expect(hitsDuring(read)).toBe(0);
      build(document);
      expect(hitsDuring(read)).toBe(1);
    }
    expect(document.ownIndexes?.count).toBe(2);
  });

  test("is not built for a small table, for a pattern that was not used for ten minutes, or for different columns", () => {
    using small = largeDocument({ minRows: 3001 });
    const clock = new TestClock();
    using document = largeDocument({}, clock);
    for (let i = 0; i < 3; i++) {
      byFilter(small, "Key", "key 1");
      bySort(document, "Other");
      clock.pass(600_001);
    }
    byFilter(document, "Key", "key 1");
    byFilter(document, "Other", "o1");
    expect([small.ownIndexes?.count, document.ownIndexes?.count]).toEqual([0, 0]);
  });

  test("finds rows that were written after it, and none that were removed", () => {
    using document = largeDocument();
    buildBoth(document);
    apply(document, ["UpdateRecord", "T", 9, { Key: "zz new" }], ["RemoveRecord", "T", 1]);
    apply(document, ["BulkAddRecord", "T", [null, null], { Key: ["zz new", keyOf(1)] }]);
    const hits = hitsDuring(() => {
      expect(byFilter(document, "Key", "zz new")).toEqual([9, 3001]);
      expect(byFilter(document, "Key", keyOf(1))).toEqual([1001, 2001, 3002]);
      expect(bySort(document, "-Key").slice(0, 2)).toEqual([9, 3001]);
    });
    expect(hits).toBe(3);
  });

  test("is not used by a sort within a transaction, whose changes may be rolled back", () => {
    using document = largeDocument();
    buildBoth(document);
    const first = bySort(document, "-Key");
    document.db.transaction(() => {
      expect(hitsDuring(() => bySort(document, "-Key"))).toBe(0);
      expect(hitsDuring(() => byFilter(document, "Key", "key 5"))).toBe(1);
    });
    expect(() =>
      document.db.transaction(() => {
        apply(document, ["UpdateRecord", "T", 9, { Key: "zz" }]);
        expect(bySort(document, "-Key")[0]).toBe(9);
        expect(byFilter(document, "Key", "zz")).toEqual([9]);
        throw new Error("rolled back");
      }),
    ).toThrow("rolled back");
    expect(bySort(document, "-Key")).toEqual(first);
    expect(byFilter(document, "Key", "zz")).toEqual([]);
  });

  test("of a column that many rows share is not used, then dropped, and not built again for ten minutes", () => {
    const clock = new TestClock();
    using document = largeDocument({}, clock);
    const read = (): unknown => byFilter(document, "Kind", 1);
    read();
    read();
    build(document);
    expect(hitsDuring(() => Array.from({ length: 8 }, read))).toBe(0);
    build(document);
    read();
    expect(document.ownIndexes?.count).toBe(0);
    clock.pass(600_001);
    read();
    read();
    expect(document.ownIndexes?.count).toBe(1);
  });

  test.each<[string, UserAction]>([
    ["its column is renamed", ["RenameColumn", "T", "Key", "Name"]],
    ["its type changes", ["ModifyColumn", "T", "Key", { type: "Int" }]],
    ["its column is removed", ["RemoveColumn", "T", "Key"]],
    ["its table is renamed", ["RenameTable", "T", "U"]],
    ["its table is removed", ["RemoveTable", "T"]],
    ["its table is replaced", ["ReplaceTableData", "T", [1], { Key: ["a"] }]],
    [
      "most of its rows change at once",
      ["BulkUpdateRecord", "T", Array.from({ length: 3000 }, (_, at) => at + 1), { Key: Array(3000).fill("same") }],
    ],
  ])("is dropped when %s", (_, action) => {
    using document = largeDocument();
    for (let i = 0; i < 2; i++) bySort(document, "Key");
    build(document);
    expect(document.ownIndexes?.count).toBe(1);
    apply(document, action);
    build(document);
    expect(document.ownIndexes?.count).toBe(0);
  });

  test("merges its log when many rows have changed one by one", () => {
    using document = largeDocument();
    buildBoth(document);
    // More than an index of a sort takes without a merge, and than the log of any index holds.
    for (let i = 0; i < 40; i++) {
      const ids = Array.from({ length: 1000 }, (_, at) => ((at * 3 + i) % 3000) + 1);
      apply(document, ["BulkUpdateRecord", "T", ids, { Key: ids.map((id) => `k ${(id * i) % 997}`) }]);
      if (i % 2 === 1) build(document);
    }
    const hits = hitsDuring(() => {
      for (const key of ["k 0", "k 5", "key 1"]) {
        const expected = document.db
          .values('select id from T where "Key" = ? order by id', key)
          .map(([id]) => Number(id));
        expect(byFilter(document, "Key", key)).toEqual(expected);
      }
      const keys = new Map(document.db.values('select id, "Key" from T').map(([id, key]) => [Number(id), String(key)]));
      const collator = new Intl.Collator("en-US");
      const expected = [...keys.keys()].toSorted(
        (a, b) => collator.compare(keys.get(b) ?? "", keys.get(a) ?? "") || a - b,
      );
      expect(fetchIds(document, { table: "T", sort: "-Key" })).toEqual(expected);
    });
    expect(hits).toBe(4);
  });

  test("is not used for callers from whom rules hide rows", () => {
    using document = largeDocument();
    buildBoth(document);
    const visible = visibilityFor(document, grantOf("sample")).readTable("T");
    const access = { columns: [], dependsOnRows: true, view: () => "whole" } as never;
    const restricted = { ...visible, rows: { table: visible.table, access, whole: () => null }, readerKey: "someone" };
    const filter = parseFilterValue({ Key: ["key 1"] });
    const sort = parseSort(visible.table, splitSort("-Key"));
    const hits = hitsDuring(() => {
      selectRows(document, restricted, { filter, sort: [], limit: 5 });
      selectRows(document, restricted, { filter: null, sort, limit: 5, offset: 2 });
      selectRows(document, restricted, { filter: null, sort: [], limit: 5, offset: 2 });
    });
    expect(hits).toBe(0);
    expect(hitsDuring(() => selectRows(document, visible, { filter, sort, limit: 5 }))).toBe(1);
  });
});

describe("the memory of indexes", () => {
  /** Memory for one index with its log. */
  const ONE = 300_000;

  test("is limited: the least recently used index makes room, but none that was just used", () => {
    const clock = new TestClock();
    const budget = new IndexBudget(ONE + 100_000);
    using document = largeDocument({ budget }, clock);
    const use = (column: string): void => {
      byFilter(document, column, "nothing");
      byFilter(document, column, "nothing");
      build(document);
    };
    use("Key");
    expect(budget.usedBytes).toBeLessThanOrEqual(budget.maxBytes);
    use("Other");
    expect(hitsDuring(() => byFilter(document, "Other", "o1"))).toBe(0);
    clock.pass(10_000);
    use("Other");
    expect(budget.count).toBe(1);
    expect(hitsDuring(() => byFilter(document, "Other", "o1"))).toBe(1);
    expect(budget.usedBytes).toBeLessThanOrEqual(budget.maxBytes);
  });

  test("is shared by documents, and returned when one is closed or its indexes are unused", () => {
    const clock = new TestClock();
    const budget = new IndexBudget(10 * ONE);
    const first = largeDocument({ budget }, clock);
    using second = largeDocument({ budget }, clock);
    buildBoth(first);
    buildBoth(second);
    expect(budget.count).toBe(4);
    first.close();
    expect(budget.count).toBe(2);
    second.ownIndexes?.evictUnusedSince(clock.elapsed() + 1);
    expect([budget.count, budget.usedBytes]).toEqual([0, 0]);
  });

  test("that no index fits into leaves all reads as they are", () => {
    using document = largeDocument({ budget: new IndexBudget(1000) });
    buildBoth(document);
    expect(document.ownIndexes?.count).toBe(0);
    expect(byFilter(document, "Key", "key 7")).toEqual([1, 1001, 2001]);
  });
});

test("a failure while an index is built drops it, and is reported", () => {
  using document = largeDocument();
  bySort(document, "Key");
  bySort(document, "Key");
  document.db.exec("alter table T rename to Moved");
  expect(() => build(document)).toThrow("no such table");
  document.db.exec("alter table Moved rename to T");
  expect(document.ownIndexes?.count).toBe(0);
  expect(bySort(document, "Key")).toHaveLength(5);
});
