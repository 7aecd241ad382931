import { test } from "bun:test";
import { randomRuns } from "../../helpers/random-runs.ts";
import { runSequence } from "./random-sequence.ts";

/**
 * Every run uses a new seed. Manual runs may test any number of sequences of any length:
 * `QUERN_TEST_SEQUENCES=2000 QUERN_TEST_STEPS=20 QUERN_TEST_SEED=1 bun test test/doc/actions/random.test.ts`.
 */
const SEQUENCES = randomRuns(100, 400);
const STEPS = Number(process.env["QUERN_TEST_STEPS"] ?? 4);
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);

test(`random sequences leave consistent documents that can be undone, downloaded and imported (QUERN_TEST_SEED=${seed})`, () => {
  for (let own = seed; own < seed + SEQUENCES; own++) {
    runSequence(own, STEPS);
    if ((own - seed) % 500 === 499) process.stdout.write(`${own - seed + 1} sequences\n`);
  }
}, 3_600_000);
