/** Types that follow from the declarations of a document, as `quern types` writes them. */

/** A column in the declarations. */
export interface ColumnType {
  type: string;
  target?: string;
  choices?: string;
  value?: unknown;
  computed?: true;
}

/** The tables of any document, for clients without declarations. */
// oxlint-disable-next-line typescript/consistent-indexed-object-style -- declarations are interfaces
export type AnySchema = Record<string, Record<string, { type: "Any" }>>;

/** The value of a cell, in the encoding of the API. */
export type CellValue = string | number | boolean | null | readonly [code: string, ...items: unknown[]];

/** `normal`: as in records by default; `iso`: dates as ISO 8601 and plain lists; `display`: the texts that the grid shows. */
export type CellFormat = "normal" | "iso" | "display" | "typed";

/** A list in a cell. */
export type CellList<Item> = readonly ["L", ...Item[]];

type ChoiceOf<C> = C extends { choices: infer Choices extends string } ? Choices : string;

interface NormalCells<C> {
  Text: string;
  Choice: ChoiceOf<C> | "";
  Numeric: number;
  Int: number;
  PositionNumber: number;
  ManualSortPos: number;
  Id: number;
  Bool: boolean;
  Date: number;
  DateTime: number;
  Ref: number;
  ChoiceList: CellList<ChoiceOf<C>>;
  RefList: CellList<number>;
  Attachments: CellList<number>;
}

interface IsoCells<C> {
  Date: string;
  DateTime: string;
  ChoiceList: ChoiceOf<C>[];
  RefList: number[];
  Attachments: number[];
}

type KindOf<C> = C extends { type: infer Kind } ? Kind : never;

type NormalCell<C> = C extends { value: infer Value }
  ? Value | null
  : KindOf<C> extends keyof NormalCells<C>
    ? NormalCells<C>[KindOf<C>] | null
    : CellValue;

type IsoCell<C> = KindOf<C> extends keyof IsoCells<C> ? IsoCells<C>[KindOf<C>] | null : IsoScalar<C>;
/** Untyped cells may contain lists, which are plain arrays in this format. */
type IsoScalar<C> =
  KindOf<C> extends "Any" ? (C extends { value: infer Value } ? Value | null : unknown) : NormalCell<C>;

/** The value of a cell of a column, as it is read. Null is an empty cell, or an error: see `errors` of the record. */
export type Cell<C, Format extends CellFormat = "normal"> = Format extends "normal"
  ? NormalCell<C>
  : Format extends "iso"
    ? IsoCell<C>
    : Format extends "display"
      ? string
      : CellValue;

interface WrittenCells<C> {
  /** Texts are parsed in the document's formats: `2026-05-31`. */
  Date: number | string;
  DateTime: number | string;
  Choice: ChoiceOf<C> | "";
}

/** A value for a cell of a column. */
export type WrittenCell<C> =
  KindOf<C> extends keyof WrittenCells<C> ? WrittenCells<C>[KindOf<C>] | null : NormalCell<C>;

export type TableName<S> = Extract<keyof S, string>;
export type ColumnName<S, T extends keyof S> = Extract<keyof S[T], string>;

/** The columns that can be written. */
export type WritableName<S, T extends keyof S> = {
  [C in ColumnName<S, T>]: S[T][C] extends { computed: true } ? never : C;
}[ColumnName<S, T>];

/** The table that a column of references leads to. */
export type TargetOf<S, C> = C extends { type: "Ref" | "RefList"; target: infer Target }
  ? Extract<Target, keyof S>
  : never;

/** The columns of references with a known target. */
export type ReferenceName<S, T extends keyof S> = {
  [C in ColumnName<S, T>]: [TargetOf<S, S[T][C]>] extends [never] ? never : C;
}[ColumnName<S, T>];

/** The fields of a new or changed record. */
export type WrittenFields<S, T extends keyof S> = { [C in WritableName<S, T>]?: WrittenCell<S[T][C]> };

/** Values that `upsert` looks for: also of formulas. */
export type RequiredFields<S, T extends keyof S> = { [C in ColumnName<S, T>]?: WrittenCell<S[T][C]> };
