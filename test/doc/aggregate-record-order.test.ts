import { afterAll, describe, expect, test } from "bun:test";
import type { Role } from "../../src/authorization.ts";
import { PERIODS, periodStart } from "../../src/doc/aggregate/date-period.ts";
import type { OpenDocument } from "../../src/doc/document.ts";
import { aggregateVerbs } from "../../src/hosts/verbs/aggregate.ts";
import { readVerbs } from "../../src/hosts/verbs/reads.ts";
import { AppError } from "../../src/errors.ts";
import { must } from "../../src/lib/assert.ts";
import type { CellValue } from "../../src/values/cell.ts";
import { UTC, zoneOrUtc } from "../../src/values/zones.ts";
import { Random } from "../helpers/random.ts";
import { randomRuns } from "../helpers/random-runs.ts";
import { writeRules } from "./rules/reading.ts";
import { grantOf, sampleDocument, type SampleTable, textOf } from "./read/sample.ts";

interface Answer {
  readonly groups: Record<string, unknown>[];
  readonly total: number;
  readonly subtotals?: Record<string, unknown>[][];
  readonly recordSort?: string;
}

function aggregate(document: OpenDocument, body: object, role: Role = "owners"): Answer {
  const args = { table: "Orders", body: new TextEncoder().encode(JSON.stringify({ recordOrder: true, ...body })) };
  const answer = aggregateVerbs["records.aggregate"].run(document, grantOf("sample", role), args);
  return JSON.parse(textOf(document, answer)) as Answer;
}

function caught(work: () => unknown): AppError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

interface ReadRow {
  readonly id: number;
  readonly fields: Record<string, unknown>;
}

function readRecords(document: OpenDocument, sort: string, role: Role): ReadRow[] {
  const args = { table: "Orders", sort, hidden: true, typed: false, cellFormat: "iso" as const };
  const answer = readVerbs["records.fetch"].run(document, grantOf("sample", role), args);
  return (JSON.parse(textOf(document, answer)) as { records: ReadRow[] }).records;
}

const COLUMNS = {
  Text: "Text",
  Number: "Numeric",
  Bool: "Bool",
  Date: "Date",
  At: "DateTime:Asia/Tokyo",
  Choice: "Choice",
  Tags: "ChoiceList",
  Any: "Any",
  Buyer: "Ref:People",
  Others: "RefList:People",
  Shown: "Any",
  Hidden: "Int",
};

const PEOPLE = ["Ann", "Zoe", "Ann", "", null, "ä"];
const PEOPLE_TABLE: SampleTable = {
  id: "People",
  columns: { Name: "Text" },
  rows: PEOPLE.map((Name) => ({ Name })),
};

/** A document in which `Buyer` shows names. */
function documentOf(rows: readonly Readonly<Record<string, CellValue>>[]): OpenDocument {
  const document = sampleDocument([PEOPLE_TABLE, { id: "Orders", columns: COLUMNS, rows }]);
  const refOf = (id: string): number => {
    return must(document.schema.tables.flatMap(({ columns }) => columns).find((column) => column.id === id)).ref;
  };
  const [shown, name, buyer] = [refOf("Shown"), refOf("Name"), refOf("Buyer")];
  document.db.run("update _grist_Tables_column set displayCol = ?, visibleCol = ? where id = ?", shown, name, buyer);
  document.db.run("update _grist_DocInfo set timezone = 'America/New_York'");
  document.onChanged({ schema: true });
  return document;
}

