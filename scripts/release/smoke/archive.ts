/** Unpacks an archive as a new user would, and creates the first record. */
import { $ } from "bun";
import { join } from "node:path";
import type { Target } from "../targets.ts";
import { copySystem } from "./debian-system.ts";
import { createFirstRecord } from "./first-record.ts";

/**
 * Returns the seconds from the archive to the first record. arm64 runs in a Debian system, under the emulator.
 * @param folder an empty folder
 */
export async function testArchive(archive: string, target: Target, folder: string): Promise<number> {
  const isForeign = target.cpu !== process.arch;
  const root = join(folder, "root");
  if (isForeign) await copySystem(target.cpu === "arm64" ? "arm64" : "amd64", root);
  const unpacked = isForeign ? join(root, "opt") : folder;
  const started = performance.now();
  await $`zstd --quiet --decompress --stdout ${archive} | tar -xf - --strip-components=1 -C ${unpacked}`.quiet();
  await createFirstRecord(
    isForeign
      ? { program: ["/opt/quern"], env: { QUERN_DATA: "/opt/data" }, root: { path: root } }
      : { program: [join(folder, "quern")], env: { QUERN_DATA: join(folder, "data") } },
  );
  return (performance.now() - started) / 1000;
}
