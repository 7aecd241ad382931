import { expect, test } from "bun:test";
import { limitMemory, memoryLimitMissing } from "../../scripts/stress/memory-limit.ts";

const missing = memoryLimitMissing();
const LIMIT_MB = 128;

/** Runs a program in a child of a limited process that holds so much memory. */
async function runHolding(under: readonly string[], mb: number): Promise<number> {
  const script = `const held = Buffer.alloc(${mb} * 1024 * 1024, 1); process.exit(held.at(-1) === 1 ? 0 : 3)`;
  const words = [...under, "sh", "-c", '"$@"; exit $?', "sh", process.execPath, "-e", script];
  return Bun.spawn(words, { stdout: "ignore", stderr: "ignore" }).exited;
}

test.skipIf(missing !== undefined)(
  `a memory limit holds for children, too (${missing ?? "cgroups work"})`,
  async () => {
    using limit = limitMemory(LIMIT_MB);
    expect(await runHolding(limit.under, 20)).toBe(0);
    expect(limit.kills() ?? 0).toBe(0);
    expect(await runHolding(limit.under, LIMIT_MB + 50)).not.toBe(0);
    expect(limit.kills() ?? 1).toBe(1);
    expect(limit.peakMb() ?? LIMIT_MB).toBeGreaterThan(LIMIT_MB * 0.9);
  },
);
