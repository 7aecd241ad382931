import type { WidgetOptions } from "../../values/column-type.ts";
import type { DateOrder } from "./date-text.ts";
import type { DecimalSign } from "./number-text.ts";

/** What decided the type of a column. */
export type InferenceRule =
  /** Its own values. */
  | "values"
  /** Other columns of the file, for values that can be read in two ways. */
  | "file"
  /** The delimiter `;`, for the same. */
  | "delimiter"
  /** The locale, for the same. */
  | "locale"
  /** The request. */
  | "request"
  /** Its values contradict the file's other columns, or each other. */
  | "contradiction"
  /** Leading zeros, a leading plus, or more than 15 digits: they name something. */
  | "codes"
  /** Too few of its values are numbers or dates. */
  | "texts"
  /** It has no values. */
  | "empty";

export interface ShownAs {
  readonly of: "numbers" | "dates";
  readonly options: WidgetOptions;
  readonly locale: string;
}

/** How the texts of a column become cells. Plain data, so that it can be handed to other threads. */
export type CellReading =
  /** `shownAs`: how the file shows the numbers or the dates among the texts. */
  | { readonly kind: "text"; readonly shownAs?: ShownAs }
  /** The file has the cells as they are. */
  | { readonly kind: "cells" }
  | { readonly kind: "bool"; readonly yes: string }
  /** `nulls`: texts such as `n/a` stand for no value; `keepsCodes`: those such as `007` stay texts. */
  | { readonly kind: "number"; readonly decimal: DecimalSign; readonly nulls: boolean; readonly keepsCodes?: boolean }
  | { readonly kind: "date"; readonly order: DateOrder; readonly nulls: boolean }
  | { readonly kind: "dateTime"; readonly order: DateOrder; readonly zone: string; readonly nulls: boolean };

/** What was found for a column. */
export interface InferredColumn {
  readonly type: string;
  /** How its values were written, so that they look the same. */
  readonly widgetOptions: Readonly<Record<string, unknown>>;
  readonly reading: CellReading;
  readonly rule: InferenceRule;
  /** True when the values can be read in two ways, and something else decided. */
  readonly ambiguous: boolean;
}

/** The share of a column's values that must fit for a type to be taken. */
export const MIN_MATCH_SHARE = 0.9;
