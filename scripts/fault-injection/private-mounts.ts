/** A place of its own in the tree of files, seen by a server alone, and gone with it: for disks that fill up. */
import type { Subprocess } from "bun";

export interface PrivateMounts extends Disposable {
  /** Words before a program that is to see it. */
  readonly wrapper: readonly string[];
  /** A path in there, as it is seen from outside. */
  hostPath(path: string): string;
  /** Runs a shell command in there. Throws an Error with what it said when it fails. */
  run(command: string): void;
}

const isRoot = process.getuid?.() === 0;
const FLAGS = isRoot ? ["-m"] : ["-rm"];

/** Why there is none on this machine; undefined when there can be. */
export function mountsUnavailableReason(): string | undefined {
  if (process.platform !== "linux") return "it needs Linux";
  if (Bun.which("unshare") === null || Bun.which("nsenter") === null) return "there is no unshare or no nsenter";
  const script = "mount --make-rprivate / && mount -t tmpfs -o size=1m tmpfs /mnt";
  const tried = Bun.spawnSync(["unshare", ...FLAGS, "sh", "-c", script], { stdout: "ignore", stderr: "ignore" });
  return tried.success ? undefined : "nothing may be mounted here";
}

/** Makes it, with a disk of its own in memory of so many MB at the folder `at`. */
export async function createMounts(at: string, sizeMb: number): Promise<PrivateMounts> {
  const script = `mount --make-rprivate / && mount -t tmpfs -o size=${sizeMb}m tmpfs ${at} && echo ready && exec sleep 3600`;
  const keeper = Bun.spawn(["unshare", ...FLAGS, "sh", "-c", script], { stdout: "pipe", stderr: "inherit" });
  await ready(keeper);
  const wrapper = ["nsenter", "-t", String(keeper.pid), "-m", ...(isRoot ? [] : ["-U", "--preserve-credentials"])];
  return {
    wrapper,
    hostPath: (path) => `/proc/${keeper.pid}/root${path}`,
    run(command) {
      const { success, stderr } = Bun.spawnSync([...wrapper, "sh", "-c", command], { stderr: "pipe" });
      if (!success) throw new Error(`${command}: ${stderr.toString()}`);
    },
    [Symbol.dispose]: () => keeper.kill("SIGKILL"),
  };
}

async function ready(keeper: Subprocess<"ignore", "pipe", "inherit">): Promise<void> {
  for await (const chunk of keeper.stdout) if (new TextDecoder().decode(chunk).includes("ready")) return;
  throw new Error("no disk of its own could be made");
}
