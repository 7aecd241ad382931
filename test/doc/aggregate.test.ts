import { afterAll, describe, expect, test } from "bun:test";
import type { Role } from "../../src/authorization.ts";
import { periodStart, type Period } from "../../src/doc/aggregate/date-period.ts";
import { ValueBudget } from "../../src/doc/aggregate/value-budget.ts";
import type { OpenDocument } from "../../src/doc/document.ts";
import { AppError } from "../../src/errors.ts";
import { aggregateVerbs } from "../../src/hosts/verbs/aggregate.ts";
import { readVerbs } from "../../src/hosts/verbs/reads.ts";
import { zoneOrUtc } from "../../src/values/zones.ts";
import { TickingClock } from "../helpers/clock.ts";
import { Random } from "../helpers/random.ts";
import { randomRuns } from "../helpers/random-runs.ts";
import { ruledDocument } from "./rules/reading.ts";
import { grantOf, sampleDocument, type SampleTable, textOf } from "./read/sample.ts";

const DAY = 86_400;
const SALES: SampleTable = {
  id: "Sales",
  columns: {
    City: "Text",
    Amount: "Numeric",
    Count: "Int",
    Paid: "Bool",
    On: "Date",
    At: "DateTime:Asia/Tokyo",
    Tags: "ChoiceList",
    Buyer: "Ref:People",
    Any: "Any",
  },
  rows: [
    {
      City: "Oslo",
      Amount: 10,
      Count: 1,
      Paid: true,
      On: 0,
      At: 15 * 3600,
      Tags: ["L", "a"],
      Buyer: 1,
      Any: 5,
      manualSort: 5,
    },
    {
      City: "Rome",
      Amount: 0.1,
      Count: 2,
      On: 31 * DAY,
      At: 40 * DAY,
      Tags: ["L", "a", "b"],
      Buyer: 2,
      Any: "x",
      manualSort: 4,
    },
    {
      City: "Oslo",
      Amount: 0.2,
      Count: 4,
      Paid: true,
      On: "soon",
      At: null,
      Tags: ["L", "a"],
      Buyer: 0,
      Any: true,
      manualSort: 3,
    },
    { City: "", Amount: "n/a", Count: null, On: null, At: 15 * 3600, Tags: null, Buyer: 2, Any: null, manualSort: 2 },
    { City: "rome", Amount: ["E", "ValueError"], Count: 8, Paid: true, On: 120 * DAY, Any: ["L", 1], manualSort: 1 },
  ],
};

interface Answer {
  readonly groups: Record<string, unknown>[];
  readonly total: number;
  readonly totals?: Record<string, unknown>;
}

function aggregate(document: OpenDocument, body: object, role: Role = "owners", table = "Sales"): Answer {
  const args = { table, body: new TextEncoder().encode(JSON.stringify(body)) };
  const answer = aggregateVerbs["records.aggregate"].run(document, grantOf("sample", role), args);
  return JSON.parse(textOf(document, answer)) as Answer;
}

const refusalOf = (work: () => unknown): string => {
  try {
    work();
    return "none";
  } catch (error) {
    if (error instanceof AppError) return `${error.reason}: ${error.message}`;
    throw error;
  }
};

