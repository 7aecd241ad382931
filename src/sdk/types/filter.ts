/** Types of filters and sorts; the grammar is that of the API. */
import type { ColumnName, ReferenceName, TargetOf, TableName } from "./schema.ts";

type ChoiceOf<C> = C extends { choices: infer Choices extends string } ? Choices : string;

interface Equality<Value> {
  eq?: Value;
  ne?: Value;
  in?: readonly Value[];
  nin?: readonly Value[];
  empty?: boolean;
  /** A filter in the form in which documents save it. */
  saved?: SavedFilter;
}

interface SavedFilter {
  included?: readonly unknown[];
  excluded?: readonly unknown[];
  min?: SavedBound;
  max?: SavedBound;
}

/** A number, or steps from today to a day. */
type SavedBound = number | readonly { quantity: number; unit: "day" | "week" | "month" | "year"; endOf?: boolean }[];

interface Order<Value> {
  gt?: Value;
  gte?: Value;
  lt?: Value;
  lte?: Value;
}

interface TextSearch {
  contains?: string;
  startsWith?: string;
  endsWith?: string;
  /** A regular expression in the syntax of RE2. */
  matches?: string;
}

interface Span {
  /** A span of days: `thisMonth`, `last7days`. */
  within?: string;
}

interface Items<Item> {
  has?: Item;
  hasAny?: readonly Item[];
  hasAll?: readonly Item[];
}

type Ordered<Value> = readonly (Value | null)[] | (Equality<Value> & Order<Value>);
type Dates = readonly (number | null)[] | (Equality<number | string> & Order<number | string> & Span);
type Texts<Value extends string> = readonly (Value | null)[] | (Equality<Value> & Order<string> & TextSearch);
/** A row id, or the text that the reference shows. */
type References = readonly (number | null)[] | (Equality<number | string> & Order<number | string> & TextSearch);
type Lists<Item> = readonly unknown[] | (Equality<readonly Item[]> & Items<Item>);

interface ConditionsByType<C> {
  Text: Texts<string>;
  Choice: Texts<ChoiceOf<C> | "">;
  Numeric: Ordered<number>;
  Int: Ordered<number>;
  PositionNumber: Ordered<number>;
  Id: Ordered<number>;
  Bool: readonly (boolean | null)[] | Equality<boolean>;
  Date: Dates;
  DateTime: Dates;
  Ref: References;
  ChoiceList: Lists<ChoiceOf<C>>;
  RefList: Lists<number | string>;
  Attachments: Lists<number>;
}

/** A condition on a column: a list of allowed values as they are stored, or operators. */
export type Condition<C> = C extends { type: infer Kind }
  ? Kind extends keyof ConditionsByType<C>
    ? ConditionsByType<C>[Kind]
    : AnyCondition
  : never;

type AnyCondition = readonly unknown[] | (Equality<unknown> & Order<unknown> & TextSearch & Items<unknown> & Span);

/** Conditions on columns, and on columns of the records that references lead to: `Customer.City`. */
export type Filter<S, T extends keyof S> = string extends keyof S ? AnyFilter : TypedFilter<S, T>;

interface AnyFilter {
  [column: string]: unknown;
}

type TypedFilter<S, T extends keyof S> = {
  and?: readonly TypedFilter<S, T>[];
  or?: readonly TypedFilter<S, T>[];
  not?: TypedFilter<S, T>;
  id?: Ordered<number>;
} & { [C in Exclude<ColumnName<S, T>, "and" | "or" | "not">]?: Condition<S[T][C]> } & PathConditions<S, T> & {
    [path: `${string}.${string}.${string}`]: AnyCondition;
  };

type PathConditions<S, T extends keyof S> = {
  [P in PathName<S, T>]?: P extends `${infer R}.${infer C}`
    ? R extends keyof S[T]
      ? ConditionAt<S, TargetOf<S, S[T][R]>, C>
      : never
    : never;
};

type ConditionAt<S, T extends keyof S, C extends string> = C extends keyof S[T] ? Condition<S[T][C]> : never;

type PathName<S, T extends keyof S> = {
  [R in ReferenceName<S, T>]: `${R}.${ColumnName<S, TargetOf<S, S[T][R]>>}`;
}[ReferenceName<S, T>];

/** A column to sort by: `-Price` from large to small, `Name:naturalSort` with options. */
export type SortKey<S, T extends keyof S> =
  string extends TableName<S> ? string : `${"" | "-"}${ColumnName<S, T> | "id"}${"" | `:${string}`}`;
