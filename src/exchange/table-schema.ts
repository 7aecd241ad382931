import type { WidgetOptions } from "../values/column-type.ts";
import { DEFAULT_DATE_FORMAT } from "../values/date-parse.ts";
import { DEFAULT_TIME_FORMAT } from "../values/cell-formatter.ts";
import { type ExportedColumn, type ExportedTable, type HeaderKind, headerText } from "./exported-table.ts";

export interface TableSchemaOptions {
  readonly header: HeaderKind;
  /** URL path of the table as CSV. */
  readonly path: string;
}

/** Describes a table by the Data Resource and Table Schema standards, as needed to read its CSV file. */
export function tableSchema(table: ExportedTable, { header, path }: TableSchemaOptions): object {
  return {
    name: table.id.toLowerCase().replaceAll("_", "-"),
    title: table.title,
    format: "csv",
    mediatype: "text/csv",
    encoding: "utf-8",
    path,
    dialect: { delimiter: ",", doubleQuote: true },
    schema: { fields: table.columns.map((column) => field(column, headerText(column, header))) },
  };
}

const field = (column: ExportedColumn, name: string): object => ({
  name,
  ...(column.description !== "" && { description: column.description }),
  ...typeDescription(column),
});

function typeDescription({ type, options }: ExportedColumn): object {
  switch (type.base) {
    case "Text":
      return { type: "string", format: options["widget"] === "HyperLink" ? "uri" : "default" };
    case "Numeric":
      return { type: "number", bareNumber: options.numMode === "decimal", groupChar: ",", decimalChar: "." };
    case "Bool":
      return { type: "boolean", trueValue: ["TRUE"], falseValue: ["FALSE"] };
    case "Date":
      return { type: "date", format: "any", gristFormat: dateFormatOf(options) };
    case "DateTime":
      return { type: "datetime", format: "any", gristFormat: `${dateFormatOf(options)} ${timeFormatOf(options)}` };
    case "Choice":
      return { type: "string", constraints: choiceConstraint(options) };
    case "ChoiceList":
      return { type: "array", constraints: choiceConstraint(options) };
    default:
      return { type: "string" };
  }
}

const choiceConstraint = ({ choices: list }: WidgetOptions): object =>
  Array.isArray(list) ? { enum: list as unknown[] } : {};

const dateFormatOf = ({ dateFormat: ownFormat }: WidgetOptions): string =>
  nonEmptyText(ownFormat) ?? DEFAULT_DATE_FORMAT;
const timeFormatOf = ({ timeFormat: ownFormat }: WidgetOptions): string =>
  nonEmptyText(ownFormat) ?? DEFAULT_TIME_FORMAT;

const nonEmptyText = (option: unknown): string | undefined =>
  typeof option === "string" && option !== "" ? option : undefined;
