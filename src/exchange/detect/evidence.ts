import type { DateOrder } from "./date-text.ts";
import type { DecimalSign } from "./number-text.ts";

/** Evidence about the numbers of a column in one of the two notations. */
export interface NumberEvidence {
  /** Number of cells that are numbers in this notation. */
  matches: number;
  /** Number of cells with grouped digits. */
  grouped: number;
  /** Number of cells without decimals. */
  whole: number;
  /** Minimum and maximum number of decimals, among cells with any. */
  minDecimals: number;
  maxDecimals: number;
  /** Maximum number of decimals among cells that end in a decimal zero; 0 without one. */
  zeroDecimals: number;
}

/** Number of dates of a form in a column, with the padding of their numbers. */
export interface FormEvidence {
  date: string;
  time: string;
  count: number;
  padded: boolean;
  bare: boolean;
  paddedHour: boolean;
  bareHour: boolean;
  longNames: boolean;
  foreignNames: boolean;
}

/** Evidence about the dates of a column. */
export interface DateEvidence {
  /** Number of cells that are valid dates in each order. */
  matches: Record<DateOrder, number>;
  /** Number of cells whose form is ambiguous about the order: `05/06/2024`, and `25/06/2024` too. */
  ambiguous: number;
  /** Number of cells with a time of day. */
  timed: number;
  forms: FormEvidence[];
}

/**
 * Evidence from all cells of a column about its type: plain data of at most 4 KB, regardless of the number of cells.
 * Types are inferred from it once the whole file has been read.
 */
export interface ColumnEvidence {
  /** Number of texts that are not blank. */
  texts: number;
  /** Number of placeholders of a missing value: `-`, `n/a`. */
  placeholders: number;
  /** Number of empty texts, texts of blanks only, and absent values. */
  blanks: number;
  /** Number of values that the file format types as numbers, booleans, dates, date-times, and other values. */
  numbers: number;
  bools: number;
  days: number;
  moments: number;
  others: number;
  /** Number of identifiers made of digits, which must not become numbers. */
  codes: number;
  notations: Record<DecimalSign, NumberEvidence>;
  /** Among the numbers, those in percent, in parentheses, with an exponent, with a currency. */
  percents: number;
  parenthesized: number;
  scientific: number;
  /** The group separator of the last cell that certainly has one; empty without one. */
  group: string;
  /** Number of cells with groups of two digits, as in India. */
  indian: number;
  /** Currency signs with their number of occurrences; at most four. */
  currencies: Record<string, number>;
  dates: DateEvidence;
  /** Boolean words while all texts are such; null once one is not. */
  words: string[] | null;
}

const emptyNumberEvidence = (): NumberEvidence => ({
  matches: 0,
  grouped: 0,
  whole: 0,
  minDecimals: Number.MAX_SAFE_INTEGER,
  maxDecimals: 0,
  zeroDecimals: 0,
});

export const emptyEvidence = (): ColumnEvidence => ({
  texts: 0,
  placeholders: 0,
  blanks: 0,
  numbers: 0,
  bools: 0,
  days: 0,
  moments: 0,
  others: 0,
  codes: 0,
  notations: { ".": emptyNumberEvidence(), ",": emptyNumberEvidence() },
  percents: 0,
  parenthesized: 0,
  scientific: 0,
  group: "",
  indian: 0,
  currencies: {},
  dates: { matches: { dmy: 0, mdy: 0 }, ambiguous: 0, timed: 0, forms: [] },
  words: [],
});

/** Returns the number of values that the file format types as numbers, booleans, dates or other values. */
export const typedValueCount = ({ numbers, bools, days, moments, others }: ColumnEvidence): number =>
  numbers + bools + days + moments + others;

/** Returns true for a column without any value. */
export const isEmpty = (evidence: ColumnEvidence): boolean => evidence.texts + typedValueCount(evidence) === 0;