describe("without rules", () => {
  const document = sampleDocument([SALES]);
  afterAll(() => document.close());

  test.each<[body: object, groups: object[]]>([
    [{}, [{ count: 5 }]],
    [
      { groupBy: ["City"] },
      [
        { City: "", count: 1 },
        { City: "Oslo", count: 2 },
        { City: "rome", count: 1 },
        { City: "Rome", count: 1 },
      ],
    ],
    [
      { groupBy: ["Paid"] },
      [
        { Paid: false, count: 2 },
        { Paid: true, count: 3 },
      ],
    ],
    [
      { groupBy: ["Buyer"], sort: ["-count"] },
      [
        { Buyer: 2, count: 2 },
        { Buyer: null, count: 2 },
        { Buyer: 1, count: 1 },
      ],
    ],
    [
      { groupBy: ["Tags"], sort: ["Tags"] },
      [
        { Tags: [], count: 2 },
        { Tags: ["a"], count: 2 },
        { Tags: ["a", "b"], count: 1 },
      ],
    ],
    [
      { groupBy: ["On"] },
      [
        { On: null, count: 1 },
        { On: "1970-01-01", count: 1 },
        { On: "1970-02-01", count: 1 },
        { On: "1970-05-01", count: 1 },
        { On: "soon", count: 1 },
      ],
    ],
    [
      { groupBy: [{ column: "On", by: "quarter", as: "Quarter" }], sort: ["-Quarter"] },
      [
        { Quarter: "soon", count: 1 },
        { Quarter: "1970-04-01", count: 1 },
        { Quarter: "1970-01-01", count: 2 },
        { Quarter: null, count: 1 },
      ],
    ],
    [
      { groupBy: [{ column: "At", by: "day" }] },
      [
        { At: null, count: 2 },
        { At: "1970-01-01", count: 2 },
        { At: "1970-02-10", count: 1 },
      ],
    ],
    [
      { groupBy: ["id"], limit: 2 },
      [
        { id: 1, count: 1 },
        { id: 2, count: 1 },
      ],
    ],
    [
      {
        measures: {
          filled: { count: "Amount" },
          sum: { sum: "Amount" },
          avg: { avg: "Amount" },
          median: { median: "Amount" },
          min: { min: "Amount" },
          max: { max: "Amount" },
        },
      },
      [{ filled: 4, sum: 10.3, avg: 10.3 / 3, median: 0.2, min: 0.1, max: 10 }],
    ],
    [
      {
        measures: {
          paid: { sum: "Paid" },
          even: { median: "Count" },
          kinds: { countDistinct: "Any" },
          tags: { countDistinct: "Tags" },
          buyers: { countDistinct: "Buyer" },
        },
      },
      [{ paid: 3, even: 3, kinds: 4, tags: 2, buyers: 2 }],
    ],
    [
      {
        measures: {
          first: { first: "City" },
          last: { last: "City" },
          from: { min: "On" },
          to: { max: "On" },
          text: { max: "City" },
          at: { min: "At" },
        },
      },
      [
        {
          first: "rome",
          last: "Oslo",
          from: "1970-01-01",
          to: "1970-05-01",
          text: "Rome",
          at: "1970-01-02T00:00:00+09:00",
        },
      ],
    ],
    [{ filter: { City: ["Oslo"] }, measures: { sum: { sum: "Amount" } } }, [{ sum: 10.2 }]],
    [{ filter: { City: ["Nowhere"] }, groupBy: ["City"] }, []],
    [{ filter: { City: ["Nowhere"] }, measures: { n: "count", max: { max: "Amount" } } }, [{ n: 0, max: null }]],
    [{ groupBy: ["City"], measures: {}, limit: 1 }, [{ City: "" }]],
    [
      { groupBy: ["Paid"], measures: { sum: { sum: "Amount" }, avg: { avg: "Amount" } }, filter: { City: ["rome"] } },
      [{ Paid: true, sum: 0, avg: null }],
    ],
  ])("%j", (body, groups) => {
    const answer = aggregate(document, body);
    expect(answer.groups).toEqual(groups as Answer["groups"]);
    if (!("limit" in body)) expect(answer.total).toBe(groups.length);
  });

  test("totals cover all groups, also those beyond the limit", () => {
    const measures = { n: "count", cities: { countDistinct: "City" }, sum: { sum: "Count" } };
    expect(aggregate(document, { groupBy: ["City"], measures, limit: 1, totals: true })).toEqual({
      groups: [{ City: "", n: 1, cities: 0, sum: 0 }],
      total: 4,
      totals: { n: 5, cities: 3, sum: 15 },
    });
  });

  test.each<[body: object, refusal: string]>([
    [{ groupBy: ["Nope"] }, 'column.unknown: Invalid column "Nope"'],
    [{ measures: { x: { sum: "Nope" } } }, 'column.unknown: Invalid column "Nope"'],
    [{ filter: { Nope: [1] } }, 'column.unknown: Invalid column "Nope"'],
    [
      { measures: { x: { sum: "City" } } },
      'aggregate.invalid: sum needs a column of numbers: "City" has the type Text',
    ],
    [{ measures: { x: { avg: "On" } } }, 'aggregate.invalid: avg needs a column of numbers: "On" has the type Date'],
    [
      { groupBy: [{ column: "City", by: "day" }] },
      'aggregate.invalid: by needs a column of dates: "City" has the type Text',
    ],
    [
      { groupBy: ["City", "City"] },
      'aggregate.invalid: Two groups or measures have the name "City"; give one another name',
    ],
    [
      { groupBy: ["City"], measures: { City: "count" } },
      'aggregate.invalid: Two groups or measures have the name "City"; give one another name',
    ],
    [{ sort: ["City"] }, 'aggregate.invalid: sort must name groups or measures: "City" is neither'],
    [{ groupBy: [{ column: "City", by: "hour" }] }, "payload.invalid: Invalid payload"],
    [{ measures: { x: { sum: "Amount", avg: "Amount" } } }, "payload.invalid: Invalid payload"],
    [{ measures: { x: "sum" } }, "payload.invalid: Invalid payload"],
    [{ limit: -1 }, "payload.invalid: Invalid payload"],
    [
      { measures: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`m${at}`, "count"])) },
      "aggregate.invalid: measures must have at most 50 entries",
    ],
  ])("%j is refused", (body, refusal) => {
    expect(refusalOf(() => aggregate(document, body))).toBe(refusal);
  });
});

