import { describe, expect, test } from "bun:test";
import { connect } from "../../../src/cluster/postgres/connect.ts";
import { LogDatabase } from "../../../src/cluster/postgres/log-database.ts";
import { parseLogUrl } from "../../../src/cluster/postgres/log-url.ts";
import { LOG_REFUSALS } from "../../../src/cluster/postgres/refusals.ts";
import { openTables, readInstallation, TABLES_VERSION } from "../../../src/cluster/postgres/tables.ts";
import {
  readIdentity,
  readSettledIdentity,
  renewHistory,
  settleIdentity,
} from "../../../src/cluster/postgres/statements/identity.ts";
import {
  createDatabase,
  HAS_POSTGRES,
  POSTGRES_NEEDED,
  PostgresServer,
  sharedPostgres,
} from "../../helpers/postgres.ts";
import { createTestLog, INSTALLATION, sql } from "./log-fixture.ts";

/** Opens a log and closes it again. */
async function openLog(url: string, installation = INSTALLATION as { id: string; historyId: string }) {
  await using database = await LogDatabase.open(url, { installation });
  return database.tables;
}

const databaseOf = (url: string) => new URL(url).pathname.slice(1);

const relationsOf = async (url: string) =>
  (await sharedPostgres()).query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = to_regnamespace('quern') order by relname",
    { database: databaseOf(url) },
  );

/** Creates a role without any right. */
async function createRole(): Promise<{ user: string; password: string }> {
  const server = await sharedPostgres();
  const user = `role_${crypto.randomUUID().replaceAll("-", "")}`;
  await server.query(`create role ${user} login password 'role-password'`);
  return { user, password: "role-password" };
}

describe.skipIf(!HAS_POSTGRES)(`the tables of the log${POSTGRES_NEEDED}`, () => {
  test("are created by the first start and found by the next", async () => {
    const url = await createDatabase();
    expect(await openLog(url)).toEqual({ ...INSTALLATION, tablesVersion: TABLES_VERSION, isNew: true });
    const relations = await relationsOf(url);
    expect(await openLog(url, { id: INSTALLATION.id, historyId: "another" })).toMatchObject({
      ...INSTALLATION,
      isNew: false,
    });
    expect(await relationsOf(url)).toEqual(relations);
  });

  test("are created once by concurrent starts", async () => {
    const url = await createDatabase();
    const opened = await Promise.all([1, 2, 3, 4].map(() => openLog(url)));
    expect(opened.filter(({ isNew }) => isNew)).toHaveLength(1);
  });

  test("of another installation are refused", async () => {
    await using log = await createTestLog();
    expect(openLog(log.url, { id: "installation-2", historyId: "history-2" })).rejects.toMatchObject({
      reason: "log.other_installation",
      message: LOG_REFUSALS.otherInstallation(),
    });
    expect(await readInstallation(log.connection)).toMatchObject(INSTALLATION);
  });

  test("of a newer version are refused", async () => {
    await using log = await createTestLog();
    await sql(log.connection, "update quern.installation set tables_version = 99");
    expect(openLog(log.url)).rejects.toMatchObject({
      reason: "log.newer_version",
      message: LOG_REFUSALS.newerTables(99, TABLES_VERSION),
    });
  });

  test("are not created in a schema of another program", async () => {
    const url = await createDatabase();
    await (
      await sharedPostgres()
    ).query("create schema quern create table mine (x int)", { database: databaseOf(url) });
    expect(openLog(url)).rejects.toMatchObject({ reason: "log.unsupported", message: LOG_REFUSALS.foreignSchema() });
    expect((await relationsOf(url)).map(({ name }) => name)).toEqual(["mine"]);
  });

  test("need a role that may create a schema, or use the existing one", async () => {
    const server = await sharedPostgres();
    const url = await createDatabase();
    const role = await createRole();
    const asRole = server.url(databaseOf(url), role);
    const refusal = (action: string) => ({ reason: "log.rights", message: LOG_REFUSALS.rights(action) });
    expect(openLog(asRole)).rejects.toMatchObject(refusal("create a schema in the database"));
    expect(await relationsOf(url)).toEqual([]);
    await openLog(url);
    expect(openLog(asRole)).rejects.toMatchObject({ reason: "log.rights" });
    const database = { database: databaseOf(url) };
    await server.query(`grant usage on schema quern to ${role.user}`, database);
    await server.query(`grant select on all tables in schema quern to ${role.user}`, database);
    expect(openLog(asRole)).rejects.toMatchObject(refusal("write to the table quern.installation"));
    await server.query(`grant insert, update, delete on all tables in schema quern to ${role.user}`, database);
    expect(await openLog(asRole)).toMatchObject({ isNew: false });
  });

  test("belong to a role that owns only the database", async () => {
    const server = await sharedPostgres();
    const url = await createDatabase();
    const role = await createRole();
    await server.query(`alter database ${databaseOf(url)} owner to ${role.user}`);
    const asRole = server.url(databaseOf(url), role);
    expect(await openLog(asRole)).toMatchObject({ isNew: true });
    await using connection = await connect(parseLogUrl(asRole));
    expect(await readIdentity(connection)).toMatchObject({ installationId: INSTALLATION.id });
  });

  test("are missing in a database without a log", async () => {
    await using connection = await connect(parseLogUrl(await createDatabase()));
    expect(await readInstallation(connection)).toBeNull();
  });
});

describe.skipIf(!HAS_POSTGRES)(`the identity of the database${POSTGRES_NEEDED}`, () => {
  test("has the history, which can be renewed", async () => {
    await using log = await createTestLog();
    const before = await readIdentity(log.connection);
    expect(before).toEqual({
      systemIdentifier: expect.stringMatching(/^\d{15,20}$/),
      timeline: 1,
      installationId: INSTALLATION.id,
      historyId: INSTALLATION.historyId,
    });
    expect(await readSettledIdentity(log.connection)).toBeNull();
    await settleIdentity(log.connection, before);
    const { systemIdentifier, timeline, historyId } = before;
    expect(await readSettledIdentity(log.connection)).toEqual({ systemIdentifier, timeline, historyId });
    await renewHistory(log.connection, "history-2");
    expect(await readIdentity(log.connection)).toEqual({ ...before, historyId: "history-2" });
  });

  test("changes its timeline when a standby is promoted, before the next checkpoint", async () => {
    await using primary = await PostgresServer.start();
    await using standby = await PostgresServer.start({ standbyOf: primary });
    const url = await primary.createDatabase();
    await using log = await createTestLog(url);
    const before = await readIdentity(log.connection);
    const [position] = await sql<{ lsn: string }>(log.connection, "select pg_current_wal_lsn()::text as lsn");
    const isReplayed = `select pg_last_wal_replay_lsn() >= '${position?.lsn}' as done`;
    while (!(await standby.query<{ done: boolean }>(isReplayed))[0]?.done) await Bun.sleep(20);
    await standby.promote();
    await using connection = await connect(parseLogUrl(standby.url(databaseOf(url))));
    expect(await readIdentity(connection)).toEqual({ ...before, timeline: 2 });
  });
});

test.skipIf(!HAS_POSTGRES)(`opening tables twice on one connection changes nothing${POSTGRES_NEEDED}`, async () => {
  await using log = await createTestLog();
  expect(await openTables(log.connection, INSTALLATION)).toMatchObject({ isNew: false });
});
