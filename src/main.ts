/** The only file that reads the command line and the environment, and that ends the process. */

import { count } from "./lib/measurements.ts";
import { OutputStream } from "./lib/output-stream.ts";

/** How long the end of the process waits for a reader of stderr. */
const LAST_WORDS_MS = 1000;

// No await at the top: the bytecode that the executable starts from cannot have it.
void main(process.argv.slice(2)).then((status) => process.exit(status));

/** Each part of the program is loaded only where it is the one to run: what runs queries is small and starts fast. */
async function main(args: readonly string[]): Promise<number> {
  if (args[0] === "sql-runner") {
    const { runQueries } = await import("./sql/runner.ts");
    runQueries();
    return 0;
  }
  const { run } = await import("./commands/run.ts");
  const out = new OutputStream(process.stdout);
  const err = new OutputStream(process.stderr, (lines) => count("logLinesDropped", lines));
  const status = await run({
    args,
    env: process.env,
    stdin: () => Bun.stdin.text(),
    out: (line) => out.write(`${line}\n`),
    err: (line) => err.write(`${line}\n`),
    async outputLost() {
      await out.drained();
      return out.droppedLines > 0;
    },
    onStop(stop) {
      process.once("SIGTERM", stop);
      process.once("SIGINT", stop);
    },
    onLostError(report) {
      process.on("unhandledRejection", report);
    },
  });
  await Promise.race([err.drained(), Bun.sleep(LAST_WORDS_MS)]);
  return status;
}
