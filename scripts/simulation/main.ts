/**
 * Simulates the protocol of the cluster: `bun scripts/simulation/main.ts [--steps N] [--seed S] [--seeds N]
 * [--variant NAME] [--quick]`. Prints a line for each run; the exit status is 1 if a guarantee was violated, or a broken
 * variant was not found.
 */
import { parseArgs } from "node:util";
import { simulate } from "./simulation.ts";
import { REQUIRED_VARIANTS, type Variant, VARIANTS } from "./variants.ts";

const VARIANT_STEPS = 10_000;
const VARIANT_SEEDS = 10;
/** Of `VARIANT_SEEDS`. */
const REQUIRED_SEEDS = 9;

const { values } = parseArgs({
  options: {
    steps: { type: "string" },
    seed: { type: "string", default: "1" },
    seeds: { type: "string" },
    variant: { type: "string" },
    quick: { type: "boolean", default: false },
  },
});
const names = Object.keys(VARIANTS);
if (values.variant !== undefined && !names.includes(values.variant)) {
  console.error(`Unknown variant: ${values.variant}. Available: ${names.join(", ")}.`);
  process.exit(2);
}
const seed = Number(values.seed);
const count = (text: string | undefined, otherwise: number) => (text === undefined ? otherwise : Number(text));

if (values.variant !== undefined) {
  const isFound = checkVariant(
    values.variant as Variant,
    count(values.seeds, VARIANT_SEEDS),
    count(values.steps, VARIANT_STEPS),
  );
  if (!isFound) process.exitCode = 1;
} else {
  const steps = count(values.steps, values.quick ? 200_000 : 1_000_000);
  const isClean = checkProtocol(count(values.seeds, 1), steps);
  if (!isClean) process.exitCode = 1;
  // One seed is for reproducing a violation.
  const variants = values.quick || values.steps === undefined ? REQUIRED_VARIANTS : [];
  for (const variant of variants) {
    if (!checkVariant(variant, VARIANT_SEEDS, VARIANT_STEPS)) process.exitCode = 1;
  }
}

/** Runs the protocol as it is. */
function checkProtocol(seeds: number, steps: number): boolean {
  let isClean = true;
  for (let one = seed; one < seed + seeds; one++) {
    const start = performance.now();
    const { violation, figures, simulatedMs, ...result } = simulate({ seed: one, steps, variant: null });
    const seconds = (performance.now() - start) / 1000;
    const counts = Object.entries(figures).map(([name, value]) => `${value} ${name}`);
    const rate = Math.round(result.steps / seconds);
    console.log(
      `simulation: ${result.steps} steps (${rate} a second, ${Math.round(simulatedMs / 1000)} s simulated), ` +
        `${counts.join(", ")}, --seed ${one}: ${violation === null ? "ok" : "FAILED"}`,
    );
    if (violation !== null) console.log(`  ${violation}`);
    isClean &&= violation === null;
  }
  return isClean;
}

/** Runs a broken variant with several seeds; true if enough of them find it. */
function checkVariant(variant: Variant, seeds: number, steps: number): boolean {
  const found: number[] = [];
  let example = "";
  for (let one = seed; one < seed + seeds; one++) {
    const result = simulate({ seed: one, steps, variant });
    // Recovery after the last step is not counted.
    if (result.violation === null || result.steps > steps) continue;
    found.push(result.steps);
    example = result.violation;
  }
  const median = found.toSorted((a, b) => a - b)[Math.floor(found.length / 2)] ?? "–";
  const isFound = found.length >= Math.ceil((seeds * REQUIRED_SEEDS) / VARIANT_SEEDS);
  console.log(
    `simulation of ${variant}: found with ${found.length} of ${seeds} seeds, median step ${median}: ${isFound ? "ok" : "FAILED"}`,
  );
  if (example !== "") console.log(`  for example: ${example}`);
  return isFound;
}
