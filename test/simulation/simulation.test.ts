import { expect, test } from "bun:test";
import { simulate } from "../../scripts/simulation/simulation.ts";
import { REQUIRED_VARIANTS } from "../../scripts/simulation/variants.ts";

test("the protocol keeps its guarantees", () => {
  const { violation, figures } = simulate({ seed: 4, steps: 20_000, variant: null });
  expect(violation).toBeNull();
  // The simulation is worth something only if enough happens in it.
  for (const name of ["acknowledged", "reads", "lost", "diverged", "takeOvers", "failovers", "deletions"]) {
    expect(figures[name]).toBeGreaterThan(3);
  }
});

test("a seed gives the same result each time", () => {
  const options = { seed: 9, steps: 5000, variant: null };
  expect(simulate(options)).toEqual(simulate(options));
});

test.each(REQUIRED_VARIANTS)("the checker finds the broken variant %s", (variant) => {
  const seeds = [1, 2, 3];
  const isFound = seeds.some((seed) => simulate({ seed, steps: 10_000, variant }).violation !== null);
  expect(isFound).toBe(true);
});
