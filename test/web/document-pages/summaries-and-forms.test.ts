/** Pages with summaries and forms: the tables and rows that they show, and the way to a form's page. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { columnsOf, type Desk, openDesk, rowsOf, sectionOf } from "./paper.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  await desk.paper.addTable(
    "Sales",
    [
      { id: "City", type: "Text" },
      { id: "Size", type: "Choice" },
      { id: "Amount", type: "Numeric" },
    ],
    { City: ["Rome", "Oslo", "Rome"], Size: ["S", "S", "L"], Amount: [1, 2, 4] },
  );
});
afterAll(() => desk[Symbol.asyncDispose]());

test("summaries show the grouped columns, then counts and sums", async () => {
  const { paper } = desk;
  const { view, section } = await paper.addSection("Sales", { groupBy: ["City"] });
  const other = await paper.addSection("Sales", { view, groupBy: ["City"] });
  const { data } = await desk.open(view);
  expect(columnsOf(data, section)).toEqual(["City 100", "count 100", "Amount 100"]);
  expect(rowsOf(data, "City", section)).toEqual(["Rome", "Oslo"]);
  expect(rowsOf(data, "count", section)).toEqual([2, 1]);
  expect(rowsOf(data, "Amount", section)).toEqual([5, 2]);
  // Both show the same table.
  expect(sectionOf(data, other.section).table).toBe("Sales_summary_City");
  expect(sectionOf(data, section).table).toBe("Sales_summary_City");
});

test("summaries by two columns have a row for each pair, totals have one row", async () => {
  const { paper } = desk;
  const { view, section } = await paper.addSection("Sales", { groupBy: ["City", "Size"] });
  const totals = await paper.addSection("Sales", { view, groupBy: [] });
  const { data } = await desk.open(view);
  expect(columnsOf(data, section)).toEqual(["City 100", "Size 100", "count 100", "Amount 100"]);
  expect(rowsOf(data, "Amount", section)).toEqual([1, 2, 4]);
  expect(columnsOf(data, totals.section)).toEqual(["count 100", "Amount 100"]);
  expect([rowsOf(data, "count", totals.section), rowsOf(data, "Amount", totals.section)]).toEqual([[3], [7]]);
});

test("detached summaries show a table of their own", async () => {
  const { paper } = desk;
  const { view, section } = await paper.addSection("Sales", { groupBy: ["Size"] });
  await paper.apply(["DetachSummaryViewSection", section]);
  const { data } = await desk.open(view);
  expect(sectionOf(data, section).table).toBe("Table2");
  expect([rowsOf(data, "Size", section), rowsOf(data, "Amount", section)]).toEqual([
    ["S", "L"],
    [3, 4],
  ]);
});

test("forms link to their page, and for owners to its editor", async () => {
  const { view, section } = await desk.paper.addSection("Sales", { kind: "form" });
  const { html } = await desk.open(view);
  expect(html).toContain(`href="/docs/${desk.docId}/forms/${section}"`);
  expect(html).toContain(`href="/docs/${desk.docId}/forms/${section}/edit"`);
  expect((await desk.visitor.get(`/docs/${desk.docId}/forms/${section}`)).status).toBe(200);
});

test("sections whose source is removed show all rows", async () => {
  const { paper } = desk;
  const { view, section } = await paper.addSection("Sales");
  const target = await paper.addSection("Sales", { view, values: { linkSrcSectionRef: section } });
  await paper.apply(["RemoveViewSection", section]);
  const { data } = await desk.open(view);
  expect(sectionOf(data).linkSourceSection).toBe(0);
  expect(rowsOf(data, "City", target.section)).toEqual(["Rome", "Oslo", "Rome"]);
});
