import { AppError } from "../errors.ts";
import { columnType, type WidgetOptions } from "../values/column-type.ts";
import { findZone } from "../values/zones.ts";
import { trueWord } from "./detect/bool-words.ts";
import type { CellReading, InferredColumn, InferenceRule } from "./detect/inferred-column.ts";
import {
  inferConventions,
  inferColumn,
  type FileConventions,
  type InferenceSettings,
} from "./detect/infer-conventions.ts";
import { type ColumnEvidence, typedValueCount } from "./detect/evidence.ts";
import type { StagedColumn, StagedTable } from "./staging.ts";
import type { DeclaredType, TableReadReport } from "./table-parts.ts";
import type { ColumnFormat } from "./xlsx/formats.ts";

/** A staged table whose columns have types. */
export interface TypedTable {
  readonly name: string;
  readonly columns: readonly TypedColumn[];
  readonly rowCount: number;
  readonly path: string;
  readonly sizeBytes: number;
  readonly notes: TableReadReport;
  readonly number: number | undefined;
}

export interface TypedColumn {
  readonly label: string;
  readonly at: number;
  readonly times: StagedColumn["times"];
  /** `Any` for a column without values. */
  readonly type: string;
  /** Column options that display the values as the file does. */
  readonly options: WidgetOptions;
  readonly reading: CellReading;
  /** The words for true and false in the column. */
  readonly words: readonly string[];
  /** True if all texts that are not values are placeholders such as `n/a`. */
  readonly nulls: boolean;
  readonly rule: InferenceRule;
  readonly ambiguous: boolean;
  /** Number of the table that its cells refer to. */
  readonly refersTo?: number;
}

/** The tables of a file and their common conventions. */
export interface TypedFile {
  readonly tables: readonly TypedTable[];
  readonly conventions: FileConventions;
}

export interface ImportTypeOptions extends InferenceSettings {
  /** Types that the request specifies, by column label, or by column letter if there is no label. */
  readonly types?: Readonly<Record<string, string>> | undefined;
}

/**
 * Infers the types of all columns of a file and how to parse their texts.
 * @throws AppError `invalid` for a type that imported columns cannot have, or for an unknown zone
 */
export function inferTables(staged: readonly StagedTable[], choices: ImportTypeOptions): TypedFile {
  if (choices.zone !== undefined && !findZone(choices.zone)) throw unknownValue("zone", choices.zone);
  const { types = {} } = choices;
  for (const type of Object.values(types))
    if (!IMPORTABLE_TYPES.test(type) || !hasZone(type)) throw unknownValue("type", type);
  const settings = { ...choices, delimiter: staged[0]?.notes.delimiter };
  const columns = staged.flatMap((table) => table.columns.map(({ evidence }) => evidence));
  const conventionsFound = inferConventions(columns, settings);
  // JSON is written by programs, which use one number notation everywhere.
  const isJson = staged.every(({ texts }) => texts === "dates");
  const conventions =
    isJson && choices.decimal === undefined ? { ...conventionsFound, decimal: "." as const } : conventionsFound;
  const tables = staged.map((table) => ({
    ...table,
    columns: table.columns.map((column) => {
      const requestedType = types[column.label] ?? types[nameOfColumn(table.columns, column)];
      return inferTypedColumn(column, conventions, requestedType);
    }),
  }));
  return { tables, conventions };
}

const IMPORTABLE_TYPES = /^(Text|Numeric|Int|Bool|Date|DateTime|DateTime:.{1,100}|Choice)$/;
const hasZone = (type: string): boolean => !type.startsWith("DateTime:") || findZone(type.slice(9)) !== null;

const unknownValue = (what: string, value: string): AppError =>
  new AppError("invalid", `${what} ${JSON.stringify(value.slice(0, 100))} is unknown`);

type NamedColumn = Pick<StagedColumn, "label" | "at">;

/** Returns the name of a column in import options: its label, or its letter where it has none of its own. */
export function nameOfColumn(columns: readonly NamedColumn[], { label, at }: NamedColumn): string {
  const isOwn = label !== "" && columns.filter((each) => each.label === label).length === 1;
  return isOwn ? label : columnLetterOf(at);
}

/** Returns the spreadsheet letter of a column: A for the first. */
export function columnLetterOf(at: number): string {
  const letter = String.fromCharCode(65 + (at % 26));
  return at < 26 ? letter : `${columnLetterOf(Math.floor(at / 26) - 1)}${letter}`;
}

function inferTypedColumn(
  column: StagedColumn,
  conventions: FileConventions,
  requestedType: string | undefined,
): TypedColumn {
  const { label, at, times, evidence, format, declared } = column;
  const inferred = declared ? asDeclared(declared) : inferFromEvidence(column, conventions);
  const decision =
    requestedType === undefined ? inferred : withRequestedType(requestedType, { inferred, evidence, conventions });
  const { type, widgetOptions, rule, ambiguous } = decision;
  const reading = type === "Text" ? asShown(decision.reading, format, conventions) : decision.reading;
  const options = optionsFor(type, format) ?? widgetOptions;
  const refersTo = declared?.kind === "reference" && type === "Ref" ? { refersTo: declared.parts } : {};
  const words = evidence.words ?? [];
  return {
    label,
    at,
    times,
    type,
    options,
    reading,
    words,
    nulls: hasNulls(inferred, evidence),
    rule,
    ambiguous,
    ...refersTo,
  };
}

