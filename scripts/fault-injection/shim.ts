/** Compiles shim.c and says how a program is started under it. */
import { writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";

export interface Shim {
  /** Words before a program. */
  readonly wrapper: readonly string[];
  /** From now on changes to files fail in this way; null for none that fails. */
  failDisk(error: "EROFS" | "EIO" | null): void;
  /** From now on the time of day is so many seconds off. */
  setClock(offS: number): void;
}

/** Why it cannot be had on this machine; undefined when it can. */
export function shimUnavailableReason(): string | undefined {
  if (process.platform !== "linux") return "it needs Linux";
  return compiler() === null ? "there is no C compiler" : undefined;
}

/** @param folder for the library and what controls it; `root` is where the disk fails */
export function createShim(folder: string, root: string): Shim {
  const library = join(folder, "fault-shim.so");
  const source = join(import.meta.dir, "shim.c");
  const made = Bun.spawnSync([compiler() ?? "cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], {
    stderr: "pipe",
  });
  if (!made.success) throw new Error(`shim.c was not compiled:\n${made.stderr.toString()}`);
  const control = join(folder, "fault-control");
  const numbers = new BigInt64Array(2);
  const write = () => writeFileSync(control, numbers, { flag: "r+" });
  writeFileSync(control, numbers);
  return {
    wrapper: ["env", `LD_PRELOAD=${library}`, `FAULT_CONTROL=${control}`, `FAULT_ROOT=${root}`],
    failDisk(error) {
      numbers[0] = BigInt(error === null ? 0 : constants.errno[error]);
      write();
    },
    setClock(offS) {
      numbers[1] = BigInt(offS);
      write();
    },
  };
}

const compiler = (): string | null => Bun.which("cc") ?? Bun.which("gcc") ?? Bun.which("clang");
