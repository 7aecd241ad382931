import { describe, expect, test } from "bun:test";
import { chmodSync, chownSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../../src/cluster/postgres/connect.ts";
import type { Connection } from "../../../src/cluster/postgres/connection.ts";
import { parseLogUrl } from "../../../src/cluster/postgres/log-url.ts";
import { LOG_REFUSALS } from "../../../src/cluster/postgres/refusals.ts";
import { checkNoPooler, findProblem, type SessionState } from "../../../src/cluster/postgres/session.ts";
import { AppError } from "../../../src/errors.ts";
import { createAuthority, HAS_OPENSSL } from "../../helpers/certificates.ts";
import {
  createDatabase,
  HAS_POSTGRES,
  POSTGRES_NEEDED,
  PostgresServer,
  sharedPostgres,
} from "../../helpers/postgres.ts";
import { freePort } from "../../helpers/server-process.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { sql } from "./log-fixture.ts";

const open = (url: string): Promise<Connection> => connect(parseLogUrl(url));

/** Returns the refusal of a URL; fails if it is accepted or shows the password. */
async function refusalOf(url: string): Promise<AppError> {
  const error = await open(url).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw new Error(`not refused: ${String(error)}`);
  expect(error.message).not.toContain(parseLogUrl(url).password || "secret");
  expect(error.message).toMatch(/^[^\n]+\.$/);
  return error;
}

describe.skipIf(!HAS_POSTGRES)(`connecting to PostgreSQL${POSTGRES_NEEDED}`, () => {
  test("sets the session so that commits are synchronous and no timeout applies", async () => {
    const url = await createDatabase();
    const server = await sharedPostgres();
    const name = new URL(url).pathname.slice(1);
    for (const setting of [
      "statement_timeout = 200",
      "lock_timeout = 200",
      "synchronous_commit = off",
      "bytea_output = escape",
    ]) {
      await server.query(`alter database ${name} set ${setting}`);
    }
    await using connection = await open(url);
    const names = ["statement_timeout", "lock_timeout", "synchronous_commit", "timezone", "bytea_output"];
    const values = await Promise.all(
      names.map(
        async (each) =>
          (await sql<{ value: string }>(connection, `select current_setting('${each}') as value`))[0]?.value,
      ),
    );
    expect(values).toEqual(["0", "0", "on", "UTC", "hex"]);
    const [types] = await sql(
      connection,
      `select 1::int8 as a, '\\x00ff'::bytea as b, true as c, null as d, 'x' as e, 1.5::float8 as f`,
    );
    expect(types).toEqual({ a: 1, b: Buffer.from([0, 255]), c: true, d: null, e: "x", f: 1.5 });
  });

  test("tries the hosts in order until one is the primary server", async () => {
    const url = await createDatabase();
    await using connection = await open(url.replace("@", `@127.0.0.1:${freePort()},`));
    expect(connection.isOpen).toBe(true);
  });

  test("works through a Unix socket", async () => {
    const server = await sharedPostgres();
    const url = await createDatabase();
    const { pathname, username, password } = new URL(url);
    const local = `postgres://${username}:${password}@${pathname}?host=${server.socketFolder}&port=${server.port}`;
    await using connection = await open(local);
    expect(await sql(connection, "select inet_client_addr() as address")).toEqual([{ address: null }]);
  });

  test("refuses a wrong address, password, user or database in one sentence", async () => {
    const server = await sharedPostgres();
    const url = new URL(await createDatabase());
    const at = `127.0.0.1:${server.port}`;
    const elsewhere = freePort();
    const refused = [
      [
        `postgres://quern:secret-1@127.0.0.1:${elsewhere}/x`,
        "log.unavailable",
        `PostgreSQL at 127.0.0.1:${elsewhere} cannot be reached`,
      ],
      [`postgres://quern:secret-1@${at}${url.pathname}`, "log.credentials", LOG_REFUSALS.credentials(at)],
      [`postgres://nobody:secret-1@${at}${url.pathname}`, "log.credentials", LOG_REFUSALS.credentials(at)],
      [`postgres://quern@${at}${url.pathname}`, "log.credentials", LOG_REFUSALS.credentials(at)],
      [server.url("missing"), "log.unsupported", LOG_REFUSALS.database(at)],
      ["postgres://quern:secret-1@quern.invalid/x", "log.unavailable", "cannot be reached"],
    ] as const;
    for (const [address, reason, message] of refused) {
      const error = await refusalOf(address);
      expect([error.reason, error.message]).toEqual([reason, expect.stringContaining(message)]);
    }
  });

  test("refuses a server that does not answer, after the timeout", async () => {
    using silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const error = await refusalOf(`postgres://u:secret-1@127.0.0.1:${silent.port}/d?connect_timeout=1&sslmode=disable`);
    expect(error).toMatchObject({ reason: "log.unavailable", retryAfterS: 2 });
  });

  test("refuses a server that may lose commits, a standby and read-only mode", async () => {
    await using server = await PostgresServer.start();
    await using standby = await PostgresServer.start({ standbyOf: server });
    const refused = async (url: string) => (await refusalOf(url)).message;
    expect(await refused(standby.url("postgres"))).toBe(LOG_REFUSALS.standby());
    await using primary = await open(server.url("postgres").replace("@", `@127.0.0.1:${standby.port},`));
    expect(await sql(primary, "select pg_is_in_recovery() as r")).toEqual([{ r: false }]);
    await server.query("create database read_only");
    await server.query("alter database read_only set default_transaction_read_only = on");
    expect(await refused(server.url("read_only"))).toBe(LOG_REFUSALS.readOnly());
    await server.restart("immediate", { full_page_writes: "off" });
    expect(await refused(server.url("postgres"))).toBe(LOG_REFUSALS.setting("full_page_writes", "off"));
    await server.restart("immediate", { fsync: "off" });
    expect(await refused(server.url("postgres"))).toBe(LOG_REFUSALS.setting("fsync", "off"));
  });

  test.skipIf(!HAS_OPENSSL)("verifies the server's certificate as the URL demands", async () => {
    const folder = tempFolder();
    const authority = createAuthority(folder);
    const { cert, key } = authority.issue("server");
    await using server = await PostgresServer.start();
    await server.stop();
    for (const [from, name] of [
      [cert, "tls.crt"],
      [key, "tls.key"],
    ] as const) {
      const to = join(server.folder, name);
      copyFileSync(from, to);
      chmodSync(to, 0o600);
      if (process.getuid?.() === 0) chownSync(to, 65_534, 65_534);
    }
    const plain = server.url("postgres");
    await server.launch();
    expect((await refusalOf(`${plain}?sslmode=require`)).message).toContain("TLS connection");
    await using unencrypted = await open(`${plain}?sslmode=prefer`);
    const isEncrypted = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";
    expect(await sql(unencrypted, isEncrypted)).toEqual([{ ssl: false }]);
    await server.restart("fast", { ssl: "on", ssl_cert_file: "tls.crt", ssl_key_file: "tls.key" });
    const root = join(folder, "root.crt");
    for (const parameters of [
      "sslmode=prefer",
      "sslmode=require",
      `sslmode=verify-ca&sslrootcert=${root}`,
      `sslmode=verify-full&sslrootcert=${root}`,
    ]) {
      await using connection = await open(`${plain}?${parameters}`);
      expect([parameters, await sql(connection, isEncrypted)]).toEqual([parameters, [{ ssl: true }]]);
    }
    const other = createAuthority(tempFolder());
    await Bun.write(join(folder, "other.crt"), other.root);
    for (const parameters of [
      "sslmode=verify-full",
      `sslmode=verify-ca&sslrootcert=${join(folder, "other.crt")}`,
      `sslmode=require&sslrootcert=${join(folder, "other.crt")}`,
    ]) {
      expect(await refusalOf(`${plain}?${parameters}`)).toMatchObject({ reason: "log.unavailable" });
    }
    // The certificate names 127.0.0.1 and localhost only.
    const elsewhere = plain.replace("127.0.0.1", "127.0.0.2");
    await server.restart("fast", {
      listen_addresses: "127.0.0.1,127.0.0.2",
      ssl: "on",
      ssl_cert_file: "tls.crt",
      ssl_key_file: "tls.key",
    });
    expect((await refusalOf(`${elsewhere}?sslmode=verify-full&sslrootcert=${root}`)).reason).toBe("log.unavailable");
    expect((await refusalOf(`${plain}?sslmode=verify-full&sslrootcert=/missing.crt`)).reason).toBe("log.url");
  });
});

describe("the checks of a session", () => {
  const good: SessionState = {
    versionNumber: 130_000,
    version: "13.0",
    isStandby: false,
    fsync: "on",
    fullPageWrites: "on",
    synchronousCommit: "on",
    statementTimeout: "0",
    readOnly: "off",
  };

  test("accept version 13", () => expect(findProblem(good)).toBeNull());

  test.each([
    [{ versionNumber: 120_017, version: "12.17" }, "PostgreSQL 12.17 is too old: the log needs version 13 or later."],
    [{ isStandby: true }, LOG_REFUSALS.standby()],
    [{ readOnly: "on" }, LOG_REFUSALS.readOnly()],
    [{ fsync: "off" }, LOG_REFUSALS.setting("fsync", "off")],
    [{ fullPageWrites: "off" }, LOG_REFUSALS.setting("full_page_writes", "off")],
    [{ synchronousCommit: "local" }, LOG_REFUSALS.setting("synchronous_commit", "local")],
    [{ statementTimeout: "30s" }, LOG_REFUSALS.timeout("statement_timeout", "30s")],
  ])("refuse %o", (difference, problem) => {
    expect(findProblem({ ...good, ...difference })).toBe(problem);
  });
});

const PGBOUNCER = Bun.which("pgbouncer");
const needsPooler = PGBOUNCER ? "" : " (skipped: PgBouncer is not installed)";

describe.skipIf(!HAS_POSTGRES)(`connection poolers${POSTGRES_NEEDED}`, () => {
  test("are not suspected on a direct connection", async () => {
    const url = await createDatabase();
    await using connection = await open(url);
    await checkNoPooler(connection, () => Promise.reject(new Error("not needed")));
  });

  test.skipIf(!PGBOUNCER).each(["transaction", "session"])(
    `in %s mode are distinguished${needsPooler}`,
    async (mode) => {
      const server = await sharedPostgres();
      const url = new URL(await createDatabase());
      const port = freePort();
      const folder = tempFolder();
      chmodSync(folder, 0o755);
      await Bun.write(join(folder, "users.txt"), `"quern" "${url.password}"\n`);
      await Bun.write(
        join(folder, "pgbouncer.ini"),
        `[databases]\n* = host=127.0.0.1 port=${server.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
          `auth_type = scram-sha-256\nauth_file = ${join(folder, "users.txt")}\npool_mode = ${mode}\n` +
          "unix_socket_dir =\nignore_startup_parameters = extra_float_digits\n",
      );
      const command = [
        PGBOUNCER ?? "",
        ...(process.getuid?.() === 0 ? ["-u", "nobody"] : []),
        join(folder, "pgbouncer.ini"),
      ];
      const pooler = Bun.spawn(command, { stdout: "ignore", stderr: "ignore" });
      try {
        const pooled = `postgres://quern:${url.password}@127.0.0.1:${port}${url.pathname}`;
        const connection = await openWhenReady(pooled);
        const checked = checkNoPooler(connection, () => open(pooled));
        if (mode === "session") await checked;
        else expect(checked).rejects.toMatchObject({ reason: "log.unsupported", message: LOG_REFUSALS.pooler() });
        await checked.catch(() => {});
        await connection.close();
      } finally {
        pooler.kill("SIGKILL");
        await pooler.exited;
      }
    },
  );
});

async function openWhenReady(url: string): Promise<Connection> {
  const until = performance.now() + 30_000;
  for (;;) {
    try {
      return await open(url);
    } catch (error) {
      if (performance.now() > until) throw error;
      await Bun.sleep(20);
    }
  }
}
