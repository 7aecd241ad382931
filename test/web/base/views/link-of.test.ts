import { describe, expect, test } from "bun:test";
import type { ColumnListing } from "../../../../src/web/base/table-data.ts";
import { followLink, type LinkContext, readLink } from "../../../../src/web/base/views/link-of.ts";
import { offeredLinks } from "../../../../src/web/base/views/link-offers.ts";
import type { SectionData } from "../../../../src/web/base/views/section-data.ts";

interface ColumnInput {
  readonly formula?: string;
  readonly summarySourceCol?: number;
}

const column = (colRef: number, id: string, type: string, { formula = "", summarySourceCol = 0 }: ColumnInput = {}) =>
  ({
    id,
    fields: { colRef, label: id, type, isFormula: formula !== "", formula, summarySourceCol },
  }) as unknown as ColumnListing;

const COLUMNS: Readonly<Record<string, readonly ColumnListing[]>> = {
  Customers: [column(1, "Name", "Text"), column(2, "Best", "Ref:Orders"), column(3, "Orders", "RefList:Orders")],
  Orders: [
    column(11, "Number", "Text"),
    column(12, "Customer", "Ref:Customers"),
    column(13, "Buyers", "RefList:Customers"),
    column(14, "Tags", "ChoiceList"),
    column(15, "Payer", "Ref:Customers", { formula: "$Customer" }),
  ],
  Orders_summary_Customer: [
    column(21, "Customer", "Ref:Customers", { summarySourceCol: 12 }),
    column(22, "group", "RefList:Orders", { formula: "x" }),
  ],
  Orders_summary_Customer_Tags: [
    column(31, "Customer", "Ref:Customers", { summarySourceCol: 12 }),
    column(32, "Tags", "Choice", { summarySourceCol: 14 }),
  ],
};

const table = (ref: number, id: string, sourceRef = 0) => ({ id, ref, title: id, sourceRef, groupedBy: [] });

const CONTEXT: LinkContext = {
  tables: [
    table(1, "Customers"),
    table(2, "Orders"),
    table(3, "Orders_summary_Customer", 2),
    table(4, "Orders_summary_Customer_Tags", 2),
  ],
  columnsOf: (id) => COLUMNS[id] ?? [],
};

const at = (id: string) => ({ table: id, tableRef: CONTEXT.tables.find((each) => each.id === id)?.ref ?? 0 });

const link = (source: string, target: string, refs: { source?: number; target?: number } = {}) =>
  readLink({ source: at(source), target: at(target) }, { source: 0, target: 0, ...refs }, CONTEXT);

const followed = (fields: Record<string, unknown>, found: ReturnType<typeof link>) =>
  followLink(found, { id: 7, fields }, "none");

