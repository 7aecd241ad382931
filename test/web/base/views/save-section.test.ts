import { describe, expect, test } from "bun:test";
import { type ViewFilter, type ViewState } from "../../../../src/web/base/view-state.ts";
import { newPositions, saveActions } from "../../../../src/web/base/views/save-section.ts";
import {
  differences,
  renameParameters,
  sectionParameters,
  withParameters,
  withSectionParameters,
} from "../../../../src/web/base/views/section-address.ts";
import type { SectionData } from "../../../../src/web/base/views/section-data.ts";
import { readSectionView } from "../../../../src/web/base/views/section-view.ts";
import { spanBounds, spanName } from "../../../../src/web/base/views/relative-spans.ts";
import { splitFilter } from "../../../../src/web/base/views/storable-filter.ts";
import { columnOf, fieldOf, sectionOf } from "./sections.ts";

const COLUMNS = [
  columnOf("Name", 2),
  columnOf("Total", 3, "Numeric"),
  columnOf("Due", 4, "Date"),
  columnOf("At", 5, "DateTime:Europe/Berlin"),
  columnOf("Paid", 6, "Bool"),
  columnOf("Tags", 7, "ChoiceList"),
  columnOf("Customer", 8, "Ref:Customers"),
  columnOf("Any", 9, "Any"),
  columnOf("There", 10, "DateTime:Asia/Tokyo"),
];
const timezone = "Europe/Berlin";
const CONTEXT = { columns: COLUMNS, timezone };
const FIELDS = COLUMNS.map(({ fields: { colRef } }) => fieldOf(colRef + 20, colRef));
const SECTION = sectionOf({ fields: FIELDS });

function save(part: Partial<ViewState>, section: SectionData = SECTION, pinned?: string[]): readonly unknown[] {
  const { state, pinned: before } = readSectionView(section, COLUMNS);
  return saveActions({ state: { ...state, ...part }, pinned: pinned ?? before }, { section, ...CONTEXT });
}

const DAY = 86_400;
const may1 = Date.UTC(2026, 4, 1) / 1000;
const relative = (quantity: number, unit: string, endOf?: true) => [{ quantity, unit, ...(endOf && { endOf }) }];
const none = (column: string, condition: object): ViewFilter => ({
  or: [{ [column]: condition }, { [column]: { empty: true } }],
});

describe("conditions that documents can store", () => {
  test.each<[filter: ViewFilter, column: string, stored: object]>([
    [{ Name: ["a", null] }, "Name", { included: ["a", null] }],
    [{ Name: { eq: "a" } }, "Name", { included: ["a"] }],
    [none("Name", { nin: ["a", "b"] }), "Name", { excluded: ["a", "b"] }],
    [none("Name", { ne: "a" }), "Name", { excluded: ["a"] }],
    [{ Name: { nin: ["a"] } }, "Name", { excluded: ["a", null, ""] }],
    [{ Name: { empty: true } }, "Name", { included: [null, ""] }],
    [{ Customer: { empty: false } }, "Customer", { excluded: [null, "", 0] }],
    [{ Customer: [3] }, "Customer", { included: [3] }],
    [{ Total: { gte: 1 } }, "Total", { min: 1 }],
    [{ Total: { gte: 1, lte: 5 } }, "Total", { min: 1, max: 5 }],
    [{ and: [{ Total: { gte: 1 } }, { Total: { lte: 5 } }] }, "Total", { min: 1, max: 5 }],
    [{ Due: { eq: "2026-05-01" } }, "Due", { min: may1, max: may1 }],
    [{ Due: { gt: "2026-05-01" } }, "Due", { min: may1 + DAY }],
    [{ Due: { lt: "2026-05-01" } }, "Due", { max: may1 - DAY }],
    [{ Due: { within: "last7days" } }, "Due", { min: relative(-6, "day"), max: relative(0, "day") }],
    [{ Due: { within: "thisMonth" } }, "Due", { min: relative(0, "month"), max: relative(0, "month", true) }],
    [{ Due: { lt: "today" } }, "Due", { max: relative(-1, "day") }],
    [{ At: { gt: "lastYear" } }, "At", { min: [...relative(-1, "year", true), ...relative(1, "day")] }],
    [{ Paid: { eq: true } }, "Paid", { included: [true] }],
    [none("Paid", { ne: true }), "Paid", { excluded: [true] }],
    [{ Tags: { hasAny: ["x", "y"] } }, "Tags", { included: ["x", "y"] }],
    [{ not: { Any: ["a"] } }, "Any", { excluded: ["a"] }],
    [{ Tags: { saved: { excluded: ["x"] } } }, "Tags", { excluded: ["x"] }],
  ])("%j", (filter, column, stored) => {
    expect(splitFilter(filter, CONTEXT)).toEqual({ stored: new Map([[column, stored]]), rest: {} });
  });
});

