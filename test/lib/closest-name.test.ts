import { expect, test } from "bun:test";
import { closestName } from "../../src/lib/closest-name.ts";

const NAMES = ["Amount", "Customer", "Customers", "SUM", "sum", "id", "Город", "__proto__", "x".repeat(500)];

test.each([
  ["Amout", "Amount"],
  ["amount", "Amount"],
  ["Amuont", "Amount"],
  ["Custmer", "Customer"],
  ["Custmers", "Customers"],
  ["SUMM", "SUM"],
  ["summ", "sum"],
  ["Горд", "Город"],
  ["__prto__", "__proto__"],
  ["Invoice", undefined],
  ["q", undefined],
  ["", undefined],
  ["x".repeat(499), undefined],
])("%s means %p", (name, expected) => {
  expect(closestName(name, NAMES)).toBe(expected);
});
