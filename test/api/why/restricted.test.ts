import { afterAll, beforeAll, expect, test } from "bun:test";
import type { CellExplanation } from "../../../src/doc/why/explanation.ts";
import type { WrittenRules } from "../../doc/rules/ruled.ts";
import { setRules } from "../../helpers/access-rules.ts";
import { type Caller, testApp, type TestApp } from "../../helpers/app.ts";
import { addColumns, formula, orders } from "./scene.ts";

let app: TestApp;
let doc = "";
beforeAll(async () => {
  app = await testApp();
  doc = await orders(app);
  await addColumns(app, `${doc}/tables/Customers`, [
    formula("Sum", "SUM(Orders.lookupRecords(Customer=$id).Total)", "Numeric"),
    formula("Hush", "$Name + $Secret + $City"),
    formula("Rest", "$Hush.upper() if $Rate else $Secret"),
    formula("Oops", "$Name + $Rate"),
    formula("Deep", "Orders.lookupOne(Title='First').Customer.Secret"),
  ]);
});
afterAll(() => app?.[Symbol.asyncDispose]());

const HIDDEN = "user.Access != OWNER";
const deny = (resource: string, condition = HIDDEN): WrittenRules => ({
  [resource]: [{ formula: condition, permissions: "-R" }],
});

/** Rules, who asks for which cell, and the cells, numbers of rows found, and dependent columns; null: not found. */
type Case = readonly [
  rules: WrittenRules,
  as: Caller,
  cell: string,
  expected: {
    cells?: readonly string[];
    found?: readonly number[];
    dependents?: readonly string[];
    cost?: null;
  } | null,
];

const OWN_READS = ["Customers/1/Name", "Customers/1/Secret", "Customers/1/City"];

const CASES: readonly Case[] = [
  [{}, "owner", "Customers/1/Hush", { cells: OWN_READS, dependents: ["Customers.Rest 1"] }],
  [{}, "viewer", "Customers/1/Hush", { cells: OWN_READS, dependents: ["Customers.Rest 1"] }],
  [{}, "viewer", "Customers/1/Sum", { cells: ["Orders/1/Total", "Orders/2/Total"], found: [2] }],
  // A column: the evaluation ends before it, and the text of the formula names the others.
  [deny("Customers:Secret"), "owner", "Customers/1/Hush", { cells: OWN_READS }],
  [deny("Customers:Secret"), "editor", "Customers/1/Secret", null],
  [
    deny("Customers:Secret"),
    "editor",
    "Customers/1/Hush",
    { cells: ["Customers/1/Name", "Customers/1/City"], cost: null, dependents: ["Customers.Rest 1"] },
  ],
  [deny("Customers:Secret"), "viewer", "Customers/1/Rest", { cells: ["Customers/1/Rate", "Customers/1/Hush"] }],
  [deny("Customers:Secret"), "editor", "Customers/1/Deep", { cells: ["Orders/1/Customer"], found: [1], cost: null }],
  [deny("Customers:Secret"), "viewer", "Customers/1/Name", { dependents: ["Customers.Hush 1", "Customers.Oops 1"] }],
  // Rows: a look-up finds the others.
  [
    deny("Orders:*", `${HIDDEN} and rec.Title == 'Second'`),
    "editor",
    "Customers/1/Sum",
    { cells: ["Orders/1/Total"], found: [1] },
  ],
  [deny("Orders:*", `${HIDDEN} and rec.Title == 'Second'`), "owner", "Customers/1/Sum", { found: [2] }],
  [deny("Orders:*", `${HIDDEN} and rec.Title == 'Second'`), "editor", "Orders/2/Total", null],
  [
    deny("Orders:*", `${HIDDEN} and rec.Title == 'Second'`),
    "editor",
    "Customers/1/City",
    { dependents: ["Customers.Hush 1", "Orders.City 1"] },
  ],
  [
    deny("Orders:*", `${HIDDEN} and rec.Title == 'Second'`),
    "owner",
    "Customers/1/City",
    {
      dependents: ["Customers.Hush 1", "Orders.City 2"],
    },
  ],
  // A cell of one row.
  [deny("Customers:Name", `${HIDDEN} and rec.Rate == 2`), "editor", "Customers/1/Name", null],
  [deny("Customers:Name", `${HIDDEN} and rec.Rate == 2`), "editor", "Customers/2/Name", { cells: [] }],
  // A table: neither read nor dependent.
  [deny("Orders:*"), "editor", "Orders/1/Total", null],
  [deny("Orders:*"), "editor", "Customers/1/Sum", { cells: [], found: [], cost: null }],
  [deny("Orders:*"), "editor", "Customers/1/City", { dependents: ["Customers.Hush 1"] }],
  // A reference: what it leads to is not known.
  [deny("Orders:Customer"), "editor", "Orders/1/City", { cells: [], cost: null }],
  [deny("Orders:Customer"), "editor", "Customers/1/City", { dependents: ["Customers.Hush 1"] }],
  // Missing cells.
  [{}, "owner", "Orders/1/Nope", null],
  [{}, "owner", "Orders/99/Total", null],
  [{}, "owner", "Orders/0/Total", null],
  [{}, "owner", "Orders/first/Total", null],
  [{}, "owner", "Orders/1/manualSort", null],
  [{}, "owner", "_grist_Tables/1/tableId", null],
  [{}, "owner", "Nope/1/Total", null],
];

test.each(CASES)("under %j, %s asks for %s", async (rules, as, cell, expected) => {
  await setRules(app, doc, rules);
  const { status, body } = await app.call(as, "GET", `${doc}/cells/${cell}/why`);
  if (expected === null) {
    expect({ status, body }).toEqual({
      status: 404,
      body: { error: "Cell not found", details: { code: "cell.not_found" } },
    });
    return;
  }
  expect(status).toBe(200);
  const { reads, dependents, cost } = body as CellExplanation;
  const found = {
    cells: reads.cells.map(({ table, row, column }) => `${table}/${row}/${column}`),
    found: reads.lookups.map((lookup) => lookup.found),
    dependents: dependents.columns.map(({ table, column, cells }) => `${table}.${column} ${cells}`).toSorted(),
    cost,
  };
  expect(found).toMatchObject(expected);
});
