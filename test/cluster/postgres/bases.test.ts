import { describe, expect, test } from "bun:test";
import { appendRows } from "../../../src/cluster/postgres/statements/appends.ts";
import {
  listBases,
  pointToBase,
  readBaseChunks,
  writeBaseChunk,
} from "../../../src/cluster/postgres/statements/bases.ts";
import { readHead } from "../../../src/cluster/postgres/statements/heads.ts";
import { acquireDocument, readDocumentState } from "../../../src/cluster/postgres/statements/ownership.ts";
import { pruneDocument, removeAbandonedChunks } from "../../../src/cluster/postgres/statements/retention.ts";
import { readDocument } from "../../../src/cluster/postgres/statements/snapshot.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../../helpers/postgres.ts";
import {
  addDocument,
  addNode,
  baseHeader,
  collect,
  createTestLog,
  logRow,
  logRows,
  sql,
  type TestLog,
} from "./log-fixture.ts";

const doc = "doc-1";

/** A log with a document of three rows that node-1 owns under epoch 1. */
async function documentWithRows(): Promise<TestLog> {
  const log = await createTestLog();
  await addNode(log.connection, "node-1");
  await addDocument(log.connection);
  await appendRows(log.connection, { doc, node: "node-1", epoch: 1, rows: logRows(1, 3), dueAtMs: null });
  return log;
}

async function writeChunks({ connection }: TestLog, ref: string, chunks = 2): Promise<void> {
  for (let chunk = 0; chunk < chunks; chunk++) {
    await writeBaseChunk(connection, { doc, ref, chunk, bytes: new Uint8Array([chunk]) });
  }
}

describe.skipIf(!HAS_POSTGRES)(`publishing a base${POSTGRES_NEEDED}`, () => {
  test("of an appended commit points takers to it and keeps the head", async () => {
    await using log = await documentWithRows();
    await writeChunks(log, "base-2");
    expect(await collect(readBaseChunks(log.connection, { doc, ref: "base-2", chunks: 2 }))).toEqual([
      Buffer.from([0]),
      Buffer.from([1]),
    ]);
    const base = baseHeader({ seq: 2 });
    expect(await pointToBase(log.connection, { doc, base, node: "node-1", advanceFrom: null })).toEqual({
      kind: "appended",
    });
    expect(await readDocumentState(log.connection, doc)).toMatchObject({ head: 3, baseSeq: 2, baseRef: "base-2" });
    const [times] = await sql(
      log.connection,
      `select (select committed_at from quern.doc_base) = (select appended_at from quern.doc_log where seq = 2) as same`,
    );
    expect(times).toEqual({ same: true });
  });

  test("of new content moves the head to it", async () => {
    await using log = await documentWithRows();
    const point = (seq: number) =>
      pointToBase(log.connection, { doc, node: "node-1", base: baseHeader({ seq }), advanceFrom: seq - 1 });
    for (const seq of [3, 5]) expect(await point(seq)).toMatchObject({ kind: "unknown", cause: "no rows" });
    expect(await point(4)).toEqual({ kind: "appended" });
    expect(await readDocumentState(log.connection, doc)).toMatchObject({ head: 4, baseSeq: 4 });
    const next = { doc, node: "node-1", epoch: 1, rows: [logRow(5)], dueAtMs: null };
    expect(await appendRows(log.connection, next)).toEqual({ kind: "appended" });
    const skipping = { doc, node: "node-1", base: baseHeader({ seq: 9 }), advanceFrom: 5 };
    expect(await pointToBase(log.connection, { ...skipping, node: "node-2" })).toMatchObject({ kind: "unknown" });
    expect(await pointToBase(log.connection, skipping)).toEqual({ kind: "appended" });
    const entries = await Promise.all(
      [2, 4, 5, 7, 9, 10].map(async (seq) => (await readHead(log.connection, { doc, seq }))?.atSeq.kind),
    );
    expect(entries).toEqual(["found", "found", "found", "absent", "found", "absent"]);
    await sql(log.connection, "update quern.doc_base set committed_at = '2000-01-01' where seq = 4");
    await pruneDocument(log.connection, doc, { retentionMs: 1000 });
    expect(await readHead(log.connection, { doc, seq: 2 })).toEqual({
      epoch: 1,
      node: "node-1",
      head: 9,
      checksum: Buffer.from([2]),
      atSeq: { kind: "pruned" },
    });
  });

  test("of new content sets when deliveries are due, and an image of an appended commit leaves that", async () => {
    await using log = await documentWithRows();
    const [dueAtMs, laterMs] = [1_800_000_000_123, 1_800_000_099_000];
    const point = (seq: number, advanceFrom: number | null, due: number | null) =>
      pointToBase(log.connection, { doc, node: "node-1", base: baseHeader({ seq }), advanceFrom, dueAtMs: due });
    const due = async () => (await readDocumentState(log.connection, doc))?.dueAtMs;
    await point(4, 3, dueAtMs);
    expect(await due()).toBe(dueAtMs);
    await appendRows(log.connection, { doc, node: "node-1", epoch: 1, rows: [logRow(5)], dueAtMs: laterMs });
    expect(await point(5, null, null)).toEqual({ kind: "appended" });
    expect(await due()).toBe(laterMs);
    await point(6, 5, null);
    expect(await due()).toBeNull();
  });

  test("is refused for an older base, a future commit and a fenced owner", async () => {
    await using log = await documentWithRows();
    const point = (seq: number) =>
      pointToBase(log.connection, {
        doc,
        base: baseHeader({ seq, ref: `b${seq}` }),
        node: "node-1",
        advanceFrom: null,
      });
    expect(await point(3)).toEqual({ kind: "appended" });
    for (const seq of [2, 4]) expect(await point(seq)).toMatchObject({ kind: "unknown", cause: "no rows" });
    await acquireDocument(log.connection, { doc, node: "node-1" });
    expect(await point(3)).toMatchObject({ kind: "unknown", cause: "no rows" });
    expect((await listBases(log.connection, doc)).map(({ ref }) => ref)).toEqual(["b3"]);
  });

  test("of unknown outcome is found by its number", async () => {
    await using log = await documentWithRows();
    const change = { doc, node: "node-1", base: baseHeader({ seq: 4, ref: "new" }), advanceFrom: 3 };
    const entry = async () => (await readHead(log.connection, { doc, seq: 4 }))?.atSeq;
    expect(await entry()).toEqual({ kind: "absent" });
    await pointToBase(log.connection, change);
    expect(await pointToBase(log.connection, change)).toMatchObject({ kind: "unknown" });
    expect(await entry()).toEqual({ kind: "found", checksum: Buffer.from([2]), contentEpoch: "content-1" });
  });

  test("that failed leaves chunks, which are removed after a day", async () => {
    await using log = await documentWithRows();
    for (const ref of ["abandoned", "in-progress", "base-3"]) await writeChunks(log, ref);
    await pointToBase(log.connection, { doc, node: "node-1", base: baseHeader({ seq: 3 }), advanceFrom: null });
    const old = "update quern.doc_base_chunk set written_at = '2020-01-01' where ref <> 'in-progress'";
    await sql(log.connection, old);
    await removeAbandonedChunks(log.connection);
    const refs = "select distinct ref from quern.doc_base_chunk order by ref";
    expect(await sql(log.connection, refs)).toEqual([{ ref: "base-3" }, { ref: "in-progress" }]);
  });
});

