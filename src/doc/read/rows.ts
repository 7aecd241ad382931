import { assert } from "../../lib/assert.ts";
import type { SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { Source } from "../cursors.ts";
import type { Where } from "./filter.ts";
import type { SeenRows } from "./seen-rows.ts";
import type { ReadTable } from "./table.ts";

/** In which order rows come: by id, or as listed. */
export type Order =
  | { readonly kind: "id"; readonly descending: boolean }
  | { readonly kind: "list"; readonly ids: ArrayLike<number> };

/** Which rows, in which order, how many. A list of ids has been filtered and cut already. */
export interface Selection {
  readonly where: Where;
  readonly order: Order;
  readonly limit: number;
  /** What the caller sees of each row; null when he sees all of them whole. */
  readonly seen: SeenRows | null;
  /** How many rows there are without the limit; undefined where nobody asked. */
  readonly total?: number;
}

export type Row = readonly SqlValue[];

interface ScanOptions {
  readonly table: ReadTable;
  readonly columns: readonly string[];
  readonly selection: Selection;
}

/** Reads the selected rows of a table in portions; each row begins with the id, and goes on with the columns. */
export class RowScan {
  readonly #scan: { take(count: number): Row[] };

  constructor(source: Source, options: ScanOptions) {
    const { seen } = options.selection;
    this.#scan = seen ? seenScan(source, options, seen) : new StoredScan(source, options);
  }

  /** The next rows, at most `count` of them; none only at the end. */
  take(count: number): Row[] {
    return this.#scan.take(count);
  }
}

/** Beyond any row id, on either side. */
const BEYOND = 2 ** 53;

/** Rows as they lie in the file. */
class StoredScan {
  readonly #source: Source;
  readonly #selection: Selection;
  readonly #sql: string;
  #last: number;
  #taken = 0;
  #isDone: boolean;

  constructor(source: Source, options: ScanOptions) {
    const { table, columns, selection } = options;
    this.#source = source;
    this.#selection = selection;
    this.#isDone = !table.isStored;
    const { order } = selection;
    this.#last = order.kind === "id" && order.descending ? BEYOND : -BEYOND;
    this.#sql = scanSql(table.from, columns, selection);
  }

  take(count: number): SqlValue[][] {
    if (this.#isDone) return [];
    const { order } = this.#selection;
    return order.kind === "id" ? this.#takeById(count) : this.#takeListed(count, order.ids);
  }

  #takeById(count: number): SqlValue[][] {
    const asked = Math.min(count, this.#selection.limit - this.#taken);
    const rows = this.#source.db.values(this.#sql, ...this.#selection.where.args, this.#last, asked);
    this.#taken += rows.length;
    this.#isDone = rows.length < asked || this.#taken >= this.#selection.limit;
    const last = rows.at(-1)?.[0];
    if (typeof last === "number") this.#last = last;
    return rows;
  }

  #takeListed(count: number, ids: ArrayLike<number>): SqlValue[][] {
    const portion = Array.prototype.slice.call(ids, this.#taken, this.#taken + count) as number[];
    const rows = this.#source.db.values(this.#sql, JSON.stringify(portion));
    assert(
      rows.length === portion.length && rows.every((row, at) => row[0] === portion[at]),
      "rows come in the order of the list",
    );
    this.#taken += portion.length;
    this.#isDone = this.#taken >= ids.length;
    return rows;
  }
}

function scanSql(from: string, columns: readonly string[], { where, order }: Selection): string {
  const wanted = ["id", ...columns.map(quote)];
  if (order.kind === "list") {
    // A cross join reads the list from the outside, and so in its order.
    return `select ${wanted.map((column) => `t.${column}`).join(", ")} from json_each(?) l cross join ${from} t on t.id = l.value`;
  }
  const [beyond, direction] = order.descending ? ["<", "desc"] : [">", "asc"];
  const condition = `${where.sql && `${where.sql} and `}id ${beyond} ?`;
  return `select ${wanted.join(", ")} from ${from} where ${condition} order by id ${direction} limit ?`;
}

/** Rows as the caller sees them: the limit counts what is left of them. */
function seenScan(
  source: Source,
  { table, columns, selection }: ScanOptions,
  seen: SeenRows,
): { take(count: number): Row[] } {
  const needed = seen.columnsBesides(columns);
  const limit = selection.order.kind === "id" ? Number.POSITIVE_INFINITY : selection.limit;
  const scan = new StoredScan(source, {
    table,
    columns: [...columns, ...needed],
    selection: { ...selection, limit },
  });
  const look = seen.lookAt({ shown: columns, needed }, source);
  let left = selection.limit;
  return {
    take(count) {
      while (left > 0) {
        const rows = scan.take(count);
        if (rows.length === 0) break;
        const kept = look(rows).slice(0, left);
        left -= kept.length;
        if (kept.length > 0) return kept;
      }
      return [];
    },
  };
}
