/** Unpacks a container image with umoci, and runs it in its root folder as its user. */
import { $ } from "bun";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { HEALTH_CHECK } from "../oci.ts";
import { createFirstRecord } from "./first-record.ts";

interface Bundle {
  readonly process: {
    readonly user: { readonly uid: number; readonly gid: number };
    readonly args: readonly string[];
    readonly env: readonly string[];
  };
}

/**
 * Runs the image read-only except for its volume.
 * @param folder an empty folder
 * @throws Error if the image is not valid, or does not serve a record
 */
export async function testImage(archive: string, folder: string): Promise<void> {
  const layout = join(folder, "layout");
  await mkdir(layout);
  await $`tar -xf ${archive} -C ${layout}`.quiet();
  const tags = (await $`umoci list --layout ${layout}`.text()).trim().split("\n");
  const bundle = join(folder, "bundle");
  await $`umoci unpack --image ${layout}:${tags[0] ?? ""} ${bundle}`.quiet();
  const { process } = (await Bun.file(join(bundle, "config.json")).json()) as Bundle;
  if (process.args.join(" ") !== "quern serve") throw new Error(`the image runs ${process.args.join(" ")}`);
  if (process.user.uid === 0 || process.user.gid === 0) throw new Error("the image runs as root");
  // createFirstRecord runs the health check: the same command.
  if (HEALTH_CHECK.Test.join(" ") !== "CMD quern status") throw new Error("the health check is not tested");
  await createFirstRecord({
    program: ["quern"],
    env: Object.fromEntries(process.env.map((each) => each.split(/=(.*)/s).slice(0, 2) as [string, string])),
    root: {
      path: join(bundle, "rootfs"),
      user: `${process.user.uid}:${process.user.gid}`,
      onlyWritable: "/var/lib/quern",
    },
  });
}