describe("groups in the order of records", () => {
  const rows = [
    { Text: "b", Number: 1, Date: 0, Buyer: 3, Shown: "Ann", Tags: ["L", "x"] },
    { Text: "", Number: 2, Date: 40 * 86_400, Buyer: 1, Shown: "Ann", Tags: ["L"] },
    { Text: null, Number: 4, Date: 41 * 86_400, Buyer: 0, Shown: null, Tags: null },
    { Text: "B", Number: 8, Date: null, Buyer: 2, Shown: "Zoe", Tags: ["L", "x", "y"] },
    { Text: "b", Number: 16, Date: "soon", Buyer: 1, Shown: "Ann", Tags: ["L", "x"] },
  ];
  const document = documentOf(rows as unknown as Record<string, CellValue>[]);
  afterAll(() => document.close());
  const measures = { n: "count", sum: { sum: "Number" } };

  test.each<[body: object, groups: object[], sort: string]>([
    [
      { groupBy: ["Text"] },
      [
        { Text: "b", n: 2, sum: 17 },
        { Text: "B", n: 1, sum: 8 },
        { Text: null, n: 2, sum: 6 },
      ],
      "Text:group",
    ],
    [
      { groupBy: ["Text"], sort: ["-Text"] },
      [
        { Text: "B", n: 1, sum: 8 },
        { Text: "b", n: 2, sum: 17 },
        { Text: null, n: 2, sum: 6 },
      ],
      "-Text:group",
    ],
    [
      { groupBy: [{ column: "Buyer", text: "name" }] },
      [
        { Buyer: 1, name: "Ann", n: 2, sum: 18 },
        { Buyer: 3, name: "Ann", n: 1, sum: 1 },
        { Buyer: 2, name: "Zoe", n: 1, sum: 8 },
        { Buyer: null, name: "", n: 1, sum: 4 },
      ],
      "Shown:group,Buyer:group",
    ],
    [
      { groupBy: [{ column: "Tags", text: "tags" }] },
      [
        { Tags: ["x"], tags: "x", n: 2, sum: 17 },
        { Tags: ["x", "y"], tags: "x, y", n: 1, sum: 8 },
        { Tags: null, tags: "", n: 2, sum: 6 },
      ],
      "Tags:group",
    ],
    [
      { groupBy: [{ column: "Date", by: "month", as: "Month" }], sort: ["-Month"] },
      [
        { Month: "soon", n: 1, sum: 16 },
        { Month: "1970-02-01", n: 2, sum: 6 },
        { Month: "1970-01-01", n: 1, sum: 1 },
        { Month: null, n: 1, sum: 8 },
      ],
      "-Date:month",
    ],
    [{ groupBy: ["id"], sort: ["-id"], limit: 1 }, [{ id: 5, n: 1, sum: 16 }], "-id"],
  ])("%j", (body, groups, sort) => {
    const answer = aggregate(document, { ...body, measures });
    expect({ groups: answer.groups, sort: answer.recordSort }).toEqual({ groups: groups as Answer["groups"], sort });
  });

  test("subtotals are the groups of the first columns", () => {
    const { groups, subtotals } = aggregate(document, {
      groupBy: ["Text", "Bool", "Buyer"],
      measures,
      subtotals: true,
    });
    expect(groups.map(({ Text, Buyer, n }) => [Text, Buyer, n])).toEqual([
      ["b", 1, 1],
      ["b", 3, 1],
      ["B", 2, 1],
      [null, 1, 1],
      [null, null, 1],
    ]);
    const [byText = [], byBool = []] = subtotals ?? [];
    expect(byText).toEqual([
      { Text: "b", n: 2, sum: 17 },
      { Text: "B", n: 1, sum: 8 },
      { Text: null, n: 2, sum: 6 },
    ]);
    expect(byBool).toEqual(byText.map((group) => ({ ...group, Bool: false })));
  });

  test("subtotals follow a sort by measures", () => {
    const body = { groupBy: ["Text", "Buyer"], measures, subtotals: true, sort: ["-sum"], recordOrder: false };
    const { groups, subtotals } = aggregate(document, body);
    expect(groups.map(({ sum }) => sum)).toEqual([16, 8, 4, 2, 1]);
    expect(subtotals?.[0]?.map(({ Text, sum }) => [Text, sum])).toEqual([
      ["b", 17],
      ["B", 8],
      [null, 4],
      ["", 2],
    ]);
  });

  test.each<[body: object, details: object | undefined]>([
    [{ groupBy: ["Text"], maxValues: 3 }, undefined],
    [
      { groupBy: ["Text"], maxValues: 2 },
      { column: "Text", values: 3, maxValues: 2 },
    ],
    [
      { groupBy: ["Bool", "Number", "Text"], maxValues: 3 },
      { column: "Number", values: 5, maxValues: 3 },
    ],
    [{ groupBy: ["Text"], maxValues: 2, filter: { Text: ["b", "B"] } }, undefined],
  ])("%j counts values", (body, details) => {
    const error = caught(() => aggregate(document, body));
    expect(error?.reason).toBe(details && "aggregate.too_many_values");
    expect(error?.details).toEqual(details as Record<string, unknown> | undefined);
  });

  test.each<[body: object, message: string]>([
    [
      { groupBy: ["Text"], sort: ["n"], measures },
      "With recordOrder, sort must name the groups in the order of groupBy",
    ],
    [
      { groupBy: ["Text", "Bool"], sort: ["Bool"] },
      "With recordOrder, sort must name the groups in the order of groupBy",
    ],
    [{}, "recordOrder needs groupBy"],
    [
      { groupBy: [{ column: "Text", text: "t" }], recordOrder: false },
      "text needs recordOrder, and cannot be used with by",
    ],
    [{ groupBy: [{ column: "Date", by: "day", text: "t" }] }, "text needs recordOrder, and cannot be used with by"],
    [
      { groupBy: [{ column: "Text", text: "count" }] },
      'Two groups or measures have the name "count"; give one another name',
    ],
  ])("%j is refused", (body, message) => {
    expect(caught(() => aggregate(document, body))?.message).toBe(message);
  });
});

