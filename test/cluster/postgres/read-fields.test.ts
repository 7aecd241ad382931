/** Statements that run once per request. */
import { describe, expect, test } from "bun:test";
import { statement, unpreparedStatement } from "../../../src/cluster/postgres/connection.ts";
import { ConnectionLostError, StatementError } from "../../../src/cluster/postgres/failures.ts";
import { pollHomeHead, readHomeHead } from "../../../src/cluster/postgres/statements/home-head.ts";
import { registerNode } from "../../../src/cluster/postgres/statements/nodes.ts";
import { acquireDocument, createDocument } from "../../../src/cluster/postgres/statements/ownership.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../../helpers/postgres.ts";
import { createTestLog, sql } from "./log-fixture.ts";

const VALUE = statement("test_value", "select 1::int8, null::text, 'Zürich', true where pg_sleep(0) is not null");
const NO_ROW = statement("test_no_row", "select 1 where false");
const FAILING = statement("test_failing", "select 1 / (select count(*)::int from quern.node)");
const SLOW = statement("test_slow", "select pg_sleep(5)");

describe.skipIf(!HAS_POSTGRES)(`reading columns as text${POSTGRES_NEEDED}`, () => {
  test("returns the columns of the row, and null for no row, in turn with other statements", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    const reads = Array.from({ length: 20 }, async (_, index) => {
      if (index % 3 === 1) return connection.readFields(NO_ROW);
      if (index % 3 === 2)
        return (await connection.run(unpreparedStatement<{ n: number }>(`select ${index}::int8 as n`))).rows[0]?.n;
      return connection.readFields(VALUE);
    });
    const row = ["1", null, "Zürich", "t"];
    expect(await Promise.all(reads)).toEqual(reads.map((_, index) => [row, null, index][index % 3]));
  });

  test("rejects with the error of a statement, and the connection goes on", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    await registerNode(connection, { id: "a", address: null, version: "1.0.0", boot: "boot" });
    expect(await connection.readFields(FAILING)).toEqual(["1"]);
    await sql(connection, "delete from quern.node");
    expect(connection.readFields(FAILING)).rejects.toBeInstanceOf(StatementError);
    expect(await connection.readFields(VALUE)).toHaveLength(4);
    expect(connection.isOpen).toBe(true);
  });

  test.each<[string, (process: number) => string | null]>([
    ["a deadline", () => null],
    ["PostgreSQL", (process) => `select pg_terminate_backend(${process})`],
  ])("rejects when %s ends the connection", async (_, end) => {
    await using log = await createTestLog();
    const connection = await log.open();
    expect(await connection.readFields(VALUE)).toHaveLength(4);
    const text = end(connection.announcedProcessId ?? 0);
    // Caught at once: the connection may end before PostgreSQL answers the other one.
    const read = connection.readFields(SLOW, text === null ? { deadlineMs: 100 } : {}).catch((error: unknown) => error);
    if (text !== null) await sql(log.connection, text);
    expect(await read).toBeInstanceOf(ConnectionLostError);
    expect(await connection.readFields(VALUE).catch((error: unknown) => error)).toBeInstanceOf(ConnectionLostError);
  });

  test("the head of home is the same as with the driver's own query", async () => {
    await using log = await createTestLog();
    const { connection } = log;
    expect(await pollHomeHead(connection)).toBeNull();
    await createDocument(connection, { doc: "home", head: 7 });
    expect(await pollHomeHead(connection)).toMatchObject({ head: 7, node: null, address: null, isOwnerAlive: false });
    await registerNode(connection, { id: "a", address: "http://10.0.0.1:80", version: "1.0.0", boot: "boot" });
    await acquireDocument(connection, { doc: "home", node: "a" });
    const head = await pollHomeHead(connection);
    expect(head).toMatchObject({ node: "a", address: "http://10.0.0.1:80", epoch: 1, isOwnerAlive: true });
    expect(head).toEqual(await readHomeHead(connection));
    await sql(connection, "update quern.node set lease_until = clock_timestamp()");
    expect(await pollHomeHead(connection)).toEqual(await readHomeHead(connection));
  });
});
