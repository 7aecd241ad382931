/** Filters of whole requests: limits, references as texts, streamed responses, ETags and the time budget. */
import { describe, expect, test } from "bun:test";
import type { OpenDocument } from "../../../src/doc/document.ts";
import { readVerbs } from "../../../src/hosts/verbs/reads.ts";
import { DAY, TestClock, TickingClock } from "../../helpers/clock.ts";
import { fetchIds, grantOf, sampleDocument, textOf } from "../read/sample.ts";
import { writeRules } from "../rules/reading.ts";
import { idsOf, ROW_RULE, STORES } from "./filtered.ts";

const nested = (depth: number, inner: object): object => (depth === 0 ? inner : { not: nested(depth - 1, inner) });
const conditions = (count: number) => ({ or: Array.from({ length: count }, (_, n) => ({ N: { eq: n } })) });

describe("limits", () => {
  const cases: [name: string, filter: unknown, found: number[] | string][] = [
    ["100 conditions", conditions(100), [1, 2]],
    ["101 conditions", conditions(101), "filter.too_complex"],
    ["101 operators of a column", { N: { in: [0] }, ...conditions(100) }, "filter.too_complex"],
    ["lists in a group", { and: Array.from({ length: 101 }, () => ({ N: [0] })) }, "filter.too_complex"],
    ["8 levels", nested(8, { N: [0] }), [1]],
    ["9 levels", nested(9, { N: [0] }), "filter.too_complex"],
    ["3 references", { "Next.Next.Next.N": { eq: 0 } }, [1]],
    ["4 references", { "Next.Next.Next.Next.N": { eq: 0 } }, "filter.too_complex"],
    ["a list for and", { and: [] }, "filter.invalid"],
    ["an object for or", { or: { N: [0] } }, "filter.invalid"],
    ["a list for not", { not: [{ N: [0] }] }, "filter.invalid"],
    ["a text in or", { or: ["N"] }, "filter.invalid"],
    ["a number", 5, "filter.invalid"],
    ["an unknown column with an empty list", { Nope: [] }, "column.unknown"],
    ["a path through a number", { "N.id": [1] }, "column.unknown"],
    ["a path to nothing", { "Next.": [1] }, "column.unknown"],
  ];
  test.each(cases)("%s", (_, filter, found) => {
    using open = sampleDocument([
      { id: "T", columns: { N: "Int", Next: "Ref:T" }, rows: [{ N: 0, Next: 1 }, { N: 1 }] },
    ]);
    writeRules(open, { "T:*": [ROW_RULE] });
    for (const store of STORES) expect(idsOf(open, { table: "T", filter, store })).toEqual(found as number[]);
  });
});

describe("references as texts", () => {
  const people = [{ Name: "Ann", Born: 0 }, { Name: "Bob" }, { Name: "Ann" }, { Name: "Zoë" }];
  const items = [
    { Person: 1, People: ["L", 1, 2] as never },
    { Person: 2, People: ["L", 4] as never },
    { Person: 3, People: ["L", 3, 1] as never },
    { Person: 4 },
    { Person: 0 },
    { Person: "Ann" },
  ];

  function open(): OpenDocument {
    const document = sampleDocument([
      { id: "People", columns: { Name: "Text", Born: "Date" }, rows: people },
      { id: "Items", columns: { Person: "Ref:People", People: "RefList:People", Plain: "Ref:People" }, rows: items },
    ]);
    const shown = document.schema.tableById.get("People")?.columnById.get("Name")?.ref ?? 0;
    document.db.run("update _grist_Tables_column set visibleCol = ? where colId in ('Person', 'People')", shown);
    document.db.run("update Items set Plain = 2 where id = 1");
    document.onChanged({ schema: true });
    return document;
  }

  const cases: [filter: object, found: number[] | string][] = [
    [{ Person: { eq: "Ann" } }, [1, 3]],
    [{ Person: { eq: "ann" } }, []],
    [{ Person: { ne: "Ann" } }, [2, 4]],
    [{ Person: { in: ["Bob", 3] } }, [2, 3]],
    [{ Person: { nin: ["Ann", "Bob"] } }, [4]],
    [{ Person: { contains: "OB" } }, [2]],
    [{ Person: { startsWith: "zo" } }, [4]],
    [{ Person: { matches: "^.n" } }, [1, 3]],
    [{ Person: { gt: 2 } }, [3, 4]],
    [{ Person: { gt: "Ann" } }, "filter.operand"],
    [{ Person: { eq: 0 } }, "filter.operand"],
    [{ Person: { empty: true } }, [5]],
    [{ People: { has: "Ann" } }, [1, 3]],
    [{ People: { hasAll: ["Ann", "Bob"] } }, [1]],
    [{ People: { hasAny: ["Bob", 4] } }, [1, 2]],
    [{ People: { eq: ["Ann", "Ann"] } }, [3]],
    [{ Plain: { eq: "2" } }, [1]],
    [{ Plain: { eq: "Bob" } }, []],
    [{ "Person.Born": { empty: false } }, [1]],
    [{ "People.Name": { eq: "Bob" } }, [1]],
    [{ "Person.Name": ["Ann", null] }, [1, 3, 5, 6]],
  ];
  test.each(cases)("%j", (filter, found) => {
    using document = open();
    writeRules(document, { "Items:*": [ROW_RULE], "People:*": [ROW_RULE] });
    for (const store of STORES) expect(idsOf(document, { table: "Items", filter, store })).toEqual(found as number[]);
  });

  test("mean nothing to callers who do not see the displayed column", () => {
    using document = open();
    writeRules(document, { "People:Name": [{ formula: "user.Access != OWNER", permissions: "-R" }] });
    const found = (filter: object) => idsOf(document, { table: "Items", filter, store: "rules" });
    for (const text of ["Ann", "nobody"]) {
      expect(found({ Person: { eq: text } })).toEqual([]);
      expect(found({ Person: { ne: text } })).toEqual([1, 2, 3, 4]);
      expect(found({ Person: { contains: text } })).toEqual([]);
      expect(found({ People: { has: text } })).toEqual([]);
    }
  });
});

