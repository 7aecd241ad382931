import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Role } from "../../src/authorization.ts";
import { applyUserActions, type UserAction } from "../../src/doc/actions/apply-user-actions.ts";
import { OpenDocument } from "../../src/doc/document.ts";
import { createDocumentFromTemplate } from "../../src/doc/templates/create-from-template.ts";
import { searchVerbs } from "../../src/hosts/verbs/search.ts";
import { drainMeasurements } from "../../src/lib/observability/measurements.ts";
import { TestClock } from "../helpers/clock.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { ANN } from "./actions/scratch.ts";
import { grantOf, textOf } from "./read/sample.ts";
import { addingRules, type WrittenRules } from "./rules/ruled.ts";

/** Numbers, dates and references are found as they are shown. */

const NOON = Date.UTC(2026, 2, 20, 12);

interface Found {
  readonly table: string;
  readonly tableTitle: string;
  readonly row: number;
  readonly column: string;
  readonly columnLabel: string;
  readonly label: string;
  readonly excerpt: string;
}

function search(document: OpenDocument, query: string, role: Role = "owners"): Found[] {
  const answer = searchVerbs["document.search"].run(document, grantOf("sample", role), { query, limit: 100 });
  return (JSON.parse(textOf(document, answer)) as { results: Found[] }).results;
}

const places = (document: OpenDocument, query: string, role?: Role): string[] =>
  search(document, query, role)
    .map(({ table, row, column }) => `${table}.${row}.${column}`)
    .toSorted();

const apply = (document: OpenDocument, actions: readonly UserAction[]) =>
  applyUserActions(document, actions, { parse: false, user: ANN, nowMs: NOON });

function orderBook(options: ConstructorParameters<typeof OpenDocument>[1] = {}): OpenDocument {
  const path = join(tempFolder(), "document.grist");
  createDocumentFromTemplate(path, "order-book", { nowMs: NOON });
  const document = new OpenDocument(path, { durability: "normal", clock: new TestClock(NOON), ...options });
  apply(document, [
    ["AddColumn", "Orders", "Sent", { type: "DateTime:America/New_York", isFormula: false }],
    // The evening in New York, the next day in UTC.
    ["UpdateRecord", "Orders", 1, { Sent: Date.UTC(2026, 2, 11, 2) / 1000, Notes: "Zoë’s café\nis open" }],
    ["AddColumn", "Orders", "Similar", { type: "RefList:Products", isFormula: false }],
    ["ModifyColumn", "Orders", "Similar", { visibleCol: refOf(document, "Products", "Product") }],
    ["SetDisplayFormula", "Orders", null, refOf(document, "Orders", "Similar", 1), "$Similar.Product"],
    ["UpdateRecord", "Orders", 2, { Similar: ["L", 3, 7] }],
    ["AddColumn", "Orders", "Share", { type: "Numeric", isFormula: false, widgetOptions: '{"numMode":"percent"}' }],
    ["UpdateRecord", "Orders", 3, { Share: 1 / 3 }],
  ]);
  const section = document.schema.tableById.get("Orders")?.rawViewSectionRef ?? 0;
  document.db.run("update _grist_Views_section set title = 'Order book <b>' where id = ?", section);
  return document;
}

/** @param next the number of columns that are added before the reference is used */
function refOf({ schema }: OpenDocument, table: string, column: string, next = 0): number {
  const found = schema.tableById.get(table)?.columnById.get(column)?.ref;
  return found ?? Math.max(...schema.columnByRef.keys()) + 1 + next;
}

