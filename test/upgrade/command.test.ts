/** `quern upgrade` and `quern upgrade --check`, and the starts of other versions. */
import { describe, expect, test } from "bun:test";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createMounts, mountsUnavailableReason } from "../../scripts/fault-injection/private-mounts.ts";
import { deleteFormerFiles } from "../../src/hosts/files/former-files.ts";
import { acquireLock } from "../../src/sqlite/lock.ts";
import { Database } from "../../src/sqlite/database.ts";
import { PROGRAM_COMMAND, runQuern } from "../helpers/run-quern.ts";
import { startServerProcess } from "../helpers/server-process.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { checksums, formerFolder } from "./former-folder.ts";
import { writeOutdatedDocument } from "./outdated-document.ts";
import { HOME_VERSION } from "./home-version.ts";

interface CheckOutput {
  readonly home: { from: number; to: number; sizeBytes: number };
  readonly documents: number;
  readonly outdated: readonly { uuid: string; name: string; from: object; to: object }[];
  readonly unreadable: readonly { uuid: string; name: string; problem: string }[];
  readonly neededBytes: number;
  readonly isServerRunning: boolean;
  readonly isUpgradeNeeded: boolean;
  readonly unknownSettings: readonly string[];
}

const check = async (data: string, env: Record<string, string> = {}) => {
  const { status, out, err } = await runQuern(["upgrade", "--check", "--json", "--data", data], env);
  return { status, err, output: JSON.parse(out[0] ?? "null") as CheckOutput };
};

describe("quern upgrade --check", () => {
  test("reports what would change, and leaves every byte of the folder", async () => {
    const { data, installation } = await formerFolder();
    writeOutdatedDocument(data, installation.documents.notes);
    const before = checksums(data);
    const { status, output } = await check(data, { QUERN_MAX_TIME: "5", QUERN_DATA: data });
    expect(status).toBe(3);
    expect(output).toMatchObject({
      home: { from: 2, to: HOME_VERSION },
      documents: 4,
      outdated: [{ uuid: installation.documents.notes, name: "Notes", from: { storage: 8, schema: 40 } }],
      unknownSettings: ["QUERN_MAX_TIME"],
      isServerRunning: false,
      isUpgradeNeeded: true,
    });
    expect(output.neededBytes).toBeGreaterThan(output.home.sizeBytes);
    expect(checksums(data)).toEqual(before);
    const { status: textStatus, out } = await runQuern(["upgrade", "--check", "--data", data]);
    expect(textStatus).toBe(3);
    expect(out).toContain(`home database   version 2 to ${HOME_VERSION}, 176 KB, copied to backups/ first`);
    expect(out.join("\n")).toMatch(/documents {7}4, 1 to upgrade\n {2}\S+ "Notes": version 40\.8 to 46\.9/);
    expect(out.join("\n")).toContain("renamed         log events and metrics");
    expect(checksums(data)).toEqual(before);
  });

  test("exits with 0 after the upgrade, and for a folder of this version", async () => {
    const { data } = await formerFolder();
    expect((await runQuern(["upgrade", "--data", data])).status).toBe(0);
    const { status, output } = await check(data);
    expect({ status, isUpgradeNeeded: output.isUpgradeNeeded }).toEqual({ status: 0, isUpgradeNeeded: false });
  });

  test("works beside a running server, and after its crash", async () => {
    const folder = tempFolder();
    await using server = await startServerProcess({ folder });
    const { status, output } = await check(folder);
    expect({ status, isServerRunning: output.isServerRunning }).toEqual({ status: 0, isServerRunning: true });
    expect((await fetch(`${server.address}/status`)).status).toBe(200);
    server.process.kill("SIGKILL");
    await server.process.exited;
    const afterCrash = await check(folder);
    expect({ ...afterCrash, output: afterCrash.output.isServerRunning }).toEqual({ status: 0, err: [], output: false });
  });

  test("exits with 1 when a document cannot be read", async () => {
    const { data, installation } = await formerFolder();
    writeFileSync(join(data, "docs", installation.documents.notes, "document.grist"), "x".repeat(5000));
    const { status, err, output } = await check(data);
    expect(status).toBe(1);
    expect(output.unreadable).toMatchObject([{ uuid: installation.documents.notes, name: "Notes" }]);
    expect(err).toEqual(["quern upgrade: 1 document cannot be read"]);
  });

  test("exits with 1 for a folder without data", async () => {
    const folder = tempFolder();
    const { status, err } = await runQuern(["upgrade", "--check", "--data", folder]);
    expect({ status, err }).toEqual({ status: 1, err: [expect.stringContaining("no data in the folder")] });
    expect(checksums(folder)).toEqual({});
  });
});

