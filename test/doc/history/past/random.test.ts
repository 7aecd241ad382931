import { expect, test } from "bun:test";
import { join } from "node:path";
import type { UserAction } from "../../../../src/doc/actions/apply-user-actions.ts";
import { listStates } from "../../../../src/doc/history/states.ts";
import { writePastFile } from "../../../../src/doc/history/past/past-file.ts";
import { Database } from "../../../../src/sqlite/database.ts";
import { tempFolder } from "../../../helpers/temp-folder.ts";
import { Random } from "../../../helpers/random.ts";
import { randomRuns } from "../../../helpers/random-runs.ts";
import { randomStep } from "../../actions/random-actions.ts";
import { contentOf, Scratch } from "../../actions/scratch.ts";

const SEQUENCES = randomRuns(3, 6);
const STEPS = Number(process.env["QUERN_TEST_STEPS"] ?? 15);
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);

test(`each reverted state equals the original (QUERN_TEST_SEED=${seed})`, () => {
  for (let own = seed; own < seed + SEQUENCES; own++) runSequence(own);
}, 3_600_000);

function runSequence(own: number): void {
  using scratch = new Scratch();
  const random = new Random(own);
  const contents = new Map([[newest(scratch).h, scratch.content()]]);
  const done: (readonly UserAction[])[] = [];
  for (let step = 0; step < STEPS; step++) {
    const actions = randomStep(scratch, random);
    if (actions) done.push(actions);
    contents.set(newest(scratch).h, scratch.content());
  }
  const what = [`QUERN_TEST_SEED=${own} QUERN_TEST_SEQUENCES=1`, ...done.map((actions) => JSON.stringify(actions))];
  for (const state of listStates(scratch.document.db)) {
    const expected = contents.get(state.h);
    if (!expected) continue;
    const path = join(tempFolder(), "copy.grist");
    try {
      writePastFile(scratch.document.path, path, state);
    } catch (error) {
      throw new Error([`to ${state.n}`, ...what].join("\n"), { cause: error });
    }
    using copy = new Database(path);
    expect(contentOf(copy), [`to ${state.n}`, ...what].join("\n")).toEqual(expected);
    expect(listStates(copy)[0]).toEqual(state);
  }
}

const newest = ({ document }: Scratch) => listStates(document.db)[0] ?? { n: 0, h: "" };