describe("streamed responses", () => {
  const rows = Array.from({ length: 9000 }, (_, at) => ({
    Name: `${at % 3 === 0 ? "a" : "b"}${"x".repeat(1500)}`,
    N: at,
  }));
  const expected = rows.flatMap(({ N }, at) => (at % 3 === 0 && N >= 300 ? [at + 1] : []));
  const filter = JSON.stringify({ Name: { matches: "^a" }, N: { gte: 300 } });

  test.each(STORES)("are filtered to the end by %s", (store) => {
    using document = sampleDocument([{ id: "T", columns: { Name: "Text", N: "Int" }, rows }]);
    writeRules(document, { "T:*": [ROW_RULE] });
    const grant = grantOf("sample", store === "sql" ? "owners" : "viewers");
    const answer = readVerbs["records.fetch"].run(document, grant, { table: "T", filter, hidden: false, typed: false });
    expect(answer.kind).toBe("cursor");
    // Rows that change meanwhile belong to a later state.
    document.db.exec("update T set Name = 'b' where id > 100");
    const { records } = JSON.parse(textOf(document, answer)) as { records: { id: number }[] };
    expect(records.map(({ id }) => id)).toEqual(expected);
  });
});

test("ETags of filters with operators change with the day in the document's zone", () => {
  // Half past eleven in the evening in New York.
  const clock = new TestClock(Date.UTC(2026, 2, 2, 4, 30));
  using document = sampleDocument(
    [
      {
        id: "T",
        columns: { D: "Date" },
        rows: [{ D: Date.UTC(2026, 2, 1) / 1000 }, { D: Date.UTC(2026, 2, 2) / 1000 }],
      },
    ],
    { clock },
  );
  document.db.run("update _grist_DocInfo set timezone = 'America/New_York'");
  document.onChanged({ schema: true });
  const read = (filter: object) => {
    const text = JSON.stringify(filter);
    const args = { table: "T", hidden: false, typed: false, filter: text, condition: { seed: text, tags: [] } };
    const { tag } = readVerbs["records.fetch"].run(document, grantOf("sample"), args);
    return { tag, ids: fetchIds(document, { table: "T", filter: text }) };
  };
  const [within, list] = [read({ D: { within: "today" } }), read({ D: [0] })];
  expect(within.ids).toEqual([1]);
  clock.pass(DAY / 24);
  const later = read({ D: { within: "today" } });
  expect(later.ids).toEqual([2]);
  expect(later.tag).not.toBe(within.tag);
  expect(read({ D: [0] }).tag).toBe(list.tag);
});

test("a filter that takes too long is refused", () => {
  const rows = Array.from({ length: 300 }, () => ({ Name: "abc" }));
  using document = sampleDocument([{ id: "T", columns: { Name: "Text" }, rows }], { clock: new TickingClock(50) });
  writeRules(document, { "T:*": [ROW_RULE] });
  for (const store of STORES)
    expect(idsOf(document, { table: "T", filter: { Name: { matches: "c$" } }, store })).toBe("filter.time_limit");
  expect(idsOf(document, { table: "T", filter: { Name: { contains: "c" } } })).toHaveLength(300);
});
