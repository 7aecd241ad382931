/** Edits of pages, and new sections. */
import { parseBoxLayout } from "../../../src/web/base/views/box-layout.ts";
import { duplicatePage } from "../../../src/web/base/views/duplicate-page.ts";
import { movePage, removePage, renamePage } from "../../../src/web/base/views/page-edits.ts";
import { saveLayout } from "../../../src/web/base/views/save-layout.ts";
import { collapseSection } from "../../../src/web/base/views/section-edits.ts";
import { type Edit, FIELDS, SECTIONS, update } from "./edit.ts";

export const PAGE_EDITS: readonly Edit[] = [
  ["rename a page", () => renamePage(3, "Sales"), ["Views 3: name"]],
  [
    "move a page with the page below it",
    (document) => movePage(document.pages(), 2, { before: 1, indentation: 0 }),
    ["Pages 2: indentation, pagePos", "Pages 3: indentation, pagePos"],
  ],
  [
    "move a page up",
    (document) => movePage(document.pages(), 3, { before: 2, indentation: 1 }),
    ["Pages 3: indentation, pagePos"],
  ],
  [
    "outdent a page",
    (document) => movePage(document.pages(), 3, { before: null, indentation: 0 }),
    ["Pages 3: indentation"],
  ],
  [
    "fold a page",
    update("_grist_Pages", 2, { options: `{"icon":"x","unknown":{"x":[1]},"collapsed":true}` }),
    ["Pages 2: options"],
  ],
  [
    "remove a page",
    () => removePage(2),
    [
      "-1 Filters",
      "-1 Pages",
      "Pages 3: indentation",
      "-1 TabBar",
      "Tables 2: primaryViewId",
      "-1 Views",
      "-1 Views_section",
      "-4 Views_section_field",
    ],
  ],
  [
    "remove a page with its table",
    () => removePage(3, ["Orders"]),
    [
      "-3 Filters",
      "-1 Pages",
      "-1 TabBar",
      "-2 Tables",
      "-10 Tables_column",
      "-1 Views",
      "-8 Views_section",
      "-28 Views_section_field",
    ],
  ],
  [
    "duplicate a page",
    (document) => {
      const of = (column: string, ids: readonly number[], table: string) =>
        document.records(table).filter(({ fields }) => ids.includes(Number(fields[column])));
      const sections = of("parentId", [3], SECTIONS);
      const ids = sections.map(({ id }) => id);
      const { tables, columnByRef } = document.document.schema;
      const view = document.records("_grist_Views").find(({ id }) => id === 3);
      return duplicatePage(
        {
          view: view ?? { id: 3, fields: {} },
          sections,
          fields: of("parentId", ids, FIELDS),
          filters: of("viewSectionRef", ids, "_grist_Filters"),
        },
        {
          name: "Copy",
          firstIds: { view: 4, section: 15, field: 50, filter: 5 },
          columns: [...columnByRef.values()].map(({ ref, tableRef, id, formula }) => ({ ref, tableRef, id, formula })),
          tableIds: new Map(tables.map(({ ref, id }) => [ref, id])),
        },
      );
    },
    [
      "+2 Filters",
      "+1 Pages",
      "+1 TabBar",
      "+1 Tables_column",
      "+1 Views",
      "+5 Views_section",
      "+17 Views_section_field",
    ],
  ],
  [
    "a new page with a grid of a new table",
    () => [["AddEmptyTable", null]],
    [
      "+1 Pages",
      "+1 TabBar",
      "+1 Tables",
      "+4 Tables_column",
      "+1 Views",
      "+3 Views_section",
      "+9 Views_section_field",
    ],
  ],
  [
    "a new page with cards of a new table",
    () => [["CreateViewSection", 0, 0, "detail", null, "New"]],
    [
      "+1 Pages",
      "+1 TabBar",
      "+1 Tables",
      "+4 Tables_column",
      "+1 Views",
      "+3 Views_section",
      "+9 Views_section_field",
    ],
  ],
  ["an empty page", () => [["AddView", "Orders", "empty", "Empty"]], ["+1 Pages", "+1 TabBar", "+1 Views"]],
  [
    "arrange a page",
    (document) => {
      const layoutSpec = String(document.records("_grist_Views").find(({ id }) => id === 3)?.fields["layoutSpec"]);
      const { root } = parseBoxLayout(layoutSpec, [7, 10, 11, 13, 14]);
      return saveLayout({ view: 3, layoutSpec }, collapseSection({ root, collapsed: [] }, 14));
    },
    ["Views 3: layoutSpec"],
  ],
];

/** With how many fields a section starts. */
const KINDS: readonly (readonly [kind: string, fields: number])[] = [
  ["record", 4],
  ["detail", 4],
  ["single", 4],
  ["chart", 2],
  ["form", 4],
  ["custom", 4],
  ["custom.calendar", 4],
];

export const NEW_SECTIONS: readonly Edit[] = KINDS.flatMap(([kind, fields]): Edit[] => {
  const added = ["+1 Views_section", `+${fields} Views_section_field`];
  const addedPage = ["+1 Pages", "+1 TabBar", "+1 Views", ...added];
  return [
    [`a new page with a section of the kind ${kind}`, () => [["CreateViewSection", 3, 0, kind, null, null]], addedPage],
    [`a new section of the kind ${kind}`, () => [["CreateViewSection", 2, 3, kind, null, null]], added],
  ];
});
