import { afterAll, describe, expect, test } from "bun:test";
import type { Role } from "../../src/authorization.ts";
import type { OpenDocument } from "../../src/doc/document.ts";
import { excerptOf } from "../../src/doc/search/excerpt.ts";
import { visibilityFor } from "../../src/doc/read/visibility-filter.ts";
import { searchChunks } from "../../src/doc/search/search-rows.ts";
import { Database, type SqlValue } from "../../src/sqlite/database.ts";
import { searchVerbs } from "../../src/hosts/verbs/search.ts";
import { matchWord, wordsOf } from "../../src/lib/text/word-matcher.ts";
import { TickingClock } from "../helpers/clock.ts";
import { ruledDocument } from "./rules/reading.ts";
import { grantOf, sampleDocument, type SampleTable, textOf } from "./read/sample.ts";

const TABLES: readonly SampleTable[] = [
  {
    id: "Products",
    columns: {
      Name: "Text",
      Kind: "Choice",
      Tags: "ChoiceList",
      Note: "Any",
      Price: "Numeric",
      gristHelper_Display: "Text",
    },
    rows: [
      { Name: "Desk lamp", Kind: "Lights", Tags: ["L", "office", 'a "quoted" one'], Price: 12 },
      { Name: "Lamp", Kind: "Lights", Note: "Straße 5 100%" },
      { Name: "Headlamps for the desk of a manager", Kind: "Lights", gristHelper_Display: "secret lamp" },
      { Name: "Chair", Kind: "Office", Note: ["O", { lamp: 1 }] },
      { Name: ["E", "ValueError", "lamp"], Kind: "", Tags: ["L", "Lamp"], Note: 12 },
      { Name: "12", Kind: "under_score", Note: `${"x ".repeat(300)}needle${" y".repeat(300)}` },
    ],
  },
  { id: "People", columns: { Name: "Text" }, rows: [{ Name: "Ann Lamp" }, { Name: "Ødegård" }, { Name: "Bob 100" }] },
];

/** Counts the rows that are read. */
class CountingDatabase extends Database {
  rowCount = 0;

  override values(sql: string, ...args: SqlValue[]): SqlValue[][] {
    const rows = super.values(sql, ...args);
    this.rowCount += rows.length;
    return rows;
  }
}

interface Answer {
  readonly results: { table: string; row: number; column: string; excerpt: string; score: number }[];
  readonly isComplete: boolean;
}

function search(document: OpenDocument, query: string, role: Role = "owners", limit = 20): Answer {
  const answer = searchVerbs["document.search"].run(document, grantOf("sample", role), { query, limit });
  return JSON.parse(textOf(document, answer)) as Answer;
}

const found = (...args: Parameters<typeof search>): string[] =>
  search(...args).results.map(({ table, row, column }) => `${table}.${row}.${column}`);

describe("without rules", () => {
  const document = sampleDocument(TABLES);
  afterAll(() => document.close());

  test.each<[query: string, rows: string[]]>([
    ["lamp", ["Products.2.Name", "Products.5.Tags", "Products.1.Name", "People.1.Name", "Products.3.Name"]],
    ["  LAMP  lamp ", ["Products.2.Name", "Products.5.Tags", "Products.1.Name", "People.1.Name", "Products.3.Name"]],
    ["lamp lights", ["Products.2.Name", "Products.1.Kind", "Products.3.Kind"]],
    ["desk lamp", ["Products.1.Name", "Products.3.Name"]],
    ["straße", ["Products.2.Note"]],
    ["ØDEGÅRD", ["People.2.Name"]],
    ['"quoted"', ["Products.1.Tags"]],
    ["100%", ["Products.2.Note"]],
    ["under_score", ["Products.6.Kind"]],
    ["under?score", []],
    ["%", ["Products.2.Note"]],
    ["_", ["Products.6.Kind"]],
    ["12", ["Products.1.Price", "Products.5.Note", "Products.6.Name"]],
    ["12.00", ["Products.1.Price", "Products.5.Note"]],
    ["lamp 12", ["Products.5.Tags", "Products.1.Price"]],
    ["strasse", []],
    ["odegard", []],
    ["ødegard", ["People.2.Name"]],
    ["secret", []],
    ["ValueError", []],
    ["nothing", []],
  ])("%j", (query, rows) => {
    expect(found(document, query)).toEqual(rows);
  });

  test("the best results are returned", () => {
    expect(found(document, "lamp", "owners", 2)).toEqual(["Products.2.Name", "Products.5.Tags"]);
    expect(found(document, "a", "owners", 1)).toHaveLength(1);
  });

  test("a result shows the text around the match", () => {
    const excerpt = search(document, "needle").results[0]?.excerpt;
    expect(excerpt).toStartWith("…x x x");
    expect(excerpt).toContain("needle");
    expect(excerpt).toEndWith("y…");
  });
});

