import { expect, test } from "bun:test";
import { recalculateDocument, type UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { invalidateCalculation } from "../../../src/doc/formulas/calculation-cache.ts";
import type { OpenDocumentOptions } from "../../../src/doc/document.ts";
import { AppError } from "../../../src/errors.ts";
import { FORMULA_LIMITS } from "../../../src/formula/runtime/budget.ts";
import { Random } from "../../helpers/random.ts";
import { ANN, Scratch } from "../actions/scratch.ts";
import { randomRuns } from "../../helpers/random-runs.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";

/**
 * After every change, a full recalculation matches the stored results. Every run tests some documents with a new seed;
 * manual runs may test any number: `QUERN_TEST_SEQUENCES=1000 bun test test/doc/formulas/incremental.test.ts`.
 */
const SEQUENCES = randomRuns(80, 200) / 4;
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);
const STEPS = 12;

const START: readonly UserAction[] = [
  [
    "AddTable",
    "People",
    [{ id: "Name" }, { id: "Age", type: "Int" }, { id: "Boss", type: "Ref:People" }, { id: "Town", type: "Choice" }],
  ],
  [
    "AddTable",
    "Items",
    [
      { id: "Key" },
      { id: "N", type: "Int" },
      { id: "Price", type: "Numeric" },
      { id: "Owner", type: "Ref:People" },
      { id: "Kids", type: "RefList:Items" },
      { id: "Tags", type: "ChoiceList" },
      { id: "Due", type: "Date" },
      { id: "Done", type: "Bool" },
    ],
  ],
  ["BulkAddRecord", "People", [null, null, null], { Name: ["ann", "bob", "cy"], Age: [10, 20, 30], Boss: [0, 1, 2] }],
  [
    "BulkAddRecord",
    "Items",
    [null, null, null, null],
    {
      Key: ["a", "b", "a", "c"],
      N: [1, 2, 3, 1],
      Price: [1.5, 2, 3, 0],
      Owner: [1, 2, 1, 3],
      Tags: [["L", "x"], null, ["L", "x", "y"], null],
    },
  ],
];

const ITEM_FORMULAS: readonly (readonly [type: string, formula: string])[] = [
  ["Any", "$Price * $N + 1"],
  ["Text", "$Owner.Name.upper() + str($N)"],
  ["Any", "$Owner.Boss.Name"],
  ["Any", "$Owner.Boss.Boss.Age"],
  ["Any", "$Kids.Price"],
  ["Numeric", "SUM($Kids.Price)"],
  ["RefList:Items", "Items.lookupRecords(Owner=$Owner)"],
  ["Any", "len(Items.lookupRecords(Key=$Key))"],
  ["Any", "SUM(Items.lookupRecords(Key=$Key).Price)"],
  ["Any", "[r.N for r in Items.lookupRecords(Key=$Key, order_by='-N')]"],
  ["Any", "Items.lookupOne(N=$N, sort_by='Price')"],
  ["Any", "Items.lookupRecords(Tags=CONTAINS('x')).id"],
  ["Any", "len(Items.lookupRecords(Tags=CONTAINS($Key, match_empty='a')))"],
  ["Any", "PREVIOUS(rec, group_by='Owner', order_by='N').Key"],
  ["Any", "NEXT(rec, order_by=('Price', '-id')).id"],
  ["Any", "RANK(rec, order_by='Price', order='desc')"],
  ["Numeric", "(PREVIOUS(rec, order_by=None).Total or 0) + $Price"],
  ["Any", "People.all.Name"],
  ["Any", "len(table.all)"],
  ["Any", "sum(r.Price for r in table.all if r.Done == $Done)"],
  ["Any", "People.lookupOne(Age=$N * 10).Boss.Name"],
  ["Any", "Items.lookupRecords(order_by='Price').find.le($Price).Key"],
  ["Ref:People", "People.lookupOne(Name=$Key)"],
  ["Any", "$F1"],
  ["Any", "str($F2)"],
  ["Any", "IFERROR($F3 / $N, 'none')"],
  ["Any", "MAX(Items.lookupRecords(F1=$F1).N)"],
  ["Any", "getattr($Owner, 'Name')"],
  ["Any", "[(p.Name, len(Items.lookupRecords(Owner=p))) for p in People.all]"],
  ["Any", "RECORD($Owner)['Age']"],
  ["Any", "$Owner.Count"],
  ["Any", "x = $Owner\nif x.Boss:\n  return x.Boss.Name\nreturn x.Name"],
  ["Any", "sorted(Items.all, key=lambda r: (r.Price or 0, r.id))[0].Key"],
  ["Any", "$Price / 2"],
  ["Any", "{$N: $Key}"],
  ["Any", "$Due.year if $Due else None"],
  ["Any", "VLOOKUP(People, Name=$Key).Age"],
];

