import { drawnBoxes, drawnLeaves, MAX_FIRST_FIELDS, parseFormLayout } from "../../lib/forms/drawn-boxes.ts";
import type { CellValue } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import { type MetadataRecord, readMetadataRecord, readMetadataRecords } from "../read/metadata-records.ts";
import { findReadTable } from "../read/read-table.ts";
import type { VisibilityFilter } from "../read/visibility-filter.ts";
import type { ColumnInfo, TableInfo } from "../schema.ts";
import { widgetOptions } from "../widget-options.ts";
import { OfferBudget, type OfferedRow } from "./offered-rows.ts";
import { offeredText } from "./offered-texts.ts";

/** What a form asks for in one column. */
export interface FormField {
  readonly colId: string;
  readonly question: string;
  readonly description: string;
  /** The column's type without its argument: `Ref`, `DateTime`. */
  readonly type: string;
  /** The options of the column, and over them those of the field. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The first rows that a reference can name, with the value that each displays; null for all other types. */
  readonly refValues: readonly OfferedRow[] | null;
  /** True if a reference can name further rows than `refValues` has. */
  readonly hasMore?: true;
  /** For pages: the formatted values of `refValues`. */
  readonly texts?: readonly string[];
  /** For pages: the time zone in which the column's times are entered. */
  readonly zone?: string;
}

/** What a form asks, as `GET …/forms/{section}` answers it. */
export interface FormDefinition {
  /** By the row id of the field, as text. */
  readonly formFieldsById: Readonly<Record<string, FormField>>;
  /** JSON text. */
  readonly formLayoutSpec: string;
  readonly formTableId: string;
  readonly formTitle: string;
}

/** A section that is a form, with its fields in their order. */
export interface FormSection {
  readonly id: number;
  readonly record: MetadataRecord;
  readonly table: TableInfo;
  readonly fields: readonly SectionField[];
}

export interface SectionField {
  readonly id: number;
  readonly column: ColumnInfo;
  readonly options: Readonly<Record<string, unknown>>;
}

const textOf = (value: CellValue | undefined): string => (typeof value === "string" ? value : "");

/** Returns a section that is a form of a table which the caller can see; null for any other id. */
export function findFormSection(visibility: VisibilityFilter, id: number): FormSection | null {
  const { document } = visibility;
  const record = id > 0 ? readMetadataRecord(document, "_grist_Views_section", id) : undefined;
  return record === undefined ? null : formSectionOf(visibility, record);
}

/** As `findFormSection`, for the record of the section. */
export function formSectionOf(visibility: VisibilityFilter, record: MetadataRecord): FormSection | null {
  if (record["parentKey"] !== "form") return null;
  const table = visibility.tables().find(({ ref }) => ref === record["tableRef"]);
  if (!table) return null;
  const id = Number(record["id"]);
  return { id, record, table, fields: fieldsOf(visibility, id, table) };
}

function fieldsOf({ document }: VisibilityFilter, section: number, table: TableInfo): SectionField[] {
  const columns = new Map(table.columns.map((column) => [column.ref, column]));
  return readMetadataRecords(document, "_grist_Views_section_field", { column: "parentId", value: section })
    .toSorted((a, b) => positionOf(a) - positionOf(b))
    .flatMap((field) => {
      const column = columns.get(Number(field["colRef"]));
      if (!column || (column.isFormula && column.formula !== "")) return [];
      const own = widgetOptions(textOf(field["widgetOptions"]));
      return [{ id: Number(field["id"]), column, options: { ...widgetOptions(column.widgetOptions), ...own } }];
    });
}

const positionOf = ({ parentPos }: MetadataRecord): number => (typeof parentPos === "number" ? parentPos : Infinity);

/** Returns the fields that the form's page draws or sends hidden, in reading order: one for each column. */
export function drawnFields(form: FormSection): SectionField[] {
  const root = parseFormLayout(form.record["layoutSpec"]);
  const byId = new Map(form.fields.map((field) => [field.id, field]));
  const drawn = root
    ? drawnLeaves(drawnBoxes(root)).flatMap((leaf) => byId.get(leaf) ?? [])
    : form.fields.slice(0, MAX_FIRST_FIELDS);
  const columns = new Map<string, SectionField>();
  for (const field of drawn) if (!columns.has(field.column.id)) columns.set(field.column.id, field);
  return [...columns.values()];
}

export interface DescribeOptions {
  /** True to add what only pages show. */
  readonly forPage: boolean;
}

/** Returns what a form asks. */
export function describeForm(
  visibility: VisibilityFilter,
  form: FormSection,
  { forPage }: DescribeOptions,
): FormDefinition {
  const { record, table, fields } = form;
  const budget = new OfferBudget();
  const describe = (field: SectionField): FormField => {
    const described = { ...describeField(field), ...listOffered({ visibility, table, budget }, field) };
    return forPage ? { ...described, ...pageParts(visibility, field, described) } : described;
  };
  return {
    formFieldsById: Object.fromEntries(fields.map((field) => [field.id, describe(field)])),
    formLayoutSpec:
      (!forPage || parseFormLayout(record["layoutSpec"]) ? textOf(record["layoutSpec"]) : "") || defaultLayout(fields),
    formTableId: table.id,
    formTitle: textOf(record["title"]) || rawTitle(visibility, table) || table.id,
  };
}

function describeField({ column, options }: SectionField): Omit<FormField, "refValues"> {
  const { question, description } = options;
  return {
    colId: column.id,
    question: (typeof question === "string" && question) || column.label || column.id,
    description: (typeof description === "string" && description) || column.description,
    type: columnType(column.type).base,
    options,
  };
}

function listOffered(
  { visibility, table, budget }: OfferContext,
  { column }: SectionField,
): Pick<FormField, "refValues" | "hasMore"> {
  const { base } = columnType(column.type);
  if (base === "Attachments") return { refValues: [] };
  if (base !== "Ref" && base !== "RefList") return { refValues: null };
  const { rows, hasMore } = budget.list(visibility, table, column);
  return { refValues: rows, ...(hasMore && { hasMore }) };
}

interface OfferContext {
  readonly visibility: VisibilityFilter;
  readonly table: TableInfo;
  readonly budget: OfferBudget;
}

function pageParts(
  { document }: VisibilityFilter,
  { column }: SectionField,
  { refValues }: FormField,
): Pick<FormField, "texts" | "zone"> {
  const { base, target, zone } = columnType(column.type);
  if (base === "DateTime") return zone === undefined ? {} : { zone };
  if (!refValues || refValues.length === 0 || target === undefined) return {};
  const format = offeredText(document, findReadTable(document.schema, target).fieldByRef.get(column.visibleCol));
  return { texts: refValues.map(([, value]) => format(value)) };
}

function rawTitle({ document }: VisibilityFilter, { rawViewSectionRef }: TableInfo): string {
  return textOf(readMetadataRecord(document, "_grist_Views_section", rawViewSectionRef)?.["title"]);
}

const defaultLayout = (fields: readonly SectionField[]): string =>
  JSON.stringify({
    type: "Layout",
    children: [
      { type: "Label" },
      { type: "Label" },
      {
        type: "Section",
        children: [
          { type: "Label" },
          { type: "Label" },
          ...fields.slice(0, MAX_FIRST_FIELDS).map(({ id }) => ({ type: "Field", leaf: id })),
        ],
      },
    ],
  });
