/** Runs the server as a child process, for behaviour that is only visible from outside. */
import { join } from "node:path";
import type { Subprocess } from "bun";
import { freePort } from "../../scripts/free-port.ts";
import { PROGRAM_COMMAND } from "./run-quern.ts";

export { freePort };

const MAIN = join(import.meta.dir, "../../src/main.ts");
const READY_TIMEOUT_MS = 30_000;

export interface ServerProcess extends AsyncDisposable {
  readonly address: string;
  readonly port: number;
  readonly process: Subprocess;
  /** Its whole stderr output, if that is a pipe; complete after the process has exited. */
  readonly stderr: Promise<string>;
  /** Stops it and returns its exit status. */
  stop(): Promise<number>;
}

export interface ServerProcessOptions {
  /** The data folder. */
  readonly folder: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Arguments of the command. */
  readonly args?: readonly string[];
  /** Shell redirections, such as `2>/dev/full`. */
  readonly redirect?: string;
  /** Command prefix. */
  readonly under?: readonly string[];
  /** A file to load before the program, which then runs from the sources. */
  readonly preload?: string;
}

/** Starts the program as a child process. */
export function spawnServer(options: ServerProcessOptions & { readonly port: number }) {
  const { folder, port, settings = {}, args = [], redirect = "", under: wrapper = [], preload } = options;
  const program = preload === undefined ? PROGRAM_COMMAND : [process.execPath, "--preload", preload, MAIN];
  const command = [...wrapper, "sh", "-c", `exec "$@" ${redirect}`, "sh", ...program, "serve", ...args];
  const env = { PATH: process.env["PATH"] ?? "", QUERN_DATA: folder, QUERN_PORT: String(port), ...settings };
  return Bun.spawn(command, { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
}

/**
 * Starts a server and waits until it is ready.
 * @throws Error with its output if it exits before
 */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const port = freePort();
  const child = spawnServer({ ...options, port });
  const scheme = options.settings?.["QUERN_TLS_CERT"] === undefined ? "http" : "https";
  const address = `${scheme}://127.0.0.1:${port}`;
  const stderr = child.stderr.text();
  const isReady = await eventually(async () => child.exitCode !== null || (await isAnswering(address)));
  if (!isReady || child.exitCode !== null) {
    child.kill("SIGKILL");
    throw new Error(`the server did not start: ${await stderr}`);
  }
  return {
    address,
    port,
    process: child,
    stderr,
    async stop() {
      child.kill("SIGTERM");
      return child.exited;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** Context in which a command runs. */
export interface CommandTarget {
  /** The data folder. */
  readonly folder: string;
  /** Command prefix. */
  readonly under?: readonly string[];
}

/** Runs a command while a server runs, and returns its output. */
export async function runCommand({ folder, under = [] }: CommandTarget, ...args: string[]): Promise<string> {
  const words = [...under, ...PROGRAM_COMMAND, ...args, "--data", folder];
  const child = Bun.spawn(words, { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  return (await child.stdout.text()).trim();
}

/** Adds a user with a key; returns the headers of their requests. */
export async function addUserWithKey(beside: CommandTarget): Promise<{ readonly Authorization: string }> {
  await runCommand(beside, "user", "add", "--email", "ada@example.com", "--name", "Ada");
  return { Authorization: `Bearer ${await runCommand(beside, "key", "create", "--email", "ada@example.com")}` };
}

/** Waits until `isDone` returns true; returns false on timeout. */
export async function eventually(isDone: () => boolean | Promise<boolean>): Promise<boolean> {
  const until = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < until) {
    if (await isDone()) return true;
    await Bun.sleep(20);
  }
  return false;
}

const isAnswering = (address: string): Promise<boolean> =>
  fetch(`${address}/status`, { tls: { rejectUnauthorized: false } }).then(
    ({ ok }) => ok,
    () => false,
  );
