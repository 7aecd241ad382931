import type { DateOrder } from "./date-text.ts";
import type { DecimalSign } from "./number-text.ts";

/** What is known of the numbers of a column in one of the two ways to write them. */
export interface NumberEvidence {
  /** Cells that are numbers in this way. */
  matches: number;
  /** Cells with groups of digits. */
  grouped: number;
  /** Cells without decimals. */
  whole: number;
  /** The fewest decimals of cells with any, and the most. */
  minDecimals: number;
  maxDecimals: number;
  /** The most decimals of a cell whose last decimal is a zero; 0 without one. */
  zeroDecimals: number;
}

/** How often a form of dates occurs in a column, and what its numbers show of leading zeros. */
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

/** What is known of the dates of a column. */
export interface DateEvidence {
  /** Cells that are dates by each order. */
  matches: Record<DateOrder, number>;
  /** Cells whose order is open by their form: `05/06/2024`, and `25/06/2024` too. */
  ambiguous: number;
  /** Cells with a time of day. */
  timed: number;
  forms: FormEvidence[];
}

/**
 * What all cells of a column say about its type: plain data of at most 4 KB, whatever the number of cells, from which
 * types are decided once the whole file is known.
 */
export interface ColumnEvidence {
  /** Texts that are not blank. */
  texts: number;
  /** Texts that stand for a missing value: `-`, `n/a`. */
  placeholders: number;
  /** Texts without characters, or with blanks only, and absent values. */
  blanks: number;
  /** Values that the format itself marks as numbers, truth values, days, moments, and other values. */
  numbers: number;
  bools: number;
  days: number;
  moments: number;
  others: number;
  /** Digits that name something: they must not become numbers. */
  codes: number;
  notations: Record<DecimalSign, NumberEvidence>;
  /** Of the numbers, those in percent, in parentheses, with an exponent, with a currency. */
  percents: number;
  parenthesized: number;
  scientific: number;
  /** The sign between groups of digits in the last cell with any that are surely groups; empty without one. */
  group: string;
  /** Cells with groups of two digits, as in India. */
  indian: number;
  /** Signs of currencies with how often they occur; at most four. */
  currencies: Record<string, number>;
  dates: DateEvidence;
  /** The words for true and false while all texts are such; null when one is not. */
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

/** How many values of a column the format itself marks as numbers, truth values, dates and the like. */
export const typedValueCount = ({ numbers, bools, days, moments, others }: ColumnEvidence): number =>
  numbers + bools + days + moments + others;

/** True for a column without any value. */
export const isEmpty = (evidence: ColumnEvidence): boolean => evidence.texts + typedValueCount(evidence) === 0;
