import { describe, expect, test } from "bun:test";
import { appendRows } from "../../../src/cluster/postgres/statements/appends.ts";
import {
  listNodes,
  removeExpiredNodes,
  removeNode,
  removePredecessor,
  renewLease,
} from "../../../src/cluster/postgres/statements/nodes.ts";
import {
  acquireDocument,
  createDocument,
  documentStates,
  findDueDocuments,
  findOwner,
  handOverDocument,
  readDocumentState,
  releaseDocument,
} from "../../../src/cluster/postgres/statements/ownership.ts";
import { countDocuments } from "../../../src/cluster/postgres/statements/statistics.ts";
import { markDocumentDeleted } from "../../../src/cluster/postgres/statements/retention.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../../helpers/postgres.ts";
import {
  addDocument,
  addNode,
  collect,
  createTestLog,
  expireLease,
  logRow,
  logRows,
  sql,
  untilWaiting,
} from "./log-fixture.ts";

const doc = "doc-1";

describe.skipIf(!HAS_POSTGRES)(`leases${POSTGRES_NEEDED}`, () => {
  test("are renewed until they expire", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    await addNode(connection, "node-1", { leaseMs: 60_000 });
    const report = { pendingCommits: 3, isDraining: true };
    expect(await renewLease(connection, "node-1", { leaseMs: 120_000, report })).toBe(true);
    const [node] = await listNodes(connection);
    const description = { id: "node-1", boot: "boot-1", version: "1.0.0" };
    expect(node).toMatchObject({ ...description, ...report, isAlive: true, lostAtMs: null, documents: 0 });
    expect(node?.leaseRemainingMs).toBeWithin(60_001, 120_001);
    await expireLease(connection, "node-1");
    expect(await renewLease(connection, "node-1")).toBe(false);
    expect((await listNodes(connection))[0]).toMatchObject({ isAlive: false, leaseRemainingMs: 0 });
    expect(await renewLease(connection, "node-2")).toBe(false);
  });

  test("have unique ids", async () => {
    await using log = await createTestLog();
    await addNode(log.connection, "node-1");
    expect(addNode(log.connection, "node-1")).rejects.toMatchObject({ sqlState: "23505" });
  });

  test("of a former process end only on the same start of the same machine", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    await addNode(connection, "node-1");
    await addDocument(connection);
    await addNode(connection, "node-2");
    expect(await removePredecessor(connection, { id: "node-1", boot: "boot-2" })).toBe(false);
    expect(await acquireDocument(connection, { doc, node: "node-2" })).toMatchObject({ kind: "owned" });
    expect(await removePredecessor(connection, { id: "node-1", boot: "boot-1" })).toBe(true);
    expect(await removePredecessor(connection, { id: "node-1", boot: "boot-1" })).toBe(false);
    expect(await acquireDocument(connection, { doc, node: "node-2" })).toMatchObject({ kind: "acquired" });
  });

  test("end with a clean shutdown, which releases all documents", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    await addNode(connection, "node-1");
    await addDocument(connection);
    await removeNode(connection, "node-1");
    await removeNode(connection, "node-1");
    expect(await findOwner(connection, doc)).toBeNull();
    expect(await listNodes(connection)).toEqual([]);
  });

  test("of a lost node show how long its documents have been with others", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    await addNode(connection, "node-1");
    await addNode(connection, "node-2");
    for (const each of ["home", "doc-1", "doc-2"]) await addDocument(connection, { doc: each });
    expect(await listNodes(connection)).toMatchObject([
      { id: "node-1", documents: 2, ownsHome: true },
      { id: "node-2", documents: 0, ownsHome: false },
    ]);
    await expireLease(connection, "node-1");
    await acquireDocument(connection, { doc, node: "node-2" });
    const [lost, taker] = await listNodes(connection);
    expect(lost).toMatchObject({ isAlive: false, documents: 1, ownsHome: true });
    expect(Date.now() - (lost?.lostAtMs ?? 0)).toBeWithin(-60_000, 60_000);
    expect(taker).toMatchObject({ documents: 1, lostAtMs: null });
    expect(await countDocuments(connection)).toEqual({ total: 2, withoutOwner: 1 });
  });

  test("that expired a week ago are removed, unless documents name them", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    for (const id of ["node-1", "node-2", "node-3"]) await addNode(connection, id);
    await addDocument(connection);
    await sql(
      connection,
      "update quern.node set lease_until = clock_timestamp() - interval '8 days' where id <> 'node-3'",
    );
    await removeExpiredNodes(connection);
    expect((await listNodes(connection)).map(({ id }) => id)).toEqual(["node-1", "node-3"]);
  });
});

