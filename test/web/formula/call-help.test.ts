import { expect, test } from "bun:test";
import { callHelpAt, parametersOf } from "../../../src/web/pages/table/client/formula/call-help.ts";
import { caretIn, SCHEMA } from "./schema.ts";

test.each<[string, string | null, string | undefined]>([
  ["IF(|", "IF", "logical_expression"],
  ["IF($Amount > 1, |", "IF", "value_if_true"],
  ["IF($Amount > 1, 'a, b', |)", "IF", "value_if_false"],
  ["IF(1, 2, 3, |)", "IF", undefined],
  ["IF(SUM(1, |), 2)", "SUM", "…"],
  ["IF(SUM(1, 2), |)", "IF", "value_if_true"],
  ["IF(foo(1, |), 2)", "IF", "logical_expression"],
  ["IF([1, 2, |], 2)", "IF", "logical_expression"],
  ["SUM(1, 2, 3, |)", "SUM", "…"],
  ["DATEADD($x, months=|)", "DATEADD", "months=0"],
  ["PREVIOUS(rec, |)", "PREVIOUS", undefined],
  ["PREVIOUS(rec, order_by=|)", "PREVIOUS", "order_by"],
  ["Customers.lookupOne(|)", "Customers.lookupOne", "column=value"],
  ["IF(1)|", null, undefined],
  ["foo(|", null, undefined],
  ["# IF(|", null, undefined],
  ["|", null, undefined],
])("%s is in %s at %s", (written, name, parameter) => {
  const [text, caret] = caretIn(written);
  const help = callHelpAt(text, caret, SCHEMA);
  expect([help?.name ?? null, help?.parameters[help.current]]).toEqual([name, parameter]);
});

test("parameters are split at their own commas", () => {
  expect(parametersOf("F(a, b=[1, 2], c=(1, 2))")).toEqual(["a", "b=[1, 2]", "c=(1, 2)"]);
  expect(parametersOf("F()")).toEqual([]);
});
