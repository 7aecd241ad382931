import { expect, test } from "bun:test";
import { OpenDocument } from "../../src/doc/document.ts";
import { DocumentIndexing } from "../../src/hosts/document-indexing.ts";
import { must } from "../../src/lib/assert.ts";
import { silentLog } from "../../src/lib/observability/log.ts";
import { drainMeasurements } from "../../src/lib/observability/measurements.ts";
import { yieldToEventLoop } from "../../src/lib/time/timers.ts";
import { applyUserActions } from "../../src/doc/actions/apply-user-actions.ts";
import { ANN } from "../doc/actions/scratch.ts";
import { fetchIds, sampleDocument } from "../doc/read/sample.ts";

const ROWS = 6000;

const newIndexing = (isShared = true): DocumentIndexing => new DocumentIndexing({ log: silentLog, isShared });

/** A document with a large table, opened as by the thread that changes it. */
function largeDocument(indexing: DocumentIndexing): OpenDocument {
  const rows = Array.from({ length: ROWS }, (_, at) => ({ Key: `key ${at}` }));
  const document = sampleDocument([{ id: "T", columns: { Key: "Text" }, rows }], { indexes: indexing.options });
  document.counter.ensureStored();
  indexing.attach(document);
  return document;
}

const find = (document: OpenDocument, key: string): number[] =>
  fetchIds(document, { table: "T", filter: JSON.stringify({ Key: [key] }) });

const findInSnapshot = (reader: OpenDocument, key: string): number[] => reader.readSnapshot(() => find(reader, key));

/** Repeats a read until an index answers it. */
async function untilIndexed(read: () => number[], expected: number[]): Promise<void> {
  drainMeasurements();
  do {
    expect(read()).toEqual(expected);
    await yieldToEventLoop();
  } while (!drainMeasurements().counts.indexHits);
}

test("indexes are built between requests, without readers too", async () => {
  using indexing = newIndexing(false);
  using document = largeDocument(indexing);
  await untilIndexed(() => find(document, "key 7"), [8]);
  indexing.detach(document);
  expect(must(document.ownIndexes).count).toBe(0);
});

test("a reader's repeated reads build an index in the thread that changes the document, which the reader uses", async () => {
  using indexing = newIndexing();
  using readerIndexing = newIndexing();
  using document = largeDocument(indexing);
  using reader = new OpenDocument(document.path, { access: "read" });
  readerIndexing.attach(reader);
  await untilIndexed(() => findInSnapshot(reader, "key 7"), [8]);
  applyUserActions(document, [["UpdateRecord", "T", 9, { Key: "new" }]], { parse: false, user: ANN, nowMs: 0 });
  await untilIndexed(() => findInSnapshot(reader, "new"), [9]);

  using later = new OpenDocument(document.path, { access: "read" });
  using laterIndexing = newIndexing();
  laterIndexing.attach(later);
  await untilIndexed(() => findInSnapshot(later, "new"), [9]);

  // Closed in the thread that has it: the reader must not use what no longer follows changes.
  indexing.detach(document);
  drainMeasurements();
  expect(findInSnapshot(reader, "new")).toEqual([9]);
  expect(drainMeasurements().counts.indexHits ?? 0).toBe(0);
});
