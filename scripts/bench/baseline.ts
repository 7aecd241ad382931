/** The baseline of the server's figures: the same work with plain SQLite and JSON, without server or access control. */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { COLUMNS, rowOf } from "./rows.ts";

export interface Baseline extends Disposable {
  /** Returns the first rows as the bytes of the API's JSON response. */
  fetchRows(limit: number): Uint8Array;
}

/** Creates a plain table with this number of rows in a file of its own in `folder`. */
export function createBaseline(folder: string, rows: number): Baseline {
  const db = new Database(join(folder, `floor-${rows}.sqlite`), { create: true });
  db.run("pragma journal_mode = wal");
  const names = COLUMNS.map(({ id }) => id);
  db.run(`create table if not exists Big (id integer primary key, ${names.join(",")})`);
  const insert = db.prepare(
    `insert or ignore into Big (id, ${names.join(",")}) values (?${",?".repeat(names.length)})`,
  );
  db.transaction(() => {
    for (let id = 1; id <= rows; id++) insert.run(id, ...rowOf(id));
  })();
  const fields = names.map((name, i) => `${name}:${COLUMNS[i]?.type === "Bool" ? `v[${i + 1}]===1` : `v[${i + 1}]`}`);
  // oxlint-disable-next-line typescript/no-implied-eval -- a generated constructor is the fastest way to build objects
  const record = new Function("v", `return{id:v[0],fields:{${fields.join(",")}}}`) as (values: unknown[]) => unknown;
  const select = db.query(`select id, ${names.join(",")} from Big limit ?`);
  const encoder = new TextEncoder();
  return {
    fetchRows: (limit) => encoder.encode(JSON.stringify({ records: select.values(limit).map(record) })),
    [Symbol.dispose]: () => db.close(),
  };
}
