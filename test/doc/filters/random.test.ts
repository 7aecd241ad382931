import { expect, test } from "bun:test";
import type { OpenDocument } from "../../../src/doc/document.ts";
import { TestClock } from "../../helpers/clock.ts";
import { randomRuns } from "../../helpers/random-runs.ts";
import { Random } from "../../helpers/random.ts";
import { sampleDocument } from "../read/sample.ts";
import { writeRules } from "../rules/reading.ts";
import { idsOf, STORES } from "./filtered.ts";
import { naiveIds } from "./naive-evaluator.ts";
import { FilterMaker, naiveTables, randomRows, RULES, sampleTables } from "./random-filters.ts";

/**
 * Every run uses a new seed: `QUERN_TEST_SEED=1 bun test test/doc/filters/random.test.ts` repeats one.
 * `QUERN_TEST_SEQUENCES` is the number of filters.
 */
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);
const FILTERS = randomRuns(2000, 10_000);
const FILTERS_PER_DOCUMENT = 100;

test(`random filters select the rows that a naive evaluator selects (QUERN_TEST_SEED=${seed})`, () => {
  let found = 0;
  for (let own = seed; own < seed + FILTERS / FILTERS_PER_DOCUMENT; own++) {
    const random = new Random(own);
    const rows = randomRows(random);
    using document = sampleDocument(sampleTables(rows), { clock: new TestClock(Date.UTC(2026, 2, 1, 17)) });
    prepare(document);
    const maker = new FilterMaker(random);
    const tables = { sql: naiveTables(rows, true), rules: naiveTables(rows, false) };
    for (let at = 0; at < FILTERS_PER_DOCUMENT; at++) {
      const filter = maker.filter();
      for (const store of STORES) {
        const ids = idsOf(document, { table: "Items", filter, store });
        expect({ own, store, filter: JSON.stringify(filter), ids }).toEqual({
          own,
          store,
          filter: JSON.stringify(filter),
          ids: naiveIds(tables[store], "Items", filter),
        });
        found += ids.length;
      }
    }
  }
  expect(found).toBeGreaterThan(FILTERS);
}, 3_600_000);

function prepare(document: OpenDocument): void {
  document.db.run("update _grist_DocInfo set timezone = 'America/New_York'");
  writeRules(document, RULES);
}
