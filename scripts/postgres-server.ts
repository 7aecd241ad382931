/**
 * A real PostgreSQL server for tests and scripts: Debian's, on a random port of the loopback address, with `fsync` and
 * `synchronous_commit` on.
 */
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { Client } from "pg";
import { freePort } from "./free-port.ts";

/** PostgreSQL refuses to run as root: then it runs as `nobody`. */
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
const START_TIMEOUT_MS = 60_000;

const ADMIN = "quern";
const PASSWORD = "test-password";

/** Settings that all servers have. Small buffers: several of them run at the same time. */
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  shared_buffers: "32MB",
  max_connections: "200",
  wal_level: "replica",
  max_wal_senders: "4",
  lc_messages: "C",
  log_min_messages: "warning",
};

/** The folder of the newest installed PostgreSQL programs; null where there are none. */
const BIN = binFolder();

export const HAS_POSTGRES = BIN !== null && (!isRoot || Bun.which("setpriv") !== null);
export type StopMode = "fast" | "immediate";

export interface PostgresOptions {
  /** An existing folder for everything that belongs to the server, which the caller removes. */
  readonly folder: string;
  /** Lines of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Makes this server a standby of another one. */
  readonly standbyOf?: PostgresServer;
  /** A network, besides the loopback address, from which clients connect: the server's address in it, and its range. */
  readonly network?: { readonly address: string; readonly range: string };
}

/** A PostgreSQL server. Ends with the process in any case. */
export class PostgresServer implements AsyncDisposable {
  readonly port = freePort();
  readonly #folder: string;
  readonly #settings: Readonly<Record<string, string>>;
  #child: Subprocess | null = null;

