/**
 * Stress tests of the built executable: `bun scripts/stress/main.ts [NAME…] [--quick] [--rounds N] [--minutes N]
 * [--seed N] [--large-attachments]` (all by default). Prints a line for each; the exit status is 1 if one failed.
 */
import { parseArgs } from "node:util";
import { browsers } from "./browsers.ts";
import { clusterAccess } from "./cluster-access.ts";
import { clusterDrain } from "./cluster-drain.ts";
import { clusterFaults } from "./cluster-faults.ts";
import { clusterOutage } from "./cluster-outage.ts";
import { clusterUpgrade } from "./cluster-upgrade.ts";
import { durabilityKill } from "./crash-kill.ts";
import { durabilityPower } from "./crash-power-cut.ts";
import { jobKill } from "./job-kill.ts";
import { live } from "./live-load.ts";
import { logFaults } from "./log-faults.ts";
import { logKill } from "./log-kill.ts";
import { subscribers } from "./subscribers.ts";
import { footprint } from "./footprint.ts";
import { isolation } from "./isolation.ts";
import { smallMachine } from "./small-machine.ts";
import { soak } from "./soak.ts";
import type { StressTest } from "./stress-test.ts";

const STRESS_TESTS: readonly StressTest[] = [
  durabilityKill,
  durabilityPower,
  jobKill,
  logKill,
  logFaults,
  clusterFaults,
  clusterOutage,
  clusterDrain,
  clusterUpgrade,
  clusterAccess,
  isolation,
  footprint,
  smallMachine,
  subscribers,
  live,
  browsers,
  soak,
];

/** How often the short form measures again where limits that depend on the machine are exceeded. */
const MAX_REPETITIONS = 2;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    minutes: { type: "string" },
    seed: { type: "string" },
    "large-attachments": { type: "boolean", default: false },
  },
});
const unknown = positionals.filter((name) => !STRESS_TESTS.some((stressTest) => stressTest.name === name));
if (unknown.length > 0) {
  console.error(
    `Unknown stress test: ${unknown.join(", ")}. Available: ${STRESS_TESTS.map(({ name }) => name).join(", ")}.`,
  );
  process.exit(2);
}
const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
const parseOptionalNumber = (text: string | undefined) => (text === undefined ? undefined : Number(text));
const [rounds, minutes] = [parseOptionalNumber(values.rounds), parseOptionalNumber(values.minutes)];
for (const stressTest of STRESS_TESTS) {
  if (positionals.length > 0 && !positionals.includes(stressTest.name)) continue;
  const missing = stressTest.missing?.();
  if (missing !== undefined) {
    console.log(`${stressTest.name}: skipped: ${missing}`);
    continue;
  }
  let repetitions = values.quick ? MAX_REPETITIONS : 0;
  while ((await measure(stressTest, { isRepeatable: repetitions > 0 })) === "repeat") repetitions--;
}

/** Runs a stress test and prints its line; returns "repeat" if only limits that depend on the machine were exceeded. */
async function measure(
  stressTest: StressTest,
  { isRepeatable }: { isRepeatable: boolean },
): Promise<"ok" | "repeat" | "FAILED"> {
  const start = performance.now();
  const {
    figures,
    problems,
    exceeded = [],
  } = await stressTest.run({
    isQuick: values.quick,
    rounds,
    minutes,
    seed,
    hasLargeAttachments: values["large-attachments"],
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const all = [...problems, ...exceeded];
  const result = all.length === 0 ? "ok" : isRepeatable && problems.length === 0 ? "repeat" : "FAILED";
  console.log(`${stressTest.name}: ${figures} (${seconds} s, --seed ${seed}): ${result}`);
  for (const problem of all) console.log(`  ${problem}`);
  if (result === "FAILED") process.exitCode = 1;
  return result;
}
