import type { WidgetOptions } from "../../values/column-type.ts";
import type { DateOrder } from "./date-text.ts";
import type { DecimalSign } from "./number-text.ts";

/** The evidence that determined the type of a column. */
export type InferenceRule =
  /** Its own values. */
  | "values"
  /** Other columns of the file, for ambiguous values. */
  | "file"
  /** The delimiter `;`, for ambiguous values. */
  | "delimiter"
  /** The locale, for ambiguous values. */
  | "locale"
  /** The request. */
  | "request"
  /** Its values contradict the file's other columns, or each other. */
  | "contradiction"
  /** Identifiers: leading zeros, a leading plus, or more than 15 digits. */
  | "codes"
  /** Too few of its values are numbers or dates. */
  | "texts"
  /** The column has no values. */
  | "empty";

export interface ShownAs {
  readonly of: "numbers" | "dates";
  readonly options: WidgetOptions;
  readonly locale: string;
}

/** How to convert the texts of a column to cells. Plain data, so that it can be sent to other threads. */
export type CellReading =
  /** `shownAs`: how the file displays the numbers or dates among the texts. */
  | { readonly kind: "text"; readonly shownAs?: ShownAs }
  /** The file's values are cells already. */
  | { readonly kind: "cells" }
  | { readonly kind: "bool"; readonly yes: string }
  /** `nulls`: placeholders such as `n/a` become null; `keepsCodes`: identifiers such as `007` stay texts. */
  | { readonly kind: "number"; readonly decimal: DecimalSign; readonly nulls: boolean; readonly keepsCodes?: boolean }
  | { readonly kind: "date"; readonly order: DateOrder; readonly nulls: boolean }
  | { readonly kind: "dateTime"; readonly order: DateOrder; readonly zone: string; readonly nulls: boolean };

/** The inferred type of a column. */
export interface InferredColumn {
  readonly type: string;
  /** Format of the values, so that they are displayed as in the file. */
  readonly widgetOptions: Readonly<Record<string, unknown>>;
  readonly reading: CellReading;
  readonly rule: InferenceRule;
  /** True if the values are ambiguous and other evidence decided. */
  readonly ambiguous: boolean;
}

/** Minimum share of a column's values that must match a type. */
export const MIN_MATCH_SHARE = 0.9;
