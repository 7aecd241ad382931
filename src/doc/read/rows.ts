import { assert } from "../../lib/assert.ts";
import type { SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { Source } from "../cursors.ts";
import type { Where } from "./filter.ts";
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
}

export type Row = readonly SqlValue[];

/** Beyond any row id, on either side. */
const BEYOND = 2 ** 53;

/** Reads the selected rows of a table in portions; each row begins with the id. */
export class RowScan {
  readonly #source: Source;
  readonly #selection: Selection;
  readonly #sql: string;
  #last: number;
  #taken = 0;
  #isDone: boolean;

  constructor(source: Source, options: { table: ReadTable; columns: readonly string[]; selection: Selection }) {
    const { table, columns, selection } = options;
    this.#source = source;
    this.#selection = selection;
    this.#isDone = !table.isStored;
    const { order } = selection;
    this.#last = order.kind === "id" && order.descending ? BEYOND : -BEYOND;
    this.#sql = scanSql(table.id, columns, selection);
  }

  /** The next rows, at most `count`; fewer only at the end, none after it. */
  take(count: number): Row[] {
    if (this.#isDone) return [];
    const { order } = this.#selection;
    return order.kind === "id" ? this.#takeById(count) : this.#takeListed(count, order.ids);
  }

  #takeById(count: number): Row[] {
    const asked = Math.min(count, this.#selection.limit - this.#taken);
    const rows = this.#source.db.values(this.#sql, ...this.#selection.where.args, this.#last, asked);
    this.#taken += rows.length;
    this.#isDone = rows.length < asked || this.#taken >= this.#selection.limit;
    const last = rows.at(-1)?.[0];
    if (typeof last === "number") this.#last = last;
    return rows;
  }

  #takeListed(count: number, ids: ArrayLike<number>): Row[] {
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

function scanSql(table: string, columns: readonly string[], { where, order }: Selection): string {
  const wanted = ["id", ...columns.map(quote)];
  if (order.kind === "list") {
    // A cross join reads the list from the outside, and so in its order.
    return `select ${wanted.map((column) => `t.${column}`).join(", ")} from json_each(?) l cross join ${quote(table)} t on t.id = l.value`;
  }
  const [beyond, direction] = order.descending ? ["<", "desc"] : [">", "asc"];
  const condition = `${where.sql && `${where.sql} and `}id ${beyond} ?`;
  return `select ${wanted.join(", ")} from ${quote(table)} where ${condition} order by id ${direction} limit ?`;
}
