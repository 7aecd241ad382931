import { describe, expect, test } from "bun:test";
import { connect } from "../../../src/cluster/postgres/connect.ts";
import type { Connection } from "../../../src/cluster/postgres/connection.ts";
import { parseLogUrl } from "../../../src/cluster/postgres/log-url.ts";
import { appendRows } from "../../../src/cluster/postgres/statements/appends.ts";
import { listBases, pointToBase, writeBaseChunk } from "../../../src/cluster/postgres/statements/bases.ts";
import { publishBlob, writeBlobChunk } from "../../../src/cluster/postgres/statements/blobs.ts";
import { acquireDocument, readDocumentState } from "../../../src/cluster/postgres/statements/ownership.ts";
import {
  applyRetention,
  findDeletedDocuments,
  markDocumentDeleted,
  markOrphanDeleted,
  pruneDocument,
  purgeDeletedDocuments,
} from "../../../src/cluster/postgres/statements/retention.ts";
import {
  readDocumentStatistics,
  readStandbys,
  readStatistics,
} from "../../../src/cluster/postgres/statements/statistics.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED, PostgresServer } from "../../helpers/postgres.ts";
import { addDocument, addNode, baseHeader, createTestLog, logRow, logRows, sql, type TestLog } from "./log-fixture.ts";

const doc = "doc-1";
const DAY_MS = 86_400_000;

/** Stores an attachment in one chunk. */
async function addBlob(connection: Connection, sizeBytes: number): Promise<void> {
  await writeBlobChunk(connection, { doc, ref: "ref", chunk: 0, bytes: new Uint8Array(sizeBytes) });
  await publishBlob(connection, { doc, hash: "a", ref: "ref", sizeBytes, inBucket: false });
}

async function ownedDocument(url?: string): Promise<TestLog> {
  const log = await createTestLog(url);
  await addNode(log.connection, "node-1");
  await addDocument(log.connection);
  return log;
}

/** Appends the rows up to `seq` and publishes a base there. */
async function advanceTo({ connection }: TestLog, seq: number, { isHeadAdvanced = false } = {}): Promise<void> {
  const head = (await readDocumentState(connection, doc))?.head ?? 0;
  const rows = logRows(head + 1, isHeadAdvanced ? seq - 1 : seq);
  if (rows.length > 0) await appendRows(connection, { doc, node: "node-1", epoch: 1, rows, dueAtMs: null });
  const base = baseHeader({ seq });
  const advanceFrom = isHeadAdvanced ? seq - 1 : null;
  await writeBaseChunk(connection, { doc, ref: base.ref, chunk: 0, bytes: new Uint8Array([seq]) });
  expect(await pointToBase(connection, { doc, node: "node-1", base, advanceFrom })).toEqual({ kind: "appended" });
}

/** Makes rows and bases look older. */
async function age({ connection }: TestLog, from: number, to: number, days: number): Promise<void> {
  const time = `clock_timestamp() - interval '${days} days'`;
  await sql(connection, `update quern.doc_log set appended_at = ${time} where seq between ${from} and ${to}`);
  await sql(connection, `update quern.doc_base set committed_at = ${time} where seq between ${from} and ${to}`);
}

const seqsIn = async ({ connection }: TestLog, table: string) =>
  (await sql<{ seq: number }>(connection, `select seq from quern.${table} order by seq`)).map(({ seq }) => seq);

