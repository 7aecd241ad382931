/** What happens to connections and appends when PostgreSQL or its standby fails. */
import { describe, expect, test } from "bun:test";
import { ReconnectingConnection } from "../../../src/cluster/postgres/reconnecting.ts";
import { LogDatabase } from "../../../src/cluster/postgres/log-database.ts";
import { notify } from "../../../src/cluster/postgres/listener.ts";
import type { Connection } from "../../../src/cluster/postgres/connection.ts";
import { appendRows, type Append } from "../../../src/cluster/postgres/statements/appends.ts";
import { readDocument } from "../../../src/cluster/postgres/statements/snapshot.ts";
import { AppError } from "../../../src/errors.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED, PostgresServer, createDatabase } from "../../helpers/postgres.ts";
import {
  addDocument,
  addNode,
  collect,
  createTestLog,
  INSTALLATION,
  logRow,
  logRows,
  resolveAppend,
  sql,
} from "./log-fixture.ts";

const doc = "doc-1";
const append = (first: number, last: number): Append => ({
  doc,
  node: "node-1",
  epoch: 1,
  rows: logRows(first, last),
  dueAtMs: null,
});

/** Opens the log of a server with a document that node-1 owns. */
async function openLog(url: string): Promise<LogDatabase> {
  const database = await LogDatabase.open(url, { installation: INSTALLATION });
  const control = await database.control();
  await addNode(control, "node-1");
  await addDocument(control);
  return database;
}

/** Waits for a connection as a server does: each attempt answers at once. */
async function eventuallyConnected(database: LogDatabase): Promise<Connection> {
  const until = performance.now() + 60_000;
  for (;;) {
    try {
      return await database.forDocument(doc);
    } catch (error) {
      if (performance.now() > until) throw error;
      await Bun.sleep(20);
    }
  }
}

describe.skipIf(!HAS_POSTGRES)(`when PostgreSQL fails${POSTGRES_NEEDED}`, () => {
  test("acknowledged appends survive a crash, and connections are replaced without a restart", async () => {
    await using server = await PostgresServer.start();
    await using database = await openLog(await server.createDatabase());
    let seq = 0;
    for (const fail of [() => server.stop("immediate"), () => server.kill()]) {
      for (let i = 0; i < 20; i++) {
        seq++;
        expect(await appendRows(await database.forDocument(doc), append(seq, seq))).toEqual({ kind: "appended" });
      }
      const connection = await database.forDocument(doc);
      await fail();
      expect(await appendRows(connection, append(seq + 1, seq + 1))).toMatchObject({ kind: "unknown", cause: "lost" });
      const refusal = await database.forDocument(doc).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(AppError);
      expect(refusal).toMatchObject({ reason: "log.unavailable", retryAfterS: 2 });
      await server.launch();
      const replaced = await eventuallyConnected(database);
      expect(await resolveAppend(replaced, append(seq + 1, seq + 1))).toEqual({ kind: "missing" });
      const seqs = await readDocument(replaced, doc, async ({ rows }) =>
        (await collect(rows(0))).map((row) => row.seq),
      );
      expect(seqs).toEqual(Array.from({ length: seq }, (_, i) => i + 1));
    }
  });

  test("an append that waits for a synchronous standby is unknown until the standby has it", async () => {
    await using server = await PostgresServer.start();
    await using standby = await PostgresServer.start({ standbyOf: server });
    await using log = await createTestLog(await server.createDatabase());
    await addNode(log.connection, "node-1");
    await addDocument(log.connection);
    await server.query("alter system set synchronous_standby_names = '*'");
    await server.query("select pg_reload_conf()");
    const isSynchronous = "select 1 from pg_stat_replication where sync_state = 'sync'";
    while ((await sql(log.connection, isSynchronous)).length === 0) await Bun.sleep(20);
    expect(await appendRows(log.connection, append(1, 1))).toEqual({ kind: "appended" });
    await standby.stop();

    // Cancelled while it waits: committed here, and only a warning says that the standby does not have it.
    const cancelled = await log.open();
    const observer = await log.open();
    const [process] = await sql<{ id: number }>(cancelled, "select pg_backend_pid() as id");
    const isWaiting = `select 1 from pg_stat_activity where pid = ${process?.id} and wait_event = 'SyncRep'`;
    const outcome = appendRows(cancelled, append(2, 2));
    while ((await sql(observer, isWaiting)).length === 0) await Bun.sleep(5);
    await sql(observer, `select pg_cancel_backend(${process?.id})`);
    expect(await outcome).toMatchObject({ kind: "unknown", cause: "warning" });
    const checking = await log.open();
    const tooEarly = resolveAppend(checking, append(2, 2), { deadlineMs: 200 });
    expect(tooEarly).rejects.toMatchObject({ name: "ConnectionLostError" });
    await tooEarly.catch(() => {});

    // Closed at its deadline while it waits: PostgreSQL goes on with the commit.
    const closed = await log.open();
    expect(await appendRows(closed, append(3, 3), { deadlineMs: 200 })).toMatchObject({
      kind: "unknown",
      cause: "lost",
    });
    await standby.launch();
    for (const seq of [2, 3]) {
      expect(await resolveAppend(observer, append(seq, seq))).toEqual({ kind: "appended" });
    }
    expect(await readDocument(observer, doc, async ({ state }) => state.head)).toBe(3);
  });
});