test("the time zone of the document decides about days", () => {
  using document = sampleDocument([SALES]);
  document.db.run("update _grist_DocInfo set timezone = 'America/New_York'");
  document.onChanged({ schema: true });
  expect(aggregate(document, { groupBy: [{ column: "At", by: "day" }] }).groups).toEqual([
    { At: null, count: 2 },
    { At: "1970-01-01", count: 2 },
    { At: "1970-02-09", count: 1 },
  ]);
});

test.each<[period: Period, zone: string, time: string, start: string]>([
  ["day", "UTC", "2024-02-29T23:59:59Z", "2024-02-29"],
  ["day", "Asia/Tokyo", "2024-02-29T23:59:59Z", "2024-03-01"],
  ["week", "UTC", "2024-03-03T23:00:00Z", "2024-02-26"],
  ["week", "UTC", "2024-03-04T00:00:00Z", "2024-03-04"],
  ["week", "UTC", "1969-12-28T12:00:00Z", "1969-12-22"],
  ["month", "America/New_York", "2024-03-01T04:00:00Z", "2024-02-01"],
  ["quarter", "UTC", "2024-12-31T00:00:00Z", "2024-10-01"],
  ["quarter", "UTC", "2024-03-31T00:00:00Z", "2024-01-01"],
  ["year", "UTC", "2024-12-31T00:00:00Z", "2024-01-01"],
])("the %s in %s of %s begins on %s", (period, zone, time, start) => {
  expect(periodStart(period, zoneOrUtc(zone))(Date.parse(time) / 1000)).toBe(start);
});

describe("under rules", () => {
  const document = ruledDocument([SALES], {
    "Sales:*": [{ formula: "user.Access != OWNER and rec.City == 'Rome'", permissions: "-R" }],
    "Sales:Amount": [{ formula: "user.Access != OWNER and rec.Count == 4", permissions: "-R" }],
    "Sales:Paid": [{ formula: "user.Access != OWNER", permissions: "-R" }],
  });
  afterAll(() => document.close());

  test("only rows and cells count that the caller can read", () => {
    const measures = { n: "count", sum: { sum: "Amount" }, last: { last: "Amount" }, max: { max: "Count" } };
    expect(aggregate(document, { groupBy: ["City"], measures, totals: true }, "editors")).toEqual({
      groups: [
        { City: "", n: 1, sum: 0, last: "n/a", max: null },
        { City: "Oslo", n: 2, sum: 10, last: 10, max: 4 },
        { City: "rome", n: 1, sum: 0, last: null, max: 8 },
      ],
      total: 3,
      totals: { n: 4, sum: 10, last: 10, max: 8 },
    });
    expect(aggregate(document, { groupBy: ["Amount"], sort: ["Amount"] }, "editors").groups).toEqual([
      { Amount: 10, count: 1 },
      { Amount: null, count: 2 },
      { Amount: "n/a", count: 1 },
    ]);
  });

  test.each([{ groupBy: ["Paid"] }, { measures: { x: { sum: "Paid" } } }, { filter: { Paid: [true] } }])(
    "%j: a denied column does not exist",
    (body) => {
      expect(refusalOf(() => aggregate(document, body, "editors"))).toBe('column.unknown: Invalid column "Paid"');
      expect(refusalOf(() => aggregate(document, body))).toBe("none");
    },
  );
});

