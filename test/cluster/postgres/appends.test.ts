import { describe, expect, test } from "bun:test";
import { ConnectionLostError } from "../../../src/cluster/postgres/failures.ts";
import { appendRows, type Append } from "../../../src/cluster/postgres/statements/appends.ts";
import {
  acquireDocument,
  readDocumentState,
  releaseDocument,
} from "../../../src/cluster/postgres/statements/ownership.ts";
import { readDocument } from "../../../src/cluster/postgres/statements/snapshot.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../../helpers/postgres.ts";
import {
  addDocument,
  addNode,
  collect,
  createTestLog,
  expireLease,
  logRow,
  logRows,
  resolveAppend,
  sql,
  untilWaiting,
  type TestLog,
} from "./log-fixture.ts";

const append = (first: number, last: number, more: Partial<Append> = {}): Append => ({
  doc: "doc-1",
  node: "node-1",
  epoch: 1,
  rows: logRows(first, last),
  dueAtMs: null,
  ...more,
});

/** A log with a document that node-1 owns under epoch 1. */
async function ownedDocument(): Promise<TestLog> {
  const log = await createTestLog();
  await addNode(log.connection, "node-1");
  await addDocument(log.connection);
  return log;
}

const rowsOf = ({ connection }: TestLog, after = 0) =>
  readDocument(connection, "doc-1", async ({ rows }) => collect(rows(after)));

