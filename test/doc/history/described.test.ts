import { expect, test } from "bun:test";
import { type TableChangeDetails, describeActions } from "../../../src/doc/history/state-details.ts";
import { describeStates } from "../../../src/doc/history/states-page.ts";
import { randomStep } from "../actions/random-actions.ts";
import { Random } from "../../helpers/random.ts";
import { Scratch } from "../actions/scratch.ts";
import { snapshot, type Snapshot } from "./snapshot.ts";

const SEQUENCES = Number(process.env["QUERN_TEST_SEQUENCES"] ?? 4);
const STEPS = 20;
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);

const rowsOf = (moment: Snapshot, table: string): Set<number> =>
  new Set([...(moment.get(table)?.values() ?? [])].flatMap((cells) => [...cells.keys()]));

test(`state details match the differences between snapshots (QUERN_TEST_SEED=${seed})`, () => {
  for (let own = seed; own < seed + SEQUENCES; own++) {
    using scratch = new Scratch();
    const random = new Random(own);
    for (let step = 0; step < STEPS; step++) {
      const before = snapshot(scratch);
      const actions = randomStep(scratch, random);
      if (!actions) continue;
      const { states } = describeStates(scratch.document.db, { before: null, limit: 1 });
      const wrong = states.flatMap(({ tables }) => wrongIn(tables, before, snapshot(scratch)));
      expect(wrong, `QUERN_TEST_SEED=${own} ${JSON.stringify(actions)}`).toEqual([]);
    }
  }
}, 3_600_000);

function wrongIn(tables: readonly TableChangeDetails[], before: Snapshot, after: Snapshot): string[] {
  const wrong: string[] = [];
  const was = (id: string) => tables.find(({ table, isGone }) => table === id && !isGone)?.renamedFrom ?? id;
  for (const id of after.keys()) {
    const reported = tables.find(({ table, isGone }) => table === id && !isGone);
    const isNew = reported?.isNew ?? false;
    if (!isNew && !before.has(was(id))) wrong.push(`${id} is new`);
    const [left, right] = [isNew ? new Set<number>() : rowsOf(before, was(id)), rowsOf(after, id)];
    if (left.size === 0 && right.size === 0) continue;
    const come = [...right].filter((row) => !left.has(row)).length;
    const gone = [...left].filter((row) => !right.has(row)).length;
    const { added = 0, removed = 0, isReplaced = false } = reported ?? {};
    // A row that was removed and restored is counted on both sides; a missing one may be removed, too. Without columns
    // a snapshot shows no rows.
    const columns = (before.get(was(id))?.size ?? 0) > 0 && (after.get(id)?.size ?? 0) > 0;
    if (!isReplaced && (columns || isNew) && (added < come || added - come > removed - gone)) {
      wrong.push(`${id}: ${come} came and ${gone} went, reported ${added} and ${removed}`);
    }
  }
  return wrong;
}

test("lists columns by their final names, without technical columns", () => {
  const tables = describeActions([
    ["AddColumn", "T", "A", {}],
    ["AddColumn", "T", "gristHelper_Display", {}],
    ["ModifyColumn", "T", "A", { type: "Int" }],
    ["ModifyColumn", "T", "B", { type: "Int" }],
    ["RenameColumn", "T", "B", "C"],
    ["RemoveColumn", "T", "D"],
    ["AddTable", "N", [{ id: "X" }]],
    ["AddRecord", "N", 1, {}],
    ["RenameTable", "T", "S"],
    ["RemoveTable", "Old"],
  ]);
  const none = { added: [], removed: [], renamed: [], modified: [], changes: [] };
  expect(tables).toEqual([
    {
      table: "S",
      renamedFrom: "T",
      added: 0,
      updated: 0,
      removed: 0,
      columns: {
        added: ["A"],
        removed: ["D"],
        renamed: [["B", "C"]],
        modified: ["C"],
        changes: [{ column: "C", cells: 0, type: "Int" }],
      },
    },
    { table: "N", isNew: true, added: 1, updated: 0, removed: 0, columns: none },
    { table: "Old", isGone: true, added: 0, updated: 0, removed: 0, columns: none },
  ]);
});

test("counts cells by column, and recomputed ones only for a new formula", () => {
  const computed = [["BulkUpdateRecord", "T", [1, 2, 3], { F: [1, 2, 3], G: [4, 5, 6] }]] as const;
  const done = [
    ["AddRecord", "T", 9, { A: 1 }],
    ["ModifyColumn", "T", "B", { type: "Date" }],
    ["BulkUpdateRecord", "T", [1, 2], { B: [1, 2] }],
    ["BulkUpdateRecord", "T", [2, 3], { B: [3, 4] }],
    ["UpdateRecord", "T", 1, { A: 5, manualSort: 3 }],
    ["UpdateRecord", "T", 9, { A: 5 }],
    ["ModifyColumn", "T", "F", { formula: "$A" }],
    ...computed,
  ] as const;
  const [table] = describeActions(done, new Set(computed));
  expect(table?.columns.changes).toEqual([
    { column: "B", cells: 3, type: "Date" },
    { column: "A", cells: 1 },
    { column: "F", cells: 3, formula: "$A" },
  ]);
});

test("each page continues the previous one and is limited in size", () => {
  using scratch = new Scratch();
  for (let i = 0; i < 5; i++) scratch.apply([["AddRecord", "Table1", null, { A: i }]]);
  const { db } = scratch.document;
  const first = describeStates(db, { before: null, limit: 4 });
  expect(first.states.map(({ n }) => n)).toEqual([6, 5, 4, 3]);
  expect(first.before).toBe(3);
  const second = describeStates(db, { before: first.before, limit: 4 });
  expect(second).toMatchObject({ states: [{ n: 2, isRead: true, user: "ann@example.com" }, { n: 1 }], before: null });
  db.run("update _gristsys_ActionHistory set body = zeroblob(9000000) where actionNum = 5");
  expect(describeStates(db, { before: null, limit: 4 })).toMatchObject({ states: [{ n: 6 }], before: 6 });
  expect(describeStates(db, { before: 6, limit: 4 })).toMatchObject({ states: [{ n: 5, isRead: false }], before: 5 });
});