describe("quern upgrade", () => {
  test("upgrades the home database and every document, and keeps former files as they were", async () => {
    const { data, installation } = await formerFolder();
    const path = writeOutdatedDocument(data, installation.documents.notes);
    const before = readFileSync(path);
    const { status, out } = await runQuern(["upgrade", "--data", data]);
    expect(status).toBe(0);
    expect(out).toEqual([
      expect.stringMatching(
        new RegExp(`^home database: version 2 to ${HOME_VERSION}, backup .*/backups/home-v2-.*\\.sqlite$`),
      ),
      expect.stringMatching(/"Notes": version 40\.8 to 46\.9/),
      "The upgrade is complete.",
    ]);
    const former = join(dirname(path), "former.grist");
    expect(readFileSync(former).equals(before)).toBe(true);
    await deleteFormerFiles(data, { beforeMs: Date.now() - 60_000 });
    expect(existsSync(former)).toBe(true);
    await deleteFormerFiles(data, { beforeMs: Date.now() + 60_000 });
    expect(existsSync(former)).toBe(false);
    expect(existsSync(path)).toBe(true);
  });

  test("continues after a document that cannot be upgraded, and leaves its file", async () => {
    const { data, installation } = await formerFolder();
    const { notes, trashed } = installation.documents;
    const broken = writeOutdatedDocument(data, notes);
    {
      using db = new Database(broken);
      db.exec("drop table _grist_Tables");
    }
    writeOutdatedDocument(data, trashed);
    const before = readFileSync(broken);
    const { status, out, err } = await runQuern(["upgrade", "--data", data]);
    expect(status).toBe(1);
    expect(out.join("\n")).toContain(`${notes} "Notes": The file is not a document`);
    expect(err).toEqual(["quern upgrade: 1 document could not be upgraded; the files are unchanged"]);
    expect(readFileSync(broken).equals(before)).toBe(true);
    expect((await check(data)).output.outdated.map(({ uuid }) => uuid)).toEqual([notes]);
  });

  test("refuses while a server runs on the folder", async () => {
    const { data } = await formerFolder();
    using _server = acquireLock(join(data, "lock"));
    const before = checksums(data);
    const { status, err } = await runQuern(["upgrade", "--data", data]);
    expect({ status, err }).toEqual({ status: 1, err: [`quern upgrade: a server uses ${data}: stop it first`] });
    expect(checksums(data)).toEqual(before);
  });
});

test.skipIf(process.getuid?.() !== 0)(
  "root does not upgrade the folder of another user, whose service could not use the new files (needs root)",
  async () => {
    const { data } = await formerFolder();
    chownSync(data, 12345, 12345);
    const before = checksums(data);
    const { status, err } = await runQuern(["upgrade", "--data", data]);
    expect({ status, err }).toEqual({ status: 1, err: [expect.stringContaining("the user with the id 12345")] });
    expect(checksums(data)).toEqual(before);
    expect((await runQuern(["upgrade", "--check", "--data", data])).status).toBe(3);
  },
);

test("a command refuses to migrate a folder under a running server of an older version", async () => {
  const { data } = await formerFolder();
  {
    using _server = acquireLock(join(data, "lock"));
    const before = checksums(data);
    const { status, err } = await runQuern(["user", "list", "--data", data]);
    expect(status).toBe(1);
    expect(err).toEqual([
      `quern user list: a server of an older version uses ${data}: restart it with this version first`,
    ]);
    expect(checksums(data)).toEqual(before);
  }
  const { status, err } = await runQuern(["user", "list", "--data", data]);
  expect(status).toBe(0);
  expect(err.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([
    "upgrade.started",
    "upgrade.completed",
  ]);
});

test.each(["serve --port 0", "user list", "upgrade", "upgrade --check"])(
  "a folder of a newer version is refused by one line and left as it is: quern %s",
  async (command) => {
    const { data } = await formerFolder();
    {
      using home = new Database(join(data, "home.sqlite"));
      home.exec("pragma user_version = 99");
    }
    // A start removes temporary files of a crash, though not from a folder of a newer version.
    const leftover = join(data, "tmp", "upload");
    mkdirSync(dirname(leftover), { recursive: true });
    writeFileSync(leftover, "x");
    utimesSync(leftover, 0, 0);
    const before = checksums(data);
    const { status, err, out } = await runQuern([...command.split(" "), "--data", data]);
    expect({ status, out }).toEqual({ status: 1, out: [] });
    expect(err).toEqual([
      expect.stringMatching(
        new RegExp(`home\\.sqlite has version 99, but .* up to ${HOME_VERSION}\\. Upgrade Quern\\.$`),
      ),
    ]);
    expect(checksums(data)).toEqual(before);
  },
);

const reason = mountsUnavailableReason();
test.skipIf(reason !== undefined)(
  `a full disk: nothing is changed, and the start succeeds when there is space${reason ? ` (skipped: ${reason})` : ""}`,
  async () => {
    const { data } = await formerFolder();
    const disk = tempFolder();
    chmodSync(disk, 0o755);
    using mounts = await createMounts(disk, 3);
    const folder = join(disk, "data");
    const fill = `dd if=/dev/zero of=${disk}/filler bs=4k 2>/dev/null; truncate -s -64K ${disk}/filler`;
    mounts.run(`cp -a ${data} ${folder} && { ${fill}; }`);
    const before = checksums(mounts.hostPath(folder));
    const run = (...args: string[]) => {
      const words = [...mounts.wrapper, ...PROGRAM_COMMAND, ...args, "--data", folder];
      const { exitCode, stderr } = Bun.spawnSync(words, { env: { PATH: process.env["PATH"] ?? "" }, stderr: "pipe" });
      return { exitCode, lines: stderr.toString().trimEnd().split("\n") };
    };
    const refused = [run("serve", "--port", "0"), run("upgrade"), run("upgrade", "--check")];
    expect(refused.map(({ exitCode }) => exitCode)).toEqual([1, 1, 1]);
    for (const { lines } of refused) expect(lines).toEqual([expect.stringMatching(/free space|free some space/)]);
    expect(checksums(mounts.hostPath(folder))).toEqual(before);
    mounts.run(`rm ${disk}/filler`);
    expect(run("upgrade").exitCode).toBe(0);
    expect(run("upgrade", "--check").exitCode).toBe(0);
  },
);
