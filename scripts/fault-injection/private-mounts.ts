/** A private mount namespace for a server, which disappears with it: for disks that fill up. */
import type { Subprocess } from "bun";

export interface PrivateMounts extends Disposable {
  /** Command prefix that runs a program in the namespace. */
  readonly wrapper: readonly string[];
  /** Returns the path outside of the namespace for one inside. */
  hostPath(path: string): string;
  /** Runs a shell command in the namespace. Throws an Error with its output if it fails. */
  run(command: string): void;
}

const isRoot = process.getuid?.() === 0;
const FLAGS = isRoot ? ["-m"] : ["-rm"];

/** Returns the reason why this machine has no mount namespaces; undefined if it has. */
export function mountsUnavailableReason(): string | undefined {
  if (process.platform !== "linux") return "it requires Linux";
  if (Bun.which("unshare") === null || Bun.which("nsenter") === null) return "unshare or nsenter is not installed";
  const script = "mount --make-rprivate / && mount -t tmpfs -o size=1m tmpfs /mnt";
  const tried = Bun.spawnSync(["unshare", ...FLAGS, "sh", "-c", script], { stdout: "ignore", stderr: "ignore" });
  return tried.success ? undefined : "mounting is not permitted";
}

/** Creates a namespace with a RAM disk of `sizeMb` at the folder `at`. */
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
  throw new Error("the private mount could not be created");
}