describe.skipIf(!HAS_POSTGRES)(`the connections of a server${POSTGRES_NEEDED}`, () => {
  test("are one for each purpose, and the same for all appends of a document", async () => {
    await using database = await openLog(await createDatabase());
    const idOf = async (connection: Connection) =>
      (await sql<{ id: number }>(connection, "select pg_backend_pid() as id"))[0]?.id ?? 0;
    const first = await idOf(await database.forDocument("a"));
    expect(await idOf(await database.forDocument("a"))).toBe(first);
    const appends = new Set<number>();
    for (let i = 0; i < 40; i++) appends.add(await idOf(await database.forDocument(`doc-${i}`)));
    expect(appends.size).toBe(4);
    const others = [
      await idOf(await database.control()),
      await idOf(await database.bulk()),
      await idOf(await database.bulk()),
    ];
    expect(new Set([...appends, ...others]).size).toBe(7);
  });

  test("are closed together, and open no more", async () => {
    const url = await createDatabase();
    const database = await openLog(url);
    const connection = await database.control();
    await database.close();
    await database.close();
    expect(connection.isOpen).toBe(false);
    expect(database.control()).rejects.toMatchObject({ reason: "log.unavailable" });
  });

  test("finish the statement in progress before they close", async () => {
    await using log = await createTestLog();
    const connection = await log.open();
    const [sleeping] = await Promise.all([sql(connection, "select 1 as one, pg_sleep(0.2)"), connection.close()]);
    expect(sleeping).toMatchObject([{ one: 1 }]);
  });

  test("do not wait beyond the deadline to close", async () => {
    await using log = await createTestLog();
    const connection = await log.open();
    const blocker = await log.open();
    await blocker.transaction("read committed", async (session) => {
      await session.run({ name: "", text: "lock table quern.node" });
      const blocked = sql(connection, "select 1 from quern.node").catch((error: unknown) => error);
      await connection.close({ deadlineMs: 50 });
      expect(await blocked).toMatchObject({ name: "ConnectionLostError" });
    });
    expect(connection.isOpen).toBe(false);
  });

  test("run statements one after the other, and transactions as a whole", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    await sql(connection, "create table quern.t (x int)");
    const transaction = connection.transaction("read committed", async (session) => {
      await session.run({ name: "", text: "insert into quern.t values (1)" });
      await session.run({ name: "", text: "select pg_sleep(0.05)" });
      throw new Error("rolled back");
    });
    const insert = sql(connection, "insert into quern.t values (2)");
    expect(transaction).rejects.toThrow("rolled back");
    await insert;
    expect(await sql(connection, "select x from quern.t")).toEqual([{ x: 2 }]);
  });

  test("count a deadline also for what waits behind another statement", async () => {
    await using log = await createTestLog();
    const connection = await log.open();
    const blocker = await log.open();
    await blocker.transaction("read committed", async (session) => {
      await session.run({ name: "", text: "lock table quern.node" });
      const [first, second] = await Promise.allSettled([
        sql(connection, "select 1 from quern.node"),
        connection.run({ name: "", text: "select 1" }, [], { deadlineMs: 50 }),
      ]);
      expect([first.status, second.status]).toEqual(["rejected", "rejected"]);
    });
  });
});

