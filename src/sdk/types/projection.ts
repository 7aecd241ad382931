/** Types of records by the fields and references that a request names. */
import type { Cell, CellFormat, CellList, ColumnName, ReferenceName, TargetOf } from "./schema.ts";

/** Names of columns, and paths through up to three references: `Customer.Country.Name`. */
export type FieldPath<S, T extends keyof S> = string extends keyof S
  ? string
  : | ColumnName<S, T>
    | { [R in ReferenceName<S, T>]: `${R}.${SecondPath<S, TargetOf<S, S[T][R]>>}` }[ReferenceName<S, T>];

/** Paths after a first reference. Columns after a third one are checked by their type: listing them takes too long. */
type SecondPath<S, T extends keyof S> =
  | ColumnName<S, T>
  | { [R in ReferenceName<S, T>]: `${R}.${ThirdPath<S, TargetOf<S, S[T][R]>>}` }[ReferenceName<S, T>];

type ThirdPath<S, T extends keyof S> = ColumnName<S, T> | `${ReferenceName<S, T>}.${string}`;

/** References to replace by their records, on up to two levels. */
export type ExpandPath<S, T extends keyof S> = string extends keyof S
  ? string
  : | ReferenceName<S, T>
    | {
        [R in ReferenceName<S, T>]: `${R}.${ReferenceName<S, TargetOf<S, S[T][R]>>}`;
      }[ReferenceName<S, T>];

/** The value at the end of a path. */
type PathCell<S, T extends keyof S, Path extends string, Format extends CellFormat> = Path extends keyof S[T]
  ? Cell<S[T][Path], Format>
  : Path extends `${infer Head}.${infer Rest}`
    ? Head extends keyof S[T]
      ? Through<S[T][Head], PathCell<S, TargetOf<S, S[T][Head]>, Rest, Format>, Format>
      : never
    : never;

type Through<C, Value, Format extends CellFormat> = Format extends "display"
  ? string
  : C extends { type: "RefList" }
    ? Format extends "iso"
      ? Value[]
      : CellList<Value> | null
    : Value | null;

/** A record that a reference was replaced by. */
export interface ExpandedRecord<Fields> {
  id: number;
  fields: Fields;
}

/** The references of `Expand` that begin with another one, without it. */
type Nested<Expand extends string, Head extends string> = Expand extends `${Head}.${infer Rest}` ? Rest : never;

type HeadOf<Path extends string> = Path extends `${infer Head}.${string}` ? Head : Path;

type Expanded<S, C, Inner extends string, Format extends CellFormat> = C extends { type: "RefList" }
  ? ExpandedRecord<ExpandedFields<S, TargetOf<S, C>, Inner, Format>>[]
  : ExpandedRecord<ExpandedFields<S, TargetOf<S, C>, Inner, Format>> | null;

/** All columns, with some references replaced. */
type ExpandedFields<S, T extends keyof S, Expand extends string, Format extends CellFormat> = {
  [C in keyof S[T]]: C extends HeadOf<Expand> ? Expanded<S, S[T][C], Nested<Expand, C>, Format> : Cell<S[T][C], Format>;
};

/** The fields of the records of a request. `never` for `Fields` or `Expand` means that the request has none. */
export type Projection<
  S,
  T extends keyof S,
  Fields extends string,
  Expand extends string,
  Format extends CellFormat,
> = string extends keyof S
  ? Record<string, Format extends "display" ? string : unknown>
  : Pretty<
      [Fields] extends [never]
        ? ExpandedFields<S, T, Expand, Format>
        : {
            [P in Exclude<Fields, HeadOf<Expand>>]: PathCell<S, T, P, Format>;
          } & {
            [C in HeadOf<Expand> & keyof S[T]]: Expanded<S, S[T][C], Nested<Expand, C>, Format>;
          }
    >;

/** Merges intersections, which editors then show as one type. */
type Pretty<T> = { [K in keyof T]: T[K] };
