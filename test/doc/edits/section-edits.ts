/** Edits of sections, their fields and filters, and of cards. */
import {
  hideFieldActions,
  layoutActions,
  showFieldActions,
  themeActions,
} from "../../../src/web/base/views/card-edits.ts";
import { saveActions } from "../../../src/web/base/views/save-section.ts";
import { readSectionView, type SectionColumns } from "../../../src/web/base/views/section-view.ts";
import type { ViewState } from "../../../src/web/base/view-state.ts";
import { type Edit, FIELDS, type MakeActions, SECTIONS, update } from "./edit.ts";

/** Saves a view of section 7 in which something has changed. */
const saved =
  (change: (state: ViewState) => Partial<ViewState>, pinned = ["Item"]): MakeActions =>
  (document) => {
    const table = document.document.schema.tableById.get("Orders");
    const columns = (table?.columns ?? []).map(({ id, ref, ...fields }) => ({
      id,
      fields: { ...fields, colRef: ref },
    }));
    const options = { section: document.section(7), columns: columns as unknown as SectionColumns, timezone: "UTC" };
    const { state } = readSectionView(options.section, options.columns);
    return saveActions({ state: { ...state, ...change(state) }, pinned }, options);
  };

export const SECTION_EDITS: readonly Edit[] = [
  [
    "save a sort",
    saved(() => ({ sort: [{ columnId: "Amount", isDescending: true }] })),
    ["Views_section 7: sortColRefs"],
  ],
  [
    "save a condition",
    saved(({ filter }) => ({ filter: { ...filter, Done: { saved: { included: [true] } } } })),
    ["+1 Filters"],
  ],
  [
    "save other conditions",
    saved(() => ({ filter: { Item: { saved: { excluded: ["a"] } } } })),
    ["-1 Filters", "Filters 1: filter"],
  ],
  ["pin a filter", saved(() => ({}), ["Item", "Amount"]), ["Filters 2: pinned"]],
  ["resize a field", saved(({ widths }) => ({ widths: { ...widths, Item: 300 } })), ["Views_section_field 22: width"]],
  ["hide a field", saved(() => ({ hidden: ["City"] })), ["-1 Views_section_field"]],
  ["move a field", saved(() => ({ order: ["City", "Amount", "Item", "Done"] })), ["Views_section_field 22: parentPos"]],
  ["freeze and heighten", saved(() => ({ frozen: 2, lines: 4 })), ["Views_section 7: options"]],
  [
    "show a field",
    () => [["AddRecord", FIELDS, null, { parentId: 14, colRef: 13, parentPos: null }]],
    ["+1 Views_section_field"],
  ],
  ["save what has not changed", saved(() => ({})), []],
  ["title a section", update(SECTIONS, 7, { title: "Open" }), ["Views_section 7: title"]],
  [
    "title a table",
    update(SECTIONS, 8, { title: "Sales" }),
    ["Tables 3: tableId", "Tables 4: tableId", "Tables_column 16: type", "Views 3: name", "Views_section 8: title"],
  ],
  ["change the kind", update(SECTIONS, 7, { parentKey: "detail" }), ["Views_section 7: parentKey"]],
  ["change a chart", update(SECTIONS, 14, { chartType: "pie" }), ["Views_section 14: chartType"]],
  [
    "link a section",
    update(SECTIONS, 14, { linkSrcSectionRef: 7, linkSrcColRef: 11, linkTargetColRef: 11 }),
    ["Views_section 14: linkSrcColRef, linkSrcSectionRef, linkTargetColRef"],
  ],
  [
    "unlink a section",
    update(SECTIONS, 10, { linkSrcSectionRef: 0, linkSrcColRef: 0, linkTargetColRef: 0 }),
    ["Views_section 10: linkSrcColRef, linkSrcSectionRef, linkTargetColRef"],
  ],
  [
    "regroup a summary",
    () => [["UpdateSummaryViewSection", 13, [14]]],
    [
      "-1 Tables",
      "+1 Tables",
      "-4 Tables_column",
      "+4 Tables_column",
      "-1 Views_section",
      "+1 Views_section",
      "Views_section 13: tableRef",
      "-4 Views_section_field",
      "+4 Views_section_field",
      "Views_section_field 46: colRef",
      "Views_section_field 47: colRef",
    ],
  ],
  [
    "group by one more column",
    () => [["UpdateSummaryViewSection", 13, [12, 14]]],
    [
      "-1 Tables",
      "+1 Tables",
      "-4 Tables_column",
      "+5 Tables_column",
      "-1 Views_section",
      "+1 Views_section",
      "Views_section 13: tableRef",
      "-3 Views_section_field",
      "+5 Views_section_field",
      "Views_section_field 45: colRef",
      "Views_section_field 46: colRef",
      "Views_section_field 47: colRef",
    ],
  ],
  [
    "detach a summary",
    () => [["DetachSummaryViewSection", 13]],
    [
      "+1 Pages",
      "+1 TabBar",
      "-1 Tables",
      "+1 Tables",
      "-4 Tables_column",
      "+5 Tables_column",
      "+1 Views",
      "-1 Views_section",
      "+3 Views_section",
      "Views_section 13: tableRef",
      "-3 Views_section_field",
      "+9 Views_section_field",
      "Views_section_field 45: colRef",
      "Views_section_field 46: colRef",
      "Views_section_field 47: colRef",
    ],
  ],
  [
    "add a summary",
    () => [["CreateViewSection", 3, 3, "record", [14], null]],
    ["+1 Tables", "+4 Tables_column", "+2 Views_section", "+6 Views_section_field"],
  ],
  [
    "add a summary like another one",
    () => [["CreateViewSection", 3, 3, "chart", [12], null]],
    ["+1 Views_section", "+3 Views_section_field"],
  ],
  [
    "remove a section that others are linked to",
    () => [["RemoveViewSection", 7]],
    [
      "-2 Filters",
      "-1 Tables_column",
      "-1 Views_section",
      "Views_section 10: linkSrcColRef, linkSrcSectionRef, linkTargetColRef",
      "-4 Views_section_field",
    ],
  ],
  [
    "remove the last section of a summary",
    () => [["RemoveViewSection", 13]],
    [
      "-1 Tables",
      "-4 Tables_column",
      "-2 Views_section",
      "Views_section 14: linkSrcSectionRef",
      "-6 Views_section_field",
    ],
  ],
  [
    "give a field settings of its own",
    update(FIELDS, 23, { widgetOptions: '{"alignment":"right"}' }),
    ["Views_section_field 23: widgetOptions"],
  ],
  [
    "show another column of a reference",
    () => [
      ["UpdateRecord", FIELDS, 23, { visibleCol: 6 }],
      ["SetDisplayFormula", "Orders", 23, null, "$City.Name"],
    ],
    ["+1 Tables_column", "Views_section_field 23: displayCol, visibleCol"],
  ],
  [
    "add a conditional style",
    () => [["AddEmptyRule", "Orders", 23, 0]],
    ["+1 Tables_column", "Views_section_field 23: rules"],
  ],
  [
    "remove a conditional style",
    () => [["RemoveColumn", "Orders", "gristHelper_ConditionalRule"]],
    ["-1 Tables_column", "Views_section_field 22: rules"],
  ],
  [
    "remove a column",
    () => [["RemoveColumn", "Orders", "Item"]],
    ["-1 Filters", "-2 Tables_column", "Views_section 7: sortColRefs", "-6 Views_section_field"],
  ],
  [
    "add a column in all grids",
    () => [["AddVisibleColumn", "Orders", "Note", {}]],
    ["+1 Tables_column", "+3 Views_section_field"],
  ],
  ["rename a choice", () => [["RenameChoices", "Cities", "Size", { S: "Small" }]], ["Filters 4: filter"]],
];

export const CARD_EDITS: readonly Edit[] = [
  ["the theme of cards", (document) => themeActions(document.section(10), "blocks"), ["Views_section 10: theme"]],
  [
    "move a field of a card",
    (document) => layoutActions(document.section(10), 36, "moveUp"),
    ["Views_section 10: layoutSpec", "Views_section_field 35: parentPos", "Views_section_field 36: parentPos"],
  ],
  [
    "widen a field of a card",
    (document) => layoutActions(document.section(10), 36, "beside"),
    ["Views_section 10: layoutSpec"],
  ],
  [
    "hide a field of a card",
    (document) => hideFieldActions(document.section(10), 36),
    ["Views_section 10: layoutSpec", "-1 Views_section_field"],
  ],
  ["show a field of a card", (document) => showFieldActions(document.section(9), 11), ["+1 Views_section_field"]],
];
