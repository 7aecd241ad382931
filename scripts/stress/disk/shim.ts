/** Compiles shim.c and says how a program is started under it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface DiskOptions {
  /** fsync takes at least so long. */
  readonly syncMs?: number;
  /** What happens below `root` is written to the file `log`. */
  readonly record?: { readonly root: string; readonly log: string };
}

/** Why there is no disk of our own on this machine; undefined when there can be one. */
export function unavailableReason(): string | undefined {
  if (process.platform !== "linux") return "it needs Linux";
  if (compiler() === null) return "there is no C compiler";
  const folder = mkdtempSync(join(tmpdir(), "quern-shim-"));
  try {
    const { success } = Bun.spawnSync([...wrapperCommand(folder, { syncMs: 0 }), "true"]);
    return success ? undefined : "system calls cannot be filtered here";
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * The words before a program that has this disk. The library is compiled into `folder`.
 * @throws Error when it cannot be
 */
export function wrapperCommand(folder: string, { syncMs, record }: DiskOptions): string[] {
  const library = join(folder, "disk-shim.so");
  const source = join(import.meta.dir, "shim.c");
  const words = [compiler() ?? "cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"];
  const { success, stderr } = Bun.spawnSync(words, { stderr: "pipe" });
  if (!success) throw new Error(`shim.c was not compiled:\n${stderr.toString()}`);
  return [
    "env",
    `LD_PRELOAD=${library}`,
    ...(syncMs === undefined ? [] : [`DISK_SYNC_US=${Math.round(syncMs * 1000)}`]),
    ...(record ? [`DISK_ROOT=${record.root}`, `DISK_LOG=${record.log}`] : []),
  ];
}

const compiler = (): string | null => Bun.which("cc") ?? Bun.which("gcc") ?? Bun.which("clang");
