/** The only file that reads the command line and the environment, and that ends the process. */

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
  return run({
    args,
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
  });
}