const TEXTS = ["a", "A", "ä", "a\u0308", "ä", "10", "9", "", " ", "😀", "a\u00ad"];
const OTHERS: CellValue[] = [
  null,
  true,
  1,
  0,
  -0,
  2.5,
  ["E", "ValueError"],
  ["L", "a"],
  ["L"],
  ["L", "A"],
  ["d", 86_400],
];
const TIMES = [0, 86_399, 86_400, -1, 31 * 86_400, 31 * 86_400 - 1, 1e9, 1e13];

function randomRow(random: Random): Record<string, CellValue> {
  const person = random.below(PEOPLE.length + 2);
  const lists: CellValue[] = [null, ["L"], ["L", "a"], ["L", "a", "b"], ["L", 1], ["L", 2, 1]];
  const row: Record<string, CellValue> = {
    Text: random.pick(TEXTS),
    Number: random.pick([0, -0, 1, 2.5, -3]),
    Bool: random.oneIn(2),
    Date: random.pick(TIMES),
    At: random.pick(TIMES),
    Choice: random.pick(["red", "blue", ""]),
    Tags: random.pick(lists),
    Any: random.pick([...TEXTS, ...OTHERS]),
    Buyer: person,
    Others: random.pick(lists),
    Shown: PEOPLE[person - 1] ?? null,
    Hidden: random.below(4),
    manualSort: random.below(100),
  };
  for (const column of ["Text", "Number", "Bool", "Date", "At", "Choice", "Tags", "Others"]) {
    // Only numbers have periods, not coded dates.
    const others = OTHERS.filter((cell) => !(Array.isArray(cell) && cell[0] === "d"));
    if (random.oneIn(6)) row[column] = random.pick([...TEXTS, ...others]);
  }
  return row;
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** Records in the order of `recordSort` are those of the groups, one group after the other. */
test.each(Array.from({ length: randomRuns(60, 1000) }, (_, at) => at + 1))("records follow groups, seed %d", (seed) => {
  const random = new Random(seed);
  using document = documentOf(Array.from({ length: random.below(200) + 1 }, () => randomRow(random)));
  writeRules(document, {
    "Orders:*": [{ formula: "user.Access != OWNER and rec.Hidden == 1", permissions: "-R" }],
    "Orders:Text,Buyer": [{ formula: "user.Access != OWNER and rec.Hidden == 2", permissions: "-R" }],
  });
  const role = random.pick(["owners", "editors"] as const);
  const columns = [1, 2, 3].slice(random.below(3)).map(() => random.pick(Object.keys(COLUMNS)));
  const groupBy = [...new Set(columns)].map((column) => {
    const isDate = column === "Date" || column === "At";
    return isDate && random.oneIn(2) ? { column, by: random.pick(PERIODS) } : { column };
  });
  const sort = groupBy.map(({ column }) => `${random.pick(["", "-"])}${column}`);
  const body = { groupBy, sort, subtotals: true, measures: { n: "count", ids: { sum: "id" } } };
  const answer = aggregate(document, body, role);
  const records = readRecords(document, `${must(answer.recordSort)},-Hidden`, role);
  const valueOf = (fields: Record<string, unknown>, at: number): unknown => {
    const { column, by } = { by: undefined, ...must(groupBy[at]) };
    const value = fields[column];
    if (isEmpty(value)) return null;
    if (!by || typeof value !== "string" || !/^-?\d+-\d\d-\d\d(T|$)/.test(value)) return value;
    return periodStart(by, column === "Date" ? UTC : zoneOrUtc("America/New_York"))(Date.parse(value) / 1000);
  };
  for (const [level, groups] of [...(answer.subtotals ?? []), answer.groups].entries()) {
    let at = 0;
    for (const group of groups) {
      const part = records.slice(at, (at += Number(group["n"])));
      expect(part.reduce((sum, { id }) => sum + id, 0)).toBe(Number(group["ids"]));
      for (const { fields } of part) {
        for (const [depth, { column }] of groupBy.slice(0, level + 1).entries()) {
          expect(group[column]).toEqual(valueOf(fields, depth));
        }
      }
    }
    expect(at).toBe(records.length);
  }
});