test.each<[text: string, at: number, excerpt: string]>([
  ["short", 2, "short"],
  ["two\n\tlines", 0, "two lines"],
  [`${"a".repeat(100)}b`, 100, `…${"a".repeat(40)}b`],
  ["a".repeat(200), 0, `${"a".repeat(160)}…`],
])("the excerpt of %j at %d", (text, at, excerpt) => {
  expect(excerptOf(text, at)).toBe(excerpt);
});

test.each<[text: string, word: string, score: number | undefined]>([
  ["lamp", "lamp", 5],
  ["a lamp", "lamp", 3],
  ["lamps", "lamp", 2],
  ["headlamp", "lamp", 1],
  ["headlamp, lamps", "lamp", 2],
  ["desk", "lamp", undefined],
  ["é-lamp", "lamp", 3],
  ["élamp", "lamp", 1],
])("%j has the word %j with a score of %p", (text, word, score) => {
  expect(matchWord(text, word)?.score).toBe(score as number);
});

test("a query has at most ten words", () => {
  expect(wordsOf(" B a  b ")).toEqual(["b", "a"]);
  expect(wordsOf(Array.from({ length: 20 }, (_, at) => `w${at}`).join(" "))).toHaveLength(10);
});

test("a search that takes long returns what it found", () => {
  using document = sampleDocument(TABLES, { clock: new TickingClock(6000) });
  expect(search(document, "lamp").isComplete).toBe(false);
});

describe("under rules", () => {
  const document = ruledDocument(TABLES, {
    "Products:*": [{ formula: "user.Access != OWNER and rec.Price == 12", permissions: "-R" }],
    "Products:Name": [{ formula: "user.Access != OWNER and rec.Kind == 'Lights'", permissions: "-R" }],
    "Products:Tags": [{ formula: "user.Access != OWNER", permissions: "-R" }],
    "People:*": [{ formula: "user.Access == VIEWER", permissions: "-R" }],
  });
  afterAll(() => document.close());

  test.each<[role: Role, query: string, rows: string[]]>([
    ["owners", "lamp", ["Products.2.Name", "Products.5.Tags", "Products.1.Name", "People.1.Name", "Products.3.Name"]],
    ["editors", "lamp", ["People.1.Name"]],
    ["viewers", "lamp", []],
    ["editors", "office", ["Products.4.Kind"]],
    ["editors", "lights", ["Products.2.Kind", "Products.3.Kind"]],
    ["editors", "censored", []],
  ])("%s find %j in what they can read", (role, query, rows) => {
    expect(found(document, query, role)).toEqual(rows);
  });

  test("the rows that a search reads do not depend on hidden cells", () => {
    const readRows = ["a secret lamp", "nothing"].map((hidden) => {
      const rows = [
        { Name: hidden, Kind: "x" },
        { Name: "Desk lamp", Kind: "y" },
      ];
      using ruled = ruledDocument([{ id: "Things", columns: { Name: "Text", Kind: "Text" }, rows }], {
        "Things:Name": [{ formula: "user.Access != OWNER and rec.Kind == 'x'", permissions: "-R" }],
      });
      const db = new CountingDatabase(ruled.path, { readonly: true });
      const visibility = visibilityFor(ruled, grantOf("sample", "editors"));
      const answer = [...searchChunks(visibility, { db }, { query: "lamp", limit: 20 })].join("");
      expect((JSON.parse(answer) as Answer).results.map(({ row }) => row)).toEqual([2]);
      db.close();
      return db.rowCount;
    });
    expect(readRows).toEqual([2, 2]);
  });

  test("scores are those of the same rows without the hidden ones", () => {
    using visible = sampleDocument([{ id: "People", columns: { Name: "Text" }, rows: TABLES[1]?.rows ?? [] }]);
    expect(search(document, "lamp", "editors").results).toEqual(search(visible, "lamp").results);
  });
});
