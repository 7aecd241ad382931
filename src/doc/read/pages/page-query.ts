import { AppError, invalid } from "../../../errors.ts";
import type { OpenDocument } from "../../document.ts";
import type { OutputRequest } from "../output/output-request.ts";
import { orderSpec } from "../row-order.ts";
import { compile, matchedRows, type RowQuery, selectCompiled, selectRows } from "../row-query.ts";
import type { Selection } from "../row-scan.ts";
import type { VisibleTable } from "../visibility-filter.ts";
import { openPageEnd, sealPageEnd } from "./page-token.ts";
import { selectPage } from "./select-page.ts";

/** The cursor of a request. */
export interface CursorArgs {
  /** `next` of the page before; empty or `start` for the first page; absent for requests without pages. */
  readonly cursor?: string | undefined;
  /** The secret for cursors of this caller and document. */
  readonly cursorKey?: Uint8Array | undefined;
}

interface PagedQuery extends RowQuery, CursorArgs {
  readonly output: OutputRequest;
}

export interface SelectedPage {
  readonly selection: Selection;
  /** Further members of the answer. */
  readonly tail: Readonly<Record<string, unknown>>;
}

/** The size of a page without a limit. */
const DEFAULT_LIMIT = 1000;
const MAX_LIMIT = 10_000;

/**
 * Resolves a query to a selection of rows visible to the caller, with a cursor to one page of them.
 * @throws AppError `invalid`; `cursor.invalid`
 */
export function selectRecords(document: OpenDocument, visible: VisibleTable, query: PagedQuery): SelectedPage {
  const { cursor, cursorKey: key, filter, sort, output, offset = 0, total = false } = query;
  if (cursor === undefined) return { selection: selectRows(document, visible, query), tail: {} };
  if (offset > 0) throw invalid("offset cannot be used with cursor");
  const limit = Number.isFinite(query.limit) ? query.limit : DEFAULT_LIMIT;
  if (limit > MAX_LIMIT) throw invalid(`limit must be at most ${MAX_LIMIT} with cursor`);
  if (!key) throw new AppError("unavailable", "Cursors are not available yet", { retryAfterS: 1 });
  const spec = orderSpec(visible.table, sort);
  // The order of choices is a part of the order of rows.
  const keys = spec.keys.map(({ field, key: sortKey }) => [
    field.id,
    field.type.text,
    sortKey.descending,
    sortKey.options,
    sortKey.options.orderByChoice ? field.widgetOptions : "",
  ]);
  const { hidden, cells, fields, expand } = output;
  const subject = JSON.stringify([
    visible.table.id,
    filter?.key ?? null,
    keys,
    spec.idDescending,
    hidden,
    cells,
    fields,
    expand,
  ]);
  const token = { key, subject, nowMs: document.clock.now() };
  const after = cursor === "" || cursor === "start" ? null : openPageEnd(cursor, token);
  const compiled = compile(document, visible, filter);
  const page = selectPage(
    document,
    { ...matchedRows(visible, compiled), visibleTable: visible, sort },
    { limit, after },
  );
  const next = page.end && sealPageEnd(page.end, token);
  const count = total ? selectCompiled(document, visible, { compiled, sort, limit: 1, total }).total : undefined;
  return { selection: page.selection, tail: { ...(count !== undefined && { total: count }), next } };
}