describe("conditions that they cannot store", () => {
  test.each<ViewFilter>([
    { Name: { contains: "a" } },
    { or: [{ Name: ["a"] }, { Total: { gte: 1 } }] },
    none("Tags", { nin: [["x"]] }),
    { or: [{ not: { Tags: { hasAny: ["x"] } } }, { Tags: { empty: true } }] },
    { Tags: { hasAll: ["x"] } },
    { "Customer.City": ["Bern"] },
    { Customer: { eq: "Acme" } },
    { Total: { gt: 1 } },
    { Total: { gte: "1,5" } },
    { Due: { within: "thisQuarter" } },
    { Due: { eq: "1 May" } },
    { There: { eq: "2026-05-01" } },
    { Any: [1] },
    { Name: ["[1]"] },
    { Unknown: ["a"] },
    { not: { Name: { contains: "a" } } },
  ])("%j", (filter) => expect(splitFilter(filter, CONTEXT)).toEqual({ stored: new Map(), rest: filter }));

  test("are kept beside one that they can store", () => {
    const filter = { Name: { contains: "b", in: ["a"] }, and: [{ Name: { in: ["c"] } }, { Total: { gt: 1 } }] };
    expect(splitFilter(filter, CONTEXT)).toEqual({
      stored: new Map([["Name", { included: ["a"] }]]),
      rest: { Name: { contains: "b" }, and: [{ Name: { in: ["c"] } }], Total: { gt: 1 } },
    });
  });
});

test.each(["today", "yesterday", "last7days", "next30days", "last1days", "thisWeek", "lastMonth", "nextYear"])(
  "the span %s keeps its meaning",
  (name) => {
    const span = spanBounds(name);
    if (!span) throw new Error(name);
    expect(spanName({ min: span.first, max: span.last })).toBe(name === "last1days" ? "today" : name);
    expect(spanName({ min: span.first })).toBeNull();
  },
);

