import { expect, test } from "bun:test";
import { viewBase } from "../../../../src/web/base/views/quern-options.ts";
import type { SectionData } from "../../../../src/web/base/views/section-data.ts";
import { readSectionView, type SectionColumns } from "../../../../src/web/base/views/section-view.ts";
import { DEFAULT_VIEW } from "../../../../src/web/base/view-state.ts";
import { columnOf, fieldOf, sectionOf } from "./sections.ts";

const COLUMNS: SectionColumns = [
  columnOf("manualSort", 1, "ManualSortPos"),
  columnOf("Name", 2),
  columnOf("Total", 3, "Numeric"),
  columnOf("Note", 4),
  columnOf("gristHelper_Display", 5),
];
const view = (part: Partial<SectionData>) => readSectionView(sectionOf(part), COLUMNS);

test("shows the columns of the fields, in their order and with their widths", () => {
  const { state } = view({ defaultWidth: 120, fields: [fieldOf(7, 3), fieldOf(8, 2, { width: 300 }), fieldOf(9, 5)] });
  expect(state).toMatchObject({ hidden: ["Note"], order: ["Total", "Name"], widths: { Total: 120, Name: 300 } });
});

test("takes heights, frozen columns and lines from the options", () => {
  const options =
    '{"numFrozen":2,"rowHeight":3,"zebraStripes":true,"verticalGridlines":false,"rowNumbers":"rowId","x":1}';
  expect(view({ options })).toMatchObject({
    state: { frozen: 2, lines: 3 },
    style: { hasVerticalLines: false, hasHorizontalLines: true, isStriped: true, rowNumbers: "rowId" },
  });
});

test.each(["", "{", "[]", '{"numFrozen":-1,"rowHeight":"x","rowNumbers":"none","quern":5}'])(
  "takes the defaults from options %j",
  (options) =>
    expect(view({ options, fields: [], sortColRefs: options })).toMatchObject({
      state: { ...DEFAULT_VIEW, hidden: ["Name", "Total", "Note"] },
      style: { hasVerticalLines: true, hasHorizontalLines: true, isStriped: false, rowNumbers: "number" },
      isOutdated: false,
    }),
);

test("sorts by stored entries with their options, and passes over columns that do not exist", () => {
  const sortColRefs = '[-3, "2:naturalSort;emptyLast;other", 99, "-4:orderByChoice", "x", null]';
  expect(view({ sortColRefs }).state.sort).toEqual([
    { columnId: "Total", isDescending: true, flags: [] },
    { columnId: "Name", isDescending: false, flags: ["naturalSort", "emptyLast"] },
    { columnId: "Note", isDescending: true, flags: ["orderByChoice"] },
  ]);
});

const filterOf = (ref: number, colRef: number, filter: string, isPinned = false) => ({ ref, colRef, filter, isPinned });

test("filters by saved filters, also of columns that are not shown", () => {
  const filters = [
    filterOf(1, 2, '{"included":["a"]}'),
    filterOf(2, 3, '{"min":1,"max":[{"quantity":0,"unit":"day"}]}', true),
    filterOf(3, 4, '{"excluded":[]}', true),
    filterOf(4, 99, '{"included":[1]}', true),
  ];
  expect(view({ filters })).toMatchObject({ pinned: ["Total", "Note"] });
  expect(view({ filters }).state.filter).toEqual({
    Name: { saved: { included: ["a"] } },
    Total: { saved: { min: 1, max: [{ quantity: 0, unit: "day" }] } },
  });
});

test.each(["", "{}", "null", "5", '{"included":5}', '{"min":"x"}', '{"max":[{"quantity":1,"unit":"eon"}]}'])(
  "passes over the filter %j",
  (filter) => expect(view({ filters: [filterOf(1, 2, filter)] }).state.filter).toEqual({}),
);

test("adds what Quern stored for a section that has not changed since", () => {
  const filters = [filterOf(1, 2, '{"included":["a"]}')];
  const base = viewBase({ sortColRefs: "[3]", filters });
  const quern = {
    v: 1,
    base,
    filter: { "2": { contains: "b" }, or: [{ "3": { gt: 1 } }, { "99": { gt: 1 } }] },
    groups: [{ column: 4, by: "month", isDescending: true }, { column: 99 }, 5],
    totals: { "3": "sum", "4": "mode", "99": "sum" },
  };
  const section = { filters, sortColRefs: "[3]", options: JSON.stringify({ quern }) };
  expect(view(section)).toMatchObject({
    isOutdated: false,
    state: {
      filter: {
        Name: { saved: { included: ["a"] } },
        and: [{ Name: { contains: "b" }, or: [{ Total: { gt: 1 } }] }],
      },
      groups: [{ columnId: "Note", by: "month", isDescending: true }],
      totals: { Total: "sum" },
    },
  });
  for (const changed of [{ sortColRefs: "[-3]" }, { filters: [] }]) {
    const outdated = view({ ...section, ...changed });
    expect(outdated).toMatchObject({ isOutdated: true, state: { groups: [], totals: {} } });
    expect(outdated.state.filter).not.toHaveProperty("and");
  }
});
