/** Builds the executables of a commit in new clones, so that nothing of the work folder gets into a release. */
import { $ } from "bun";
import { join } from "node:path";
import { TARGETS } from "./targets.ts";

export interface Build {
  /** The clone. */
  readonly root: string;
  /** Checksums by target. */
  readonly checksums: ReadonlyMap<string, string>;
}

export const executableOf = ({ root }: Pick<Build, "root">, target: string): string =>
  join(root, "dist/release", target, "quern");

/** Clones the commit that is checked out in `source` into `root`, installs the packages and builds every target. */
export async function buildClone(source: string, root: string): Promise<Build> {
  await $`git clone --quiet --no-hardlinks ${source} ${root}`.quiet();
  await $`sh -c ". scripts/install && bun scripts/build.ts --release dist/release"`.cwd(root).quiet();
  const checksums = new Map<string, string>();
  for (const { name } of TARGETS) checksums.set(name, await sha256(executableOf({ root }, name)));
  return { root, checksums };
}

/** Returns the targets whose executables differ, with the position of the first difference. */
export async function differences(one: Build, other: Build): Promise<string[]> {
  const found: string[] = [];
  for (const [target, checksum] of one.checksums) {
    if (other.checksums.get(target) === checksum) continue;
    const compared = await $`cmp ${executableOf(one, target)} ${executableOf(other, target)}`.nothrow().quiet();
    found.push(`${target}: ${compared.stdout.toString().trim()}`);
  }
  return found;
}

export async function sha256(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of Bun.file(path).stream()) hash.update(chunk);
  return hash.digest("hex");
}
