import { expect, test } from "bun:test";
import { linkedSectionRow, sectionRowParameter, withRow } from "../../../../src/web/base/views/row-address.ts";

const query = (text: string) => new URLSearchParams(text);

test("an address names one row, and keeps other parameters", () => {
  const before = query("sort.7=-A&row=1&row.8=2&table=Old");
  const parameter = sectionRowParameter(7);
  expect(withRow(before, { parameter, id: 3 }).toString()).toBe("sort.7=-A&row.7=3");
  expect(withRow(before, { parameter, id: 3, table: "Orders" }).toString()).toBe("sort.7=-A&row.7=3&table=Orders");
  expect(withRow(before, { parameter, id: null, table: "Orders" }).toString()).toBe("sort.7=-A");
});

test("a link to a row of a section names its table", () => {
  expect(linkedSectionRow(query("row.7=3&table=Orders"))).toEqual({ section: 7, row: 3, table: "Orders" });
  for (const text of ["row.7=3", "row=3&table=Orders", "row.7=x&table=Orders", "row.0=3&table=Orders", "table=Orders"])
    expect(linkedSectionRow(query(text))).toBeNull();
});
