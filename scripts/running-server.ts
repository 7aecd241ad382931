/** Runs the built executable on a temporary data folder, for scripts that measure or check it from outside. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface RunningServer extends AsyncDisposable {
  /** `http://127.0.0.1:40123` */
  readonly address: string;
  readonly pid: number;
  /** Runs a command on the same data while the server runs, and returns its output with `--json`. */
  command<T>(...args: string[]): Promise<T>;
  /** Stops the server and removes its data. Throws if it had crashed, or does not exit cleanly. */
  stop(): Promise<void>;
  /** Returns its log so far. */
  readLog(): Promise<string>;
  /** Kills the process, as a crash does; returns its log. */
  kill(): Promise<string>;
}

export interface ServerOptions {
  /** The executable, with a command prefix. */
  readonly executable?: readonly string[];
  /** Settings, `QUERN_…`, besides the data folder and a free port. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Command prefix of the server only: `taskset -c 0`. */
  readonly under?: readonly string[];
}

export const EXECUTABLE = join(import.meta.dir, "../dist/quern");

/**
 * Starts a server with an empty data folder and waits until it is ready.
 * @throws Error with the server's output if it does not start
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const { executable = [EXECUTABLE], settings = {}, under = [] } = options;
  const folder = await mkdtemp(join(tmpdir(), "quern-"));
  const log = Bun.file(join(folder, "log"));
  const env = { PATH: process.env["PATH"] ?? "", QUERN_DATA: join(folder, "data"), QUERN_PORT: "0", ...settings };
  const server = Bun.spawn([...under, ...executable, "serve"], { env, stdout: "pipe", stderr: log });
  let isEnded = false;
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    isEnded = true;
    const before = server.signalCode ?? server.exitCode;
    server.kill(signal);
    const status = await server.exited;
    const output = (await log.text()) + (before === null ? "" : `\nThe server had exited already: ${before}`);
    await rm(folder, { recursive: true, force: true });
    return { status, output };
  };
  const stop = async () => {
    if (isEnded) return;
    const { status, output } = await end("SIGTERM");
    if (status !== 0) throw new Error(`the server ended with status ${status}:\n${output.slice(-5000)}`);
  };
  const address = await readAddress(server.stdout);
  if (address === undefined) {
    await stop();
    throw new Error("the server ended before it was ready");
  }
  const command = async <T>(...args: string[]): Promise<T> => {
    const child = Bun.spawn([...executable, ...args, "--json"], { env, stdout: "pipe", stderr: "pipe" });
    const [out, error, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    if (status !== 0) throw new Error(`quern ${args.join(" ")}: ${error || `status ${status}`}`);
    return JSON.parse(out) as T;
  };
  const kill = async () => (await end("SIGKILL")).output;
  return { address, pid: server.pid, command, stop, readLog: () => log.text(), kill, [Symbol.asyncDispose]: stop };
}

/** Returns the URL in the line that reports the server ready; undefined without one. */
export async function readAddress(output: ReadableStream<Uint8Array>): Promise<string | undefined> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of output) {
    text += decoder.decode(chunk, { stream: true });
    const address = /^Listening on (\S+)\n/m.exec(text)?.[1];
    if (address !== undefined) return address;
  }
  return undefined;
}
