/** Gives a program and its children a share of one core, as a small machine has. */
import { rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeControlGroup } from "../control-groups.ts";

export interface ProcessorLimit extends Disposable {
  /** Command prefix of the program. */
  readonly under: readonly string[];
}

const PERIOD_US = 100_000;

/** Returns the reason why this machine cannot limit processor time; undefined if it can. */
export function processorLimitMissing(): string | undefined {
  if (process.platform !== "linux") return "it requires Linux";
  try {
    using limit = limitProcessor(0.5);
    const { success, stderr } = Bun.spawnSync([...limit.under, "true"], { stderr: "pipe" });
    return success ? undefined : `cgroups cannot be made: ${stderr.toString().trim().split("\n")[0] ?? ""}`;
  } catch (error) {
    return `cgroups cannot be made: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** @param cores 0.25 for a quarter of a core. @throws Error if a cgroup cannot be made */
export function limitProcessor(cores: number): ProcessorLimit {
  const { path, isUnified, under } = makeControlGroup("cpu");
  const quota = Math.round(cores * PERIOD_US);
  if (isUnified) writeFileSync(join(path, "cpu.max"), `${quota} ${PERIOD_US}`);
  else {
    writeFileSync(join(path, "cpu.cfs_period_us"), String(PERIOD_US));
    writeFileSync(join(path, "cpu.cfs_quota_us"), String(quota));
  }
  return { under, [Symbol.dispose]: () => rmdirSync(path) };
}