const PEOPLE_FORMULAS: readonly (readonly [type: string, formula: string])[] = [
  ["Int", "len(Items.lookupRecords(Owner=$id))"],
  ["Any", "Items.lookupRecords(Owner=$id).Key"],
  ["Any", "$Boss.Count"],
  ["Any", "SUM(Items.lookupRecords(Owner=$id, Done=True).Price)"],
  ["Any", "MAX(p.Age for p in People.all)"],
  ["Any", "People.lookupRecords(Boss=rec).Name"],
];

/** Returns a formula for the n-th column that reads no later column: results of cycles depend on their entry. */
const itemFormula = (random: Random, n: number): readonly [string, string] =>
  random.pick(
    ITEM_FORMULAS.filter(
      ([, formula]) =>
        Array.from(formula.matchAll(/\bF(\d)/g)).every(([, read]) => Number(read) < n) &&
        (n > 0 || !formula.includes("Total")),
    ),
  );

/** Returns formula columns, some of which read each other. */
function formulaColumns(random: Random): UserAction[] {
  const pick = (table: string, id: string, [type, formula]: readonly [string, string]): UserAction => [
    "AddColumn",
    table,
    id,
    { type, formula, isFormula: true },
  ];
  return [
    pick("People", "Count", random.pick(PEOPLE_FORMULAS.filter(([, formula]) => !formula.includes("Count")))),
    pick("People", "Other", random.pick(PEOPLE_FORMULAS)),
    pick(
      "Items",
      "Total",
      random.below(2) === 0 ? ["Numeric", "(PREVIOUS(rec, order_by='N').Total or 0) + $Price"] : itemFormula(random, 0),
    ),
    ...[1, 2, 3, 4, 5].map((n) => pick("Items", `F${n}`, itemFormula(random, n))),
  ];
}

const someIds = (scratch: Scratch, table: string): number[] => Object.keys(scratch.rows(table)).map(Number);

function itemCells(scratch: Scratch, random: Random): Record<string, unknown> {
  const people = [0, ...someIds(scratch, "People")];
  const items = someIds(scratch, "Items");
  const all: Record<string, unknown> = {
    Key: random.pick(["a", "b", "c", "ann", ""]),
    N: random.pick([0, 1, 2, 3, null, "text"]),
    Price: random.pick([0, 1.5, 2, 3, null, "odd"]),
    Owner: random.pick(people),
    Kids: random.pick([null, ["L", random.pick([...items, 1])]]),
    Tags: random.pick([null, ["L", "x"], ["L", "a", "x"]]),
    Due: random.pick([null, 86_400, 1e9]),
    Done: random.below(2) === 0,
  };
  return Object.fromEntries(Object.entries(all).filter(() => random.below(10) < 4));
}

