import { expect, test } from "bun:test";
import { OpenDocument } from "../../../src/doc/document.ts";
import { drainMeasurements } from "../../../src/lib/observability/measurements.ts";
import { Random } from "../../helpers/random.ts";
import { randomRuns } from "../../helpers/random-runs.ts";
import { randomSearch, search } from "./random-search.ts";
import { RandomTable, readIds, readSection } from "./random-table.ts";

const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);
const DOCUMENTS = randomRuns(15, 100);
const SNAPSHOTS = 12;
const READS = 12;

/** Opens a reader, which uses the indexes of `writer` if there is one. */
function openReader(path: string, writer?: OpenDocument): OpenDocument {
  const minRows = writer ? 0 : Number.POSITIVE_INFINITY;
  const reader = new OpenDocument(path, { access: "read", indexes: { minRows } });
  if (!writer?.ownIndexes || !reader.sharedIndexes) return reader;
  const { ownIndexes } = writer;
  const { sharedIndexes } = reader;
  ownIndexes.onShare = (shared) => sharedIndexes.accept(structuredClone(shared));
  sharedIndexes.onMiss = (name) => ownIndexes.noteReaderMiss(name);
  return reader;
}

function inSnapshots([first, ...rest]: readonly OpenDocument[], read: () => void): void {
  if (first) first.readSnapshot(() => inSnapshots(rest, read));
  else read();
}

test(`snapshots before and after changes are read with shared indexes as without (QUERN_TEST_SEED=${seed})`, () => {
  drainMeasurements();
  for (let own = seed; own < seed + DOCUMENTS; own++) {
    const random = new Random(own);
    using table = new RandomTable(random);
    using sharing = openReader(table.indexed.path, table.indexed);
    using plain = openReader(table.indexed.path);
    const compare = (): void => {
      const query = table.randomQuery();
      const expected = readIds(plain, query);
      expect({ own, query, ...readIds(sharing, query) }).toEqual({ own, query, ...expected });
      const words = randomSearch(random);
      expect({ own, words, found: search(sharing, words) }).toEqual({ own, words, found: search(plain, words) });
      if (!random.oneIn(4)) return;
      const overrides = table.randomSection();
      const rows = readSection(plain, overrides);
      expect({ own, overrides, rows: readSection(sharing, overrides) }).toEqual({ own, overrides, rows });
    };
    for (let snapshot = 0; snapshot < SNAPSHOTS; snapshot++) {
      inSnapshots([sharing, plain], () => {
        for (let i = 0; i < READS; i++) {
          compare();
          if (random.oneIn(3)) table.own.runStep(random.pick([0, 100]));
          if (random.oneIn(6)) table.change();
          // A reader may find a change in the log before it is committed.
          if (random.oneIn(6)) table.indexed.db.transaction(() => (table.change(), compare()));
        }
      });
    }
  }
  const { indexHits = 0 } = drainMeasurements().counts;
  expect(indexHits).toBeGreaterThan((DOCUMENTS * SNAPSHOTS * READS) / 20);
}, 600_000);
