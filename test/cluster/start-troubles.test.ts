/** Servers that cannot use the database of their log: each says why in one line, ends, and has changed nothing. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createDatabase, HAS_POSTGRES, POSTGRES_NEEDED, PostgresServer, sharedPostgres } from "../helpers/postgres.ts";
import { runQuern } from "../helpers/run-quern.ts";
import { addUserWithKey, freePort, startServerProcess } from "../helpers/server-process.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

interface Trouble {
  /** The URL of the log. */
  readonly url: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** A folder with content; otherwise one that has a user. */
  readonly folder?: string;
  /** The server of the database that must not be changed. */
  readonly server?: Pick<PostgresServer, "query">;
}

const PASSWORD = "secret-1";

const nameOf = (url: string) => new URL(url).pathname.slice(1);

/** An address of the shared server, changed. */
async function addressOf(change: (url: URL) => void): Promise<Trouble> {
  const url = new URL(await createDatabase());
  change(url);
  return { url: url.href, server: await sharedPostgres() };
}

async function stoppedServer(): Promise<string> {
  const folder = tempFolder();
  const headers = { ...(await addUserWithKey({ folder })), "Content-Type": "application/json" };
  await using server = await startServerProcess({ folder });
  const body = JSON.stringify({ name: "Orders" });
  expect((await fetch(`${server.address}/api/workspaces/1/docs`, { method: "POST", headers, body })).status).toBe(200);
  expect(await server.stop()).toBe(0);
  return folder;
}

async function ownServer(settings: Readonly<Record<string, string>>): Promise<Trouble> {
  const server = await PostgresServer.start();
  await server.query("create database log");
  await server.restart("immediate", settings);
  return { url: server.url("log"), server };
}

const TROUBLES: readonly [string, () => Trouble | Promise<Trouble>, string][] = [
  ["a URL of another database system", () => ({ url: `mysql://u:${PASSWORD}@127.0.0.1/d` }), "postgres://"],
  ["a URL without a host", () => ({ url: `postgres://u:${PASSWORD}@` }), "postgres://"],
  [
    "an address where nothing listens",
    () => ({ url: `postgres://u:${PASSWORD}@127.0.0.1:${freePort()}/d` }),
    "cannot be reached",
  ],
  [
    "a host that does not exist",
    () => ({ url: `postgres://u:${PASSWORD}@quern.invalid/d?connect_timeout=5` }),
    "cannot be reached",
  ],
  [
    "a wrong password",
    () =>
      addressOf((url) => {
        url.password = PASSWORD;
      }),
    "refused the user name or the password",
  ],
  [
    "an unknown user",
    () =>
      addressOf((url) => {
        url.username = "nobody";
        url.password = PASSWORD;
      }),
    "refused the user name or the password",
  ],
  [
    "a missing database",
    async () => ({ url: (await sharedPostgres()).url("missing") }),
    "does not have the database of the log's URL",
  ],
  [
    "a role without rights",
    async () => {
      const server = await sharedPostgres();
      const user = `role_${crypto.randomUUID().replaceAll("-", "")}`;
      await server.query(`create role ${user} login password '${PASSWORD}'`);
      const database = nameOf(await createDatabase());
      return { url: server.url(database, { user, password: PASSWORD }), server };
    },
    "may not create a schema",
  ],
  ["a server without fsync", () => ownServer({ fsync: "off" }), "PostgreSQL has fsync = off"],
  [
    "a server in read-only mode",
    () => ownServer({ default_transaction_read_only: "on" }),
    "PostgreSQL is in read-only mode",
  ],
  [
    "a folder with documents that the log does not have",
    async () => ({ url: await createDatabase(), server: await sharedPostgres(), folder: await stoppedServer() }),
    "has documents and the log is empty: start once with --adopt",
  ],
];

/** The files of a folder with their contents; not the index of an empty write-ahead log, and not the lock. */
const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith("-shm") && entry.name !== "lock")
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(folder.length), Bun.hash(readFileSync(path)).toString()]),
  );

const schemasOf = async (server: Pick<PostgresServer, "query">, database: string) =>
  server.query("select nspname from pg_namespace where nspname not like 'pg_temp%'", { database });

describe.skipIf(!HAS_POSTGRES)(`a server is not started${POSTGRES_NEEDED}`, () => {
  describe.each(["QUERN_LOG_TO", "QUERN_CLUSTER"])("by %s", (setting) => {
    test.each(TROUBLES)(
      "with %s",
      async (_, prepare, message) => {
        const { url, settings = {}, folder = tempFolder(), server } = await prepare();
        if (readdirSync(folder).length === 0) await addUserWithKey({ folder });
        const state = async () => ({
          files: contents(folder),
          schemas: server && (await schemasOf(server, nameOf(url))),
        });
        const before = await state();
        const command = ["serve", "--data", folder, "--port", String(freePort())];
        const { status, out, err } = await runQuern(command, { ...settings, [setting]: url });
        expect(status).not.toBe(0);
        expect(err).toHaveLength(1);
        expect(err[0]).toContain(message);
        expect([...out, ...err].join("\n")).not.toContain(PASSWORD);
        expect(await state()).toEqual(before);
      },
      60_000,
    );
  });

  test("with two logs", async () => {
    const url = await createDatabase();
    const command = ["serve", "--data", tempFolder(), "--port", String(freePort())];
    const { status, err } = await runQuern(command, { QUERN_LOG_TO: url, QUERN_CLUSTER: url });
    expect(status).not.toBe(0);
    expect(err).toEqual([expect.stringContaining("excludes --log-to")]);
  });

  test.each([
    ["QUERN_LOG_TO", []],
    ["QUERN_CLUSTER", []],
    // A folder that is adopted may be that of another installation.
    ["QUERN_LOG_TO", ["--adopt"]],
  ] as const)(
    "by %s %p beside another installation that starts with the same empty database",
    async (setting, args) => {
      const url = await createDatabase();
      const folders = [tempFolder(), tempFolder()];
      for (const folder of folders) await addUserWithKey({ folder });
      const starts = await Promise.allSettled(
        folders.map((folder) => startServerProcess({ folder, settings: { [setting]: url }, args })),
      );
      const started = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
      const refused = starts.flatMap((start) => (start.status === "rejected" ? [String(start.reason)] : []));
      for (const server of started) await server[Symbol.asyncDispose]();
      expect(refused).toEqual([expect.stringMatching(/another installation|Another server writes to this log/)]);
      expect(started).toHaveLength(1);
    },
    // On a loaded machine the first one may lose its lease, and the other one begin.
    { timeout: 60_000, retry: 2 },
  );
});
