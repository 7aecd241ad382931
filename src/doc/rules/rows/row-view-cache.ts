import type { Database, SqlValue } from "../../../sqlite/database.ts";
import { quote } from "../../../sqlite/quote.ts";
import { columnType } from "../../../values/column-type.ts";
import type { TableInfo } from "../../schema.ts";
import type { RowCells, RowAccess, RowView } from "../access-types.ts";

/** After this many single reads, the remaining rows of the table are read at once. */
const MAX_SINGLE_READS = 100;
const BATCH_SIZE = 10_000;

/** The visibility of another table's rows by id, evaluated once for each row. */
export class RowViewCache {
  readonly #table: TableInfo;
  readonly #access: RowAccess;
  readonly #views = new Map<number, RowView>();
  #singleReads = 0;
  #isComplete = false;

  constructor(table: TableInfo, access: RowAccess) {
    this.#table = table;
    this.#access = access;
  }

  /** Returns the view of a row. A missing row counts as hidden, so that the two cannot be distinguished. */
  view(id: number, db: Database): RowView {
    if (!this.#access.dependsOnRows) return "whole";
    let view = this.#views.get(id);
    if (view === undefined && !this.#isComplete) {
      if (++this.#singleReads > MAX_SINGLE_READS) this.#readAll(db);
      else this.#read(db, "id = ?", [id]);
      view = this.#views.get(id);
    }
    return view ?? "hidden";
  }

  /** True when the predicate is true for the view of any row of the table. */
  some(isTrue: (view: RowView) => boolean, db: Database): boolean {
    if (!this.#access.dependsOnRows) return false;
    this.#readAll(db);
    return this.#views.values().some(isTrue);
  }

  #readAll(db: Database): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    let lastId: SqlValue = Number.MIN_SAFE_INTEGER;
    for (;;) {
      const ids = this.#read(db, "id > ? order by id limit ?", [lastId, BATCH_SIZE]);
      if (ids.length < BATCH_SIZE) return;
      lastId = ids.at(-1) ?? null;
    }
  }

  #read(db: Database, condition: string, args: readonly SqlValue[]): SqlValue[] {
    const { id: table, columnById, isStored } = this.#table;
    if (!isStored) return [];
    const columns = this.#access.columns.flatMap((id) => columnById.get(id) ?? []).filter((column) => column.isStored);
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
      this.#views.set(Number(row[0]), this.#access.view(cells, db));
      return row[0] ?? null;
    });
  }
}