describe.skipIf(!HAS_POSTGRES)(`retention${POSTGRES_NEEDED}`, () => {
  test("keeps the log back to a base that is older than its start", async () => {
    await using log = await ownedDocument();
    for (const [i, seq] of [2, 4, 6, 8].entries()) {
      await advanceTo(log, seq);
      await age(log, seq - 1, seq, 30 - i * 10);
    }
    await pruneDocument(log.connection, doc, { retentionMs: 40 * DAY_MS });
    expect(await seqsIn(log, "doc_log")).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    // The bases are 30, 20, 10 and 0 days old: restoring 15 days back starts from the second one.
    await pruneDocument(log.connection, doc, { retentionMs: 15 * DAY_MS });
    expect(await seqsIn(log, "doc_log")).toEqual([5, 6, 7, 8]);
    expect(await seqsIn(log, "doc_base")).toEqual([4, 6, 8]);
    expect(await sql(log.connection, "select count(*) as chunks from quern.doc_base_chunk")).toEqual([{ chunks: 3 }]);
  });

  test("keeps everything of a document whose only base is recent", async () => {
    await using log = await ownedDocument();
    await appendRows(log.connection, { doc, node: "node-1", epoch: 1, rows: logRows(1, 3), dueAtMs: null });
    await age(log, 1, 3, 30);
    await pruneDocument(log.connection, doc, { retentionMs: DAY_MS });
    expect(await seqsIn(log, "doc_log")).toEqual([1, 2, 3]);
    await advanceTo(log, 5);
    await pruneDocument(log.connection, doc, { retentionMs: DAY_MS });
    expect(await seqsIn(log, "doc_log")).toEqual([1, 2, 3, 4, 5]);
  });

  test("never removes the current base, however old", async () => {
    await using log = await ownedDocument();
    await advanceTo(log, 2);
    await age(log, 1, 2, 400);
    await pruneDocument(log.connection, doc, { retentionMs: DAY_MS });
    expect(await seqsIn(log, "doc_base")).toEqual([2]);
    expect(await seqsIn(log, "doc_log")).toEqual([]);
  });

  test("keeps one base a day of the bases that the log can make again", async () => {
    await using log = await ownedDocument();
    for (const seq of [1, 2, 3, 4]) await advanceTo(log, seq);
    await advanceTo(log, 5, { isHeadAdvanced: true });
    for (const seq of [6, 7, 8]) await advanceTo(log, seq);
    const noon = "date_trunc('day', clock_timestamp()) - interval '60 hours'";
    await sql(
      log.connection,
      `update quern.doc_base set committed_at = ${noon} + seq * interval '1 minute' where seq < 8`,
    );
    await sql(log.connection, `update quern.doc_base set committed_at = ${noon} - interval '1 day' where seq = 1`);
    await pruneDocument(log.connection, doc, { retentionMs: 30 * DAY_MS });
    // 1 is the only one of its day, 5 has no row, 7 is the last of its day, 8 is current.
    expect(await seqsIn(log, "doc_base")).toEqual([1, 5, 7, 8]);
    expect(await seqsIn(log, "doc_log")).toEqual([1, 2, 3, 4, 6, 7, 8]);
  });

  test("of permanently deleted documents removes everything", async () => {
    await using log = await ownedDocument();
    const { connection } = log;
    await advanceTo(log, 3);
    await addBlob(connection, 1);
    await addDocument(connection, { doc: "doc-2" });
    await appendRows(connection, { doc: "doc-2", node: "node-1", epoch: 1, rows: logRows(1, 2), dueAtMs: null });
    await markDocumentDeleted(connection, doc);
    await markDocumentDeleted(connection, doc);
    expect(await readDocumentState(connection, doc)).toMatchObject({ epoch: 2, node: null, head: 3 });
    expect(await acquireDocument(connection, { doc, node: "node-1" })).toEqual({ kind: "deleted" });
    const late = { doc, node: "node-1", epoch: 1, rows: [logRow(4)], dueAtMs: null };
    expect(await appendRows(connection, late)).toMatchObject({ kind: "unknown", cause: "no rows" });
    await applyRetention(connection, { retentionMs: DAY_MS });
    expect(await listBases(connection, doc)).toHaveLength(1);
    await sql(
      connection,
      "update quern.doc_owner set deleted_at = clock_timestamp() - interval '2 days' where doc = 'doc-1'",
    );
    expect(await purgeDeletedDocuments(connection, { retentionMs: DAY_MS })).toBe(1);
    expect(await purgeDeletedDocuments(connection, { retentionMs: DAY_MS })).toBe(0);
    expect(await findDeletedDocuments(connection, ["doc-2", doc, "unknown"])).toEqual([doc]);
    await sql(connection, "update quern.doc_owner set deleted_at = deleted_at - interval '1 year' where doc = 'doc-1'");
    await applyRetention(connection, { retentionMs: DAY_MS });
    for (const table of ["doc_owner", "doc_log", "doc_base", "doc_base_chunk", "doc_blob", "doc_blob_chunk"]) {
      const rows = await sql<{ doc: string }>(connection, `select distinct doc from quern.${table}`);
      expect([table, rows.filter((row) => row.doc === doc)]).toEqual([table, []]);
    }
    expect(await readDocumentState(connection, "doc-2")).toMatchObject({ head: 2 });
  });
});