describe("saving", () => {
  test("a view that shows the same changes nothing", () => {
    const section = { ...SECTION, sortColRefs: '[3, "-2:naturalSort"]', options: '{"rowHeight":3,"x":1}' };
    const filters = [{ ref: 1, colRef: 2, filter: '{"excluded":["b","a"]}', isPinned: true }];
    expect(save({}, { ...section, filters })).toEqual([]);
    expect(save({ filter: none("Name", { nin: ["a", "b"] }) }, { ...section, filters })).toEqual([]);
    expect(save({ order: [], find: "x" }, section)).toEqual([]);
  });

  test("columns are hidden, shown, moved and resized by their fields", () => {
    const section = sectionOf({ fields: [fieldOf(22, 2), fieldOf(23, 3), fieldOf(24, 4), fieldOf(25, 99)] });
    const { hidden } = readSectionView(section, COLUMNS).state;
    const shown = hidden.filter((id) => id !== "Paid");
    expect(
      save({ hidden: [...shown, "Name"], order: ["Due", "Paid", "Total"], widths: { Due: 200, Paid: 90 } }, section),
    ).toEqual([
      ["BulkRemoveRecord", "_grist_Views_section_field", [22]],
      ["BulkUpdateRecord", "_grist_Views_section_field", [23], { parentPos: [26] }],
      ["AddRecord", "_grist_Views_section_field", null, { parentId: 12, colRef: 6, parentPos: 25, width: 90 }],
      ["BulkUpdateRecord", "_grist_Views_section_field", [24], { width: [200] }],
    ]);
  });

  test("sorts keep entries of other columns, and set the option that puts empty cells last", () => {
    const section = { ...SECTION, sortColRefs: '[3, "99:x"]' };
    const sort = [
      { columnId: "Name", isDescending: false },
      { columnId: "Paid", isDescending: false },
      { columnId: "Total", isDescending: true },
      { columnId: "Due", isDescending: true, flags: ["emptyLast" as const] },
    ];
    expect(save({ sort }, section)).toEqual([
      ["UpdateRecord", "_grist_Views_section", 12, { sortColRefs: '["2:emptyLast",6,-3,"-4:emptyLast","99:x"]' }],
    ]);
    expect(save({ sort: [] }, { ...SECTION, sortColRefs: "[3]" })).toEqual([
      ["UpdateRecord", "_grist_Views_section", 12, { sortColRefs: "[]" }],
    ]);
  });

  test("options keep keys that it does not know", () => {
    const section = { ...SECTION, options: '{"zebraStripes":true,"rowHeight":2,"x":{"y":1}}' };
    expect(save({ lines: 4, frozen: 1 }, section)).toEqual([
      [
        "UpdateRecord",
        "_grist_Views_section",
        12,
        { options: '{"zebraStripes":true,"rowHeight":4,"x":{"y":1},"numFrozen":1}' },
      ],
    ]);
  });

  test("filters are removed, changed and added by column; those of others stay", () => {
    const filters = [
      { ref: 1, colRef: 2, filter: '{"included":["a"]}', isPinned: false },
      { ref: 2, colRef: 3, filter: '{"min":1}', isPinned: true },
      { ref: 3, colRef: 4, filter: "{}", isPinned: false },
      { ref: 4, colRef: 99, filter: '{"min":1}', isPinned: false },
    ];
    const filter = { Paid: { eq: true } };
    expect(save({ filter }, { ...SECTION, filters }, ["Total", "Tags"])).toEqual([
      ["BulkRemoveRecord", "_grist_Filters", [1]],
      ["BulkUpdateRecord", "_grist_Filters", [2], { filter: ['{"excluded":[]}'], pinned: [true] }],
      [
        "BulkAddRecord",
        "_grist_Filters",
        [null, null],
        {
          viewSectionRef: [12, 12],
          colRef: [6, 7],
          filter: ['{"included":[true]}', '{"excluded":[]}'],
          pinned: [false, true],
        },
      ],
    ]);
  });

  test("what documents cannot store returns from the options, by row ids of columns", () => {
    const part = {
      filter: { Name: { contains: "a" }, Total: { gte: 1 } },
      groups: [{ columnId: "Due", isDescending: false, by: "month" as const }],
      totals: { Total: "sum" as const },
    };
    const actions = save(part) as [string, string, unknown, Record<string, unknown>][];
    const options = String(actions.find(([, table]) => table === "_grist_Views_section")?.[3]["options"]);
    expect(JSON.parse(options)).toMatchObject({
      quern: {
        v: 1,
        filter: { "2": { contains: "a" } },
        groups: [{ column: 4, by: "month" }],
        totals: { "3": "sum" },
      },
    });
    const filters = [{ ref: 1, colRef: 3, filter: '{"min":1}', isPinned: false }];
    const saved = { ...SECTION, options, filters };
    const { state, isOutdated } = readSectionView(saved, COLUMNS);
    expect(isOutdated).toBe(false);
    expect(state).toMatchObject({ ...part, filter: { Name: { contains: "a" }, Total: { saved: { min: 1 } } } });
    expect(save({}, saved)).toEqual([]);
    // Readers who do not see a filtered column have the rest.
    const others = COLUMNS.filter(({ id }) => id !== "Total");
    expect(readSectionView({ ...saved, filters: [] }, others)).toMatchObject({ isOutdated: false });
    expect(readSectionView({ ...saved, filters: [] }, COLUMNS)).toMatchObject({ isOutdated: true });
  });
});

