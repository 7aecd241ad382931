import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../../package.json";
import { installScript } from "../../../scripts/release/install-script.ts";
import { checksumFile } from "../../../scripts/release/report.ts";
import { PROGRAM_COMMAND } from "../../helpers/run-quern.ts";
import { quote } from "./shell.ts";

/** Writes the program under test as a command. */
export function writeProgram(path: string): void {
  writeFileSync(path, `#!/bin/sh\nexec ${PROGRAM_COMMAND.map(quote).join(" ")} "$@"\n`);
  chmodSync(path, 0o755);
}

/** Creates a folder with a release, whose archives contain the program under test; returns its URL. */
export async function createReleases(folder: string): Promise<string> {
  const archives: string[] = [];
  for (const target of ["linux-x64", "linux-arm64", "darwin-arm64"]) {
    const name = `quern-${manifest.version}-${target}`;
    mkdirSync(join(folder, name), { recursive: true });
    writeProgram(join(folder, name, "quern"));
    Bun.spawnSync(["tar", "--zstd", "-cf", `${name}.tar.zst`, name], { cwd: folder });
    archives.push(join(folder, `${name}.tar.zst`));
  }
  const url = `file://${folder}`;
  const hasArchives = archives.every((path) => existsSync(path));
  if (hasArchives) writeFileSync(join(folder, "SHA256SUMS"), await checksumFile(archives));
  writeFileSync(join(folder, "install.sh"), await installScript({ version: manifest.version, from: url }));
  return url;
}
