/** Compiles shim.c and returns how to start a program with it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface DiskOptions {
  /** Minimum duration of an fsync. */
  readonly syncMs?: number;
  /** Changes below `root` are recorded in the file `log`. */
  readonly record?: { readonly root: string; readonly log: string };
}

/** Returns the reason why this machine cannot simulate a disk; undefined if it can. */
export function unavailableReason(): string | undefined {
  if (process.platform !== "linux") return "it requires Linux";
  if (compiler() === null) return "no C compiler is installed";
  const folder = mkdtempSync(join(tmpdir(), "quern-shim-"));
  try {
    const { success } = Bun.spawnSync([...wrapperCommand(folder, { syncMs: 0 }), "true"]);
    return success ? undefined : "system calls cannot be filtered";
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Returns the command prefix that gives a program this disk. Compiles the library into `folder`.
 * @throws Error if compiling fails
 */
export function wrapperCommand(folder: string, { syncMs, record }: DiskOptions): string[] {
  const library = join(folder, "disk-shim.so");
  const source = join(import.meta.dir, "shim.c");
  const words = [compiler() ?? "cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"];
  const { success, stderr } = Bun.spawnSync(words, { stderr: "pipe" });
  if (!success) throw new Error(`compiling shim.c failed:\n${stderr.toString()}`);
  return [
    "env",
    `LD_PRELOAD=${library}`,
    ...(syncMs === undefined ? [] : [`DISK_SYNC_US=${Math.round(syncMs * 1000)}`]),
    ...(record ? [`DISK_ROOT=${record.root}`, `DISK_LOG=${record.log}`] : []),
  ];
}

const compiler = (): string | null => Bun.which("cc") ?? Bun.which("gcc") ?? Bun.which("clang");
