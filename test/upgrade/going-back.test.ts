/** The documented way back to version 0.1. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withFormerServer } from "../../scripts/upgrade-fixture/former-server.ts";
import type { RecordedAnswer } from "../../scripts/upgrade-fixture/installation.ts";
import { recordAnswers } from "../../scripts/upgrade-fixture/recorded-answers.ts";
import { inspectHome, readDocumentNames } from "../../src/home/home-upgrade.ts";
import { vacuumInto } from "../../src/sqlite/vacuum.ts";
import { runQuern } from "../helpers/run-quern.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { checksums, formerFolder, openInThisVersion } from "./former-folder.ts";
import { writeOutdatedDocument } from "./outdated-document.ts";

/** An executable of version 0.1.0. */
const FORMER_EXECUTABLE = process.env["QUERN_TEST_FORMER_EXECUTABLE"];

/** Runs the commands of "Going back to an older version" in operations.md on a data folder. */
async function goBack(data: string): Promise<void> {
  const operations = readFileSync(join(import.meta.dir, "../../docs/operations.md"), "utf8");
  const section = operations.split("\n### Going back to an older version\n")[1] ?? "";
  const commands = /```sh[^\n]*\n([\s\S]*?)```/.exec(section)?.[1] ?? "";
  expect(commands).toContain("cd /var/lib/quern");
  const script = `systemctl() { :; }\ninstall() { :; }\n${commands.replaceAll("/var/lib/quern", data)}`;
  const child = Bun.spawn(["sh", "-eu", "-c", script], { stdout: "inherit", stderr: "inherit" });
  expect(await child.exited).toBe(0);
}

/** Returns the bytes that a copy of a database has: equal for equal contents. */
function compactBytes(path: string): Buffer {
  const copy = join(tempFolder(), "compact.sqlite");
  vacuumInto(path, copy);
  return readFileSync(copy);
}

describe("after the documented steps", () => {
  test("the home database and the documents are those of version 0.1, byte by byte", async () => {
    const former = await formerFolder();
    const { data, installation } = former;
    writeOutdatedDocument(data, installation.documents.notes);
    const home = compactBytes(join(data, "home.sqlite"));
    const documents = checksums(join(data, "docs"));
    expect((await runQuern(["upgrade", "--data", data])).status).toBe(0);
    expect(checksums(join(data, "docs"))).not.toEqual(documents);
    // The new version is used before one goes back.
    expect(
      (await runQuern(["user", "add", "--data", data, "--email", "new@example.com", "--name", "New"])).status,
    ).toBe(0);
    await goBack(data);
    expect(readFileSync(join(data, "home.sqlite")).equals(home)).toBe(true);
    expect(checksums(join(data, "docs"))).toEqual(documents);
    expect(readdirSync(join(data, "newer"))).toEqual(["home.sqlite"]);
  });

  test("this version upgrades the folder again", async () => {
    const former = await formerFolder();
    expect((await runQuern(["upgrade", "--data", former.data])).status).toBe(0);
    await goBack(former.data);
    await using app = openInThisVersion(former);
    expect(app.ctx.home.users.list()).toHaveLength(5);
  });

  test.skipIf(FORMER_EXECUTABLE === undefined)(
    "version 0.1 answers as before (needs QUERN_TEST_FORMER_EXECUTABLE)",
    async () => {
      const former = await formerFolder();
      const { data, installation } = former;
      const app = openInThisVersion(former);
      await app.close();
      const refused = Bun.spawnSync([FORMER_EXECUTABLE ?? "", "serve", "--port", "0", "--data", data]);
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr.toString().trimEnd().split("\n")).toHaveLength(1);
      await goBack(data);
      const answers = await withFormerServer(FORMER_EXECUTABLE ?? "", data, (server) =>
        recordAnswers(server, installation),
      );
      const stable = (list: readonly RecordedAnswer[]) => list.filter(({ path }) => !path.endsWith("/webhooks"));
      expect(stable(answers)).toEqual(stable(installation.answers));
    },
  );
});

test("a backup that this version makes before the upgrade leaves the folder to version 0.1, and can be restored", async () => {
  const { data, installation } = await formerFolder();
  const [backups, restored] = [join(tempFolder(), "backups"), join(tempFolder(), "restored")];
  expect((await runQuern(["backup", "--data", data, "--to", backups])).status).toBe(0);
  expect(inspectHome(data)).toMatchObject({ from: 2 });
  const { status, err } = await runQuern(["restore", "--from", backups, "--data", restored, "--no-webhooks"]);
  expect({ status, err }).toEqual({ status: 0, err: [] });
  await using app = openInThisVersion({ data: restored, installation });
  expect(app.ctx.home.users.list()).toHaveLength(5);
  expect(readDocumentNames(restored).get(installation.documents.orders)).toBe("Orders");
});

test("the steps do nothing to documents without a former file", async () => {
  const { data } = await formerFolder();
  expect((await runQuern(["upgrade", "--data", data])).status).toBe(0);
  const before = checksums(join(data, "docs"));
  mkdirSync(join(data, "docs", "empty"));
  writeFileSync(join(data, "docs", "empty", "other"), "");
  await goBack(data);
  expect(checksums(join(data, "docs"))).toMatchObject(before);
});
