import type { CellValue } from "./cell.ts";
import { columnType } from "./column-type.ts";
import { guessDates } from "./guess-dates.ts";
import { MIN_MATCH_SHARE, guessNumbers } from "./guess-numbers.ts";
import type { ParseSettings } from "./types/type-interfaces.ts";

/** The type that an empty column gets with its first values. */
export interface ColumnGuess {
  readonly type: string;
  /** Format of the values, so that they are displayed as they were entered. */
  readonly widgetOptions?: Readonly<Record<string, unknown>>;
  /** The converted values. */
  readonly values: CellValue[];
}

/**
 * Infers a column's type from its first values, in their order. Returns null if all are null or empty, which gives no
 * evidence.
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

/** Mixed values are numbers or become text. */
function guessMixed(values: readonly CellValue[], filled: readonly CellValue[]): ColumnGuess {
  const numeric = columnType("Numeric");
  const numbers = filled.filter((value) => typeof numeric.convert(value) === "number");
  return convertAll(numbers.length >= MIN_MATCH_SHARE * filled.length ? "Numeric" : "Text", values);
}

function convertAll(type: string, values: readonly CellValue[]): ColumnGuess {
  const kind = columnType(type);
  return { type, values: values.map((value) => kind.convert(value)) };
}

/** Parses the texts with the inferred type and options. */
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