/** Random requests, computed from the records that the same caller reads. */
test.each(Array.from({ length: randomRuns(20, 500) }, (_, at) => at + 1))("differential, seed %d", (seed) => {
  const random = new Random(seed);
  const rows = Array.from({ length: random.below(300) + 1 }, () => ({
    Kind: random.pick(["a", "b", "c", "", null]),
    Number: random.pick([1, 2.5, -3, 0, null, "stray"]),
    Hidden: random.below(5),
    manualSort: random.below(1000),
  }));
  const columns = { Kind: "Text", Number: "Numeric", Hidden: "Int" };
  using document = ruledDocument([{ id: "T", columns, rows }], {
    "T:*": [{ formula: "user.Access != OWNER and rec.Hidden == 1", permissions: "-R" }],
    "T:Number": [{ formula: "user.Access != OWNER and rec.Hidden == 2", permissions: "-R" }],
  });
  const role = random.pick(["owners", "editors"] as const);
  const args = { table: "T", hidden: true, typed: false, cellFormat: "iso" as const };
  const read = readVerbs["records.fetch"].run(document, grantOf("sample", role), args);
  const { records } = JSON.parse(textOf(document, read)) as {
    records: { id: number; fields: { Kind: string | null; Number: unknown; manualSort: number } }[];
  };
  const naive = [...Map.groupBy(records, ({ fields }) => fields.Kind)].map(([Kind, group]) => {
    const cells = group
      .toSorted((a, b) => a.fields.manualSort - b.fields.manualSort || a.id - b.id)
      .map(({ fields }) => fields.Number)
      .filter((cell) => cell !== null);
    const numbers = cells.filter((cell) => typeof cell === "number").toSorted((a, b) => a - b);
    const sum = numbers.reduce((all, one) => all + one, 0);
    const half = numbers.length / 2;
    const median =
      numbers.length === 0 ? null : ((numbers[Math.ceil(half) - 1] ?? 0) + (numbers[Math.floor(half)] ?? 0)) / 2;
    return {
      Kind,
      n: group.length,
      filled: cells.length,
      kinds: new Set(cells).size,
      sum,
      avg: numbers.length === 0 ? null : sum / numbers.length,
      min: numbers[0] ?? (cells.length > 0 ? "stray" : null),
      max: numbers.at(-1) ?? (cells.length > 0 ? "stray" : null),
      median,
      first: cells[0] ?? null,
      last: cells.at(-1) ?? null,
    };
  });
  const measures = {
    n: "count",
    filled: { count: "Number" },
    kinds: { countDistinct: "Number" },
    ...Object.fromEntries(
      ["sum", "avg", "min", "max", "median", "first", "last"].map((name) => [name, { [name]: "Number" }]),
    ),
  };
  const { groups } = aggregate(document, { groupBy: ["Kind"], measures }, role, "T");
  const byKind = (a: { Kind?: unknown }, b: { Kind?: unknown }) => String(a.Kind).localeCompare(String(b.Kind));
  expect(groups.toSorted(byKind)).toEqual(naive.toSorted(byKind));
});

test("groups, values and time are limited", () => {
  const budget = new ValueBudget(new TickingClock(1), { maxGroups: 2, maxMs: 5 });
  budget.addGroup();
  budget.addGroup();
  expect(refusalOf(() => budget.addGroup())).toBe("limit.exceeded: More than 2 groups");
  for (let i = 0; i < 5; i++) budget.checkTime();
  expect(refusalOf(() => budget.checkTime())).toBe(
    "limit.exceeded: The aggregation takes too long; filter the records",
  );
  budget.take(4_000_000);
  expect(refusalOf(() => budget.take(1))).toBe(
    "limit.exceeded: Too many values for median and countDistinct; filter the records",
  );
});