describe.each([
  ["without an index", false],
  ["with an index", true],
])("%s", (_, isIndexed) => {
  let document: OpenDocument;
  beforeAll(() => {
    const temporary = { folder: tempFolder(), maxBytes: 1e9 };
    document = orderBook(isIndexed ? { indexes: { minRows: 0, temporary } } : {});
    if (!isIndexed) return;
    places(document, "anything");
    while (document.ownIndexes?.runStep(1000));
    drainMeasurements();
    places(document, "anything");
    expect(drainMeasurements().counts.indexHits).toBe(3);
  });
  afterAll(() => document.close());

  test.each<[query: string, found: string[]]>([
    ["$3,596.00", ["Orders.1.Total"]],
    ["3596", ["Orders.1.Total"]],
    ["3,596", ["Orders.1.Total"]],
    ["359", []],
    ["2026-03-18", ["Orders.11.Ordered"]],
    ["18 Mar 2026", ["Orders.11.Ordered"]],
    ["gift 2026-03-18", ["Orders.11.Ordered"]],
    ["18 Mar", []],
    ["2026-03-10", ["Orders.1.Sent"]],
    ["2026-03-11", ["Orders.8.Ordered"]],
    ["33%", ["Orders.3.Share"]],
    ["33.3%", []],
    ["ZOE'S", []],
    ["zoe cafe", ["Orders.1.Notes"]],
    ["CAFÉ", ["Orders.1.Notes"]],
    ["chloe", ["Customers.3.Name", "Orders.11.Customer", "Orders.4.Customer"]],
    ["tuning", ["Orders.2.Similar", "Orders.7.Product", "Products.7.Product"]],
    ["tuning cancelled", ["Orders.7.Product"]],
    ["weber 12", ["Orders.3.Quantity"]],
    ["0.5e400", []],
    ["Infinity", []],
  ])("%j", (query, found) => {
    expect(places(document, query)).toEqual(found);
  });

  test("a result has the title of its table, the label of the column and the first text of its row", () => {
    expect(search(document, "3596")).toEqual([
      {
        table: "Orders",
        tableTitle: "Order book <b>",
        row: 1,
        column: "Total",
        columnLabel: "Total",
        label: "2026-0001",
        excerpt: "$3,596.00",
        score: 5,
      },
    ] as never);
    expect(search(document, "cafe")[0]?.excerpt).toBe("Zoë’s café is open");
  });
});

describe("under rules", () => {
  const hide = (resource: string, formula = "user.Access != OWNER"): WrittenRules => ({
    "*:*": [{ formula: "user.Access != OWNER", permissions: "-S" }],
    [resource]: [{ formula, permissions: "-R" }],
  });
  test.each<[name: string, rules: WrittenRules, query: string, shown: string[], left: string[]]>([
    ["a table", hide("Customers:*"), "Berlin", ["Customers.4.City"], []],
    // The label of a reference is a cell of the hidden table.
    [
      "a table that references show",
      hide("Customers:*"),
      "dubois",
      ["Customers.3.Name", "Orders.11.Customer", "Orders.4.Customer"],
      [],
    ],
    ["a column of texts", hide("Orders:Notes"), "frame", ["Orders.4.Notes"], []],
    ["a column of numbers", hide("Orders:Total"), "3596", ["Orders.1.Total"], []],
    ["a column of dates", hide("Orders:Ordered"), "2026-03-18", ["Orders.11.Ordered"], []],
    [
      "a shown column",
      hide("Products:Product"),
      "tuning",
      ["Orders.2.Similar", "Orders.7.Product", "Products.7.Product"],
      [],
    ],
    ["rows", hide("Orders:*", "user.Access != OWNER and rec.id == 1"), "3596", ["Orders.1.Total"], []],
    ["cells", hide("Orders:Total,Notes", "user.Access != OWNER and rec.id == 1"), "cafe", ["Orders.1.Notes"], []],
    [
      "cells with numbers",
      hide("Orders:Total", "user.Access != OWNER and rec.id == 1"),
      "3596",
      ["Orders.1.Total"],
      [],
    ],
    [
      "cells with references",
      hide("Orders:Customer", "user.Access != OWNER and rec.id == 4"),
      "dubois",
      ["Customers.3.Name", "Orders.11.Customer", "Orders.4.Customer"],
      ["Customers.3.Name", "Orders.11.Customer"],
    ],
    [
      "cells that references show",
      hide("Customers:Name", "user.Access != OWNER and rec.id == 3"),
      "dubois",
      ["Customers.3.Name", "Orders.11.Customer", "Orders.4.Customer"],
      [],
    ],
  ])("hidden values are not found: %s", (_, rules, query, shown, left) => {
    using document = orderBook();
    apply(document, addingRules(rules));
    expect(places(document, query)).toEqual(shown);
    expect(places(document, query, "editors")).toEqual(left);
  });

  test("labels of rows have no hidden cells", () => {
    using document = orderBook();
    apply(document, addingRules(hide("Orders:Order_no", "user.Access != OWNER and rec.id == 1")));
    expect(search(document, "3596").map(({ label }) => label)).toEqual(["2026-0001"]);
    expect(search(document, "3596", "editors").map(({ label }) => label)).toEqual(["Ortiz Cycling"]);
  });
});
