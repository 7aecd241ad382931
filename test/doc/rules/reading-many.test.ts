import { expect, test } from "bun:test";
import type { OpenDocument } from "../../../src/doc/document.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import {
  csvFor,
  dataFor,
  listFor,
  type Question,
  recordsFor,
  refusalOf,
  ruledDocument,
  writeRules,
} from "./reading.ts";
import { grantOf, type SampleRecord, sampleDocument, textOf } from "../read/sample.ts";
import { readVerbs } from "../../../src/hosts/verbs/reads.ts";

/** Returns the same numbers for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const COLUMNS = { N: "Int", T: "Text", B: "Bool", L: "ChoiceList", D: "Date" };
type Cells = Record<string, CellValue>;

const VALUES: Record<string, readonly CellValue[]> = {
  N: [0, 1, 2, 3, null, "odd"],
  T: ["", "a", "b", "B", "10", "9", null],
  B: [true, false, null],
  L: [null, ["L", "x"], ["L", "x", "y"]],
  D: [0, 86_400, null, "some day"],
};

/** Conditions with their expected result. */
const CONDITIONS: readonly [formula: string, holds: (row: Cells) => boolean][] = [
  ["rec.N == 1", ({ N }) => N === 1],
  ["rec.B", ({ B }) => B === true],
  ["rec.T in ['a', 'B', None]", ({ T }) => T === "a" || T === "B" || T === null],
  ["'x' in rec.L", ({ L }) => L !== null],
  ["rec.D == None or rec.N == 'odd'", ({ D, N }) => D === null || N === "odd"],
  ["rec.id > 20", ({ id }) => Number(id) > 20],
];

const SORTS = ["", "N", "-N", "T", "-T:naturalSort", "B,-N", "L", "D:emptyLast,T", "-id", "-manualSort", "T,N,-T"];
const FILTERS: NonNullable<Question["filter"]>[] = [
  {},
  { N: [0, 1] },
  { T: ["a", "b"] },
  { B: [true], N: [1, 2, 3] },
  { T: [null] },
];

/** Random rows, and what random rules leave visible, computed without evaluating the rules. */
function chance(random: (below: number) => number) {
  const any = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const rows = Array.from({ length: 40 }, (_, at): Cells => {
    const cells = Object.keys(COLUMNS).map((id) => [id, any(VALUES[id] ?? [])]);
    return { id: at * 2 + 1, ...(Object.fromEntries(cells) as Cells), manualSort: 100 - at };
  });
  const [aboutRow, rowHolds] = any(CONDITIONS);
  const [aboutCell, cellHolds] = any(CONDITIONS);
  const columns = Object.keys(COLUMNS).filter((_, at) => at === 0 || random(2) === 0);
  const permissions = any(["-R", "+R"]);
  const rules = {
    "Some:*": [{ formula: aboutRow, permissions: "-R" }],
    [`Some:${columns.join(",")}`]: [{ formula: aboutCell, permissions }],
  };
  const seen = rows.flatMap((row) => {
    const isRestDenied = rowHolds(row);
    const isDenied = cellHolds(row) ? permissions === "-R" : isRestDenied;
    if (isRestDenied && isDenied) return [];
    const censored = [...Object.keys(COLUMNS), "manualSort"].filter((id) =>
      columns.includes(id) ? isDenied : isRestDenied,
    );
    return [{ ...row, ...Object.fromEntries(censored.map((id) => [id, ["C"] as CellValue])) }];
  });
  return { rows, rules, seen };
}

const question = (random: (below: number) => number): Question => {
  const sort = SORTS[random(SORTS.length)] ?? "";
  const filter = FILTERS[random(FILTERS.length)];
  const limit = random(3) === 0 ? 1 + random(8) : 0;
  const offset = random(3) === 0 ? random(12) : 0;
  return {
    table: "Some",
    ...(sort && { sort }),
    ...(filter && { filter }),
    limit,
    offset,
    typed: random(2) === 0,
    hidden: true,
  };
};

const SEEDS = Array.from({ length: 30 }, (_, at) => at + 1);

test.each(SEEDS)("seed %i: a restricted document reads like one with only the visible data", (seed) => {
  const random = numbers(seed);
  const { rows, rules, seen } = chance(random);
  using document = ruledDocument([{ id: "Some", columns: COLUMNS, rows }], rules);
  using plain = sampleDocument([{ id: "Some", columns: COLUMNS, rows: seen }]);
  expect(csvFor(document, "owners", "Some")).toBe(csvFor(plain, "owners", "Some"));
  for (let times = 0; times < 12; times++) {
    const asked = question(random);
    for (const ask of [recordsFor, listFor, dataFor]) {
      expect({ asked, rules, answer: ask(document, "owners", asked) }).toEqual({
        asked,
        rules,
        answer: ask(plain, "owners", asked),
      });
    }
  }
});

const COUNT = 60_000;

/** Rows of which the rules of the test hide two of three, and censor a cell in every second one. */
function large(): OpenDocument {
  const document = ruledDocument([{ id: "Big", columns: { N: "Int", T: "Text", S: "Text" } }], {
    "Big:*": [{ formula: "rec.N % 3 != 0 and user.Access == EDITOR", permissions: "-R" }],
    "Big:S": [{ formula: "rec.N % 2 == 0 and user.Access == EDITOR", permissions: "-R" }],
  });
  document.db.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
     insert into Big (id, manualSort, N, T, S)
     select i, ? - i, i, 'text text text text text text text text ' || i, 'secret ' || i from n`,
    COUNT,
    COUNT,
  );
  document.onChanged({ schema: false });
  return document;
}

test("large streamed responses apply the rules to the end", () => {
  using document = large();
  const ids = Array.from({ length: COUNT / 3 }, (_, at) => (at + 1) * 3);
  const secret = (id: number): CellValue => (id % 2 === 0 ? ["C"] : `secret ${id}`);
  const full = recordsFor(document, "owners", { table: "Big" });
  expect(full.length).toBe(COUNT);
  for (const sort of ["id", "manualSort", "-N"]) {
    const expected = sort === "id" ? ids : ids.toReversed();
    const records = recordsFor(document, "editors", { table: "Big", sort });
    expect(records.map(({ id }) => id)).toEqual(expected);
    expect(records.map(({ fields }) => fields["S"])).toEqual(expected.map(secret));
    const data = dataFor(document, "editors", { table: "Big", sort });
    expect(data["id"]).toEqual(expected);
    expect(data["S"]).toEqual(expected.map(secret));
    expect(data["T"]?.length).toBe(expected.length);
  }
  expect(recordsFor(document, "editors", { table: "Big", limit: 5, sort: "-id" }).map(({ id }) => id)).toEqual(
    ids.toReversed().slice(0, 5),
  );
});

test("a large response in progress continues with its initial rules", () => {
  using document = large();
  const query = { table: "Big", hidden: false, typed: false };
  const answer = readVerbs["records.fetch"].run(document, grantOf("sample", "viewers"), query);
  if (answer.kind !== "cursor") throw new Error(answer.kind);
  writeRules(document, { "Big:*": [{ permissions: "-R" }] });
  expect(refusalOf(() => recordsFor(document, "viewers", { table: "Big" }))).toBe("forbidden");
  const { records } = JSON.parse(textOf(document, answer)) as { records: SampleRecord[] };
  expect(records.length).toBe(COUNT);
});
