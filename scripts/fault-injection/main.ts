/**
 * Injects faults around the built executable: `bun scripts/fault-injection/main.ts [NAME…] [--quick]` (all by default).
 * Prints a line for each; the exit status is 1 if one failed.
 */
import { parseArgs } from "node:util";
import { clockJump } from "./clock-jump.ts";
import { corruptPage } from "./corrupt-page.ts";
import { diskFull } from "./disk-full.ts";
import { failingDisk } from "./failing-disk.ts";
import type { Fault } from "./fault.ts";
import { flood } from "./flood.ts";
import { idleConnections, noHandles } from "./idle-connections.ts";
import { removedFile } from "./removed-file.ts";
import { slowloris } from "./slowloris.ts";

const FAULTS: readonly Fault[] = [
  diskFull,
  failingDisk,
  corruptPage,
  removedFile,
  clockJump,
  idleConnections,
  noHandles,
  slowloris,
  flood,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false } },
});
const unknown = positionals.filter((name) => !FAULTS.some((fault) => fault.name === name));
if (unknown.length > 0) {
  console.error(`Unknown fault: ${unknown.join(", ")}. Available: ${FAULTS.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}
const selected = FAULTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
// Reference figures come from the long forms, which run one at a time.
const runsInParallel = ({ isWaiting = false }: Fault): boolean => values.quick && isWaiting;
const parallelRuns = selected.filter(runsInParallel).map((fault) => runAndReport(fault));
for (const fault of selected) if (!runsInParallel(fault)) await runAndReport(fault);
await Promise.all(parallelRuns);

async function runAndReport(fault: Fault): Promise<void> {
  const missing = fault.missing?.();
  if (missing !== undefined) return console.log(`${fault.name}: skipped: ${missing}`);
  const start = performance.now();
  const { figures, problems } = await fault.run({ isQuick: values.quick }).catch((error: unknown) => ({
    figures: "aborted",
    problems: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
  }));
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const lines = problems.map((problem) => `\n  ${problem}`).join("");
  console.log(`${fault.name}: ${problems.length === 0 ? "ok" : "FAILED"} ${figures} (${seconds} s)${lines}`);
  if (problems.length > 0) process.exitCode = 1;
}
