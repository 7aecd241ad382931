/** Sections and columns for tests. */
import type { ColumnListing } from "../../../../src/web/base/table-data.ts";
import type { SectionData, SectionField } from "../../../../src/web/base/views/section-data.ts";

export const columnOf = (id: string, colRef: number, type = "Text", part: Partial<ColumnListing["fields"]> = {}) => ({
  id,
  fields: {
    colRef,
    label: id,
    type,
    isFormula: false,
    formula: "",
    widgetOptions: "",
    description: "",
    displayCol: 0,
    visibleCol: 0,
    parentPos: colRef,
    reverseCol: 0,
    summarySourceCol: 0,
    recalcWhen: 0,
    ...part,
  },
});

export const fieldOf = (ref: number, colRef: number, part: Partial<SectionField> = {}): SectionField => ({
  ref,
  colRef,
  position: ref,
  width: 0,
  widgetOptions: "",
  displayCol: 0,
  visibleCol: 0,
  rules: null,
  ...part,
});

export const sectionOf = (part: Partial<SectionData> = {}): SectionData => ({
  ref: 12,
  view: 3,
  tableRef: 1,
  table: "Orders",
  kind: "record",
  title: "",
  description: "",
  defaultWidth: 100,
  theme: "",
  chartType: "",
  options: "",
  sortColRefs: "",
  layoutSpec: "",
  shareOptions: "",
  linkSourceSection: 0,
  linkSourceColumn: 0,
  linkTargetColumn: 0,
  fields: [],
  filters: [],
  ...part,
});