describe.skipIf(!HAS_POSTGRES)(`notifications${POSTGRES_NEEDED}`, () => {
  test("arrive on all listeners, also after their connection was lost", async () => {
    const url = await createDatabase();
    await using database = await openLog(url);
    const received: string[] = [];
    let waiting = Promise.withResolvers<void>();
    const next = async (work: () => Promise<unknown>) => {
      waiting = Promise.withResolvers();
      await work();
      await waiting.promise;
    };
    const listener = database.createListener({
      channels: ["quern_owner", "quern_home"],
      onNotification(channel, payload) {
        received.push(`${channel} ${payload}`);
        waiting.resolve();
      },
      onListening() {
        received.push("listening");
        waiting.resolve();
      },
    });
    await next(() => listener.start());
    const control = await database.control();
    await next(() => notify(control, "quern_owner", "doc-1"));
    const others =
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and datname = current_database()";
    await next(() => sql(control, others));
    expect(listener.isListening).toBe(true);
    await next(() => notify(control, "quern_home", "7"));
    await notify(control, "elsewhere", "8");
    expect(received).toEqual(["listening", "quern_owner doc-1", "listening", "quern_home 7"]);
  });
});

test.skipIf(!HAS_POSTGRES)(
  `a connection that cannot be opened is tried again with a growing delay${POSTGRES_NEEDED}`,
  async () => {
    const delays: number[] = [];
    const pending: (() => unknown)[] = [];
    const timers = {
      after(ms: number, work: () => unknown) {
        delays.push(ms);
        pending.push(work);
        return () => {};
      },
    };
    let attempts = 0;
    await using log = await createTestLog();
    const connection = new ReconnectingConnection({
      timers,
      async open() {
        attempts++;
        if (attempts < 8) throw new Error("not yet");
        return log.open();
      },
    });
    expect(connection.get()).rejects.toMatchObject({ reason: "log.unavailable", message: "not yet" });
    await connection.get().catch(() => {});
    await connection.get().catch(() => {});
    expect(attempts).toBe(1);
    while (!connection.isOpen) {
      await pending.shift()?.();
    }
    expect(delays).toEqual([50, 100, 200, 250, 250, 250, 250]);
    expect((await connection.get()).isOpen).toBe(true);
    await connection.close();
  },
);

test.skipIf(!HAS_POSTGRES)(`a large append is sent as bytes${POSTGRES_NEEDED}`, async () => {
  await using log = await createTestLog();
  await addNode(log.connection, "node-1");
  await addDocument(log.connection);
  const frames = crypto.getRandomValues(new Uint8Array(65_536));
  const rows = [{ ...logRow(1), frames }];
  expect(await appendRows(log.connection, { doc, node: "node-1", epoch: 1, rows, dueAtMs: null })).toEqual({
    kind: "appended",
  });
  const read = await readDocument(
    log.connection,
    doc,
    async (snapshot) => (await collect(snapshot.rows(0)))[0]?.frames,
  );
  expect(Buffer.from(read ?? []).equals(Buffer.from(frames))).toBe(true);
});