describe("a link", () => {
  test("by a reference selects the rows that refer to the selected one", () => {
    const found = followed({}, link("Customers", "Orders", { target: 12 }));
    expect(found).toEqual({ filter: { Customer: [7] }, values: { Customer: 7 }, row: null, missing: null });
  });

  test("by a list of references selects rows that contain it", () => {
    const found = followed({}, link("Customers", "Orders", { target: 13 }));
    expect(found.filter).toEqual({ Buyers: { hasAny: [7] } });
    expect(found.values).toEqual({ Buyers: ["L", 7] });
  });

  test("by a formula gives new rows no value", () => {
    expect(followed({}, link("Customers", "Orders", { target: 15 })).values).toEqual({});
  });

  test("of the same table moves the cursor", () => {
    expect(followed({}, link("Orders", "Orders"))).toEqual({ filter: null, values: {}, row: 7, missing: null });
  });

  test("from a reference moves the cursor to the row that it names", () => {
    expect(followed({ Best: 3 }, link("Customers", "Orders", { source: 2 }))).toMatchObject({ filter: null, row: 3 });
    expect(followed({ Best: 0 }, link("Customers", "Orders", { source: 2 }))).toMatchObject({
      filter: null,
      row: null,
    });
  });

  test("from a list of references selects its rows", () => {
    const found = link("Customers", "Orders", { source: 3 });
    expect(followed({ Orders: ["L", 4, 2] }, found).filter).toEqual({ id: [4, 2] });
    expect(followed({ Orders: null }, found).filter).toEqual({ id: [] });
  });

  test("of two columns selects rows with an item in common", () => {
    expect(followed({ Customer: 4 }, link("Orders", "Orders", { source: 12, target: 13 }))).toMatchObject({
      filter: { Buyers: { hasAny: [4] } },
      values: { Buyers: ["L", 4] },
    });
    expect(followed({ Buyers: ["L", 4, 5] }, link("Orders", "Orders", { source: 13, target: 12 }))).toMatchObject({
      filter: { Customer: [4, 5] },
      values: {},
    });
    expect(followed({ Customer: 0 }, link("Orders", "Orders", { source: 12, target: 13 }))).toMatchObject({
      filter: { Buyers: { empty: true } },
      values: {},
    });
  });

  test("from a summary selects the rows of the group", () => {
    const found = link("Orders_summary_Customer_Tags", "Orders");
    expect(followed({ Customer: 4, Tags: "new" }, found)).toMatchObject({
      filter: { and: [{ Customer: [4] }, { Tags: { hasAny: ["new"] } }] },
      values: { Customer: 4, Tags: ["L", "new"] },
    });
    expect(followed({ Customer: 0, Tags: "" }, found)).toMatchObject({
      filter: { and: [{ Customer: { empty: true } }, { Tags: { empty: true } }] },
      values: {},
    });
  });

  test("from a summary leads to a more detailed one, not to a less detailed one", () => {
    const found = link("Orders_summary_Customer", "Orders_summary_Customer_Tags");
    expect(followed({ Customer: 4 }, found).filter).toEqual({ Customer: [4] });
    expect(link("Orders_summary_Customer_Tags", "Orders_summary_Customer")).toBeNull();
  });

  test("by the group of a summary selects its rows without naming each", () => {
    expect(followed({ Customer: 4 }, link("Orders_summary_Customer", "Orders", { source: 22 })).filter).toEqual({
      Customer: [4],
    });
  });

  test("to a column of the source table leads to that of the summary", () => {
    expect(followed({}, link("Customers", "Orders_summary_Customer", { target: 12 })).filter).toEqual({
      Customer: [7],
    });
  });

  test("shows no rows, and says why, while none is selected", () => {
    const found = followLink(link("Customers", "Orders", { target: 12 }), null, "Select a row first");
    expect(found).toEqual({ filter: { id: [] }, values: {}, row: null, missing: "Select a row first" });
    const added = { id: -1, fields: {} };
    expect(followLink(link("Customers", "Orders", { target: 12 }), added, "none").missing).toBe("none");
  });

  test.each([
    ["unknown columns", link("Customers", "Orders", { target: 99 })],
    ["columns of another table", link("Customers", "Orders", { source: 12 })],
    ["columns that do not refer to the source", link("Customers", "Orders", { target: 11 })],
    ["tables without relation", link("Customers", "Orders")],
  ])("by %s is none", (_, found) => {
    expect(found).toBeNull();
    expect(followLink(found, null, "none").filter).toBeNull();
  });
});

describe("a section can be linked", () => {
  const section = (ref: number, id: string, more: Partial<SectionData> = {}): SectionData =>
    ({
      ref,
      kind: "record",
      linkSourceSection: 0,
      linkSourceColumn: 0,
      linkTargetColumn: 0,
      ...at(id),
      ...more,
    }) as SectionData;
  const offers = (target: SectionData, sections: readonly SectionData[]) =>
    offeredLinks(target, sections, CONTEXT).map(({ section: from, source, target: to, link: { kind } }) =>
      [from.ref, source, to, kind].join(" "),
    );

  test("to sections of the same table, of referenced and referring tables, and of summaries", () => {
    const orders = section(2, "Orders");
    expect(offers(orders, [section(1, "Customers"), orders, section(3, "Orders_summary_Customer")])).toEqual([
      "1 0 12 referring",
      "1 0 13 referring",
      "1 0 15 referring",
      "1 2 0 cursor",
      "1 3 0 listed",
      "3 0 0 group",
      "3 21 12 equal",
      "3 21 13 equal",
      "3 21 15 equal",
    ]);
  });

  test("not to charts and forms", () => {
    const orders = section(2, "Orders");
    const others = ["chart", "form", "custom"].map((kind, at_) => section(3 + at_, "Orders", { kind }));
    expect(offers(orders, [orders, ...others])).toEqual([]);
  });

  test("not in a circle, unless only cursors follow each other", () => {
    const customers = section(1, "Customers");
    const orders = section(2, "Orders", { linkSourceSection: 1, linkTargetColumn: 12 });
    const more = section(3, "Customers", { linkSourceSection: 2, linkSourceColumn: 12 });
    expect(offers(customers, [customers, orders, more])).toEqual([]);
    const same = section(4, "Customers", { linkSourceSection: 1 });
    expect(offers(customers, [customers, same])).toContain("4 0 0 cursor");
  });
});