  private constructor(folder: string, settings: Readonly<Record<string, string>>) {
    this.#folder = join(folder, "data");
    this.#settings = { ...SETTINGS, unix_socket_directories: `'${folder}'`, port: String(this.port), ...settings };
    mkdirSync(this.#folder, { mode: 0o700 });
    if (!isRoot) return;
    for (const path of [folder, this.#folder]) chownSync(path, UNPRIVILEGED.uid, UNPRIVILEGED.gid);
    chmodSync(folder, 0o755);
  }

  /** Creates a server's files and starts it. */
  static async start({ folder, settings = {}, standbyOf, network }: PostgresOptions): Promise<PostgresServer> {
    const addresses = network && { listen_addresses: `127.0.0.1,${network.address}` };
    const server = new PostgresServer(folder, { ...addresses, ...settings });
    if (standbyOf) {
      const source = ["-d", standbyOf.url("postgres"), "-D", server.#folder, "-R", "-c", "fast", "--no-sync"];
      await runProgram("pg_basebackup", source);
    } else {
      const password = join(server.#folder, "..", "password");
      writeFileSync(password, PASSWORD, { mode: 0o644 });
      const access = ["-U", ADMIN, "--auth=scram-sha-256", `--pwfile=${password}`];
      await runProgram("initdb", ["-D", server.#folder, "--no-sync", "-E", "UTF8", "--locale=C", ...access]);
    }
    const rule = network && `host all all ${network.range} scram-sha-256\n`;
    if (rule) appendFileSync(join(server.#folder, "pg_hba.conf"), rule);
    await server.launch();
    return server;
  }

  /** The address of a database; by default as the superuser. */
  url(database: string, { user = ADMIN, password = PASSWORD }: { user?: string; password?: string } = {}): string {
    return `postgres://${user}:${password}@127.0.0.1:${this.port}/${database}`;
  }

  /** The folder of the Unix socket. */
  get socketFolder(): string {
    return join(this.#folder, "..");
  }

  /** The data folder, owned by the user that the server runs as. */
  get folder(): string {
    return this.#folder;
  }

  /** Creates an empty database and returns its address. */
  async createDatabase(): Promise<string> {
    const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
    await this.query(`create database ${name}`);
    return this.url(name);
  }

  /** Runs a statement as the superuser on a connection of its own. */
  async query<Row>(text: string, { database = "postgres" } = {}): Promise<Row[]> {
    const client = new Client(this.url(database));
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Starts the stopped server again on the same port, with additional settings. */
  async launch(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const values = Object.entries({ ...this.#settings, ...settings });
    writeFileSync(join(this.#folder, "postgresql.auto.conf"), this.#recoverySettings());
    const options = values.flatMap(([name, value]) => ["-c", `${name}=${value.replaceAll("'", "")}`]);
    const log = Bun.file(join(this.#folder, "..", "server.log"));
    this.#child = Bun.spawn([...asUnprivileged(), program("postgres"), "-D", this.#folder, ...options], {
      stdin: "ignore",
      stdout: log,
      stderr: log,
    });
    const until = performance.now() + START_TIMEOUT_MS;
    while (!(await this.#isReady())) {
      if (this.#child.exitCode !== null || performance.now() > until) {
        throw new Error(`PostgreSQL did not start: ${await log.text()}`);
      }
      await Bun.sleep(20);
    }
  }

  /** Stops the server: `fast` after a checkpoint, `immediate` as after a crash. Idempotent. */
  async stop(mode: StopMode = "fast"): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#child = null;
    child.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
    await child.exited;
  }

  /** Stops all processes of the server for some time (SIGSTOP, SIGCONT), as a machine that hangs does. */
  async pause(ms: number): Promise<void> {
    const pids = processesIn(this.#folder);
    const send = (signal: "SIGSTOP" | "SIGCONT") => {
      for (const pid of pids) signalIfAlive(pid, signal);
    };
    send("SIGSTOP");
    await Bun.sleep(ms);
    send("SIGCONT");
  }

  /** Kills the main process without notice; the next start recovers. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#child = null;
    child.kill("SIGKILL");
    await child.exited;
    // Its child processes notice and exit, and only then can a new server use the folder.
    const until = performance.now() + START_TIMEOUT_MS;
    while (performance.now() < until && processesIn(this.#folder).length > 0) await Bun.sleep(20);
  }

  async restart(mode: StopMode = "fast", settings: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.stop(mode);
    await this.launch(settings);
  }

  /** Makes a standby the primary server, on a new timeline. */
  async promote(): Promise<void> {
    await this.query("select pg_promote(true, 60)");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop("immediate");
  }

  /** A standby keeps the address of its primary, which pg_basebackup wrote. */
  #recoverySettings(): string {
    const path = join(this.#folder, "postgresql.auto.conf");
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
    return lines.filter((line) => line.startsWith("primary_conninfo")).join("\n");
  }

  async #isReady(): Promise<boolean> {
    const args = ["-q", "-h", "127.0.0.1", "-p", String(this.port), "-t", "5"];
    return (await Bun.spawn([program("pg_isready"), ...args]).exited) === 0;
  }
}

function binFolder(): string | null {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).toSorted((a, b) => Number(b) - Number(a)) : [];
  const installed = versions
    .map((version) => join(root, version, "bin"))
    .find((bin) => existsSync(join(bin, "initdb")));
  return installed ?? (Bun.which("initdb") && Bun.which("postgres") ? "" : null);
}

const program = (name: string): string => (BIN ? join(BIN, name) : name);

/** A server ends with this process, however that ends (`--pdeathsig`). */
function asUnprivileged(): string[] {
  if (Bun.which("setpriv") === null) return [];
  const user = [`--reuid=${UNPRIVILEGED.uid}`, `--regid=${UNPRIVILEGED.gid}`, "--clear-groups"];
  return ["setpriv", ...(isRoot ? user : []), "--pdeathsig=QUIT"];
}

async function runProgram(name: string, args: readonly string[]): Promise<void> {
  const command = [...asUnprivileged(), program(name), ...args];
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "pipe", cwd: "/" });
  const [output, status] = await Promise.all([child.stderr.text(), child.exited]);
  if (status !== 0) throw new Error(`${name} failed: ${output}`);
}

/** Returns the processes that have the folder as their working directory, as all processes of PostgreSQL have. */
function processesIn(folder: string): number[] {
  const script = `for p in /proc/[0-9]*; do [ "$(readlink $p/cwd)" = "$1" ] && echo \${p#/proc/}; done; true`;
  const { stdout } = Bun.spawnSync(["sh", "-c", script, "sh", folder]);
  return stdout.toString().trim().split("\n").filter(Boolean).map(Number);
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // A backend that has exited meanwhile.
  }
}
