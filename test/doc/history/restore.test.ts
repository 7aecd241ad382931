import { expect, test } from "bun:test";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { undoSince } from "../../../src/doc/history/restore.ts";
import { listStates } from "../../../src/doc/history/states.ts";
import { randomStep } from "../actions/random-actions.ts";
import { Random } from "../../helpers/random.ts";
import { Scratch } from "../actions/scratch.ts";

const SEQUENCES = Number(process.env["QUERN_TEST_SEQUENCES"] ?? 4);
const STEPS = 15;
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);

/** Restores a state; returns whether there was anything to do. */
const restore = (scratch: Scratch, n: number) => scratch.apply([["ApplyUndoActions", undoSince(scratch.document, n)]]);

const newest = ({ document }: Scratch): number => listStates(document.db)[0]?.n ?? 0;

test(`a restored state equals the original (QUERN_TEST_SEED=${seed})`, () => {
  for (let own = seed; own < seed + SEQUENCES; own++) runSequence(own);
}, 3_600_000);

function runSequence(own: number): void {
  using scratch = new Scratch();
  const random = new Random(own);
  const contents = new Map([[newest(scratch), scratch.content()]]);
  const done: UserAction[] = [];
  for (let step = 0; step < STEPS; step++) {
    const actions = randomStep(scratch, random);
    if (actions) done.push(actions);
    contents.set(newest(scratch), scratch.content());
  }
  const what = [`QUERN_TEST_SEED=${own} QUERN_TEST_SEQUENCES=1`, ...done.map((actions) => JSON.stringify(actions))];
  // Back and forth: a restored state is a state as well.
  for (let time = 0; time < 4; time++) {
    const states = [...contents.keys()];
    const n = states[random.below(states.length)] ?? 0;
    try {
      restore(scratch, n);
    } catch (error) {
      throw new Error([`to ${n}`, ...what].join("\n"), { cause: error });
    }
    expect(scratch.content(), [`to ${n}`, ...what].join("\n")).toEqual(contents.get(n) ?? {});
    expect(scratch.problems(), what.join("\n")).toEqual([]);
    contents.set(newest(scratch), scratch.content());
  }
}

test("refuses unknown states, incomplete histories and too many changes", () => {
  using scratch = new Scratch();
  const { document } = scratch;
  for (let i = 0; i < 3; i++) scratch.apply([["AddRecord", "Table1", null, { A: i }]]);
  expect(() => undoSince(document, 9)).toThrow("no state 9");
  expect(() => undoSince(document, 1, 100)).toThrow("Too many changes");
  expect(undoSince(document, newest(scratch), 0)).toEqual([]);
  document.db.run("delete from _gristsys_ActionHistory where actionNum = 3");
  expect(() => undoSince(document, 2)).toThrow("not complete");
  document.db.run("update _gristsys_ActionHistory set body = x'00' where actionNum = 4");
  expect(() => undoSince(document, 1)).toThrow();
});

test("the history records a short user action, also for a list of steps", () => {
  using scratch = new Scratch();
  const ids = Array.from({ length: 500 }, (_, i) => i + 1);
  scratch.apply([["BulkAddRecord", "Table1", ids, { A: ids.map(String) }]]);
  const n = newest(scratch);
  const size = () =>
    Number(
      scratch.document.db.values("select length(body) from _gristsys_ActionHistory order by id desc limit 1")[0]?.[0],
    );
  scratch.apply([["BulkRemoveRecord", "Table1", ids]]);
  const removal = size();
  restore(scratch, n);
  expect(size()).toBeLessThan(removal * 1.5);
});