describe.skipIf(!HAS_POSTGRES)(`acquiring a document${POSTGRES_NEEDED}`, () => {
  test("raises the epoch and keeps the head", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    await addNode(connection, "node-1");
    expect(await acquireDocument(connection, { doc, node: "node-1" })).toEqual({ kind: "missing" });
    await createDocument(connection, { doc });
    await createDocument(connection, { doc });
    const first = await acquireDocument(connection, { doc, node: "node-1" });
    expect(first).toMatchObject({ kind: "acquired", state: { doc, node: "node-1", epoch: 1, head: 0, baseRef: null } });
    await appendRows(connection, { doc, node: "node-1", epoch: 1, rows: logRows(1, 3), dueAtMs: null });
    const again = await acquireDocument(connection, { doc, node: "node-1" });
    expect(again).toMatchObject({ kind: "acquired", state: { epoch: 2, head: 3 } });
  });

  test("is refused while the owner's lease is valid", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    await addNode(connection, "node-1");
    await addNode(connection, "node-2");
    await addDocument(connection);
    const owner = { node: "node-1", address: "http://node-1:8080", epoch: 1, isAlive: true };
    expect(await acquireDocument(connection, { doc, node: "node-2" })).toEqual({ kind: "owned", owner });
    expect(await findOwner(connection, doc)).toEqual(owner);
    await expireLease(connection, "node-1");
    expect(await findOwner(connection, doc)).toEqual({ ...owner, isAlive: false });
    expect(await acquireDocument(connection, { doc, node: "node-2" })).toMatchObject({ kind: "acquired" });
    expect(await findOwner(connection, doc)).toMatchObject({ node: "node-2", epoch: 2, isAlive: true });
  });

  test("needs a valid lease of the taker", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    await createDocument(connection, { doc });
    expect(await acquireDocument(connection, { doc, node: "node-1" })).toEqual({ kind: "expired" });
    await addNode(connection, "node-1");
    await expireLease(connection, "node-1");
    expect(await acquireDocument(connection, { doc, node: "node-1" })).toEqual({ kind: "expired" });
    expect(await readDocumentState(connection, doc)).toMatchObject({ epoch: 0, node: null });
  });

  test("by two nodes at once succeeds for one of them", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    const takers = ["node-1", "node-2", "node-3", "node-4"];
    const connections = await Promise.all(takers.map(() => log.open()));
    for (const node of takers) await addNode(connection, node);
    for (let round = 0; round < 20; round++) {
      const name = `doc-${round}`;
      await createDocument(connection, { doc: name });
      const outcomes = await Promise.all(
        connections.map((one, i) => acquireDocument(one, { doc: name, node: takers[i] ?? "" })),
      );
      const kinds = outcomes.map(({ kind }) => kind).toSorted();
      expect(kinds.filter((kind) => kind === "acquired")).toEqual(["acquired"]);
      expect(kinds.every((kind) => ["acquired", "raced", "owned"].includes(kind))).toBe(true);
      const winner = takers[outcomes.findIndex(({ kind }) => kind === "acquired")] ?? "";
      expect(await readDocumentState(connection, name)).toMatchObject({ node: winner, epoch: 1 });
    }
  });

  test("of an expired owner ends its lease, also against a renewal that began before the lease expired", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    const [owner, taker, blocker] = await Promise.all([log.open(), log.open(), log.open()]);
    await addNode(connection, "node-1", { leaseMs: 3000 });
    await addNode(connection, "node-2");
    await addDocument(connection);
    const idOf = async (one: typeof owner) =>
      (await sql<{ id: number }>(one, "select pg_backend_pid() as id"))[0]?.id ?? 0;
    const [ownerId, takerId] = [await idOf(owner), await idOf(taker)];
    let acquired: ReturnType<typeof acquireDocument> | undefined;
    let renewal: Promise<boolean> | undefined;
    await blocker.transaction("read committed", async (session) => {
      await session.run({ name: "test_lock", text: "select 1 from quern.node where id = 'node-1' for update" });
      acquired = acquireDocument(taker, { doc, node: "node-2" });
      await untilWaiting(connection, takerId);
      // Finds a valid lease, and waits behind the taker until it has expired.
      renewal = renewLease(owner, "node-1");
      await untilWaiting(connection, ownerId);
      const isExpired = "select 1 from quern.node where id = 'node-1' and lease_until < clock_timestamp()";
      while ((await sql(connection, isExpired)).length === 0) await Bun.sleep(20);
    });
    expect(await acquired).toMatchObject({ kind: "acquired" });
    expect(await renewal).toBe(false);
  });

  test("ends the lease of the expired owner for all of its documents", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    await addNode(connection, "node-1");
    await addNode(connection, "node-2");
    await addDocument(connection);
    await expireLease(connection, "node-1");
    await acquireDocument(connection, { doc, node: "node-2" });
    const [row] = await sql<{ isEnded: boolean }>(
      connection,
      `select lease_until = '-infinity' as "isEnded" from quern.node where id = 'node-1'`,
    );
    expect(row).toEqual({ isEnded: true });
  });

  test("waits for an append in progress, whose row is then in the log", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    const [owner, taker] = await Promise.all([log.open(), log.open()]);
    await addNode(connection, "node-1");
    await addNode(connection, "node-2");
    await addDocument(connection);
    await expireLease(connection, "node-1");
    const [backend] = await sql<{ id: number }>(taker, "select pg_backend_pid() as id");
    let taken: ReturnType<typeof acquireDocument> | undefined;
    await owner.transaction("read committed", async (session) => {
      expect(
        await appendRows(session, { doc, node: "node-1", epoch: 1, rows: [logRow(1)], dueAtMs: null }),
      ).toMatchObject({
        kind: "appended",
      });
      taken = acquireDocument(taker, { doc, node: "node-2" });
      await untilWaiting(connection, backend?.id ?? 0);
    });
    expect(await taken).toMatchObject({ kind: "acquired", state: { epoch: 2, head: 1 } });
  });
});

