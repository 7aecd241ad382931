/** Compiles shim.c and returns how to start a program with it. */
import { writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";

export interface Shim {
  /** Command prefix of a program. */
  readonly wrapper: readonly string[];
  /** Makes changes to files fail with this error; null ends the failure. */
  failDisk(error: "EROFS" | "EIO" | null): void;
  /** Shifts the wall clock by this number of seconds. */
  setClock(offS: number): void;
}

/** Returns the reason why this machine cannot run it; undefined if it can. */
export function shimUnavailableReason(): string | undefined {
  if (process.platform !== "linux") return "it requires Linux";
  return compiler() === null ? "no C compiler is installed" : undefined;
}

/** @param folder for the library and its control file; `root` is the folder in which the disk fails */
export function createShim(folder: string, root: string): Shim {
  const library = join(folder, "fault-shim.so");
  const source = join(import.meta.dir, "shim.c");
  const compiled = Bun.spawnSync([compiler() ?? "cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], {
    stderr: "pipe",
  });
  if (!compiled.success) throw new Error(`compiling shim.c failed:\n${compiled.stderr.toString()}`);
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