function randomChange(scratch: Scratch, random: Random): UserAction {
  const items = someIds(scratch, "Items");
  const people = someIds(scratch, "People");
  switch (random.below(9)) {
    case 0:
    case 1:
      return ["AddRecord", "Items", null, itemCells(scratch, random)];
    case 2:
      return ["RemoveRecord", "Items", random.pick([...items, 1])];
    case 3:
      return [
        "AddRecord",
        "People",
        null,
        { Name: random.pick(["ann", "dan"]), Age: 20, Boss: random.pick([0, ...people]) },
      ];
    case 4:
      return [
        "UpdateRecord",
        "People",
        random.pick([...people, 1]),
        { Boss: random.pick([0, ...people]), Age: random.below(4) * 10 },
      ];
    case 5:
      return random.below(10) < 3
        ? ["RemoveRecord", "People", random.pick([...people, 1])]
        : [
            "UpdateRecord",
            "People",
            random.pick([...people, 1]),
            { Name: random.pick(["ann", "eve"]), Town: random.pick(["x", "y"]) },
          ];
    case 6:
      return random.below(10) < 3
        ? structureChange(random)
        : ["UpdateRecord", "Items", random.pick([...items, 1]), itemCells(scratch, random)];
    default:
      return ["UpdateRecord", "Items", random.pick([...items, 1]), itemCells(scratch, random)];
  }
}

function structureChange(random: Random): UserAction {
  const n = 1 + random.below(3);
  const [type, formula] = itemFormula(random, n);
  return random.pick<UserAction>([
    ["ModifyColumn", "Items", `F${n}`, { formula, type }],
    ["RenameColumn", "Items", "Price", "Price"],
    ["CreateViewSection", 3, 0, "record", [random.pick([8, 9, 11, 13])], null],
    ["AddColumn", "Items", null, { formula: "$F1", isFormula: true }],
    ["RemoveColumn", "Items", random.pick(["F4", "F5"])],
    ["ModifyColumn", "Items", "N", { type: random.pick(["Int", "Text", "Any"]) }],
  ]);
}

/** Blocks so small that every table has several, and that results are written in the middle of a change. */
const TINY_BLOCKS = { blockRows: 3, bufferedCells: 3, orderedCells: 2, compiledCells: 1, cacheBytes: 2000 };

/** No index is kept in memory between changes. */
const NO_INDEXES = { indexBytes: 0 };

/** All indexes move to a file, in the middle of the change that makes them or between two. */
const indexesInFile = () => ({ ...FORMULA_LIMITS, temporary: { folder: tempFolder(), maxBytes: 1024 ** 3 } });

const BLOCKS: readonly [name: string, options: () => OpenDocumentOptions][] = [
  ["one block", () => ({})],
  ["blocks of three rows", () => ({ calculation: TINY_BLOCKS })],
  ["no indexes between changes", () => ({ calculation: NO_INDEXES })],
  ["indexes in a file", () => ({ calculation: NO_INDEXES, formulas: indexesInFile() })],
  [
    "blocks of three rows and indexes in a file",
    () => ({ calculation: { ...TINY_BLOCKS, ...NO_INDEXES }, formulas: indexesInFile() }),
  ],
];

test.each(BLOCKS)(
  `incremental recalculation matches a full one, with %s (QUERN_TEST_SEED=${seed})`,
  (_, options) => {
    for (let own = seed; own < seed + SEQUENCES; own++) {
      using scratch = new Scratch(options());
      const random = new Random(own);
      const done: UserAction[] = [...formulaColumns(random)];
      scratch.apply([...START, ...done]);
      for (let step = 0; step < STEPS; step++) {
        const action = randomChange(scratch, random);
        done.push(action);
        // Simulates reopening the document, which discards all dependencies.
        if (random.below(10) < 3) invalidateCalculation(scratch.document.db);
        try {
          scratch.apply([action]);
        } catch (error) {
          if (!(error instanceof AppError)) throw new Error(story(own, done), { cause: error });
        }
        const known = random.below(2) === 0;
        if (!known && step < STEPS - 1) continue;
        const before = scratch.content();
        recalculateDocument(scratch.document, { user: ANN, nowMs: 0 }, { persist: true });
        expect(scratch.content(), story(own, done)).toEqual(before);
      }
    }
  },
  3_600_000,
);

const story = (own: number, done: readonly UserAction[]): string =>
  [`QUERN_TEST_SEED=${own} QUERN_TEST_SEQUENCES=4`, ...done.map((action) => JSON.stringify(action))].join("\n");
