/** Runs the built executable on a data folder of its own, for what measures or checks it from outside. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface RunningServer extends AsyncDisposable {
  /** `http://127.0.0.1:40123` */
  readonly address: string;
  readonly pid: number;
  /** Runs a command beside the server on the same data, and gives what it prints under `--json`. */
  command<T>(...args: string[]): Promise<T>;
  /** Asks the server to end and removes its data. Throws when it had died, or does not end as it should. */
  stop(): Promise<void>;
  /** What it has written to its log so far. */
  readLog(): Promise<string>;
  /** Ends it at once, as a crash does; gives what it had written to its log. */
  kill(): Promise<string>;
}

export interface ServerOptions {
  /** The executable, with what it is run by before it. */
  readonly executable?: readonly string[];
  /** Settings, `QUERN_…`, besides the data folder and a free port. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What the server is run by, but not commands beside it: `taskset -c 0`. */
  readonly under?: readonly string[];
}

export const EXECUTABLE = join(import.meta.dir, "../dist/quern");

/**
 * Starts a server with fresh data and waits until it answers.
 * @throws Error with what the server wrote when it does not come up
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
    const said = (await log.text()) + (before === null ? "" : `\nThe server had ended by itself: ${before}`);
    await rm(folder, { recursive: true, force: true });
    return { status, said };
  };
  const stop = async () => {
    if (isEnded) return;
    const { status, said } = await end("SIGTERM");
    if (status !== 0) throw new Error(`the server ended with status ${status}:\n${said.slice(-5000)}`);
  };
  const address = await firstAddress(server.stdout);
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
  const kill = async () => (await end("SIGKILL")).said;
  return { address, pid: server.pid, command, stop, readLog: () => log.text(), kill, [Symbol.asyncDispose]: stop };
}

/** The address in the line that says that the server is ready; undefined when there is none. */
async function firstAddress(output: ReadableStream<Uint8Array>): Promise<string | undefined> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of output) {
    text += decoder.decode(chunk, { stream: true });
    const address = /^Listening on (\S+)\n/m.exec(text)?.[1];
    if (address !== undefined) return address;
  }
  return undefined;
}
