import { describe, expect, test } from "bun:test";
import { findNameReferences, NameReferenceFinder } from "../../../src/formula/names/reference-finder.ts";
import type { NameReference } from "../../../src/formula/names/name-references.ts";
import { mayContainName } from "../../../src/formula/names/apply-name-replacement.ts";
import { SHOP } from "./shop.ts";
import { cpuMs } from "../../helpers/cpu-time.ts";

const describeReference = (reference: NameReference): string => {
  if (reference.kind === "table") return reference.table;
  return reference.kind === "column" ? `${reference.table}.${reference.column}` : `?.${reference.name}`;
};

describe("finds references in formulas of Orders", () => {
  test.each([
    ["$Name", "Orders.Name"],
    ["$id + rec.manualSort", "Orders.id Orders.manualSort"],
    ["$Nowhere.Name", "Orders.Nowhere ?.Name"],
    ["Clients.lookupOne(Name=1).City", "Clients Clients.Name Clients.City"],
    ["Orders.lookupRecords(order_by=('-Day', 'Name'))", "Orders Orders.Day Orders.Name"],
    ["rec", ""],
    ["x.Name.upper()", "?.Name ?.upper"],
    ["[c.Name for c in $Payers]", "?.Name Orders.Payers"],
    ["Nowhere.all", "?.all"],
    ["Clients", "Clients"],
    ["datetime.date.today()", "?.date ?.today"],
    ["$Name.Name if", ""],
  ])("%j", (formula, expected) => {
    expect(findNameReferences(formula, "Orders", SHOP).map(describeReference).join(" ")).toBe(expected);
  });
});

test("spans refer to the original formula", () => {
  const formula = "\r\n  é = 'ü'\r\n\r\n  return $Client . Name";
  const references = findNameReferences(formula, "Orders", SHOP);
  expect(references).toEqual([
    { kind: "column", table: "Orders", column: "Client", from: 25, to: 31 },
    { kind: "column", table: "Clients", column: "Name", from: 34, to: 38 },
  ]);
  expect(references.map(({ from, to }) => formula.slice(from, to))).toEqual(["Client", "Name"]);
});

test("accepts global names instead of the record's", () => {
  const reader = new NameReferenceFinder(SHOP);
  const references = reader.findReferencesWithGlobals(
    "user.Who.Name == $Name or newRec.Name or user.Name",
    new Map([
      ["newRec", { kind: "record", table: "Orders" }],
      ["user", { kind: "object", attributes: new Map([["Who", { kind: "record", table: "Clients" }]]) }],
    ]),
  );
  expect(references.map(describeReference)).toEqual(["Clients.Name", "?.Name", "Orders.Name", "?.Name"]);
});

test("infers no type for columns that are cyclic, too deep or nested too deeply", () => {
  const chain = (length: number, last: string) => ({
    tableById: new Map([
      [
        "T",
        {
          columnById: new Map(
            Array.from({ length }, (_, i) => [
              `c${i}`,
              { type: "Any", isFormula: true, formula: i + 1 < length ? `$c${i + 1}` : last },
            ]),
          ),
        },
      ],
    ]),
  });
  const read = (length: number, last: string) =>
    findNameReferences("$c0.x", "T", chain(length, last)).map(describeReference).join(" ");
  expect(read(3, "rec")).toBe("T.c0 T.x");
  expect(read(3, "$c0")).toBe("T.c0 ?.x");
  expect(read(5000, "rec")).toBe("T.c0 ?.x");
  expect(read(1, `${"(".repeat(5000)}rec${")".repeat(5000)}`)).toBe("T.c0 ?.x");
  expect(findNameReferences(`rec${".c0".repeat(300)}.x`, "T", chain(1, "rec"))).toHaveLength(301);
  expect(findNameReferences("rec.x+".repeat(5000), "T", chain(1, "rec"))).toEqual([]);
});

describe("processes long formulas in bounded time:", () => {
  const lines = (count: number, line: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => line(i)).join("\n");
  test.each([
    ["loops within loops", 20, `${lines(20, (i) => `${" ".repeat(i)}for v${i} in Orders.all:`)} pass\nreturn 1`],
    ["loops one after the other", 2500, `${lines(2500, (i) => `for v${i} in Orders.all: pass`)}\nreturn 1`],
    ["branches beside many variables", 1, `${lines(2500, (i) => `v${i} = rec\nif 1: pass`)}\nreturn $Name`],
  ])("%s", (_, count, formula) => {
    expect(cpuMs(() => expect(findNameReferences(formula, "Orders", SHOP)).toHaveLength(count))).toBeLessThan(10_000);
  });
});

test("mayContainName finds whole words", () => {
  expect(mayContainName("$Name", "Name")).toBe(true);
  expect(mayContainName("$Ｎame", "Name")).toBe(true);
  expect(mayContainName("$Names + $Name", "Name")).toBe(true);
  expect(mayContainName("x(order_by='-Name')", "Name")).toBe(true);
  expect(mayContainName("$Nam + $Names + $MyName", "Name")).toBe(false);
  expect(mayContainName("", "Name")).toBe(false);
});
