/** The install script of a release, which knows its version and address. */
import { join } from "node:path";

/** @param from the address of the release's files */
export async function installScript({ version, from }: { version: string; from: string }): Promise<string> {
  const template = await Bun.file(join(import.meta.dir, "install.sh")).text();
  return template.replace("@VERSION@", version).replace("@BASE_URL@", from);
}
