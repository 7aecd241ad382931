/** The entry point: the only file that reads the command line and the environment, and that ends the process. */

import { type CommandContext, EXIT_CRASHED } from "./commands/command.ts";
import { guarded } from "./lib/callbacks.ts";
import { deferJit } from "./lib/jit-policy.ts";
import { incrementCounter } from "./lib/observability/measurements.ts";
import { OutputStream } from "./lib/observability/output-stream.ts";
import { systemTimers } from "./lib/time/timers.ts";

/** Maximum time to wait at exit for stderr to be read. */
const FLUSH_TIMEOUT_MS = 1000;
/** Shutdown timeout after an unhandled exception: 30 s for requests in flight, the rest for closing documents. */
const CRASH_SHUTDOWN_TIMEOUT_MS = 60_000;

// No top-level await: the bytecode of the executable does not support it.
void main(process.argv.slice(2)).then((status) => process.exit(status));

/** Loads only the part of the program that runs: the process for SQL queries is small and starts fast. */
async function main(args: readonly string[]): Promise<number> {
  if (args[0] === "sql-runner") {
    const { runQueries } = await import("./sql/query-runner.ts");
    runQueries();
    return 0;
  }
  if (args[0] === "file-reader") {
    await Bun.write(Bun.stdout, Bun.file(args[1] ?? ""));
    return 0;
  }
  // Until the server is ready.
  if (args[0] === "serve") deferJit();
  const run = args[0] === "serve" ? await loadServer() : (await import("./commands/run.ts")).run;
  const out = new OutputStream(process.stdout);
  const err = new OutputStream(process.stderr, (lines) => incrementCounter("logLinesDropped", lines));
  let isCrashed = false;
  const status = await run({
    args,
    env: process.env,
    stdin: () => Bun.stdin.text(),
    out: (line) => out.write(`${line}\n`),
    err: (line) => err.write(`${line}\n`),
    isTerminal: process.stderr.isTTY,
    async isOutputLost() {
      await out.drained();
      return out.droppedLines > 0;
    },
    onStop(stop) {
      process.once("SIGTERM", guarded(stop));
      process.once("SIGINT", guarded(stop));
    },
    onReload(reload) {
      process.on("SIGHUP", guarded(reload));
    },
    onUnhandledRejection(report) {
      process.on("unhandledRejection", guarded(report));
    },
    onUncaughtException(report) {
      const crash = guarded((error: unknown) => {
        isCrashed = true;
        systemTimers.after(CRASH_SHUTDOWN_TIMEOUT_MS, () => process.exit(EXIT_CRASHED));
        report(error);
      });
      process.on("uncaughtException", crash);
    },
    async streams() {
      const { createStreams } = await import("./commands/client/streams.ts");
      return createStreams({ stdin: process.stdin, stdout: process.stdout, stderr: process.stderr });
    },
  });
  await Promise.race([err.drained(), Bun.sleep(FLUSH_TIMEOUT_MS)]);
  return isCrashed ? EXIT_CRASHED : status;
}

/** Without the other commands: what is loaded stays in the server's memory. */
async function loadServer(): Promise<(context: CommandContext) => Promise<number>> {
  const [{ runCommand }, { serve }] = await Promise.all([
    import("./commands/run-command.ts"),
    import("./commands/serve.ts"),
  ]);
  return (context) => runCommand(serve, context);
}
