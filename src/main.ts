/** The only file that reads the command line and the environment, and that ends the process. */
import { run } from "./commands/run.ts";

// No await at the top: the bytecode that the executable starts from cannot have it.
void run({
  args: process.argv.slice(2),
  env: process.env,
  stdin: () => Bun.stdin.text(),
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  onStop(stop) {
    process.once("SIGTERM", stop);
    process.once("SIGINT", stop);
  },
  onLostError(report) {
    process.on("unhandledRejection", report);
  },
}).then((status) => process.exit(status));
