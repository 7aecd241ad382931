/**
 * Runs a program and its children in a cgroup with a memory limit and without swap, like a small machine. As root it
 * makes the cgroup itself (version 2 or 1), else systemd-run does.
 */
import { rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ControlGroup, makeControlGroup, readIfPresent, writeIfPresent } from "../control-groups.ts";

export interface MemoryLimit extends Disposable {
  /** Command prefix of the program. */
  readonly under: readonly string[];
  /** Returns the highest use in MB, with the page cache; undefined if the system does not count it. */
  peakMb(): number | undefined;
  /** Returns how many processes the kernel killed for lack of memory; undefined if the system does not tell. */
  kills(): number | undefined;
}

const MB = 1024 ** 2;
const PROBE_MB = 64;

/** Returns the reason why this machine cannot limit memory; undefined if it can. */
export function memoryLimitMissing(): string | undefined {
  if (process.platform !== "linux") return "it requires Linux";
  try {
    using limit = limitMemory(PROBE_MB);
    const { success, stderr } = Bun.spawnSync([...limit.under, "true"], { stderr: "pipe" });
    return success ? undefined : `cgroups cannot be made: ${stderr.toString().trim().split("\n")[0] ?? ""}`;
  } catch (error) {
    return `cgroups cannot be made: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** @throws Error if a cgroup cannot be made */
export function limitMemory(mb: number): MemoryLimit {
  if (process.getuid?.() !== 0) return systemdScope(mb);
  const group = makeControlGroup("memory");
  if (group.isUnified) {
    writeFileSync(join(group.path, "memory.max"), String(mb * MB));
    writeIfPresent(join(group.path, "memory.swap.max"), "0");
    return cgroup(group, { peak: "memory.peak", kills: "memory.events" });
  }
  writeFileSync(join(group.path, "memory.limit_in_bytes"), String(mb * MB));
  // The limit of memory and swap together: no swap remains.
  writeIfPresent(join(group.path, "memory.memsw.limit_in_bytes"), String(mb * MB));
  return cgroup(group, { peak: "memory.max_usage_in_bytes", kills: "memory.oom_control" });
}

function cgroup({ path: group, under }: ControlGroup, files: { peak: string; kills: string }): MemoryLimit {
  return {
    under,
    peakMb: () => (Number(readIfPresent(join(group, files.peak))) || Number.NaN) / MB,
    kills: () => Number(/^oom_kill (\d+)$/m.exec(readIfPresent(join(group, files.kills)))?.[1] ?? Number.NaN),
    [Symbol.dispose]: () => rmdirSync(group),
  };
}

/** A scope is removed when its last process ends; it neither tells its peak nor the kills. */
function systemdScope(mb: number): MemoryLimit {
  if (Bun.which("systemd-run") === null) throw new Error("it requires root or systemd-run");
  const limits = ["-p", `MemoryMax=${mb}M`, "-p", "MemorySwapMax=0"];
  return {
    under: ["systemd-run", "--user", "--scope", "--quiet", ...limits],
    peakMb: () => undefined,
    kills: () => undefined,
    [Symbol.dispose]: () => {},
  };
}
