import type { OpenDocument } from "../../document.ts";
import { MATCH_ALL } from "../../filters/sql-condition.ts";
import { findIndexedOrder } from "../index-reads.ts";
import { orderedIds, type OrderedIdsQuery } from "../ordered-ids.ts";
import { scanRow } from "../output/find-record.ts";
import { effectiveKeys, orderSpec } from "../row-order.ts";
import { columnsOf, type OrderedRow, RowOrdering } from "../row-ordering.ts";
import { scanIds, type Selection } from "../row-scan.ts";
import { invalidCursor, pageEnd, type PageEnd } from "./page-token.ts";

export interface Page {
  readonly selection: Selection;
  /** The end of this page if more rows follow, else null. */
  readonly end: PageEnd | null;
}

export interface PageOptions {
  readonly limit: number;
  /** The end of the page before; null for the first page. */
  readonly after: PageEnd | null;
}

/**
 * Selects the rows that follow after the end of a page. Rows are compared with the cells that the last row had when its
 * page was read, so that each row that does not change is on exactly one page.
 * @throws AppError `cursor.invalid` if the last row had long cells and has changed
 */
export function selectPage(document: OpenDocument, query: OrderedIdsQuery, { limit, after }: PageOptions): Page {
  const reader = new KeyReader(document, query);
  const ids = findIds(document, query, { limit: limit + 1, after, reader });
  const shown = ids.slice(0, limit);
  const last = shown.at(-1);
  const end = ids.length > limit && last !== undefined ? reader.endAt(last) : null;
  const order = { kind: "list", ids: shown } as const;
  return { selection: { where: MATCH_ALL, order, limit, visibleRows: query.visibleRows }, end };
}

/** Returns the ids of the next rows. */
function findIds(
  document: OpenDocument,
  query: OrderedIdsQuery,
  { limit, after, reader }: PageOptions & { reader: KeyReader },
): number[] {
  const { visibleTable, visibleRows, where, sort } = query;
  const { table } = visibleTable;
  const [first] = effectiveKeys(sort);
  if (!first || first.field === null) {
    const order = { kind: "id", descending: first?.descending ?? false, ...(after && { after: after.id }) } as const;
    // Rules are evaluated for all rows that are read: no more than a page at once.
    return scanIds(document, table, { where, order, limit, visibleRows }, limit);
  }
  const indexed = visibleRows === null && where.sql === "" ? findIndexedOrder(document, table, sort) : null;
  const count = indexed?.count() ?? null;
  if (indexed && count !== null) {
    const start = after ? reader.firstAfter(after, count, (at) => indexed.page(at, 1)?.[0] ?? 0) : 0;
    const ids = indexed.page(start, limit);
    if (ids) return Array.from(ids);
  }
  const all = orderedIds(document, query);
  const start = after ? reader.firstAfter(after, all.length, (at) => all[at] ?? 0) : 0;
  return Array.from(all.subarray(start, start + limit));
}

/** Reads the cells that decide about the order of rows, as the caller sees them. */
class KeyReader {
  readonly #document: OpenDocument;
  readonly #query: OrderedIdsQuery;
  readonly #columns: readonly string[];
  readonly #ordering: RowOrdering;

  constructor(document: OpenDocument, query: OrderedIdsQuery) {
    const spec = orderSpec(query.visibleTable.table, query.sort);
    this.#document = document;
    this.#query = query;
    this.#columns = columnsOf(spec);
    this.#ordering = new RowOrdering(spec);
  }

  endAt(id: number): PageEnd {
    return pageEnd(id, this.#cellsOf(id) ?? []);
  }

  /** Returns the index of the first row after the end of a page, in an order of `count` rows. */
  firstAfter(after: PageEnd, count: number, idAt: (index: number) => number): number {
    const end = this.#ordering.read([after.id, ...(after.cells ?? this.#unchangedCells(after))]);
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#ordering.compare(this.#rowOf(idAt(middle)), end) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #rowOf(id: number): OrderedRow {
    return this.#ordering.read([id, ...(this.#cellsOf(id) ?? [])]);
  }

  #unchangedCells({ id, hash }: PageEnd) {
    const cells = this.#cellsOf(id);
    if (!cells || pageEnd(id, cells).hash !== hash) throw invalidCursor();
    return cells;
  }

  #cellsOf(id: number) {
    const [row] = scanRow(this.#document, this.#query.visibleTable, { id, columns: this.#columns });
    return row?.slice(1) ?? null;
  }
}