describe.skipIf(!HAS_POSTGRES)(`appending to the log${POSTGRES_NEEDED}`, () => {
  test("adds rows, moves the head and sets when deliveries are due", async () => {
    await using log = await ownedDocument();
    const dueAtMs = 1_800_000_000_123;
    expect(await appendRows(log.connection, append(1, 1))).toEqual({ kind: "appended" });
    expect(await appendRows(log.connection, append(2, 9, { dueAtMs }))).toEqual({ kind: "appended" });
    expect(await readDocumentState(log.connection, "doc-1")).toMatchObject({ head: 9, epoch: 1, dueAtMs });
    const rows = await rowsOf(log);
    expect(rows?.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(rows?.[4]).toMatchObject({ epoch: 1, contentEpoch: "content-1" });
    expect(Buffer.from(rows?.[4]?.frames ?? [])).toEqual(Buffer.from(logRow(5).frames));
    expect(Buffer.from(rows?.[4]?.checksum ?? [])).toEqual(Buffer.from(logRow(5).checksum));
  });

  test("of an owner that another one has fenced off changes nothing", async () => {
    await using log = await ownedDocument();
    await appendRows(log.connection, append(1, 1));
    await addNode(log.connection, "node-2");
    await expireLease(log.connection, "node-1");
    expect(await acquireDocument(log.connection, { doc: "doc-1", node: "node-2" })).toMatchObject({ kind: "acquired" });
    const late = append(2, 3);
    expect(await appendRows(log.connection, late)).toMatchObject({ kind: "unknown", cause: "no rows" });
    expect(await resolveAppend(log.connection, late)).toEqual({ kind: "fenced", epoch: 2, head: 1 });
    expect(await rowsOf(log)).toHaveLength(1);
    expect(await appendRows(log.connection, append(2, 2, { node: "node-2", epoch: 2 }))).toEqual({ kind: "appended" });
  });

  test("of a node that has released the document, or of another one, changes nothing", async () => {
    await using log = await ownedDocument();
    const other = append(1, 1, { node: "node-2" });
    expect(await appendRows(log.connection, other)).toMatchObject({ kind: "unknown", cause: "no rows" });
    await releaseDocument(log.connection, { doc: "doc-1", node: "node-1", epoch: 1 });
    expect(await appendRows(log.connection, append(1, 1))).toMatchObject({ kind: "unknown", cause: "no rows" });
    expect(await resolveAppend(log.connection, append(1, 1))).toEqual({ kind: "fenced", epoch: 1, head: 0 });
  });

  test("sent twice adds the rows once, and resolves as appended", async () => {
    await using log = await ownedDocument();
    const twice = append(1, 3);
    await appendRows(log.connection, twice);
    expect(await appendRows(log.connection, twice)).toMatchObject({ kind: "unknown", cause: "no rows" });
    expect(await resolveAppend(log.connection, twice)).toEqual({ kind: "appended" });
    expect(await rowsOf(log)).toHaveLength(3);
  });

  test("resolves as appended under a later epoch, too", async () => {
    await using log = await ownedDocument();
    await appendRows(log.connection, append(1, 2));
    await acquireDocument(log.connection, { doc: "doc-1", node: "node-1" });
    expect(await resolveAppend(log.connection, append(1, 2))).toEqual({ kind: "appended" });
  });

  test("leaves gaps nowhere: rows after a missing one are refused", async () => {
    await using log = await ownedDocument();
    const ahead = append(2, 2);
    expect(await appendRows(log.connection, ahead)).toMatchObject({ kind: "unknown", cause: "no rows" });
    expect(await resolveAppend(log.connection, ahead)).toEqual({ kind: "conflict", epoch: 1, head: 0 });
    expect(appendRows(log.connection, { ...ahead, rows: [logRow(1), logRow(3)] })).rejects.toThrow("consecutive");
  });

  test("that did not arrive resolves as missing, and can be sent again", async () => {
    await using log = await ownedDocument();
    expect(await resolveAppend(log.connection, append(1, 2))).toEqual({ kind: "missing" });
    expect(await appendRows(log.connection, append(1, 2))).toEqual({ kind: "appended" });
  });

  test("finds other content in its place", async () => {
    await using log = await ownedDocument();
    await appendRows(log.connection, append(1, 2));
    const other = append(1, 2, { rows: logRows(1, 2, "other") });
    expect(await resolveAppend(log.connection, other)).toEqual({ kind: "conflict", epoch: 1, head: 2 });
  });

  test("finds a log that went back in time", async () => {
    await using log = await ownedDocument();
    await sql(log.connection, "update quern.doc_owner set epoch = 0");
    expect(await resolveAppend(log.connection, append(1, 2))).toEqual({ kind: "conflict", epoch: 0, head: 0 });
    await sql(log.connection, "delete from quern.doc_owner");
    expect(await resolveAppend(log.connection, append(1, 2))).toEqual({ kind: "conflict", epoch: 0, head: 0 });
  });

  test("of unknown outcome after a lost connection resolves once PostgreSQL has committed it", async () => {
    await using log = await ownedDocument();
    const blocker = await log.open();
    const other = await log.open();
    const connection = await log.open();
    const [backend] = await sql<{ id: number }>(connection, "select pg_backend_pid() as id");
    // The row is locked: the append waits in PostgreSQL while its connection is lost.
    let outcome: ReturnType<typeof appendRows> | undefined;
    let resolution: ReturnType<typeof resolveAppend> | undefined;
    await blocker.transaction("read committed", async (session) => {
      await session.run({ name: "test_lock", text: "select 1 from quern.doc_owner for update" });
      outcome = appendRows(connection, append(1, 2));
      await untilWaiting(log.connection, backend?.id ?? 0);
      connection.destroy("test");
      resolution = resolveAppend(other, append(1, 2));
    });
    expect(await outcome).toMatchObject({ kind: "unknown", cause: "lost" });
    // Both wait for the same lock in the order of their arrival.
    expect(await resolution).toEqual({ kind: "appended" });
    expect(await rowsOf(log)).toHaveLength(2);
  });

  test("is unknown when the connection is terminated, and no statement runs on it afterwards", async () => {
    await using log = await ownedDocument();
    const connection = await log.open();
    const blocker = await log.open();
    const [backend] = await sql<{ id: number }>(connection, "select pg_backend_pid() as id");
    let outcome: ReturnType<typeof appendRows> | undefined;
    await blocker.transaction("read committed", async (session) => {
      await session.run({ name: "test_lock", text: "select 1 from quern.doc_owner for update" });
      outcome = appendRows(connection, append(1, 2));
      await untilWaiting(log.connection, backend?.id ?? 0);
      await sql(log.connection, `select pg_terminate_backend(${backend?.id})`);
      await outcome;
    });
    expect(await outcome).toMatchObject({ kind: "unknown", cause: "lost" });
    expect(await resolveAppend(log.connection, append(1, 2))).toEqual({ kind: "missing" });
    expect(connection.isOpen).toBe(false);
    expect(sql(connection, "select 1")).rejects.toBeInstanceOf(ConnectionLostError);
  });

  test("closes the connection at its deadline instead of cancelling", async () => {
    await using log = await ownedDocument();
    const connection = await log.open();
    const blocker = await log.open();
    await blocker.transaction("read committed", async (session) => {
      await session.run({ name: "test_lock", text: "select 1 from quern.doc_owner for update" });
      const outcome = await appendRows(connection, append(1, 2), { deadlineMs: 50 });
      expect(outcome).toMatchObject({ kind: "unknown", cause: "lost", message: expect.stringContaining("50 ms") });
    });
    expect(connection.isOpen).toBe(false);
  });

  test("with a warning is unknown", async () => {
    await using log = await ownedDocument();
    await sql(
      log.connection,
      `create function quern.warn() returns trigger language plpgsql as $$
      begin raise warning 'canceling wait for synchronous replication due to user request'; return new; end $$`,
    );
    await sql(
      log.connection,
      "create trigger warn before insert on quern.doc_log for each row execute function quern.warn()",
    );
    expect(await appendRows(log.connection, append(1, 1))).toEqual({
      kind: "unknown",
      cause: "warning",
      message: "canceling wait for synchronous replication due to user request",
    });
    expect(await resolveAppend(log.connection, append(1, 1))).toEqual({ kind: "appended" });
  });
});
