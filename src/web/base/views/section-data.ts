/** A page's sections with their fields and filters, as the document's metadata has them. */
import type { RecordJson } from "../table-data.ts";
import { integerOf, textOf } from "./metadata-values.ts";

/** The kinds of sections that the format has. Files may have others. */
export type SectionKind = "record" | "detail" | "single" | "chart" | "custom" | "custom.calendar" | "form";

export interface SectionField {
  /** Row id in `_grist_Views_section_field`. */
  readonly ref: number;
  readonly colRef: number;
  readonly position: number;
  /** In pixels; 0 for the section's default. */
  readonly width: number;
  /** JSON as text; empty when the options, displayed column and styles are those of the column. */
  readonly widgetOptions: string;
  readonly displayCol: number;
  readonly visibleCol: number;
  /** The hidden columns of its conditional styles, as a list of row ids; null for none. */
  readonly rules: unknown;
}

export interface SectionFilter {
  /** Row id in `_grist_Filters`. */
  readonly ref: number;
  readonly colRef: number;
  /** JSON as text. */
  readonly filter: string;
  readonly isPinned: boolean;
}

export interface SectionData {
  /** Row id in `_grist_Views_section`. */
  readonly ref: number;
  /** Row id of its view; 0 for the raw section and the record card of a table. */
  readonly view: number;
  /** 0 when the reader does not see the table. */
  readonly tableRef: number;
  /** The id of its table; null when the reader does not see it. */
  readonly table: string | null;
  /** As stored: one of `SectionKind`, or anything else. */
  readonly kind: string;
  readonly title: string;
  readonly description: string;
  /** Width of columns without their own, in pixels. */
  readonly defaultWidth: number;
  readonly theme: string;
  readonly chartType: string;
  /** JSON as text, like `sortColRefs`, `layoutSpec` and `shareOptions`. */
  readonly options: string;
  readonly sortColRefs: string;
  /** The layout of cards and forms. */
  readonly layoutSpec: string;
  readonly shareOptions: string;
  readonly linkSourceSection: number;
  readonly linkSourceColumn: number;
  readonly linkTargetColumn: number;
  /** In their order. */
  readonly fields: readonly SectionField[];
  readonly filters: readonly SectionFilter[];
}

export interface ViewContent {
  /** Row id in `_grist_Views`. */
  readonly view: number;
  readonly name: string;
  /** JSON as text. */
  readonly layoutSpec: string;
  /** In the order of their row ids. */
  readonly sections: readonly SectionData[];
}

export interface SectionRecords {
  readonly sections: readonly RecordJson[];
  readonly fields: readonly RecordJson[];
  readonly filters: readonly RecordJson[];
}

/** @param tableIds the tables that the reader sees, by their row ids */
export function readSections(records: SectionRecords, tableIds: ReadonlyMap<number, string>): SectionData[] {
  const fieldsOf = Map.groupBy(records.fields, ({ fields }) => integerOf(fields["parentId"]));
  const filtersOf = Map.groupBy(records.filters, ({ fields }) => integerOf(fields["viewSectionRef"]));
  return records.sections
    .map(({ id, fields }): SectionData => {
      const tableRef = integerOf(fields["tableRef"]);
      return {
        ref: id,
        view: integerOf(fields["parentId"]),
        tableRef,
        table: tableIds.get(tableRef) ?? null,
        kind: textOf(fields["parentKey"]),
        title: textOf(fields["title"]),
        description: textOf(fields["description"]),
        defaultWidth: integerOf(fields["defaultWidth"]),
        theme: textOf(fields["theme"]),
        chartType: textOf(fields["chartType"]),
        options: textOf(fields["options"]),
        sortColRefs: textOf(fields["sortColRefs"]),
        layoutSpec: textOf(fields["layoutSpec"]),
        shareOptions: textOf(fields["shareOptions"]),
        linkSourceSection: integerOf(fields["linkSrcSectionRef"]),
        linkSourceColumn: integerOf(fields["linkSrcColRef"]),
        linkTargetColumn: integerOf(fields["linkTargetColRef"]),
        fields: (fieldsOf.get(id) ?? []).map(readField).toSorted((a, b) => a.position - b.position || a.ref - b.ref),
        filters: (filtersOf.get(id) ?? []).map(readFilter).toSorted((a, b) => a.ref - b.ref),
      };
    })
    .toSorted((a, b) => a.ref - b.ref);
}

const readField = ({ id, fields }: RecordJson): SectionField => ({
  ref: id,
  colRef: integerOf(fields["colRef"]),
  position: typeof fields["parentPos"] === "number" ? fields["parentPos"] : Number.MAX_VALUE,
  width: integerOf(fields["width"]),
  widgetOptions: textOf(fields["widgetOptions"]),
  displayCol: integerOf(fields["displayCol"]),
  visibleCol: integerOf(fields["visibleCol"]),
  rules: fields["rules"],
});

const readFilter = ({ id, fields }: RecordJson): SectionFilter => ({
  ref: id,
  colRef: integerOf(fields["colRef"]),
  filter: textOf(fields["filter"]),
  isPinned: fields["pinned"] === true,
});