describe.skipIf(!HAS_POSTGRES)(`giving a document up${POSTGRES_NEEDED}`, () => {
  test("releases it for any node, only by the owner under its epoch", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    await addNode(connection, "node-1");
    await addNode(connection, "node-2");
    await addDocument(connection);
    expect(await releaseDocument(connection, { doc, node: "node-1", epoch: 2 })).toBe(false);
    expect(await releaseDocument(connection, { doc, node: "node-2", epoch: 1 })).toBe(false);
    expect(await releaseDocument(connection, { doc, node: "node-1", epoch: 1 })).toBe(true);
    expect(await findOwner(connection, doc)).toBeNull();
    expect(await acquireDocument(connection, { doc, node: "node-2" })).toMatchObject({ state: { epoch: 2 } });
  });

  test("hands it to another living node under a new epoch", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    await addNode(connection, "node-1");
    await addNode(connection, "node-2");
    await addDocument(connection);
    await expireLease(connection, "node-2");
    const handOver = { doc, node: "node-1", epoch: 1, to: "node-2" };
    expect(await handOverDocument(connection, handOver)).toBeNull();
    await addNode(connection, "node-3");
    expect(await handOverDocument(connection, { ...handOver, to: "node-3" })).toMatchObject({
      epoch: 2,
      node: "node-3",
    });
    expect(await handOverDocument(connection, { ...handOver, to: "node-3" })).toBeNull();
  });
});

describe.skipIf(!HAS_POSTGRES)(`looking documents up${POSTGRES_NEEDED}`, () => {
  test("lists all in batches", async () => {
    await using log = await createTestLog();
    for (const name of ["c", "a", "b", "e", "d"]) await createDocument(log.connection, { doc: name });
    const listed = await collect(documentStates(log.connection, 2));
    expect(listed.map((state) => state.doc)).toEqual(["a", "b", "c", "d", "e"]);
    expect(await readDocumentState(log.connection, "f")).toBeNull();
  });

  test("finds due documents without a living owner", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    await addNode(connection, "node-1");
    await addNode(connection, "node-2");
    const names = ["owned", "expired", "released", "later", "deleted", "never"];
    for (const name of names) await addDocument(connection, { doc: name, node: "node-1" });
    await addDocument(connection, { doc: "owned-2", node: "node-2" });
    const due = (name: string, dueAtMs: number | null) =>
      appendRows(connection, { doc: name, node: "node-1", epoch: 1, rows: [logRow(1)], dueAtMs });
    for (const [i, name] of ["released", "expired", "deleted", "owned-2"].entries()) await due(name, 1_000_000 + i);
    await due("later", Date.now() + 3_600_000);
    await due("never", null);
    await expireLease(connection, "node-1");
    await releaseDocument(connection, { doc: "released", node: "node-1", epoch: 1 });
    await markDocumentDeleted(connection, "deleted");
    expect(await findDueDocuments(connection, 10)).toEqual(["released", "expired"]);
    expect(await findDueDocuments(connection, 1)).toEqual(["released"]);
  });
});
