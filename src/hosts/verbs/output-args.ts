import type { OutputCells, OutputRequest } from "../../doc/read/output/output-request.ts";
import { splitNames } from "../../doc/read/output/output-request.ts";

/** What a request asks of each record, as in the query string. */
export interface OutputArgs {
  /** Columns and paths, separated by commas; empty or absent for all columns. */
  readonly fields?: string | undefined;
  /** References, separated by commas. */
  readonly expand?: string | undefined;
  readonly cellFormat?: CellFormatName | undefined;
}

export type CellFormatName = "normal" | "typed" | "display" | "iso";

/** Parses the part of a query that says what to return of each record. */
export const outputRequest = ({
  hidden,
  fields,
  expand,
  cellFormat,
}: OutputArgs & { readonly hidden: boolean }): OutputRequest => ({
  hidden,
  cells: cellsOf(cellFormat),
  fields: splitNames(fields) ?? null,
  expand: splitNames(expand) ?? [],
});

export const cellsOf = (name: CellFormatName | undefined): OutputCells =>
  name === undefined || name === "normal" ? "plain" : name;