/** In a text column, numbers and dates become texts as the file displays them. */
function asShown(reading: CellReading, format: ColumnFormat | null, { locale }: FileConventions): CellReading {
  if (reading.kind !== "text" || !format || format.of === "texts") return reading;
  return { kind: "text", shownAs: { of: format.of, options: format.options, locale } };
}

const hasNulls = ({ reading }: InferredColumn, { texts, placeholders }: ColumnEvidence): boolean =>
  "nulls" in reading ? reading.nulls : placeholders > 0 && placeholders === texts;

const inferFromEvidence = ({ evidence, format }: StagedColumn, conventions: FileConventions): InferredColumn =>
  format?.of === "texts" && isText(evidence) ? DECLARED_TEXT : inferColumn(evidence, conventions);

const asDeclared = (declared: DeclaredType): InferredColumn => ({
  type: declared.kind === "choices" ? "ChoiceList" : "Ref",
  widgetOptions: declared.kind === "choices" ? { choices: declared.choices } : {},
  reading: { kind: "cells" },
  rule: "values",
  ambiguous: false,
});

/** The inferred type of a column that its format declares to be text. */
const DECLARED_TEXT: InferredColumn = {
  type: "Text",
  widgetOptions: {},
  reading: { kind: "text" },
  rule: "values",
  ambiguous: false,
};

/** Returns true for a column whose values are all texts. */
const isText = (evidence: ColumnEvidence): boolean => evidence.texts > 0 && typedValueCount(evidence) === 0;

function withRequestedType(
  requestedType: string,
  {
    inferred,
    evidence,
    conventions,
  }: { inferred: InferredColumn; evidence: ColumnEvidence; conventions: FileConventions },
): InferredColumn {
  const type = requestedType === "DateTime" ? `DateTime:${conventions.zone}` : requestedType;
  const isSame = type.split(":")[0] === inferred.type.split(":")[0];
  const booleansAndNulls = { words: evidence.words ?? [], nulls: hasNulls(inferred, evidence) };
  const reading = readingFor(type, booleansAndNulls, conventions);
  return { type, widgetOptions: isSame ? inferred.widgetOptions : {}, reading, rule: "request", ambiguous: false };
}

/** Returns how to convert texts of a file to cells of a column whose type is fixed. */
export function readingFor(
  type: string,
  { words, nulls }: Pick<TypedColumn, "words" | "nulls">,
  { decimal, order, zone: fileZone }: Pick<FileConventions, "decimal" | "order" | "zone">,
): CellReading {
  const { base, zone = fileZone } = columnType(type);
  const dates = { order: order ?? "dmy", nulls } as const;
  if (base === "Numeric" || base === "Int") return { kind: "number", decimal, nulls };
  if (base === "Date") return { kind: "date", ...dates };
  if (base === "DateTime") return { kind: "dateTime", ...dates, zone };
  return base === "Bool" ? { kind: "bool", yes: trueWord(words) ?? "true" } : { kind: "text" };
}

/** Returns the column options of the file's format if it matches the type. */
function optionsFor(type: string, format: ColumnFormat | null): WidgetOptions | undefined {
  const isDate = type === "Date" || type.startsWith("DateTime");
  const kind = type === "Numeric" ? "numbers" : isDate ? "dates" : null;
  return format && format.of === kind ? format.options : undefined;
}

/**
 * Returns the file with the tables of these names only; null if one of them does not exist. References to other tables
 * are dropped.
 */
export function selectTables({ tables, conventions }: TypedFile, names: readonly string[]): TypedFile | null {
  if (!names.every((name) => tables.some((table) => table.name === name))) return null;
  const named = tables.filter(({ name }) => names.includes(name));
  const numbers = new Set(named.map(({ number }) => number));
  const isResolvable = ({ refersTo }: TypedColumn) => refersTo === undefined || numbers.has(refersTo);
  return { tables: named.map((table) => ({ ...table, columns: table.columns.filter(isResolvable) })), conventions };
}

/** Returns the file without the columns of these names, in all of its tables. */
export function leaveOutColumns({ tables, conventions }: TypedFile, names: readonly string[]): TypedFile {
  const isKept = (columns: readonly TypedColumn[], column: TypedColumn) =>
    !names.includes(column.label) && !names.includes(nameOfColumn(columns, column));
  const kept = tables.map((table) => ({
    ...table,
    columns: table.columns.filter((column) => isKept(table.columns, column)),
  }));
  return { tables: kept, conventions };
}

/** Returns the file with its times in another zone. */
export function withZone({ tables, conventions }: TypedFile, zone: string): TypedFile {
  const moved = (column: TypedColumn): TypedColumn => {
    const { reading } = column;
    return reading.kind === "dateTime"
      ? { ...column, type: `DateTime:${zone}`, reading: { ...reading, zone } }
      : column;
  };
  return {
    tables: tables.map((table) => ({ ...table, columns: table.columns.map(moved) })),
    conventions: { ...conventions, zone },
  };
}
