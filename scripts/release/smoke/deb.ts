/** Installs, upgrades, removes and purges the Debian package in a minimal Debian system. */
import { appendFileSync, existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { copySystem, type Architecture } from "./debian-system.ts";
import { createFirstRecord } from "./first-record.ts";
import { runInRoot, type RootFolder } from "./root-folder.ts";

export interface DebTest {
  readonly architecture: Architecture;
  readonly deb: string;
  /** The same package with a lower version. */
  readonly older: string;
  readonly version: string;
  /** An empty folder. */
  readonly folder: string;
}

const CONFIGURATION = "etc/quern/quern.env";
const DATA = "var/lib/quern";
const ENABLED = "etc/systemd/system/multi-user.target.wants/quern.service";

/** @throws Error if the package does not do what it should */
export async function testDeb({ architecture, deb, older, version, folder }: DebTest): Promise<void> {
  const root = join(folder, "root");
  await copySystem(architecture, root);
  await copyFile(deb, join(root, "new.deb"));
  await copyFile(older, join(root, "old.deb"));
  const system: RootFolder = { path: root, env: { DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C.UTF-8" } };
  const run = async (...command: string[]): Promise<string> => {
    const { stdout, stderr } = await runInRoot(system, command);
    return stdout + stderr;
  };
  const exists = (path: string): boolean => existsSync(join(root, path));
  const expect = (condition: boolean, what: string): void => {
    if (!condition) throw new Error(`quern.deb: ${what}`);
  };

  await run("dpkg", "--install", "/old.deb");
  expect((statSync(join(root, DATA)).mode & 0o777) === 0o700, "only the user quern may read the data folder");
  expect((statSync(join(root, CONFIGURATION)).mode & 0o777) === 0o640, "not all users may read the settings");
  expect(isLink(root, ENABLED), "installing enables the service");
  appendFileSync(join(root, CONFIGURATION), "QUERN_LOG_LEVEL=warn\n");

  await createFirstRecord({
    program: ["/usr/bin/quern"],
    env: { QUERN_DATA: `/${DATA}`, QUERN_LOG_LEVEL: "warn" },
    root: { path: root, user: await userId(run) },
  });
  expect(exists(`${DATA}/home.sqlite`), "the service's data folder is used");

  await run("dpkg", "--install", "/new.deb");
  expect((await run("quern", "version")).includes(version), `the upgrade installs ${version}`);
  const settings = readFileSync(join(root, CONFIGURATION), "utf8");
  expect(settings.endsWith("QUERN_LOG_LEVEL=warn\n"), "an upgrade keeps changed settings");
  expect(exists(`${DATA}/home.sqlite`), "an upgrade keeps the data");
  const users = await run(
    "setpriv",
    "--reuid=quern",
    "--regid=quern",
    "--clear-groups",
    "quern",
    "user",
    "list",
    "--data",
    `/${DATA}`,
  );
  expect(users.includes("ada@example.com"), "the new version reads the data");

  await run("dpkg", "--remove", "quern");
  expect(!exists("usr/bin/quern"), "removing removes the executable");
  expect(exists(CONFIGURATION) && exists(`${DATA}/home.sqlite`), "removing keeps settings and data");

  const output = await run("dpkg", "--purge", "quern");
  expect(!exists("etc/quern"), "purging removes the settings");
  expect(!isLink(root, ENABLED), "purging disables the service");
  expect(exists(`${DATA}/home.sqlite`), "purging keeps documents");
  expect(output.includes("rm -r /var/lib/quern"), "purging says how to delete the documents");
  await run("sh", "-c", `rm -r /${DATA} && dpkg --install /new.deb && dpkg --purge quern`);
  expect(!exists(DATA), "purging removes an empty data folder");
  expect(!readFileSync(join(root, "etc/passwd"), "utf8").includes("quern"), "purging removes the user without data");
}

/** Its target is outside of the root folder. */
const isLink = (root: string, path: string): boolean =>
  lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;

/** Returns the ids of the user quern in the system, which differ from this system's. */
async function userId(run: (...command: string[]) => Promise<string>): Promise<string> {
  const [uid, gid] = await Promise.all([run("id", "-u", "quern"), run("id", "-g", "quern")]);
  return `${uid.trim()}:${gid.trim()}`;
}
