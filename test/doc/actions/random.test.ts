import { expect, test } from "bun:test";
import type { DocAction } from "../../../src/doc/actions/doc-action.ts";
import type { UserAction } from "../../../src/doc/actions/engine.ts";
import { AppError } from "../../../src/errors.ts";
import { Random, randomAction } from "./random-actions.ts";
import { Scratch } from "./scratch.ts";

const SEQUENCES = Number(process.env["QUERN_TEST_SEQUENCES"] ?? 24);
const STEPS = 25;
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);

/** The actions of one sequence so far, to be shown when it goes wrong. */
const describe = (own: number, done: readonly UserAction[]) =>
  [`QUERN_TEST_SEED=${own} QUERN_TEST_SEQUENCES=1`, ...done.map((action) => JSON.stringify(action))].join("\n");

test(`random sequences leave sound documents and can be undone (QUERN_TEST_SEED=${seed})`, () => {
  for (let own = seed; own < seed + SEQUENCES; own++) runSequence(own);
}, 60_000);

function runSequence(own: number): void {
  using scratch = new Scratch();
  const random = new Random(own);
  const before = scratch.content();
  const undo: (readonly DocAction[])[] = [];
  const done: UserAction[] = [];
  for (let step = 0; step < STEPS; step++) {
    const action = randomAction(scratch, random);
    done.push(action);
    const untouched = scratch.content();
    try {
      undo.push(scratch.apply([action]).undo);
    } catch (error) {
      if (!(error instanceof AppError)) throw new Error(describe(own, done), { cause: error });
      expect(scratch.content(), describe(own, done)).toEqual(untouched);
    }
    expect(scratch.problems(), describe(own, done)).toEqual([]);
  }
  for (const actions of undo.toReversed()) {
    try {
      scratch.apply([["ApplyUndoActions", actions]]);
    } catch (error) {
      throw new Error(`undoing ${JSON.stringify(actions)}\n${describe(own, done)}`, { cause: error });
    }
  }
  expect(scratch.content(), describe(own, done)).toEqual(before);
  expect(scratch.problems(), describe(own, done)).toEqual([]);
}
