/**
 * Stress tests of the built executable: `bun scripts/stress/main.ts [NAME…] [--quick] [--rounds N] [--minutes N]
 * [--seed N]` (all by default). Prints a line for each; the exit status is 1 if one failed.
 */
import { parseArgs } from "node:util";
import { browsers } from "./browsers.ts";
import { durabilityKill } from "./crash-kill.ts";
import { durabilityPower } from "./crash-power-cut.ts";
import { subscribers } from "./subscribers.ts";
import { footprint } from "./footprint.ts";
import { isolation } from "./isolation.ts";
import { soak } from "./soak.ts";
import type { StressTest } from "./stress-test.ts";

const STRESS_TESTS: readonly StressTest[] = [
  durabilityKill,
  durabilityPower,
  isolation,
  footprint,
  subscribers,
  browsers,
  soak,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    minutes: { type: "string" },
    seed: { type: "string" },
  },
});
const unknown = positionals.filter((name) => !STRESS_TESTS.some((stressTest) => stressTest.name === name));
if (unknown.length > 0) {
  console.error(
    `name).join(", ")}. => Unknown stress test: ${unknown.join(", ")}. Available: ${STRESS_TESTS.map(({ name }) => name).join(", ")}. => name).join(", ")}.`,
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
  const start = performance.now();
  const { figures, problems } = await stressTest.run({ isQuick: values.quick, rounds, minutes, seed });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(
    `${stressTest.name}: ${figures} (${seconds} s, --seed ${seed}): ${problems.length === 0 ? "ok" : "FAILED"}`,
  );
  for (const problem of problems) console.log(`  ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
