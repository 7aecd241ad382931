import { expect, test } from "bun:test";
import { pickColumnId, pickSummaryTableId, pickTableId } from "../../src/doc/identifiers.ts";

test.each([
  ["orders", "Orders"],
  ["order items", "Order_items"],
  ["1999 budget", "T1999_budget"],
  ["Þing Über Ñandú", "Ing_Uber_Nandu"],
  ["__hidden", "Hidden"],
  ["x--y//z", "X_y_z"],
  ["a__b", "A__b"],
  ["True", "TTrue"],
  ["while", "While"],
  ["ﬁle Ⅳ", "File_IV"],
  ["", "Table1"],
  ["日本", "Table1"],
  ["sqlite_stat1", "TSqlite_stat1"],
  ["SQLITE", "SQLITE"],
])("a table named %j gets the id %s", (name, id) => {
  expect(pickTableId(name, [])).toBe(id);
});

test.each([
  ["unit price", "unit_price"],
  ["5th", "c5th"],
  ["while", "cwhile"],
  ["None", "cNone"],
  ["ID", "ID2"],
  ["id", "id2"],
  ["  ", "A"],
])("a column named %j gets the id %s", (name, id) => {
  expect(pickColumnId(name, [])).toBe(id);
});

test("appends a number to a taken id, ignoring case, after _ when it ends in a digit", () => {
  expect(pickTableId("orders", ["ORDERS"])).toBe("Orders2");
  expect(pickTableId("orders", ["Orders", "orders2"])).toBe("Orders3");
  expect(pickColumnId("q4", ["q4", "Q4_2"])).toBe("q4_3");
});

test("uses the first free number or letter when a name has no usable characters", () => {
  expect(pickTableId("", ["Table1", "table2"])).toBe("Table3");
  const single = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".split("");
  expect(pickColumnId("", single)).toBe("AA");
  expect(pickColumnId("", [...single, "AA", "ab"])).toBe("AC");
});

test("names summaries after their source and its columns in text order", () => {
  expect(pickSummaryTableId("Sales", ["city", "Year"], [])).toBe("Sales_summary_Year_city");
  expect(pickSummaryTableId("Sales", [], [])).toBe("Sales_summary");
  expect(pickSummaryTableId("Sales", ["Q1"], ["sales_SUMMARY_q1"])).toBe("Sales_summary_Q1_2");
});
