/** The tree of pages in the sidebar, and the boxes of pages: layouts of all shapes, sections of all kinds, and their titles. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { HOSTILE_NAME } from "../hostile.ts";
import { drawTree } from "./drawing.ts";
import { type Desk, openDesk } from "./paper.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk[Symbol.asyncDispose]());

describe("the pages of a document", () => {
  let inner: Desk;
  let views: Record<string, number>;
  // Each hyphen is a level; folded pages end with an ellipsis.
  const PAGES = [
    "Overview",
    "Sales…",
    "-Orders",
    "--Returns",
    "---By month",
    "-",
    "--Below a page without a name",
    "Stock",
    "---Far below",
    "--Nearer",
    "-Suppliers…",
    "--Contacts",
    "GristDocTour",
    "-GristDocTutorial",
    "Twice",
    "Twice",
    `-${HOSTILE_NAME}`,
  ];

  beforeAll(async () => {
    inner = await openDesk();
    await inner.paper.apply(["RemoveTable", "Table1"]);
    views = {};
    for (const text of PAGES) {
      const isFolded = text.endsWith("…");
      const name = text.replace(/^-+/, "").replace(/…$/, "");
      const indentation = /^-*/.exec(text)?.[0].length ?? 0;
      const [view] = await inner.paper.apply(
        ["AddRecord", "_grist_Views", -1, { name, type: "empty" }],
        [
          "AddRecord",
          "_grist_Pages",
          null,
          { viewRef: -1, indentation, options: isFolded ? '{"collapsed":true}' : "" },
        ],
      );
      views[name] = Number(view);
    }
  });
  afterAll(() => inner[Symbol.asyncDispose]());

  const shown = async (name: string) =>
    drawTree((await inner.visitor.get(`/docs/${inner.docId}/pages/${views[name]}`)).html);

  test("are a tree by their depth, without unnamed ones and tours", async () => {
    expect(await shown("Overview")).toEqual([
      "Overview*",
      "Sales…",
      "-Orders",
      "--Returns",
      "---By month",
      "--Below a page without a name",
      "Stock",
      "-Far below",
      "-Nearer",
      "-Suppliers…",
      "--Contacts",
      "Twice",
      "Twice",
      `-${HOSTILE_NAME}`,
    ]);
  });

  test("are unfolded above the current page only", async () => {
    const lines = await shown("By month");
    expect(lines.slice(1, 5)).toEqual(["Sales", "-Orders", "--Returns", "---By month*"]);
    expect(lines).toContain("-Suppliers…");
  });

  test("begin with the first one at the document's address", async () => {
    const { status, to } = await inner.visitor.get(`/docs/${inner.docId}`);
    expect([status, to]).toEqual([302, `/docs/${inner.docId}/pages/${views["Overview"]}`]);
  });

  test("follow the order of their positions, not of their numbers", async () => {
    const pages = await inner.paper.records("_grist_Pages");
    const stock = pages.find(({ fields }) => fields["viewRef"] === views["Stock"]);
    await inner.paper.apply(["UpdateRecord", "_grist_Pages", stock?.id, { pagePos: 1, indentation: 0 }]);
    expect((await shown("Overview")).slice(0, 2)).toEqual(["Stock", "Overview*"]);
  });
});

