/** Types of aggregations. */
import type { RequestOptions } from "../transport.ts";
import type { Filter } from "./filter.ts";
import type { Cell, ColumnName } from "./schema.ts";

/** A column to group by; dates by their period. */
export type GroupItem<Column extends string> =
  | Column
  | {
      readonly column: Column;
      readonly by?: "day" | "week" | "month" | "quarter" | "year";
      readonly as?: string;
      readonly text?: string;
    };

/** Columns that have numbers. */
type NumberName<S, T extends keyof S> = string extends keyof S
  ? string
  : {
      [C in ColumnName<S, T>]: S[T][C] extends { type: "Numeric" | "Int" | "Any" | "PositionNumber" } ? C : never;
    }[ColumnName<S, T>];

type Measure<S, T extends keyof S> =
  | "count"
  | { readonly count: ColumnName<S, T> }
  | { readonly countDistinct: ColumnName<S, T> }
  | { readonly sum: NumberName<S, T> }
  | { readonly avg: NumberName<S, T> }
  | { readonly median: NumberName<S, T> }
  | { readonly min: ColumnName<S, T> }
  | { readonly max: ColumnName<S, T> }
  | { readonly first: ColumnName<S, T> }
  | { readonly last: ColumnName<S, T> };

/** Measures by their names in the answer. */
export type Measures<S, T extends keyof S> = Readonly<Record<string, Measure<S, T>>>;

export interface AggregateOptions<S, T extends keyof S, Groups, Named> extends RequestOptions {
  /** Default: one group. */
  readonly groupBy?: Groups;
  /** Default: `{ count: "count" }`. */
  readonly measures?: Named;
  readonly filter?: Filter<S, T>;
  /** Names of groups and measures, with `-` from large to small. */
  readonly sort?: readonly `${"" | "-"}${GroupNames<Groups> | Extract<keyof Named, string>}`[];
  readonly limit?: number;
  /** Return the measures over all groups as `totals`. */
  readonly totals?: boolean;
  /** Return the groups by the first column, by the first two, and so on, as `subtotals`. */
  readonly subtotals?: boolean;
  /** Return groups in the order of the records that `recordSort` of the answer sorts. */
  readonly recordOrder?: boolean;
  /** Refuse columns to group by with more values. */
  readonly maxValues?: number;
  readonly at?: number | string;
}

type GroupNames<Groups> = Groups extends readonly (infer Item)[] ? NameOf<Item> : never;
type NameOf<Item> = Item extends string
  ? Item
  : Item extends { as: infer As extends string }
    ? As
    : Item extends { column: infer Column extends string }
      ? Column
      : never;

type ColumnOf<Groups, Name> = Groups extends readonly (infer Item)[]
  ? Item extends string
    ? Extract<Item, Name>
    : Item extends { column: infer Column }
      ? NameOf<Item> extends Name
        ? Column
        : never
      : never
  : never;

type ColumnCell<S, T extends keyof S, Column> = Column extends keyof S[T] ? Cell<S[T][Column], "iso"> : unknown;

type MeasureValue<S, T extends keyof S, M> = M extends "count" | { count: string } | { countDistinct: string }
  ? number
  : M extends { sum: string } | { avg: string } | { median: string }
    ? number | null
    : M extends { min: infer Column } | { max: infer Column } | { first: infer Column } | { last: infer Column }
      ? ColumnCell<S, T, Column> | null
      : never;

type MeasureValues<S, T extends keyof S, Named> = { -readonly [M in keyof Named]: MeasureValue<S, T, Named[M]> };

export interface AggregateAnswer<S, T extends keyof S, Groups, Named> {
  /** Dates are texts as ISO 8601, references are ids, lists are arrays. */
  groups: ({ [G in GroupNames<Groups>]: ColumnCell<S, T, ColumnOf<Groups, G>> } & MeasureValues<S, T, Named>)[];
  /** The number of groups, whatever the limit. */
  total: number;
  /** With `totals`. */
  totals?: MeasureValues<S, T, Named>;
  /** With `subtotals`: the groups by the first column, by the first two, and so on. */
  subtotals?: Record<string, unknown>[][];
  /** With `recordOrder`: the sort of records in whose order the groups are. */
  recordSort?: string;
}
