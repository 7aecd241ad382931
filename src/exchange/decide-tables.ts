import { AppError } from "../errors.ts";
import { columnType, type WidgetOptions } from "../values/column-type.ts";
import { findZone } from "../values/zones.ts";
import { trueWord } from "./detect/bool-words.ts";
import type { CellReading, ColumnDecision, Rule } from "./detect/column-decision.ts";
import { conventionsOf, decideColumn, type FileConventions, type ReadingSettings } from "./detect/decide-file.ts";
import { type ColumnEvidence, nativesIn } from "./detect/evidence.ts";
import type { StagedColumn, StagedTable } from "./staging.ts";
import type { DeclaredType, TableNotes } from "./table-parts.ts";
import type { ColumnFormat } from "./xlsx-formats.ts";

/** A staged table whose columns have types. */
export interface TypedTable {
  readonly name: string;
  readonly columns: readonly TypedColumn[];
  readonly rowCount: number;
  readonly path: string;
  readonly sizeBytes: number;
  readonly notes: TableNotes;
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
  readonly rule: Rule;
  readonly ambiguous: boolean;
  /** The number of the table that its cells refer to. */
  readonly refersTo?: number;
}

/** The tables of a file with what was decided for all of them. */
export interface TypedFile {
  readonly tables: readonly TypedTable[];
  readonly conventions: FileConventions;
}

export interface TypeChoices extends ReadingSettings {
  /** Types that the request names, by the labels of columns, or by their letters where they have none. */
  readonly types?: Readonly<Record<string, string>> | undefined;
}

/**
 * Decides the types of all columns of a file, and how their texts are read.
 * @throws AppError `invalid` for a type that columns of imports cannot have, or for an unknown zone
 */
export function decideTables(staged: readonly StagedTable[], choices: TypeChoices): TypedFile {
  if (choices.zone !== undefined && !findZone(choices.zone)) throw unknown("zone", choices.zone);
  const { types = {} } = choices;
  for (const type of Object.values(types)) if (!CHOOSABLE.test(type) || !hasZone(type)) throw unknown("type", type);
  const settings = { ...choices, delimiter: staged[0]?.notes.delimiter };
  const columns = staged.flatMap((table) => table.columns.map(({ evidence }) => evidence));
  const found = conventionsOf(columns, settings);
  // Programs write numbers in texts of JSON, in one way everywhere.
  const isJson = staged.every(({ texts }) => texts === "dates");
  const conventions = isJson && choices.decimal === undefined ? { ...found, decimal: "." as const } : found;
  const tables = staged.map((table) => ({
    ...table,
    columns: table.columns.map((column) => typed(column, conventions, types[column.label || letterOf(column.at)])),
  }));
  return { tables, conventions };
}

const CHOOSABLE = /^(Text|Numeric|Int|Bool|Date|DateTime|DateTime:.{1,100}|Choice)$/;
const hasZone = (type: string): boolean => !type.startsWith("DateTime:") || findZone(type.slice(9)) !== null;

const unknown = (what: string, value: string): AppError =>
  new AppError("invalid", `${what} ${JSON.stringify(value.slice(0, 100))} is unknown`);

/** A for the first column, as spreadsheets name them. */
export function letterOf(at: number): string {
  const letter = String.fromCharCode(65 + (at % 26));
  return at < 26 ? letter : `${letterOf(Math.floor(at / 26) - 1)}${letter}`;
}

function typed(column: StagedColumn, conventions: FileConventions, wanted: string | undefined): TypedColumn {
  const { label, at, times, evidence, format, declared } = column;
  const found = declared ? asDeclared(declared) : decidedBy(column, conventions);
  const decision = wanted === undefined ? found : asWanted(wanted, { found, evidence, conventions });
  const { type, widgetOptions, rule, ambiguous } = decision;
  const reading = type === "Text" ? asShown(decision.reading, format, conventions) : decision.reading;
  const options = optionsFor(type, format) ?? widgetOptions;
  const refersTo = declared?.kind === "reference" && type === "Ref" ? { refersTo: declared.table } : {};
  const words = evidence.words ?? [];
  return {
    label,
    at,
    times,
    type,
    options,
    reading,
    words,
    nulls: hasNulls(found, evidence),
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

const hasNulls = ({ reading }: ColumnDecision, { texts, placeholders }: ColumnEvidence): boolean =>
  "nulls" in reading ? reading.nulls : placeholders > 0 && placeholders === texts;

const decidedBy = ({ evidence, format }: StagedColumn, conventions: FileConventions): ColumnDecision =>
  format?.of === "texts" && isText(evidence) ? TEXT : decideColumn(evidence, conventions);

const asDeclared = (declared: DeclaredType): ColumnDecision => ({
  type: declared.kind === "choices" ? "ChoiceList" : "Ref",
  widgetOptions: declared.kind === "choices" ? { choices: declared.choices } : {},
  reading: { kind: "cells" },
  rule: "values",
  ambiguous: false,
});

/** The decision for a column that its format declares to be text. */
const TEXT: ColumnDecision = {
  type: "Text",
  widgetOptions: {},
  reading: { kind: "text" },
  rule: "values",
  ambiguous: false,
};

/** True for a column whose values are all texts. */
const isText = (evidence: ColumnEvidence): boolean => evidence.texts > 0 && nativesIn(evidence) === 0;

function asWanted(
  wanted: string,
  { found, evidence, conventions }: { found: ColumnDecision; evidence: ColumnEvidence; conventions: FileConventions },
): ColumnDecision {
  const type = wanted === "DateTime" ? `DateTime:${conventions.zone}` : wanted;
  const isSame = type.split(":")[0] === found.type.split(":")[0];
  const about = { words: evidence.words ?? [], nulls: hasNulls(found, evidence) };
  const reading = readingFor(type, about, conventions);
  return { type, widgetOptions: isSame ? found.widgetOptions : {}, reading, rule: "request", ambiguous: false };
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
export function onlyTable({ tables, conventions }: TypedFile, name: string): TypedFile | null {
  const named = tables.filter((table) => table.name === name);
  if (named.length === 0) return null;
  const numbers = new Set(named.map(({ number }) => number));
  const isWhole = ({ refersTo }: TypedColumn) => refersTo === undefined || numbers.has(refersTo);
  return { tables: named.map((table) => ({ ...table, columns: table.columns.filter(isWhole) })), conventions };
}

/** The same file with its times in another zone. */
export function inZone({ tables, conventions }: TypedFile, zone: string): TypedFile {
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
