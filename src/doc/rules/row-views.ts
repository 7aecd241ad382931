import type { Database, SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import { columnType } from "../../values/column-type.ts";
import type { TableInfo } from "../schema.ts";
import type { RowCells, RowReader, RowView } from "./contract.ts";

/** After so many rows one by one, all rows of the table are read at once. */
const MAX_SINGLE = 100;
const PORTION = 10_000;

/** What is seen of the rows of another table, by their ids; evaluated once for each row. */
export class RowViews {
  readonly #table: TableInfo;
  readonly #reader: RowReader;
  readonly #views = new Map<number, RowView>();
  #single = 0;
  #isComplete = false;

  constructor(table: TableInfo, reader: RowReader) {
    this.#table = table;
    this.#reader = reader;
  }

  /** A row that does not exist counts as hidden, or the two could be told apart. */
  view(id: number, db: Database): RowView {
    if (!this.#reader.needsRows) return "whole";
    let view = this.#views.get(id);
    if (view === undefined && !this.#isComplete) {
      if (++this.#single > MAX_SINGLE) this.#readAll(db);
      else this.#read(db, "id = ?", [id]);
      view = this.#views.get(id);
    }
    return view ?? "hidden";
  }

  /** True when something is true of some row of the table. */
  some(isTrue: (view: RowView) => boolean, db: Database): boolean {
    if (!this.#reader.needsRows) return false;
    this.#readAll(db);
    return this.#views.values().some(isTrue);
  }

  #readAll(db: Database): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    let last: SqlValue = Number.MIN_SAFE_INTEGER;
    for (;;) {
      const ids = this.#read(db, "id > ? order by id limit ?", [last, PORTION]);
      if (ids.length < PORTION) return;
      last = ids.at(-1) ?? null;
    }
  }

  #read(db: Database, condition: string, args: readonly SqlValue[]): SqlValue[] {
    const { id: table, columnById, isStored } = this.#table;
    if (!isStored) return [];
    const columns = this.#reader.columns.flatMap((id) => columnById.get(id) ?? []).filter((column) => column.isStored);
    const names = ["id", ...columns.map(({ id }) => quote(id))].join(", ");
    const rows = db.values(`select ${names} from ${quote(table)} where ${condition}`, ...args);
    const places = new Map(columns.map(({ id, type }, at) => [id, { at: at + 1, type: columnType(type) }]));
    return rows.map((row) => {
      const cells: RowCells = (id) => {
        if (id === "id") return Number(row[0]);
        const place = places.get(id);
        if (place) return place.type.decode(row[place.at] ?? null);
        return columnById.has(id) ? null : undefined;
      };
      this.#views.set(Number(row[0]), this.#reader.view(cells, db));
      return row[0] ?? null;
    });
  }
}
