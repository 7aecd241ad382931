import type { OpenDocument } from "../document.ts";
import type { Where } from "./filter.ts";
import { findOrder } from "./order.ts";
import { RowScan } from "./rows.ts";
import type { SeenRows } from "./seen-rows.ts";
import type { SortKey } from "./sort.ts";
import type { SeenTable } from "./seen.ts";

/** All rows of a query, in their order. */
interface Wanted {
  readonly seen: SeenTable;
  readonly rows: SeenRows | null;
  readonly where: Where;
  readonly sort: readonly SortKey[];
}

/** What was put in order holds until the next commit. */
const kept = new WeakMap<OpenDocument, { version: string; lists: Map<string, Float64Array> }>();

/** How many ids are kept of one document: 16 MB of them. */
const MAX_KEPT = 2_000_000;

const PORTION = 10_000;

/**
 * The ids of all rows of a query in their order. Whoever leafs through a table asks for the same order again and
 * again: it is found once for every state of the document, for each of its readers where rules make a difference.
 */
export function orderedIds(document: OpenDocument, wanted: Wanted): Float64Array {
  return knownIds(document, wanted) ?? keep(document, nameOf(wanted), findIds(document, wanted));
}

/** As `orderedIds`, if they were asked for in this state of the document and are still kept; undefined otherwise. */
export function knownIds(document: OpenDocument, wanted: Wanted): Float64Array | undefined {
  const lists = listsOf(document);
  // Most documents are never leafed through.
  if (lists.size === 0) return undefined;
  const name = nameOf(wanted);
  const ids = lists.get(name);
  return ids && keep(document, name, ids);
}

function listsOf(document: OpenDocument): Map<string, Float64Array> {
  let known = kept.get(document);
  if (known?.version !== document.version) {
    known = { version: document.version, lists: new Map() };
    kept.set(document, known);
  }
  return known.lists;
}

function keep(document: OpenDocument, name: string, ids: Float64Array): Float64Array {
  const lists = listsOf(document);
  // What was asked for last goes last.
  lists.delete(name);
  lists.set(name, ids);
  let total = lists.values().reduce((sum, list) => sum + list.length, 0);
  for (const [oldest, list] of lists) {
    if (total <= MAX_KEPT) break;
    lists.delete(oldest);
    total -= list.length;
  }
  return ids;
}

function nameOf({ seen, rows, where, sort }: Wanted): string {
  const keys = sort.map(({ field, descending, options }) => [field?.id ?? null, descending, options]);
  const args = where.args.map((arg) => (arg instanceof Uint8Array ? arg.toHex() : String(arg)));
  return JSON.stringify([seen.table.id, keys, where.sql, args, rows && seen.reader]);
}

function findIds(document: OpenDocument, { seen: { table }, rows: seen, where, sort }: Wanted): Float64Array {
  const limit = Number.POSITIVE_INFINITY;
  const order = findOrder(document, { table, where, sort, limit, seen });
  if (order.kind === "list") return Float64Array.from(order.ids);
  const scan = new RowScan({ db: document.db }, { table, columns: [], selection: { where, order, limit, seen } });
  const ids: number[] = [];
  for (let rows = scan.take(PORTION); rows.length > 0; rows = scan.take(PORTION)) {
    for (const [id] of rows) ids.push(Number(id));
  }
  return Float64Array.from(ids);
}
