import { expect, test } from "bun:test";
import { drainMeasurements } from "../../../src/lib/observability/measurements.ts";
import { Random } from "../../helpers/random.ts";
import { randomRuns } from "../../helpers/random-runs.ts";
import { RandomTable } from "./random-table.ts";

/** Every run uses a new seed: `QUERN_TEST_SEED=1 bun test test/doc/indexes/random-reads.test.ts` repeats one. */
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);
const DOCUMENTS = randomRuns(15, 100);
const STEPS = 12;
const READS_PER_STEP = 12;

test(`reads, ranges and exports of widgets with indexes equal reads without after random changes (QUERN_TEST_SEED=${seed})`, () => {
  drainMeasurements();
  for (let own = seed; own < seed + DOCUMENTS; own++) {
    using table = new RandomTable(new Random(own));
    for (let step = 0; step < STEPS; step++) {
      for (let i = 0; i < READS_PER_STEP; i++) {
        table.compareReads();
        table.compareRanges();
        if (i % 3 === 0) table.compareMatches();
        else if (i % 3 === 1) table.compareSections();
        // Builds are in all stages while reads and changes continue.
        if (table.random.oneIn(3)) table.own.runStep(0);
      }
      if (table.random.oneIn(2)) while (table.own.runStep(100));
      table.change();
    }
  }
  const { indexHits = 0 } = drainMeasurements().counts;
  expect(indexHits).toBeGreaterThan((DOCUMENTS * STEPS * READS_PER_STEP) / 20);
}, 600_000);
