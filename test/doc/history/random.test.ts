import { expect, test } from "bun:test";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { changesBetween, findStateRange } from "../../../src/doc/history/compare-states.ts";
import { randomStep } from "../actions/random-actions.ts";
import { Random } from "../../helpers/random.ts";
import { Scratch } from "../actions/scratch.ts";
import { snapshot, wrongIn } from "./snapshot.ts";
import { randomRuns } from "../../helpers/random-runs.ts";

const SEQUENCES = randomRuns(6, 12);
const STEPS = 25;
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);

test(`changes match the differences between snapshots (QUERN_TEST_SEED=${seed})`, () => {
  for (let own = seed; own < seed + SEQUENCES; own++) runSequence(own);
});

function runSequence(own: number): void {
  using scratch = new Scratch();
  const random = new Random(own);
  const moments = [snapshot(scratch)];
  const done: UserAction[] = [];
  while (moments.length <= STEPS) {
    const actions = randomStep(scratch, random);
    if (!actions) continue;
    done.push(actions);
    moments.push(snapshot(scratch));
  }
  for (let right = 1; right <= STEPS; right++) {
    for (const left of new Set([right - 1, random.below(right)])) {
      const stretch = findStateRange(scratch.document.db, {
        left: `HEAD~${STEPS - left}`,
        right: `HEAD~${STEPS - right}`,
      });
      const changes = changesBetween(scratch.document.db, stretch, { maxRows: Number.POSITIVE_INFINITY });
      const [before, after] = [moments[left], moments[right]];
      if (!before || !after) throw new Error("every step has its moment");
      const wrong = wrongIn(changes, before, after, right - left === 1);
      const what = done.slice(left, right).map((actions) => JSON.stringify(actions));
      expect(wrong, [`QUERN_TEST_SEED=${own} QUERN_TEST_SEQUENCES=1 ${left}..${right}`, ...what].join("\n")).toEqual(
        [],
      );
    }
  }
}
