/** Runs commands in a root folder of another system, such as a Debian chroot or the contents of a container image. */
import type { Subprocess } from "bun";
import { readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface RootFolder {
  readonly path: string;
  /** `uid:gid` or a name. Root by default. */
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Makes all folders but this one read-only. */
  readonly onlyWritable?: string;
}

/** Ids in the namespace are the ids outside of it, so files keep their owners. */
const ID_MAP = "0 0 65536";

/**
 * Starts a command in a root folder. It runs in namespaces of its own for users, mounts and processes: when it ends, all
 * its child processes end, and no mount remains. The network is shared. Needs root.
 */
export function spawnInRoot(root: RootFolder, command: readonly string[]): Subprocess<"pipe", "pipe", "pipe"> {
  const script = join(import.meta.dir, "enter-root.sh");
  // The shell waits until the ids are mapped.
  const enter = `read -r _; exec unshare --mount --pid --fork --kill-child sh "$@" </dev/null`;
  const parameters = [script, root.path, root.user ?? "0:0", root.onlyWritable ?? "", ...command];
  const child = Bun.spawn(["unshare", "--user", "sh", "-c", enter, "sh", ...parameters], {
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", ...root.env },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  mapIds(child.pid);
  void child.stdin.write("\n");
  void child.stdin.end();
  return child;
}

/**
 * Runs a command in a root folder and returns its output.
 * @throws Error with the output if it fails
 */
export async function runInRoot(root: RootFolder, command: readonly string[]) {
  const child = spawnInRoot(root, command);
  const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (status !== 0) throw new Error(`${command.join(" ")} exited with ${status}:\n${stdout}${stderr}`);
  return { stdout, stderr };
}

/** Sends SIGTERM to a command that `spawnInRoot` started. */
export function terminateInRoot(child: Subprocess): void {
  // The child is unshare, which ignores signals; its child is the command.
  const [pid] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ");
  process.kill(Number(pid), "SIGTERM");
}

/** The namespace is that of the child as soon as it has called unshare; until then the maps cannot be written. */
function mapIds(pid: number): void {
  const own = namespaceOf("self");
  const deadline = performance.now() + 10_000;
  while (namespaceOf(pid) === own) {
    if (performance.now() > deadline) throw new Error("unshare did not create a user namespace");
    Bun.sleepSync(1);
  }
  for (const map of ["uid_map", "gid_map"]) writeFileSync(`/proc/${pid}/${map}`, ID_MAP);
}

const namespaceOf = (pid: number | "self"): string => readlinkSync(`/proc/${pid}/ns/user`);
