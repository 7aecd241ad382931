import { join } from "node:path";

/**
 * The command that runs the program: from the sources, or the built executable `QUERN_TEST_EXECUTABLE`, which starts
 * ten times faster.
 */
export const PROGRAM_COMMAND: readonly string[] = process.env["QUERN_TEST_EXECUTABLE"]
  ? [process.env["QUERN_TEST_EXECUTABLE"]]
  : [process.execPath, join(import.meta.dir, "../../src/main.ts")];

export interface Outcome {
  readonly status: number;
  /** Lines of stdout. */
  readonly out: readonly string[];
  /** Lines of stderr. */
  readonly err: readonly string[];
}

/** Starts the program as a child process. */
export const startQuern = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  Bun.spawn([...PROGRAM_COMMAND, ...args], { env: { ...env }, stdout: "pipe", stderr: "pipe", stdin: "ignore" });

/** Runs a command as a child process, as it is run while a server runs. */
export async function runQuern(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const child = startQuern(args, env);
  const [out, err, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { status, out: linesOf(out), err: linesOf(err) };
}

/** Like `runQuern`, with `--json`; throws unless it succeeds. Returns the parsed output. */
export async function quernJson<T>(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<T> {
  const { status, out, err } = await runQuern([...args, "--json"], env);
  if (status !== 0) throw new Error(`quern ${args.join(" ")}: ${err.join("\n")}`);
  return JSON.parse(out.join("\n")) as T;
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.trimEnd().split("\n"));