test.skipIf(!HAS_POSTGRES)(
  `documents that home does not know are deleted only while home is unchanged${POSTGRES_NEEDED}`,
  async () => {
    await using log = await ownedDocument();
    const { connection } = log;
    await addDocument(connection, { doc: "home" });
    expect((await readDocumentState(connection, doc))?.ageMs).toBeWithin(0, 600_000);
    const deleteOrphan = (homeHead: number) => markOrphanDeleted(connection, { doc, homeEpoch: 1, homeHead });
    expect(await deleteOrphan(1)).toBe(false);
    expect(await deleteOrphan(0)).toBe(true);
    expect(await readDocumentState(connection, doc)).toMatchObject({ epoch: 2, node: null });
  },
);

describe.skipIf(!HAS_POSTGRES)(`statistics${POSTGRES_NEEDED}`, () => {
  test("count documents, rows and bytes", async () => {
    await using log = await ownedDocument();
    const { connection } = log;
    await addDocument(connection, { doc: "small" });
    await appendRows(connection, {
      doc,
      node: "node-1",
      epoch: 1,
      rows: [logRow(1, "", 1000), logRow(2, "", 5000)],
      dueAtMs: null,
    });
    await pointToBase(connection, {
      doc,
      base: baseHeader({ seq: 1, storedBytes: 70 }),
      node: "node-1",
      advanceFrom: null,
    });
    await addBlob(connection, 5);
    const sizes = [1, 2].map((seq) => logRow(seq, "", seq === 1 ? 1000 : 5000).frames.byteLength);
    const [first = 0, second = 0] = sizes;
    const totals = await readStatistics(connection);
    expect(totals).toMatchObject({
      documents: 2,
      deletedDocuments: 0,
      rows: 2,
      logBytes: first + second,
      baseBytes: 70,
      attachmentBytes: 5,
      serverVersion: expect.stringMatching(/^\d+/),
    });
    expect(totals.diskBytes).toBeGreaterThan(first + second);
    expect(totals.newestRowAtMs).toBeWithin(Date.now() - 60_000, Date.now() + 60_000);
    const [largest, small] = await readDocumentStatistics(connection, 10);
    expect(largest).toMatchObject({
      doc,
      rows: 2,
      logBytes: first + second,
      tailBytes: second,
      bases: 1,
      baseBytes: 70,
      attachmentBytes: 5,
      head: 2,
      isAlive: true,
      isDeleted: false,
    });
    expect(small).toMatchObject({ doc: "small", rows: 0, logBytes: 0, tailBytes: 0, lastAppendAtMs: null });
    expect(await readDocumentStatistics(connection, 1)).toHaveLength(1);
  });

  test("name synchronous standbys as far as the role may see them", async () => {
    await using primary = await PostgresServer.start();
    await using log = await ownedDocument(await primary.createDatabase());
    expect(await readStandbys(log.connection)).toEqual({ synchronousNames: "", isSynchronous: false, standbys: [] });
    await using _standby = await PostgresServer.start({ standbyOf: primary });
    // It may still be catching up.
    while ((await readStandbys(log.connection)).standbys[0]?.state !== "streaming") await Bun.sleep(20);
    expect(await readStandbys(log.connection)).toMatchObject({
      isSynchronous: false,
      standbys: [{ name: "walreceiver", state: "streaming", syncState: "async" }],
    });
    await primary.query("alter system set synchronous_standby_names = '*'");
    await primary.query("select pg_reload_conf()");
    while (!(await readStandbys(log.connection)).isSynchronous) await Bun.sleep(20);
    expect(await readStandbys(log.connection)).toMatchObject({
      synchronousNames: "*",
      standbys: [{ syncState: "sync" }],
    });
    await primary.query("create role plain login password 'test-password'");
    const url = new URL(log.url);
    await primary.query("grant usage on schema quern to plain", { database: url.pathname.slice(1) });
    url.username = "plain";
    await using plain = await connect(parseLogUrl(url.href));
    expect(await readStandbys(plain)).toMatchObject({ isSynchronous: null, standbys: [{ syncState: null }] });
  });
});
