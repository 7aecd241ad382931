import type { Database, SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { CellValue } from "../../values/cell.ts";
import { IN_IDS } from "../actions/row-storage.ts";
import type { ColumnNode, TableNode } from "./nodes.ts";

/** What a block reads of each row, after its id. A column may occur several times. */
export interface BlockLayout {
  readonly table: TableNode;
  /** Null for the row id. */
  readonly columns: readonly (ColumnNode | null)[];
  /** Positions, among the columns, of the values that results are compared with. */
  readonly before?: ReadonlyMap<ColumnNode, number>;
}

/** Some rows of a table, with the values of some columns as SQLite returns them. */
export class CellBlock {
  readonly layout: BlockLayout;
  /** The row id, then the columns; sorted by row id. */
  readonly rows: readonly SqlValue[][];
  /** The position of the last row that was found: rows are mostly read in order. */
  #at = 0;

  constructor(layout: BlockLayout, rows: readonly SqlValue[][]) {
    this.layout = layout;
    this.rows = rows;
  }

  get table(): TableNode {
    return this.layout.table;
  }

  get size(): number {
    return this.rows.length;
  }

  rowId(at: number): number {
    return Number(this.rows[at]?.[0]);
  }

  /** Returns the value that a result replaces; undefined when the block does not have it. */
  before(column: ColumnNode, row: number): SqlValue | undefined {
    const c = this.layout.before?.get(column);
    return c === undefined ? undefined : this.rows[this.#find(row)]?.[c + 1];
  }

  /** Returns a stored cell; undefined when the block does not have it. */
  get(column: ColumnNode, row: number): CellValue | undefined {
    const c = this.layout.columns.indexOf(column);
    const value = c < 0 ? undefined : this.rows[this.#find(row)]?.[c + 1];
    if (value === undefined) return undefined;
    return column.column.isStored ? column.kind.decodeRaw(value) : column.kind.defaultValue;
  }

  /** Replaces the value of a cell that was written, if the block has it. */
  replace(column: ColumnNode, row: number, value: SqlValue): void {
    const found = this.layout.columns.includes(column) ? this.rows[this.#find(row)] : undefined;
    if (!found) return;
    for (const [c, other] of this.layout.columns.entries()) if (other === column) found[c + 1] = value;
  }

  #find(row: number): number {
    const { rows } = this;
    if (rows[this.#at]?.[0] === row) return this.#at;
    if (rows[this.#at + 1]?.[0] === row) return ++this.#at;
    let low = 0;
    let high = rows.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const id = Number(rows[middle]?.[0]);
      if (id === row) return (this.#at = middle);
      if (id < row) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}

/** Reads up to `limit` rows of a table with ids above `after`. */
export function readBlockAfter(
  db: Database,
  layout: BlockLayout,
  { after, limit }: { after: number; limit: number },
): CellBlock {
  if (!layout.table.stored) return new CellBlock(layout, []);
  return new CellBlock(layout, db.values(`${selectOf(layout)} where id > ? order by id limit ?`, after, limit));
}

/** Reads rows of a table by ids, which must be sorted; ignores unknown ones. */
export function readBlockOf(db: Database, layout: BlockLayout, ids: readonly number[]): CellBlock {
  const [first] = ids;
  const last = ids.at(-1);
  if (!layout.table.stored || first === undefined || last === undefined) return new CellBlock(layout, []);
  const select = selectOf(layout);
  const isRange = last - first === ids.length - 1;
  const rows = isRange
    ? db.values(`${select} where id between ? and ? order by id`, first, last)
    : db.values(`${select} where id ${IN_IDS} order by id`, JSON.stringify(ids));
  return new CellBlock(layout, rows);
}

function selectOf({ table, columns }: BlockLayout): string {
  const selected = columns.map((node) => (node === null ? "id" : node.column.isStored ? quote(node.id) : "null"));
  return `select ${["id", ...selected].join(", ")} from ${quote(table.id)}`;
}