describe("the layout of a page", () => {
  const leaf = (index: number) => ({ leaf: `@${index}` });

  // Sections are named A, B, … in the order in which they were made; `@0` is the first one.
  test.each<[name: string, sections: number, layout: unknown, boxes: string, tray: string]>([
    ["has two columns without a layout", 5, "", "(A | B) / (C | D) / E", ""],
    ["has two columns if it is not JSON", 2, "{children", "(A | B)", ""],
    ["has two columns if it has no boxes", 3, {}, "(A | B) / C", ""],
    ["stacks the boxes of the root", 3, { children: [leaf(2), leaf(0), leaf(1)] }, "C / A / B", ""],
    [
      "alternates, with sizes",
      5,
      {
        children: [
          {
            size: 30,
            children: [
              { ...leaf(0), size: 25 },
              { size: 75, children: [leaf(1), { ...leaf(2), size: 300 }] },
            ],
          },
          { size: 70, children: [leaf(3), leaf(4)] },
        ],
      },
      "(A 25 | (B / C 300) 75) 30 / (D | E) 70",
      "",
    ],
    [
      "has three levels and more",
      5,
      {
        children: [
          { children: [leaf(0), { children: [leaf(1), { children: [leaf(2), { children: [leaf(3), leaf(4)] }] }] }] },
        ],
      },
      "(A | (B / (C | (D / E))))",
      "",
    ],
    [
      "leaves out sections of other pages, and boxes that are then empty",
      2,
      { children: [{ leaf: 9999 }, { children: [{ leaf: 1 }, { children: [{ leaf: 2 }] }] }, leaf(1), leaf(0)] },
      "B / A",
      "",
    ],
    ["shows a section once", 2, { children: [leaf(0), leaf(0), leaf(1)] }, "A / B", ""],
    ["adds sections beside a last row of one section", 3, { children: [leaf(1), leaf(0)] }, "B / (A | C)", ""],
    [
      "adds sections below a last row of several",
      4,
      { children: [{ children: [leaf(1), leaf(0)] }] },
      "(B | A) / (C | D)",
      "",
    ],
    [
      "keeps collapsed sections in the tray",
      4,
      { children: [leaf(0), leaf(1)], collapsed: [leaf(3), leaf(2), { leaf: 9999 }] },
      "A / B",
      "D C",
    ],
    ["may have all sections in the tray", 2, { children: [], collapsed: [leaf(0), leaf(1)] }, "", "A B"],
    [
      "keeps odd sizes out",
      3,
      {
        children: [
          {
            children: [
              { ...leaf(0), size: 0 },
              { ...leaf(1), size: "wide" },
              { ...leaf(2), size: 0.5 },
            ],
          },
        ],
      },
      "(A | B | C 0.5)",
      "",
    ],
  ])("%s", async (_, count, layout, boxes, tray) => {
    const { paper } = desk;
    const made = [await paper.addSection("Table1", { page: "Layout", values: { title: "A" } })];
    const view = made[0]?.view ?? 0;
    for (const title of "BCDE".slice(0, count - 1))
      made.push(await paper.addSection("Table1", { view, values: { title } }));
    const text = typeof layout === "string" ? layout : JSON.stringify(layout);
    const layoutSpec = text.replaceAll(/"@(\d)"/g, (_found, index) => String(made[Number(index)]?.section));
    await paper.apply(["UpdateRecord", "_grist_Views", view, { layoutSpec }]);
    const page = await desk.open(view);
    expect([page.boxes, page.tray.join(" ")]).toEqual([boxes, tray]);
  });
});

describe("the sections of a page", () => {
  test("have the title of their table and their kind, unless they have their own", async () => {
    const { paper } = desk;
    await paper.addTable(
      "Shop_orders",
      [
        { id: "Item", type: "Text" },
        { id: "Size", type: "Choice" },
      ],
      {
        Item: ["Bell"],
        Size: ["S"],
      },
    );
    const { view } = await paper.addSection("Shop_orders", { page: "All kinds" });
    for (const kind of ["detail", "single", "chart", "form", "custom", "custom.calendar"])
      await paper.addSection("Shop_orders", { view, kind });
    await paper.addSection("Shop_orders", { view, values: { parentKey: "hologram" } });
    await paper.addSection("Shop_orders", { view, groupBy: ["Size"] });
    await paper.addSection("Shop_orders", { view, groupBy: ["Size", "Item"], kind: "chart" });
    await paper.addSection("Shop_orders", { view, groupBy: [] });
    await paper.addSection("Shop_orders", { view, values: { title: HOSTILE_NAME } });
    const { boxes, html } = await desk.open(view);
    expect(boxes).toBe(
      [
        "(SHOP_ORDERS | SHOP_ORDERS Card list)",
        "(SHOP_ORDERS Card | SHOP_ORDERS Chart)",
        "(SHOP_ORDERS Form | SHOP_ORDERS Custom widget)",
        "(SHOP_ORDERS Calendar | SHOP_ORDERS Section of another program)",
        "(SHOP_ORDERS [by Size] | SHOP_ORDERS [by Size, Item] Chart)",
        `(SHOP_ORDERS [totals] | ${HOSTILE_NAME})`,
      ].join(" / "),
    );
    expect(html).not.toContain(HOSTILE_NAME);
  });

  test("have the title that people gave their table", async () => {
    const { paper } = desk;
    await paper.addTable("Staff", [{ id: "Name", type: "Text" }], { Name: ["Ada"] });
    const table = (await paper.records("_grist_Tables")).find(({ fields }) => fields["tableId"] === "Staff");
    const raw = Number(table?.fields["rawViewSectionRef"]);
    await paper.apply(["UpdateRecord", "_grist_Views_section", raw, { title: "Our people" }]);
    const { view } = await paper.addSection("Our_people", { page: "People" });
    await paper.addSection("Our_people", { view, kind: "detail" });
    expect((await desk.open(view)).boxes).toBe("(OUR PEOPLE | OUR PEOPLE Card list)");
  });
});
