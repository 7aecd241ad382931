import type { SqlValue } from "../../../sqlite/database.ts";
import type { IndexFile } from "./index-file.ts";

/** Rows that one statement inserts. */
const BATCH_ROWS = 128;

/** Collects rows for a table of an index file, and inserts many with one statement. */
export class RowBatch {
  readonly #file: IndexFile;
  readonly #width: number;
  readonly #insertOne: string;
  readonly #insertAll: string;
  /** The values of the rows, one row after the other. */
  #values: SqlValue[] = [];

  constructor(file: IndexFile, table: string, { columns }: { columns: number }) {
    const row = `(${Array.from({ length: columns }, () => "?").join(", ")})`;
    this.#file = file;
    this.#width = columns;
    this.#insertOne = `insert into ${table} values ${row}`;
    this.#insertAll = `insert into ${table} values ${Array.from({ length: BATCH_ROWS }, () => row).join(", ")}`;
  }

  get isEmpty(): boolean {
    return this.#values.length === 0;
  }

  add(...row: SqlValue[]): void {
    this.#values.push(...row);
    if (this.#values.length === BATCH_ROWS * this.#width) this.flush();
  }

  /** Inserts all rows. Call before the table is read. */
  flush(): void {
    if (this.isEmpty) return;
    const values = this.#values;
    const rows = values.length / this.#width;
    this.#values = [];
    this.#file.countWrites(rows);
    if (rows === BATCH_ROWS) this.#file.db.run(this.#insertAll, ...values);
    else for (let at = 0; at < values.length; at += this.#width) this.#insert(values.slice(at, at + this.#width));
  }

  #insert(row: readonly SqlValue[]): void {
    this.#file.db.run(this.#insertOne, ...row);
  }
}
