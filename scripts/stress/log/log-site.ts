/** A server whose acknowledged writes are in a PostgreSQL of its own, for stress tests of the replicated log. */
import { cpSync, renameSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresServer } from "../../postgres-server.ts";
import { type RunningServer, startServer } from "../../running-server.ts";
import { createApi } from "../load/api.ts";
import { WORKLOAD_SETTINGS } from "../load/workload.ts";
import { createItems } from "./items.ts";
import { FRIEND, type TokenSite } from "./token-writers.ts";

export interface LogSite extends TokenSite, AsyncDisposable {
  readonly postgres: PostgresServer;
  readonly database: string;
  readonly server: RunningServer;
  /** Starts a server after the last one was killed or stopped. */
  start(): Promise<void>;
  /** What becomes of the data folder while no server runs. */
  wipe(): void;
  keepCopy(): void;
  putCopyBack(): void;
}

const OWNER = "owner@example.com";

export async function createLogSite({ documents: count }: { documents: number }): Promise<LogSite> {
  const folder = await mkdtemp(join(tmpdir(), "quern-stress-log-"));
  // Beside the other folder: PostgreSQL runs as another user.
  const postgresFolder = await mkdtemp(join(tmpdir(), "quern-stress-postgres-"));
  const postgres = await PostgresServer.start({ folder: postgresFolder });
  const database = "quern_stress";
  await postgres.query(`create database ${database}`);
  const [data, copy] = [join(folder, "data"), join(folder, "copy")];
  const settings = { ...WORKLOAD_SETTINGS, QUERN_DATA: data, QUERN_LOG_TO: postgres.url(database) };
  let server = await startServer({ settings });
  await server.command("user", "add", "--email", OWNER, "--name", "Owner");
  await server.command("user", "add", "--email", FRIEND, "--name", "Friend");
  const { key } = await server.command<{ key: string }>("key", "create", "--email", OWNER);
  let api = createApi(server.address, key);
  const workspace = await api.send<number>("POST", "/orgs/current/workspaces", { name: "Load" });
  const documents: string[] = [];
  for (let i = 0; i < count; i++) documents.push(await createItems(api, workspace, `Load ${i}`));
  return {
    postgres,
    database,
    key,
    dataFolders: [data],
    checkFile: (path) => server.command("doc", "check", path),
    address: () => server.address,
    workspace,
    documents,
    get api() {
      return api;
    },
    get server() {
      return server;
    },
    async start() {
      server = await startServer({ settings });
      api = createApi(server.address, key);
    },
    wipe: () => rmSync(data, { recursive: true, force: true }),
    keepCopy() {
      rmSync(copy, { recursive: true, force: true });
      cpSync(data, copy, { recursive: true });
    },
    putCopyBack() {
      rmSync(data, { recursive: true, force: true });
      renameSync(copy, data);
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await postgres.stop("immediate");
      for (const path of [folder, postgresFolder]) await rm(path, { recursive: true, force: true });
    },
  };
}
