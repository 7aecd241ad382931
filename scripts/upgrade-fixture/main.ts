/**
 * Makes the archive of a data folder that the tests of upgrades open:
 * `bun scripts/upgrade-fixture/main.ts EXECUTABLE ARCHIVE`, with the executable of the version to upgrade from. The
 * archive holds the folder (`data/`) and `installation.json`: keys, and what that version answered to requests.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInstallation, type Installation } from "./installation.ts";
import { withFormerServer } from "./former-server.ts";
import { recordAnswers } from "./recorded-answers.ts";

const [executable, archive] = Bun.argv.slice(2);
if (executable === undefined || archive === undefined) throw new Error("main.ts EXECUTABLE ARCHIVE");

const folder = mkdtempSync(join(tmpdir(), "quern-upgrade-fixture-"));
try {
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  const installation = await createWith(resolve(executable), data);
  await Bun.write(join(folder, "installation.json"), `${JSON.stringify(installation, null, 1)}\n`);
  // Fixed owner and order: the archive differs between runs only by its contents.
  const order = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner"];
  await Bun.$`tar -C ${folder} ${order} -cf - data installation.json | gzip -9n > ${resolve(archive)}`;
  console.log(`${archive}: ${Bun.file(archive).size} bytes, ${installation.answers.length} answers`);
} finally {
  rmSync(folder, { recursive: true });
}

async function createWith(program: string, data: string): Promise<Installation> {
  const created = await withFormerServer(program, data, createInstallation);
  // A second run: the answers are those of a folder that was closed and opened again.
  const answers = await withFormerServer(program, data, (server) => recordAnswers(server, created));
  return { ...created, answers };
}
