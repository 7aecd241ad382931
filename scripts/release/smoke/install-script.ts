/** Runs install.sh against a local HTTP server, with the files of the release and with a damaged archive. */
import { $ } from "bun";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { createFirstRecord } from "./first-record.ts";

/**
 * @param release the folder with install.sh, SHA256SUMS and the archives
 * @param folder an empty folder
 * @throws Error if it installs a damaged archive, or does not install a good one
 */
export async function testInstallScript(release: string, folder: string): Promise<void> {
  let isDamaged = true;
  using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch({ url }) {
      const path = join(release, basename(new URL(url).pathname));
      const content = Bun.file(path);
      if (!(await content.exists())) return new Response("", { status: 404 });
      if (!isDamaged || !path.endsWith(".zst")) return new Response(content);
      const bytes = await content.bytes();
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      return new Response(bytes);
    },
  });
  const to = join(folder, "bin");
  const install = () => $`sh ${join(release, "install.sh")} --from ${server.url} --to ${to}`.nothrow().quiet();

  const refused = await install();
  if (refused.exitCode === 0 || existsSync(to) || !refused.stderr.toString().includes("checksum")) {
    throw new Error(`install.sh must refuse a damaged archive: ${refused.stderr.toString()}`);
  }
  isDamaged = false;
  const installed = await install();
  if (installed.exitCode !== 0) throw new Error(installed.stderr.toString());
  await createFirstRecord({ program: [join(to, "quern")], env: { QUERN_DATA: join(folder, "data") } });
}
