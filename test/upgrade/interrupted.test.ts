/** Upgrades that are killed, or that fail, and continue. */
import { expect, test } from "bun:test";
import { copyFileSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { upgradeDocumentFile } from "../../src/doc/import-document.ts";
import { LATEST_VERSIONS } from "../../src/doc/migrations/migrate.ts";
import { inspectDocumentFile, openDocumentFile } from "../../src/doc/open-document.ts";
import { inspectHome } from "../../src/home/home-upgrade.ts";
import { openHome } from "../../src/home/home.ts";
import { Database } from "../../src/sqlite/database.ts";
import { quote } from "../../src/sqlite/quote.ts";
import { startQuern } from "../helpers/run-quern.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { formerFolder } from "./former-folder.ts";
import { OUTDATED, writeOutdatedDocument } from "./outdated-document.ts";
import { HOME_VERSION } from "./home-version.ts";

/** Returns the version, the tables and the rows of a database. */
function contentOf(path: string): unknown {
  using db = new Database(path);
  const tables = db.all<{ name: string; sql: string }>("select name, sql from sqlite_schema where type = 'table'");
  const rows = tables.map(({ name, sql }) => ({ name, sql, rows: db.values(`select * from ${quote(name)}`) }));
  return { version: db.get("pragma user_version"), rows };
}

const backupsIn = (data: string): string[] =>
  readdirSync(join(data, "backups")).map((name) => join(data, "backups", name));

/** Runs `kill-in-upgrade.ts` until it has killed itself. */
async function killAt(data: string, step: string): Promise<void> {
  const command = [process.execPath, join(import.meta.dir, "kill-in-upgrade.ts"), data, step];
  const child = Bun.spawn(command, { stdout: "inherit", stderr: "inherit" });
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
}

test.each([
  ["before the backup", "started", 0],
  ["between the backup and the migration", "backedUp", 1],
  ["during the migration", "migrating", 0],
  ["after the migration", "completed", 1],
])("killed %s, the upgrade of the home database continues at the next start", async (_, step, backups) => {
  const { data } = await formerFolder();
  const before = contentOf(join(data, "home.sqlite"));
  await killAt(data, step);
  expect(inspectHome(data)).toMatchObject({ from: step === "completed" ? HOME_VERSION : 2 });
  mkdirSync(join(data, "backups"), { recursive: true });
  expect(backupsIn(data)).toHaveLength(backups);
  {
    using home = openHome(data);
    expect(home.users.list()).toHaveLength(5);
    expect(home.raw.get("pragma user_version")).toEqual({ user_version: HOME_VERSION });
    expect(home.raw.get("pragma integrity_check")).toEqual({ integrity_check: "ok" });
  }
  for (const backup of backupsIn(data)) expect(contentOf(backup)).toEqual(before);
});

test("killed while it copies, the upgrade leaves no backup that looks complete", async () => {
  const { data } = await formerFolder();
  mkdirSync(join(data, "backups"));
  writeFileSync(join(data, "backups", "home-v2-2026-11-22T17-00-00-000Z.sqlite.part"), "SQLite format 3");
  openHome(data).close();
  const backups = backupsIn(data);
  expect(backups).toEqual([expect.stringMatching(/\.sqlite$/)]);
  expect(contentOf(backups[0] ?? "")).toMatchObject({ version: { user_version: 2 } });
});

/** The files that an upgrade of a document leaves when it is killed. */
const LEFT: Record<string, (path: string) => void> = {
  "while the copy is written": (path) => writeFileSync(`${path}.part`, readFileSync(path).subarray(0, 9000)),
  "while the copy is migrated": (path) => {
    copyFileSync(path, `${path}.part`);
    writeFileSync(`${path}.part-journal`, "half of a journal");
  },
  "before the former file has its name": (path) => {
    copyFileSync(path, `${path}.part`);
    linkSync(path, join(dirname(path), "former.grist.part"));
  },
  "before the copy replaces the file": (path) => {
    copyFileSync(path, `${path}.part`);
    linkSync(path, join(dirname(path), "former.grist"));
  },
};

test.each(Object.keys(LEFT))("killed %s, the upgrade of a document starts again", (at) => {
  const folder = tempFolder();
  mkdirSync(join(folder, "docs/one"), { recursive: true });
  const path = writeOutdatedDocument(folder, "one");
  const before = readFileSync(path);
  LEFT[at]?.(path);
  expect(inspectDocumentFile(path)).toEqual(OUTDATED);
  using document = openDocumentFile(path);
  expect(document.db.values("select Item from Stock")).toEqual([["item 1"], ["item 2"], ["item 3"]]);
  expect(readFileSync(join(dirname(path), "former.grist")).equals(before)).toBe(true);
  document.close();
  expect(readdirSync(dirname(path)).toSorted()).toEqual(["document.grist", "former.grist"]);
});

test("a later upgrade replaces the former file of an earlier one", () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "docs/one"), { recursive: true });
  const path = writeOutdatedDocument(folder, "one");
  upgradeDocumentFile(path);
  writeOutdatedDocument(folder, "one", 7);
  const second = readFileSync(path);
  upgradeDocumentFile(path);
  expect(readFileSync(join(dirname(path), "former.grist")).equals(second)).toBe(true);
  expect(statSync(path).ino).not.toBe(statSync(join(dirname(path), "former.grist")).ino);
});

test("killed again and again, quern upgrade finishes with every document", async () => {
  const { data } = await formerFolder();
  const uuids = Array.from({ length: 15 }, (_, at) => `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`);
  for (const uuid of uuids) {
    mkdirSync(join(data, "docs", uuid));
    writeOutdatedDocument(data, uuid, 200);
  }
  const contentBefore = contentOf(join(data, "home.sqlite"));
  let kills = 0;
  for (let round = 0; round < 3; round++) {
    const child = startQuern(["upgrade", "--data", data]);
    // The first line reports one step; the next step is in progress.
    await child.stdout.getReader().read();
    child.kill("SIGKILL");
    await child.exited;
    if (child.signalCode === "SIGKILL") kills++;
  }
  expect(kills).toBeGreaterThan(0);
  expect(await startQuern(["upgrade", "--data", data]).exited).toBe(0);
  expect(inspectHome(data)).toMatchObject({ from: HOME_VERSION });
  for (const backup of backupsIn(data)) expect(contentOf(backup)).toEqual(contentBefore);
  for (const uuid of uuids) {
    const path = join(data, "docs", uuid, "document.grist");
    expect(inspectDocumentFile(path)).toEqual(LATEST_VERSIONS);
    expect(inspectDocumentFile(join(dirname(path), "former.grist"))).toEqual(OUTDATED);
    using document = openDocumentFile(path);
    expect(document.db.values("select count(*) from Stock")).toEqual([[200]]);
  }
});
