import type { CellValue } from "./cell.ts";
import { columnType } from "./column-type.ts";
import { guessDates } from "./guess-dates.ts";
import { MIN_MATCH_SHARE, guessNumbers } from "./guess-numbers.ts";
import type { ParseSettings } from "./types/type-interfaces.ts";

/** What a column that held nothing becomes with its first values. */
export interface ColumnGuess {
  readonly type: string;
  /** How the values were written, so that they are shown the same way. */
  readonly widgetOptions?: Readonly<Record<string, unknown>>;
  /** The values as the column will hold them. */
  readonly values: CellValue[];
}

/**
 * The type of a column without one by the first values given for it, in their order. Null when they are all null or
 * empty, which decides nothing.
 */
export function guessColumn(values: readonly CellValue[], settings: ParseSettings): ColumnGuess | null {
  const filled = values.filter((value) => value !== null && value !== "");
  if (filled.length === 0) return null;
  if (!filled.every((value) => typeof value === "string")) return guessMixed(values, filled);
  if (values.every((value) => value === "true" || value === "false")) return convertAll("Bool", values);
  const texts = filled.filter((text) => text.trim() !== "");
  const guess = texts.length ? (guessNumbers(texts, settings) ?? guessDates(texts, settings)) : undefined;
  return guess ? convertTexts(guess, values, settings) : convertAll("Text", values);
}

/** Values that are not all texts are numbers or become texts. */
function guessMixed(values: readonly CellValue[], filled: readonly CellValue[]): ColumnGuess {
  const numeric = columnType("Numeric");
  const numbers = filled.filter((value) => typeof numeric.convert(value) === "number");
  return convertAll(numbers.length >= MIN_MATCH_SHARE * filled.length ? "Numeric" : "Text", values);
}

function convertAll(type: string, values: readonly CellValue[]): ColumnGuess {
  const kind = columnType(type);
  return { type, values: values.map((value) => kind.convert(value)) };
}

/** The texts read in the way they were found to be written. */
function convertTexts(
  guess: { type: string; widgetOptions: Readonly<Record<string, unknown>> },
  values: readonly CellValue[],
  settings: ParseSettings,
): ColumnGuess {
  const kind = columnType(guess.type);
  const guessedSettings = { ...settings, widgetOptions: guess.widgetOptions };
  const cells = values.map((value) => {
    return typeof value !== "string" || value.trim() === "" ? null : kind.convert(kind.parse(value, guessedSettings));
  });
  const isPlain = Object.keys(guess.widgetOptions).length === 0;
  return { type: guess.type, ...(!isPlain && { widgetOptions: guess.widgetOptions }), values: cells };
}
