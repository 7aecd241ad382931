import { assert } from "../../lib/assert.ts";
import type { SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { ReadConnection } from "../cursors.ts";
import type { SqlCondition } from "../filters/sql-condition.ts";
import type { VisibleRows } from "./visible-rows.ts";
import type { ReadTable } from "./read-table.ts";

/** The order of rows: by id, or as listed. */
export type RowOrder =
  | {
      readonly kind: "id";
      readonly descending: boolean;
      /** The id after which to begin. */
      readonly after?: number;
    }
  | { readonly kind: "list"; readonly ids: ArrayLike<number> };

/** Selected rows, their order and limit. A list of ids is filtered and limited already. */
export interface Selection {
  readonly where: SqlCondition;
  readonly order: RowOrder;
  readonly limit: number;
  /** The row filter of the caller; null when they see all rows completely. */
  readonly visibleRows: VisibleRows | null;
  /** How many rows match without the limit; undefined unless requested. */
  readonly total?: number;
}

export type Row = readonly SqlValue[];

interface ScanOptions {
  readonly table: ReadTable;
  readonly columns: readonly string[];
  readonly selection: Selection;
}

/** Reads the selected rows of a table in batches; each row consists of the id and the columns. */
export class RowScan {
  readonly #scan: { take(count: number): Row[] };

  constructor(source: ReadConnection, options: ScanOptions) {
    const { visibleRows } = options.selection;
    this.#scan = visibleRows ? visibleScan(source, options, visibleRows) : new StoredScan(source, options);
  }

  /** Returns up to `count` further rows; empty only at the end. */
  take(count: number): Row[] {
    return this.#scan.take(count);
  }
}

const ID_BATCH_SIZE = 10_000;

/** Returns the ids of all selected rows. @param batchSize how many rows are read at once */
export function scanIds(
  { db }: ReadConnection,
  table: ReadTable,
  selection: Selection,
  batchSize = ID_BATCH_SIZE,
): number[] {
  const scan = new RowScan({ db }, { table, columns: [], selection });
  const ids: number[] = [];
  for (let rows = scan.take(batchSize); rows.length > 0; rows = scan.take(batchSize)) {
    for (const [id] of rows) ids.push(Number(id));
  }
  return ids;
}

/** Greater than any row id in absolute value. */
export const MAX_ROW_ID = 2 ** 53;

/** Reads rows as stored. */
class StoredScan {
  readonly #source: ReadConnection;
  readonly #selection: Selection;
  readonly #sql: string;
  #last: number;
  #takenCount = 0;
  #isDone: boolean;

  constructor(source: ReadConnection, options: ScanOptions) {
    const { table, columns, selection } = options;
    this.#source = source;
    this.#selection = selection;
    this.#isDone = !table.isStored;
    const { order } = selection;
    const isDescending = order.kind === "id" && order.descending;
    this.#last = (order.kind === "id" ? order.after : undefined) ?? (isDescending ? MAX_ROW_ID : -MAX_ROW_ID);
    this.#sql = scanSql(table.from, columns, selection);
  }

  take(count: number): SqlValue[][] {
    if (this.#isDone) return [];
    const { order } = this.#selection;
    return order.kind === "id" ? this.#takeById(count) : this.#takeListed(count, order.ids);
  }

  #takeById(count: number): SqlValue[][] {
    const requested = Math.min(count, this.#selection.limit - this.#takenCount);
    const rows = this.#source.db.values(this.#sql, ...this.#selection.where.args, this.#last, requested);
    this.#takenCount += rows.length;
    this.#isDone = rows.length < requested || this.#takenCount >= this.#selection.limit;
    const last = rows.at(-1)?.[0];
    if (typeof last === "number") this.#last = last;
    return rows;
  }

  #takeListed(count: number, ids: ArrayLike<number>): SqlValue[][] {
    const portion = Array.prototype.slice.call(ids, this.#takenCount, this.#takenCount + count) as number[];
    const rows = this.#source.db.values(this.#sql, JSON.stringify(portion));
    assert(
      rows.length === portion.length && rows.every((row, at) => row[0] === portion[at]),
      "rows come in the order of the list",
    );
    this.#takenCount += portion.length;
    this.#isDone = this.#takenCount >= ids.length;
    return rows;
  }
}

function scanSql(from: string, columns: readonly string[], { where, order }: Selection): string {
  const columnList = ["id", ...columns.map(quote)];
  if (order.kind === "list") {
    // A cross join iterates the list in the outer loop, and so in its order.
    return `select ${columnList.map((column) => `t.${column}`).join(", ")} from json_each(?) l cross join ${from} t on t.id = l.value`;
  }
  const [beyond, direction] = order.descending ? ["<", "desc"] : [">", "asc"];
  const condition = `${where.sql && `${where.sql} and `}id ${beyond} ?`;
  return `select ${columnList.join(", ")} from ${from} where ${condition} order by id ${direction} limit ?`;
}

/** Reads rows as the caller sees them: the limit counts visible rows. */
function visibleScan(
  source: ReadConnection,
  { table, columns, selection }: ScanOptions,
  visibleRows: VisibleRows,
): { take(count: number): Row[] } {
  const needed = visibleRows.additionalColumns(columns);
  const limit = selection.order.kind === "id" ? Number.POSITIVE_INFINITY : selection.limit;
  const scan = new StoredScan(source, {
    table,
    columns: [...columns, ...needed],
    selection: { ...selection, limit },
  });
  const filterRows = visibleRows.createRowFilter({ shown: columns, needed }, source);
  let remaining = selection.limit;
  return {
    take(count) {
      while (remaining > 0) {
        const rows = scan.take(count);
        if (rows.length === 0) break;
        const visible = filterRows(rows).slice(0, remaining);
        remaining -= visible.length;
        if (visible.length > 0) return visible;
      }
      return [];
    },
  };
}