test.each<[before: (number | null)[], after: number[]]>([
  [
    [1, 2, 3],
    [1, 2, 3],
  ],
  [
    [2, 1, 3],
    [2, 2.5, 3],
  ],
  [
    [3, 1, 2],
    [0, 1, 2],
  ],
  [
    [1, null, null, 4],
    [1, 2, 3, 4],
  ],
  [
    [null, null],
    [1, 2],
  ],
  [
    [5, null],
    [5, 6],
  ],
  [
    [null, 5],
    [4.5, 5],
  ],
  [[], []],
])("positions %j become %j", (before, after) => {
  const positions = newPositions(before);
  expect(positions.toSorted((a, b) => a - b)).toEqual(positions);
  expect(new Set(positions).size).toBe(positions.length);
  expect(positions.length).toBe(after.length);
});

describe("differences from the saved view", () => {
  const saved = readSectionView(
    { ...SECTION, sortColRefs: "[3]", filters: [{ ref: 1, colRef: 2, filter: '{"included":["a"]}', isPinned: false }] },
    COLUMNS,
  );
  const changes: readonly [name: string, part: Partial<ViewState>, parameters: object][] = [
    ["none", {}, {}],
    ["none by another form", { filter: { Name: ["a"] } }, {}],
    ["a cleared filter", { filter: {} }, { filter: "" }],
    ["another filter", { filter: { Total: { gt: 1 } } }, { filter: '{"Total":{"gt":1}}' }],
    ["no sort", { sort: [] }, { sort: "" }],
    ["a width", { widths: { ...saved.state.widths, Name: 200 } }, { width: "Name:200" }],
    ["a hidden column", { hidden: ["Name"] }, { hide: "Name" }],
    ["a search", { find: "x" }, { find: "x" }],
    ["several", { frozen: 1, lines: 2, totals: { Total: "sum" } }, { freeze: "1", lines: "2", totals: "Total:sum" }],
  ];
  test.each(changes)("%s", (_, part, parameters) => {
    const view = { ...saved, state: { ...saved.state, ...part } };
    const found = differences(view, saved, CONTEXT);
    expect(found).toEqual(parameters);
    const address = withSectionParameters(new URLSearchParams("a=1&filter.13=x"), 12, found);
    const again = withParameters(saved, sectionParameters(address, 12), CONTEXT);
    expect(differences(again, view, CONTEXT)).toEqual({});
    expect(withSectionParameters(address, 12, {}).toString()).toBe("a=1&filter.13=x");
  });

  test("columns are followed by their row ids", () => {
    const view = withParameters(
      saved,
      { hide: "3", filter: '{"2":{"contains":"x"}}', pin: "2,99" },
      {
        columns: COLUMNS,
        idOf: new Map([
          ["2", "Name"],
          ["3", "Total"],
        ]),
      },
    );
    expect(view).toMatchObject({ pinned: ["Name"], state: { hidden: ["Total"], filter: { Name: { contains: "x" } } } });
    expect(view.state.sort).toEqual(saved.state.sort);
    const parameters = { hide: "Total", filter: "", sort: "-Name:", lines: "", pin: "Name,Total" };
    expect(
      renameParameters(
        parameters,
        new Map([
          ["Name", "2"],
          ["Total", "3"],
        ]),
      ),
    ).toEqual({
      hide: "3",
      filter: "",
      sort: "-2:",
      lines: "",
      pin: "2,3",
    });
  });
});
