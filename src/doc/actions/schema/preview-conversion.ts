import { type CellValue, isErrorCell, isList } from "../../../values/cell.ts";
import { columnType } from "../../../values/column-type.ts";
import { guessDates } from "../../../values/guess-dates.ts";
import { parseSettings } from "../prepare-cells.ts";
import type { Change } from "../change.ts";
import { findMissingRows } from "./add-missing-rows.ts";
import { type Conversion, type ConvertedCells, previewConvertedCells } from "./copy-column.ts";

/** The effect of a column conversion on its cells. */
export interface ConversionPreview {
  /** Number of non-empty cells. */
  readonly cells: number;
  /** Number of them that convert to the new type; the others stay as text. */
  readonly converted: number;
  /** Distinct texts that do not convert, most frequent first. */
  readonly examples: readonly { readonly text: string; readonly count: number; readonly rows: readonly number[] }[];
  /** For dates: formats that parse more of the texts than the requested ones; null when none do. */
  readonly formats: Readonly<Record<string, unknown>> | null;
  /** For references: number of rows that the target table misses for texts that do not convert. */
  readonly missing?: number;
}

const MAX_EXAMPLES = 5;
const MAX_EXAMPLE_ROWS = 3;
/** Long texts are truncated: an example only has to be recognizable. */
const MAX_EXAMPLE_LENGTH = 200;

/**
 * Counts the cells that a conversion would convert, without writing.
 * @param addsMissing counts the cells that convert once the missing rows are added
 */
export function previewConversion(
  change: Change,
  table: string,
  { addsMissing = false, ...conversion }: Conversion & { addsMissing?: boolean },
): ConversionPreview {
  const converted = previewConvertedCells(change, table, conversion);
  const kind = columnType(conversion.type);
  const nonEmpty = converted.before.flatMap((cell, at) => (isEmpty(cell, conversion, change, table) ? [] : [at]));
  const isReference = kind.base === "Ref" || kind.base === "RefList";
  const missing = isReference ? findMissingRows(change, table, { conversion, converted }) : null;
  const isAdded = (at: number) => addsMissing && missing?.convertsWith(converted.input[at] ?? null) === true;
  const unconverted = nonEmpty.filter((at) => !isOfType(converted.cells[at] ?? null, kind.base) && !isAdded(at));
  const convertedCount = nonEmpty.length - unconverted.length;
  const input = nonEmpty.map((at) => converted.input[at] ?? null);
  const isDate = kind.base === "Date" || kind.base === "DateTime";
  return {
    cells: nonEmpty.length,
    converted: convertedCount,
    examples: examplesOf(unconverted, converted),
    formats:
      isDate && unconverted.length > 0
        ? betterFormats(change, table, { conversion, input, converted: convertedCount })
        : null,
    ...(missing && { missing: missing.values.length }),
  };
}

/** Types for which any text is a valid value. */
const TEXTS: ReadonlySet<string> = new Set(["Text", "Choice", "Any", "Blob"]);

function isOfType(cell: CellValue, base: string): boolean {
  if (TEXTS.has(base)) return !isErrorCell(cell);
  return typeof cell === "string" ? cell === "" : !Array.isArray(cell) || isList(cell);
}

function isEmpty(cell: CellValue, { from }: Conversion, change: Change, table: string): boolean {
  return cell === null || cell === "" || (cell === 0 && change.catalog.column(table, from).kind.base === "Ref");
}

function examplesOf(unconverted: readonly number[], { ids, input }: ConvertedCells): ConversionPreview["examples"] {
  const indexesByText = Map.groupBy(unconverted, (at) => textOf(input[at] ?? null));
  return [...indexesByText]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .slice(0, MAX_EXAMPLES)
    .map(([text, at]) => ({
      text: text.length > MAX_EXAMPLE_LENGTH ? `${text.slice(0, MAX_EXAMPLE_LENGTH)}…` : text,
      count: at.length,
      rows: at.slice(0, MAX_EXAMPLE_ROWS).map((index) => ids[index] ?? 0),
    }));
}

const textOf = (cell: CellValue): string => (typeof cell === "string" ? cell : JSON.stringify(cell));

/** Number of texts from which date formats are guessed; each format is then tried on all texts. */
const MAX_SAMPLED_TEXTS = 20;

/** Returns the date formats that parse more of the texts than the requested ones; null when none do. */
function betterFormats(
  change: Change,
  table: string,
  { conversion, input, converted }: { conversion: Conversion; input: readonly CellValue[]; converted: number },
): ConversionPreview["formats"] {
  const texts = input.filter((cell) => typeof cell === "string");
  const settings = parseSettings(change, { table, column: change.catalog.column(table, conversion.from) });
  const kind = columnType(conversion.type);
  const triedFormats = new Set<string>();
  let best: ConversionPreview["formats"] = null;
  let bestCount = converted - (input.length - texts.length);
  for (const text of texts.slice(0, MAX_SAMPLED_TEXTS)) {
    const widgetOptions = guessDates([text], settings)?.widgetOptions;
    const key = JSON.stringify(widgetOptions);
    if (!widgetOptions || triedFormats.has(key)) continue;
    triedFormats.add(key);
    const candidateSettings = { ...settings, widgetOptions };
    const parsedCount = texts.filter(
      (each) => typeof kind.convert(kind.parse(each, candidateSettings)) === "number",
    ).length;
    if (parsedCount > bestCount) [best, bestCount] = [widgetOptions, parsedCount];
  }
  return best;
}
