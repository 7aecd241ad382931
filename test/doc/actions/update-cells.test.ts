import { expect, test } from "bun:test";
import { updateCells } from "../../../src/doc/actions/row-storage.ts";
import { listenToRowChanges } from "../../../src/doc/indexes/row-changes.ts";
import { Database } from "../../../src/sqlite/database.ts";
import { columnType } from "../../../src/values/column-type.ts";
import { Random } from "../../helpers/random.ts";

const column = (id: string, type: string, isStored = true) => ({
  id,
  type,
  isFormula: true,
  formula: "",
  kind: columnType(type),
  isStored,
});

test("cells of any rows are written, consecutive or not, and the change is reported", () => {
  const random = new Random(4);
  using db = new Database(":memory:");
  db.exec(`create table "T" (id integer primary key, "A" numeric default 0, "B ""b" text default '')`);
  for (let id = 1; id <= 400; id++) db.run(`insert into "T" (id) values (?)`, id);
  const reported: unknown[] = [];
  listenToRowChanges(db, {
    rowsWritten: (table, ids, columns) => reported.push([table, ids.length, columns]),
    rowsRemoved: () => undefined,
    tableChanged: () => undefined,
  });
  const expected = new Map<number, readonly unknown[]>();
  for (let round = 0; round < 20; round++) {
    const ids = Array.from({ length: 400 }, (_, i) => i + 1).filter(() => random.below(20) > round);
    const a = ids.map((id) => (id % 7 === 0 ? null : id * 1.5 + round));
    const b = ids.map((id) => `${round} of ${id}`);
    updateCells(db, "T", ids, [
      { column: column("A", "Numeric"), cells: a },
      { column: column('B "b', "Text"), cells: b },
      { column: column("Missing", "Text", false), cells: b },
    ]);
    for (const [i, id] of ids.entries()) expected.set(id, [id, a[i], b[i]]);
    expect(reported.splice(0)).toEqual([["T", ids.length, ["A", 'B "b']]]);
  }
  for (const row of db.values(`select id, "A", "B ""b" from "T"`)) {
    expect(row).toEqual([...(expected.get(Number(row[0])) ?? [row[0] as number, 0, ""])] as never);
  }
});
