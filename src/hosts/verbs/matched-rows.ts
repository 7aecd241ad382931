import type { DocumentGrant } from "../../authorization.ts";
import { type Filter, parseFilter, parseFilterValue } from "../../doc/filters/parse-filter.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { LIMITS } from "../../doc/limits.ts";
import { findMatchingRows } from "../../doc/read/matching-rows.ts";
import { visibilityFor } from "../../doc/read/visibility-filter.ts";
import { AppError, invalid } from "../../errors.ts";
import { parseJson } from "../../payload.ts";
import { type ColumnLists, parseModifiedRecord } from "./record-bodies.ts";

/** Rows that a request selects by a filter instead of by their ids. */

export interface MatchedRowsArgs {
  /** A JSON object; absent: the body names the rows. */
  readonly filter?: string | undefined;
  /** How many rows the filter may select, as digits. */
  readonly maxRows?: string | undefined;
}

/** More rows are changed only if the request says so. */
const DEFAULT_MAX_ROWS = 1000;

interface Matching {
  readonly table: string;
  readonly filter: Filter;
  readonly maxRows: number;
}

/**
 * Returns the ids of the rows that the filter selects among the rows that the caller can read.
 * @throws AppError `limit.matched_rows` when they are too many; `invalid`
 */
function matchedIds(document: OpenDocument, grant: DocumentGrant, { table, filter, maxRows }: Matching): number[] {
  const ids = findMatchingRows(document, visibilityFor(document, grant).readTable(table), filter);
  if (ids.length <= maxRows) return ids;
  throw new AppError("limit.matched_rows", `The filter selects ${ids.length} rows; maxRows is ${maxRows}`, {
    details: { matchedRows: ids.length, maxRows },
  });
}

/** Returns rows to update with the same cells: `{"fields": {…}}`. @throws AppError as `matchedIds` */
export function parseModifiedByFilter(
  document: OpenDocument,
  grant: DocumentGrant,
  args: MatchedRowsArgs & { readonly table: string; readonly filter: string; readonly body: Uint8Array | null },
): { ids: number[]; columns: ColumnLists } {
  const filter = required(parseFilter(args.filter));
  if ("records" in parseJson(args.body)) throw invalid("With filter, the body must have fields instead of records");
  const { fields } = parseModifiedRecord(args.body);
  const ids = matchedIds(document, grant, { table: args.table, filter, maxRows: checkMaxRows(args.maxRows) });
  const columns = Object.entries(fields).map(([name, cell]) => [name, ids.map(() => cell)] as const);
  return { ids, columns: Object.fromEntries(columns) };
}

/**
 * Returns the ids of rows to delete by `{"filter": {…}, "maxRows"?}`; null for another body.
 * @throws AppError as `matchedIds`
 */
export function parseDeletedByFilter(
  document: OpenDocument,
  grant: DocumentGrant,
  { table, body: bytes }: { readonly table: string; readonly body: Uint8Array | null },
): number[] | null {
  const body = parseJson(bytes);
  if (Array.isArray(body) || !("filter" in body)) return null;
  const filter = required(parseFilterValue(body.filter));
  const maxRows = "maxRows" in body ? body.maxRows : undefined;
  return matchedIds(document, grant, { table, filter, maxRows: checkMaxRows(maxRows) });
}

/** An empty filter would select all rows by mistake. */
function required(filter: Filter | null): Filter {
  if (filter) return filter;
  throw new AppError("filter.invalid", 'filter must have a condition; {"id": {"gt": 0}} selects all rows');
}

function checkMaxRows(value: unknown): number {
  if (value === undefined || value === "") return DEFAULT_MAX_ROWS;
  const number = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (Number.isSafeInteger(number) && (number as number) >= 1 && (number as number) <= LIMITS.rows)
    return number as number;
  throw invalid(`maxRows must be an integer from 1 to ${LIMITS.rows}`);
}