describe.skipIf(!HAS_POSTGRES)(`reading a document${POSTGRES_NEEDED}`, () => {
  test("returns base and tail that belong together, while the owner publishes and prunes", async () => {
    await using log = await documentWithRows();
    const owner = await log.open();
    await writeChunks(log, "base-2");
    await pointToBase(owner, { doc, base: baseHeader({ seq: 2 }), node: "node-1", advanceFrom: null });
    const read = await readDocument(log.connection, doc, async ({ state, base, chunks, rows, row, bases }) => {
      expect(state).toMatchObject({ head: 3, baseRef: "base-2" });
      if (!base) throw new Error("no base");
      await appendRows(owner, { doc, node: "node-1", epoch: 1, rows: logRows(4, 6), dueAtMs: null });
      await pointToBase(owner, { doc, base: baseHeader({ seq: 6 }), node: "node-1", advanceFrom: null });
      await sql(owner, "update quern.doc_base set committed_at = '2000-01-01'");
      await pruneDocument(owner, doc, { retentionMs: 1000 });
      expect(await sql(owner, "select 1 from quern.doc_log")).toEqual([]);
      expect(await bases()).toEqual([base]);
      expect(await row(3)).toMatchObject({ seq: 3, epoch: 1, contentEpoch: "content-1" });
      expect(await row(4)).toBeNull();
      return { chunks: await collect(chunks(base)), seqs: (await collect(rows(base.seq))).map(({ seq }) => seq) };
    });
    expect(read).toEqual({ chunks: [Buffer.from([0]), Buffer.from([1])], seqs: [3] });
  });

  test("reads large tails in batches of bounded size", async () => {
    await using log = await documentWithRows();
    const { connection } = log;
    const big = Array.from({ length: 9 }, (_, i) => logRow(4 + i, "x", 1_500_000));
    for (const row of big) await appendRows(connection, { doc, node: "node-1", epoch: 1, rows: [row], dueAtMs: null });
    for (let first = 13; first < 1113; first += 10) {
      await appendRows(connection, { doc, node: "node-1", epoch: 1, rows: logRows(first, first + 9), dueAtMs: null });
    }
    const sizes: number[] = [];
    const seqs = await readDocument(connection, doc, async ({ rows }) => {
      const all: number[] = [];
      for await (const row of rows(0)) {
        all.push(row.seq);
        sizes.push(row.frames.byteLength);
      }
      return all;
    });
    expect(seqs).toEqual(Array.from({ length: 1112 }, (_, i) => i + 1));
    expect(sizes[5]).toBeGreaterThan(1_499_000);
  });

  test("of an unknown document returns null, and of one without a base the whole log", async () => {
    await using log = await documentWithRows();
    expect(await readDocument(log.connection, "other", async () => 1)).toBeNull();
    const read = await readDocument(log.connection, doc, async ({ base, rows }) => [
      base,
      (await collect(rows(0))).length,
    ]);
    expect(read).toEqual([null, 3]);
  });

  test("reports a missing chunk", async () => {
    await using log = await documentWithRows();
    await writeChunks(log, "base-2", 1);
    const read = collect(readBaseChunks(log.connection, { doc, ref: "base-2", chunks: 2 }));
    expect(read).rejects.toThrow("chunk 1 of base base-2 is missing");
  });
});
