/**
 * The actions that add a section, on a new page or on an existing one. Links and layouts of forms name the section and
 * its fields, whose ids the server will give: they follow from the highest ones, and the caller compares the section's.
 */
import { formatFormLayout, MAX_FIRST_FIELDS, newFormLayout } from "./form-layout.ts";
import type { EditAction } from "./page-edits.ts";

export interface NewSection {
  /** Row id of the table; 0 for a new one. */
  readonly tableRef: number;
  /** The name of a new table. */
  readonly tableName: string | null;
  readonly kind: "record" | "detail" | "single" | "form";
  /** Row ids of the columns that a summary groups by; null shows the records. */
  readonly groupBy: readonly number[] | null;
  /** Row id of the view; 0 for a new page. */
  readonly view: number;
  readonly link: SectionLinkRefs | null;
}

/** Row ids, as `_grist_Views_section` has them. */
export interface SectionLinkRefs {
  readonly from: number;
  readonly source: number;
  readonly target: number;
}

/** What the document has before. */
export interface BeforeSection {
  /** The highest row ids. */
  readonly lastSection: number;
  readonly lastField: number;
  /** Groupings of the summaries of the table: row ids of its columns. */
  readonly groupings: readonly (readonly number[])[];
  /** The number of columns of the table that forms can ask for. */
  readonly formColumns: number;
  /** The heading of a form. */
  readonly title: string;
  readonly newId: () => string;
}

export interface SectionPlan {
  readonly actions: readonly EditAction[];
  /** The row id that the section gets; null where nothing names it. */
  readonly section: number | null;
}

/** Columns of a new table. */
const NEW_COLUMNS = 3;
const SECTIONS = "_grist_Views_section";

export function addSection(request: NewSection, before: BeforeSection): SectionPlan {
  const { tableRef, tableName, kind, groupBy, view, link } = request;
  // A new table with a grid has a page of its own.
  if (tableRef === 0 && view === 0 && kind === "record") {
    return { actions: [["AddEmptyTable", tableName]], section: null };
  }
  const create: EditAction = ["CreateViewSection", tableRef, view, kind, groupBy, tableRef === 0 ? tableName : null];
  if (link === null && kind !== "form") return { actions: [create], section: null };
  const section = before.lastSection + sectionsBefore(request, before) + 1;
  const values = {
    ...(link && { linkSrcSectionRef: link.from, linkSrcColRef: link.source, linkTargetColRef: link.target }),
    ...(kind === "form" && { layoutSpec: formLayout(request, before) }),
  };
  return { actions: [create, ["UpdateRecord", SECTIONS, section, values]], section };
}

/** A new table has a raw section and a record card, a new summary a raw section only. */
function sectionsBefore({ tableRef, groupBy }: NewSection, { groupings }: BeforeSection): number {
  if (tableRef === 0) return 2;
  if (groupBy === null) return 0;
  const wanted = new Set(groupBy);
  return groupings.some((each) => each.length === wanted.size && each.every((ref) => wanted.has(ref))) ? 0 : 1;
}

function formLayout({ tableRef }: NewSection, { lastField, formColumns, title, newId }: BeforeSection): string {
  const isNew = tableRef === 0;
  const first = lastField + 1 + (isNew ? 2 * NEW_COLUMNS : 0);
  const count = Math.min(MAX_FIRST_FIELDS, isNew ? NEW_COLUMNS : formColumns);
  const fields = Array.from({ length: count }, (_, index) => first + index);
  return formatFormLayout(newFormLayout({ fields, title, newId }));
}

/** @param columns row ids of columns of the summarised table */
export const regroupSection = (section: number, columns: readonly number[]): EditAction[] => [
  ["UpdateSummaryViewSection", section, columns],
];

/** Makes the summary that a section shows an ordinary table with a page. */
export const detachSection = (section: number): EditAction[] => [["DetachSummaryViewSection", section]];
