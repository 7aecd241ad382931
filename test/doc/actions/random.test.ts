import { expect, test } from "bun:test";
import type { DocAction } from "../../../src/doc/actions/doc-action.ts";
import { recalculateDocument, type UserAction } from "../../../src/doc/actions/engine.ts";
import { checkDocumentFile } from "../../../src/doc/check.ts";
import { AppError } from "../../../src/errors.ts";
import { Catalog } from "../../../src/doc/actions/catalog.ts";
import { readRows } from "../../../src/doc/actions/rows.ts";
import { targetsOf, twoWayColumns } from "../../../src/doc/actions/two-way.ts";
import { Random, randomAction } from "./random-actions.ts";
import { ANN, Scratch } from "./scratch.ts";
import { wrongGroups } from "./summary-groups.ts";
import { randomRuns } from "../../helpers/random-runs.ts";

/**
 * In every run some, with another seed each time; by hand any number, as in
 * `QUERN_TEST_SEQUENCES=10000 QUERN_TEST_SEED=1 bun test test/doc/actions/random.test.ts`, also longer ones
 * (QUERN_TEST_STEPS).
 */
const SEQUENCES = randomRuns(50, 200);
const STEPS = Number(process.env["QUERN_TEST_STEPS"] ?? 6);
/** Sequences that are run on one document: each leaves it as it was. */
const PER_DOCUMENT = 50;
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);

/** What sequences begin with: tables that refer to each other, shown, formatted, summed, with a way back. */
const START: readonly UserAction[] = [
  ["AddTable", "People", [{ id: "Name" }, { id: "Age", type: "Int" }, { id: "Boss", type: "Ref:People" }]],
  [
    "AddTable",
    "Pets",
    [
      { id: "Owner", type: "Ref:People" },
      { id: "Friends", type: "RefList:People" },
      { id: "Who", formula: "$Owner.Name" },
    ],
  ],
  ["BulkAddRecord", "People", [null, null, null], { Name: ["ann", "bob", "cy"], Age: [10, 20, 30], Boss: [0, 1, 1] }],
  ["BulkAddRecord", "Pets", [null, null, null], { Owner: [1, 1, 3], Friends: [["L", 1, 2], null, ["L", 3]] }],
  ["AddReverseColumn", "Pets", "Owner"],
  ["AddReverseColumn", "Pets", "Friends"],
  ["AddEmptyRule", "People", 0, 0],
  ["CreateViewSection", 2, 0, "record", [7], null],
  ["CreateViewSection", 3, 0, "record", [10, 11], null],
  ["CreateViewSection", 3, 0, "record", [12], null],
];

/** The actions of one sequence so far, to be shown when it goes wrong. */
const describe = (own: number, done: readonly UserAction[]) =>
  [
    `QUERN_TEST_SEED=${own} QUERN_TEST_SEQUENCES=1 QUERN_TEST_STEPS=${STEPS}`,
    ...done.map((action) => JSON.stringify(action)),
  ].join("\n");

test(`random sequences leave sound documents and can be undone (QUERN_TEST_SEED=${seed})`, () => {
  let own = seed;
  while (own < seed + SEQUENCES) {
    using scratch = new Scratch();
    scratch.apply(START);
    const last = Math.min(seed + SEQUENCES, own + PER_DOCUMENT);
    for (; own < last; own++) runSequence(scratch, own);
    checkFile(scratch);
    if ((own - seed) % 1000 === 0) process.stdout.write(`${own - seed} sequences\n`);
  }
}, 3_600_000);

/** SQLite's own program finds the file whole. */
function checkFile({ document }: Scratch): void {
  document.close();
  expect(checkDocumentFile(document.path)).toEqual({ ok: true, problems: [] });
  const program = Bun.which("sqlite3");
  if (!program) return;
  const { stdout } = Bun.spawnSync([program, "-readonly", document.path, "pragma integrity_check"]);
  expect(stdout.toString().trim()).toBe("ok");
}

/** Two-way references that say one thing from one end, and another from the other. */
function oneWay({ document }: Scratch): string[] {
  const { schema, db } = document;
  const joined = (table: string, id: string): Map<number, number[]> => {
    const column = new Catalog(schema).column(table, id);
    const { ids, cells } = readRows(db, table, [column]);
    return new Map(ids.map((row, r) => [row, targetsOf(cells[0]?.[r] ?? null)]));
  };
  const problems: string[] = [];
  for (const [table, columns] of twoWayColumns(schema)) {
    for (const { id, reverseCol } of columns) {
      const other = schema.columnByRef.get(reverseCol);
      const target = schema.tableByRef.get(other?.tableRef ?? 0);
      if (!other || !target) continue;
      const back = joined(target.id, other.id);
      for (const [row, targets] of joined(table, id)) {
        const lost = targets.filter((to) => back.has(to) && !back.get(to)?.includes(row));
        if (lost.length > 0) problems.push(`${table}.${id}: row ${row} names ${lost.join()}, which does not name it`);
      }
    }
  }
  return problems;
}

function runSequence(scratch: Scratch, own: number): void {
  const random = new Random(own);
  const before = scratch.content();
  const undo: { readonly actions: readonly DocAction[]; readonly earlier: Record<string, unknown> }[] = [];
  const done: UserAction[] = [];
  let untouched = before;
  for (let step = 0; step < STEPS; step++) {
    const action = randomAction(scratch, random);
    done.push(action);
    try {
      undo.push({ actions: scratch.apply([action]).undo, earlier: untouched });
      untouched = scratch.content();
    } catch (error) {
      if (!(error instanceof AppError)) throw new Error(describe(own, done), { cause: error });
      expect(scratch.content(), describe(own, done)).toEqual(untouched);
    }
    const wrong = [...scratch.problems(), ...oneWay(scratch), ...wrongGroups(scratch)];
    expect(wrong, describe(own, done)).toEqual([]);
  }
  const { calculated } = recalculateDocument(scratch.document, { user: ANN, nowMs: 0 }, { keep: false });
  expect(calculated, describe(own, done)).toEqual([]);
  for (const { actions, earlier } of undo.toReversed()) {
    try {
      scratch.apply([["ApplyUndoActions", actions]]);
    } catch (error) {
      throw new Error(`undoing ${JSON.stringify(actions)}\n${describe(own, done)}`, { cause: error });
    }
    expect(scratch.content(), describe(own, done)).toEqual(earlier);
  }
  expect(scratch.problems(), describe(own, done)).toEqual([]);
}
