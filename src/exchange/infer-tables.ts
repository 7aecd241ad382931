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
  /** How the file shows the values, in the words of a column's options. */
  readonly options: WidgetOptions;
  readonly reading: CellReading;
  /** The words for true and false in it. */
  readonly words: readonly string[];
  /** True when all texts that are no values stand for missing ones: `n/a`. */
  readonly nulls: boolean;
  readonly rule: InferenceRule;
  readonly ambiguous: boolean;
  /** The number of the table that its cells refer to. */
  readonly refersTo?: number;
}

/** The tables of a file with what was decided for all of them. */
export interface TypedFile {
  readonly tables: readonly TypedTable[];
  readonly conventions: FileConventions;
}

export interface ImportTypeOptions extends InferenceSettings {
  /** Types that the request names, by the labels of columns, or by their letters where they have none. */
  readonly types?: Readonly<Record<string, string>> | undefined;
}

/**
 * Decides the types of all columns of a file, and how their texts are read.
 * @throws AppError `invalid` for a type that columns of imports cannot have, or for an unknown zone
 */
export function inferTables(staged: readonly StagedTable[], choices: ImportTypeOptions): TypedFile {
  if (choices.zone !== undefined && !findZone(choices.zone)) throw unknownValue("zone", choices.zone);
  const { types = {} } = choices;
  for (const type of Object.values(types))
    if (!IMPORTABLE_TYPES.test(type) || !hasZone(type)) throw unknownValue("type", type);
  const settings = { ...choices, delimiter: staged[0]?.notes.delimiter };
  const columns = staged.flatMap((table) => table.columns.map(({ evidence }) => evidence));
  const conventionsFound = inferConventions(columns, settings);
  // Programs write numbers in texts of JSON, in one way everywhere.
  const isJson = staged.every(({ texts }) => texts === "dates");
  const conventions =
    isJson && choices.decimal === undefined ? { ...conventionsFound, decimal: "." as const } : conventionsFound;
  const tables = staged.map((table) => ({
    ...table,
    columns: table.columns.map((column) =>
      inferTypedColumn(column, conventions, types[column.label || columnLetterOf(column.at)]),
    ),
  }));
  return { tables, conventions };
}

const IMPORTABLE_TYPES = /^(Text|Numeric|Int|Bool|Date|DateTime|DateTime:.{1,100}|Choice)$/;
const hasZone = (type: string): boolean => !type.startsWith("DateTime:") || findZone(type.slice(9)) !== null;

const unknownValue = (what: string, value: string): AppError =>
  new AppError("invalid", `${what} ${JSON.stringify(value.slice(0, 100))} is unknown`);

/** A for the first column, as spreadsheets name them. */
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

/** Among texts, numbers and dates become texts that look as in the file. */
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

/** The decision for a column that its format declares to be text. */
const DECLARED_TEXT: InferredColumn = {
  type: "Text",
  widgetOptions: {},
  reading: { kind: "text" },
  rule: "values",
  ambiguous: false,
};

/** True for a column whose values are all texts. */
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

/** How texts of a file become cells of a column that has its type already. */
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

/** The options of a column whose values are of the kind that the file's format is for. */
function optionsFor(type: string, format: ColumnFormat | null): WidgetOptions | undefined {
  const isDate = type === "Date" || type.startsWith("DateTime");
  const kind = type === "Numeric" ? "numbers" : isDate ? "dates" : null;
  return format && format.of === kind ? format.options : undefined;
}

/** A file with its tables of this name alone; null without any. References to the others have nothing to refer to. */
export function selectTable({ tables, conventions }: TypedFile, name: string): TypedFile | null {
  const named = tables.filter((table) => table.name === name);
  if (named.length === 0) return null;
  const numbers = new Set(named.map(({ number }) => number));
  const isResolvable = ({ refersTo }: TypedColumn) => refersTo === undefined || numbers.has(refersTo);
  return { tables: named.map((table) => ({ ...table, columns: table.columns.filter(isResolvable) })), conventions };
}

/** The same file with its times in another zone. */
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
