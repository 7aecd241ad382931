/** Records, and the options of all requests that return them. */
import type { RequestOptions } from "../transport.ts";
import type { CellFormat } from "./schema.ts";

/** A record of a table. */
export interface QuernRecord<Fields> {
  id: number;
  fields: Fields;
  /** The names of errors in cells, by column; these cells are null. */
  errors?: Record<string, string>;
}

/** The form of the returned records. */
export interface ProjectionOptions<
  Path extends string,
  Expand extends string,
  Format extends CellFormat,
> extends RequestOptions {
  /** Columns, and paths through references: `Customer.City`. Default: all columns. */
  readonly fields?: readonly Path[];
  /** References to replace by the records that they lead to. */
  readonly expand?: readonly Expand[];
  readonly cellFormat?: Format;
  /** Include hidden columns, such as `manualSort`. */
  readonly hidden?: boolean;
}
